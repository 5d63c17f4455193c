/* hf_list.c - see hf_list.h
   SPDX-License-Identifier: MIT */
#include "hf_list.h"

#include <stdlib.h>

static int by_size(const void *a, const void *b)
{
    const struct hf_layer *x = a, *y = b;
    if (x->n != y->n)
        return x->n < y->n ? -1 : 1;
    return (x->k > y->k) - (x->k < y->k);
}

static int by_number(const void *a, const void *b)
{
    const long x = *(const long *)a, y = *(const long *)b;
    return (x > y) - (x < y);
}

static size_t write_pair(FILE *f, const struct hf_layer *layer, const long *m, size_t n_m)
{
    size_t rows = 0;
    for (size_t i = 0; i < n_m; i++)
        if (i == 0 || m[i] != m[i - 1]) {
            fprintf(f, "%ld,%lld,%lld\n", m[i], (long long)layer->n, (long long)layer->k);
            rows++;
        }
    return rows;
}

size_t hf_list_write(FILE *f, const struct hf_layers *layers, long *m, size_t n_m)
{
    struct hf_layers sorted = *layers;
    size_t rows = 0;
    qsort(sorted.v, sorted.n, sizeof *sorted.v, by_size);
    qsort(m, n_m, sizeof *m, by_number);
    fputs("M,N,K\n", f);
    for (size_t i = 0; i < sorted.n; i++)
        if (i == 0 || by_size(&sorted.v[i], &sorted.v[i - 1]) != 0)
            rows += write_pair(f, &sorted.v[i], m, n_m);
    return rows;
}
