/* distinct.c - tuples of known problems, the nearest first: those that are new and legal
   SPDX-License-Identifier: MIT */
#include "distinct.h"

#include <string.h>

static int is_there(const struct distinct *d, const int32_t *value, size_t size)
{
    for (size_t i = 0; i < d->n; i++)
        if (memcmp(d->out[i].value, value, size) == 0)
            return 1;
    return 0;
}

static int is_legal(const struct distinct *d, const int32_t *value)
{
    for (size_t n = 0; n <= d->model->n_params; n++)
        if (!d->model->rule(d->problem, value, n))
            return 0;
    return 1;
}

int distinct_add(struct distinct *d, const unsigned char *index)
{
    const size_t n_params = d->model->n_params;
    int32_t *value = d->out[d->n].value;
    for (size_t t = 0; t < n_params; t++)
        value[t] = d->model->params[t].values[index[t]];
    if (!is_there(d, value, n_params * sizeof *value) && is_legal(d, value))
        d->n++;
    return d->n == d->k;
}
