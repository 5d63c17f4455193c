/* clauses.c - what kpred makes of the clauses of a rule, for clauses.py and test_clauses.steps
   SPDX-License-Identifier: MIT

          clauses SPEC            for each line of standard input, a problem and then a whole tuple,
                                  a line: the answers for 0, 1, ... values, a letter a clause
          clauses SPEC --each     1 for each clause behind the first two that is read, else 0
          clauses SPEC --write    the rule in C
          clauses SPEC --allow    a line: what the rule says for 0, 1, ... values
          clauses HEADER --plain  the header as kpred 0.2.0 wrote it, without variables

   Letters: . says nothing; t, f decided (F: false because of a division or a quotient); b may be
   true, n cannot be. */
#include "model/clause.h"
#include "model/header.h"
#include "model/model.h"

#include <inttypes.h>
#include <stdio.h>

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
        putchar('0' + clauses_allow(&clauses, &spec, problem, values, n));
    putchar('\n');
}

static int write_plain(const char *path)
{
    struct model model;
    if (header_read(path, &model))
        return 1;
    model.clauses.plain = SIZE_MAX;
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

/* Each clause behind the first two, which are constants, is read without the others. */
static void print_read(void)
{
    for (size_t i = 2; i < spec.restricts.n; i++) {
        struct spec one = spec;
        struct spec_line lines[] = {spec.restricts.v[0], spec.restricts.v[1], spec.restricts.v[i]};
        one.restricts = (struct spec_lines){.v = lines, .n = 3};
        putchar('0' + (clauses_read(&clauses, &one) == 0));
        clauses_free(&clauses);
    }
}

static int answer(const char *path, const char *option)
{
    int32_t problem[KPRED_MAX_FIELDS], values[KPRED_MAX_TUPLE];
    if (option[2] == 'p')
        return write_plain(path);
    if (spec_load(&spec, path) || (option[2] != 'e' && clauses_read(&clauses, &spec)))
        return 1;
    if (option[2] == 'e')
        print_read();
    else if (option[2] == 'w')
        clauses_write(&clauses, &spec, stdout);
    else
        while (read_numbers(problem, spec.n_fields) && read_numbers(values, spec.n_params))
            (option[2] == 'a' ? print_allowed : print_letters)(problem, values);
    clauses_free(&clauses);
    spec_free(&spec);
    return 0;
}

int main(int argc, char **argv)
{
    return argc > 1 ? answer(argv[1], argc > 2 ? argv[2] : "--letters") : 2;
}
