/* fuzz_clause.c - conditions of [restrict]: what the rule says of each tuple is what they say
   SPDX-License-Identifier: MIT */
#include "fuzz.h"

#include "model/any_tuple.h"

#include <string.h>

static const char head[] = "[kernel]\nname = small\n[data]\nformat = csv\n"
                           "[fields]\ngpu = gfx900_56 gfx906_60\nm = size 0\nn = size\n"
                           "[params]\nx = -3 0 1 2 64\ny = 1 16 16777216\nz = on off \"a b\"\n"
                           "[features]\nonehot gpu\n[restrict]\n";

/* By the conditions alone: the rule asks them early, and bounds what is open. */
static int is_legal(const struct model *m, const int32_t *problem, const int32_t *values)
{
    for (size_t i = 0; i < m->clauses.n; i++)
        if (!clause_is_true(&m->clauses.v[i], problem, values, NULL))
            return 0;
    return 1;
}

/* What the rule says of each tuple; returns whether there are legal ones, and illegal ones, too. */
static int all_tuples(const struct model *m, const int32_t *problem)
{
    const kpred_param *p = m->params;
    int some = 0, others = 0;
    size_t steps = 1000;
    for (int32_t x = 0; x < p[0].n_values; x++)
        for (int32_t y = 0; y < p[1].n_values; y++)
            for (int32_t z = 0; z < p[2].n_values; z++) {
                const int32_t values[] = {p[0].values[x], p[1].values[y], p[2].values[z]};
                const int legal = is_legal(m, problem, values);
                FUZZ_CHECK(kpred_legal(&m->m, problem, values) == legal);
                some |= legal;
                others |= !legal;
            }
    FUZZ_CHECK(any_tuple(&m->clauses, m->spec, problem, &steps) == some);
    return some && others;
}

static void use(const struct model *m)
{
    static const int32_t problems[][3] = {{0, 0, 1}, {1, 1, 3}, {0, 4096, 1 << 24}, {1, 7, 64}};
    struct buf code = {0};
    char *text = NULL;
    size_t n = 0;
    FILE *f = open_memstream(&text, &n);
    FUZZ_CHECK(f != NULL);
    clauses_write(&m->clauses, m->spec, f);
    FUZZ_CHECK(fclose(f) == 0);
    free(text);
    for (size_t i = 0; i < sizeof problems / sizeof *problems; i++)
        if (all_tuples(m, problems[i]))
            FUZZ_REACHED("legal and illegal tuples");
    buf_free(&code);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct buf text = fuzz_text((const uint8_t *)head, strlen(head));
    struct spec spec;
    struct model m;
    buf_add(&text, (const char *)data, size);
    if (spec_parse(&spec, text.s, "fuzz.spec") == 0) {
        if (model_from_spec(&m, &spec, "none") == 0 && m.m.n_params == 3 && m.m.n_fields == 3)
            use(&m);
        model_free(&m);
        spec_free(&spec);
    }
    buf_free(&text);
    return 0;
}
