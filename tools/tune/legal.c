/* legal.c - see legal.h
   SPDX-License-Identifier: MIT */
#include "legal.h"

#include "base/numbers.h"
#include "base/util.h"

#include <stdlib.h>
#include <string.h>

/* A value that is a name is known by its number alone. */
static void open_values(struct legal *l, const kpred_model *m)
{
    size_t n = 0, at = 0;
    l->n_values = xcalloc(m->n_params, sizeof *l->n_values);
    for (size_t t = 0; t < m->n_params; t++)
        n += l->n_values[t] = (unsigned)m->params[t].n_values;
    l->rank = xcalloc(n, sizeof *l->rank);
    for (size_t t = 0; t < m->n_params; t++)
        for (int32_t v = 0; v < m->params[t].n_values; v++)
            l->rank[at++] = m->params[t].values[v];
}

void legal_open(struct legal *l, const struct model *model, const int32_t *problem)
{
    static const struct tuples_most most = {1 << 18, 1 << 16};
    memset(l, 0, sizeof *l);
    open_values(l, &model->m);
    tuples_open(&l->tuples, &model->m, problem, &most);
    l->space =
        (struct space){l->tuples.n_params, l->tuples.n, l->n_values, l->tuples.value, l->rank, 0};
}

void legal_close(struct legal *l)
{
    tuples_close(&l->tuples);
    free(l->n_values);
    free(l->rank);
    memset(l, 0, sizeof *l);
}

uint64_t legal_seed(uint64_t seed, const int32_t *problem, size_t n_fields)
{
    for (size_t f = 0; f < n_fields; f++)
        seed = num_mix(seed, f, (uint64_t)problem[f]);
    return seed;
}
