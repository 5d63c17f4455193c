/* test_clauses.c - rules as conditions: [restrict] reads as Python does, in tools and headers
   SPDX-License-Identifier: MIT

   The steps are in tests/model/clauses.cases. Called with arguments, it answers clauses.py:
          clauses SPEC            for each line of standard input, a problem and then a whole tuple,
                                  a line: the answers for 0, 1, ... values, a letter a clause
          clauses SPEC --each     1 for each clause behind the first two that is read, else 0
          clauses SPEC --write    the rule in C
          clauses SPEC --allow    a line: what the rule says for 0, 1, ... values
          clauses HEADER --plain  the header as kpred 0.2.0 wrote it, without variables

   Letters: . says nothing; t, f decided (F: false because of a division or a quotient); b may be
   true, n cannot be. */
#define _XOPEN_SOURCE 700
#include "train/steps.h"

#include "model/clause.h"
#include "model/header.h"
#include "model/model.h"

#include <inttypes.h>

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

/* ---- the tests ---- */

/* The conditions of own.spec a second time */
static int is_legal(int is_906, int rows, int cols, int threads, int unroll)
{
    return threads * unroll <= 512 && (is_906 || threads * unroll < 512)
           && (rows < 64 || unroll > 1 || cols % 3 == 0);
}

static void all_legal(void)
{
    for (int i = 0; i < 16; i++) {
        const int rows = (int[]){1, 63, 64, 500}[i / 2 % 4], cols = i % 2 ? 16 : 99;
        int rank, threads, unroll, n = 0, n_legal = 0;
        for (int tuple = 0; tuple < 9; tuple++)
            n_legal += is_legal(i >= 8, rows, cols, 64 << tuple / 3, 1 << tuple % 3);
        RAN_CHECK(RAN("kpred predict own.h gpu=%s rows=%d cols=%d -k 9 --csv",
                      i < 8 ? "gfx900_56" : "gfx906_60", rows, cols)
                  == 0);
        for (const char *at = below_heading(program.out.s); *at != '\0';
             at = below_heading(at), n++)
            CHECK(sscanf(at, "%d,%*[^,],%d,%d", &rank, &threads, &unroll) == 3
                  && is_legal(i >= 8, rows, cols, threads, unroll));
        CHECK_EQ(n, n_legal);
    }
}

int main(int argc, char **argv)
{
    static const struct step_call calls[] = {{"every tuple of predict is legal", all_legal},
                                             {NULL, NULL}};
    return argc > 1 ? answer(argv[1], argc > 2 ? argv[2] : "--letters")
                    : run_steps("tests/model/clauses.cases", argv[0], calls);
}
