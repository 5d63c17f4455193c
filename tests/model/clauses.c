/* clauses.c - what the clauses of a spec say of prefixes, by the tools or by the C that they write
   SPDX-License-Identifier: MIT

   usage: clauses SPEC            for each line of standard input, a problem and then a whole tuple,
                                  a line: the answers for 0, 1, ... values, a letter a clause
          clauses SPEC --write    the rule in C
          clauses SPEC --count    how many tuples of the first problem are legal, and how many
                                  prefixes the rule accepts that no legal tuple begins with
          clauses SPEC --allow    a line: what the rule says for 0, 1, ... values
          clauses HEADER --plain  the header as kpred 0.2.0 wrote it, without variables

   Letters: . says nothing; t, f decided (F: false because of a division or a quotient); b may be
   true, n cannot be. With RULE defined, --allow alone is there, and the file RULE is asked. */
#include "model/clause.h"
#include "model/header.h"

#include "kpred_constraints.h"

#include <inttypes.h>

#ifdef RULE
#include RULE
#endif

static struct spec spec;
static struct clauses clauses;

static char letter(const struct clause *c, const int32_t *problem, const int32_t *values, size_t n)
{
    int undefined = 0;
    switch (clause_part(c, n)) {
    case CLAUSE_DECIDED:
        return clause_is_true(c, problem, values, &undefined) ? 't' : undefined ? 'F' : 'f';
    case CLAUSE_BOUNDED: return clause_may_be_true(c, &spec, problem, values, n) ? 'b' : 'n';
    default: return '.';
    }
}

static void print_letters(const int32_t *problem, const int32_t *values)
{
    for (size_t n = 0; n <= spec.n_params; n++) {
        for (size_t i = 0; i < clauses.n; i++)
            putchar(letter(clauses.v + i, problem, values, n));
        putchar(n < spec.n_params ? ' ' : '\n');
    }
}

static void print_allowed(const int32_t *problem, const int32_t *values)
{
    for (size_t n = 0; n <= spec.n_params; n++)
#ifdef RULE
        putchar('0' + kpri_clauses_rule(problem, values, n));
#else
        putchar('0' + clauses_allow(&clauses, &spec, problem, values, n));
#endif
    putchar('\n');
}

static unsigned long accepted, dead;

/* Counts the legal tuples that begin with the first n values, which the rule has accepted. */
static unsigned long count(const int32_t *problem, int32_t *values, size_t n)
{
    unsigned long legal = n == spec.n_params;
    const struct spec_param *p = spec.params + n;
    for (size_t i = 0; n < spec.n_params && i < p->n_values; i++) {
        values[n] = p->values[i];
        if (clauses_allow(&clauses, &spec, problem, values, n + 1))
            legal += count(problem, values, n + 1);
    }
    accepted++;
    dead += legal == 0;
    return legal;
}

static int write_plain(const char *path)
{
    struct model model;
    if (header_read(path, &model))
        return 1;
    model.clauses.is_plain = 1;
    header_write(stdout, &model, "");
    model_free(&model);
    return 0;
}

static int read_numbers(int32_t *out, size_t n)
{
    size_t i = 0;
    while (i < n && scanf("%" SCNd32, out + i) == 1)
        i++;
    return i == n;
}

int main(int argc, char **argv)
{
    int32_t problem[KPRED_MAX_FIELDS], values[KPRED_MAX_TUPLE];
    const int counts = argc == 3 && argv[2][2] == 'c';
    const int writes = argc == 3 && argv[2][2] == 'w', allows = argc == 3 && argv[2][2] == 'a';
    if (argc == 3 && argv[2][2] == 'p')
        return write_plain(argv[1]);
    if (argc < 2 || spec_load(&spec, argv[1]) || clauses_read(&clauses, &spec))
        return 1;
    if (writes)
        clauses_write(&clauses, &spec, stdout);
    if (counts && read_numbers(problem, spec.n_fields)) {
        const unsigned long legal = count(problem, values, 0);
        printf("%lu legal, %lu of %lu prefixes dead\n", legal, dead, accepted);
    }
    while (!writes && !counts && read_numbers(problem, spec.n_fields)
           && read_numbers(values, spec.n_params))
        (allows ? print_allowed : print_letters)(problem, values);
    clauses_free(&clauses);
    spec_free(&spec);
    return 0;
}
