/* row_limit.c - see row_limit.h
   SPDX-License-Identifier: MIT */
#include "row_limit.h"

#include "base/numbers.h"

#include <stdlib.h>

enum { MANY_ROWS = 100 }; /* of a problem */

static uint64_t hash_problem(const struct loader *l, const struct load_row *r)
{
    uint64_t hash = 0;
    for (size_t i = 0; i < l->spec->n_fields; i++)
        hash = num_mix(hash, i, (uint64_t)r->problem[i]);
    return hash;
}

static uint64_t hash_of(const struct loader *l, const struct load_row *r)
{
    uint64_t hash = hash_problem(l, r);
    for (size_t i = 0; l->limit.by_tuple && i < l->spec->n_params; i++)
        hash = num_mix(hash, i, r->target[i]);
    return hash;
}

static int compare_hashes(const void *pa, const void *pb)
{
    const uint64_t a = *(const uint64_t *)pa, b = *(const uint64_t *)pb;
    return (a > b) - (a < b);
}

static int has_large_problems(const struct loader *l)
{
    uint64_t *hash = xcalloc(l->n + 1, sizeof *hash);
    size_t n = 0;
    for (size_t i = 0; i < l->n; i++)
        hash[i] = hash_problem(l, &l->rows[i]);
    qsort(hash, l->n, sizeof *hash, compare_hashes);
    for (size_t i = 0; i < l->n; i++)
        n += i == 0 || hash[i] != hash[i - 1];
    free(hash);
    return l->n > MANY_ROWS * n;
}

static int has_left(const struct loader *l, const struct load_row *r)
{
    return l->limit.halvings > 0 && hash_of(l, r) >> (64 - l->limit.halvings) != 0;
}

static void drop_left(struct loader *l, struct load_row *rows, size_t *n)
{
    size_t kept = 0;
    for (size_t i = 0; i < *n; i++)
        if (!has_left(l, &rows[i]))
            rows[kept++] = rows[i];
    l->limit.left += *n - kept;
    *n = kept;
}

void row_limit_check(struct loader *l, struct load_row *rows, size_t *n)
{
    const size_t most = l->options->most;
    if (most == 0 || l->spec->format != SPEC_TIMED)
        return;
    if (has_left(l, &rows[*n - 1])) {
        l->limit.left++;
        (*n)--;
    }
    while (l->n + l->n_failed > most && l->limit.halvings < 63) {
        l->limit.by_tuple = l->limit.halvings > 0 ? l->limit.by_tuple : has_large_problems(l);
        l->limit.halvings++;
        drop_left(l, l->rows, &l->n);
        drop_left(l, l->failed, &l->n_failed);
    }
}

void row_limit_note(const struct loader *l)
{
    const size_t kept = l->n + l->n_failed;
    if (l->limit.left > 0)
        note("%zu of %zu rows count, drawn by %s: %zu are the most", kept, kept + l->limit.left,
             l->limit.by_tuple ? "tuples, of all problems" : "whole problems", l->options->most);
}
