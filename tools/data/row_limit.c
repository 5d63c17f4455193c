/* row_limit.c - see row_limit.h
   SPDX-License-Identifier: MIT */
#include "row_limit.h"

#include "base/numbers.h"

#include <stdlib.h>

enum { MANY_ROWS = 100 }; /* of a problem */

static uint64_t hash_problem(const struct row_limit *t, const struct load_row *r)
{
    uint64_t hash = 0;
    for (size_t i = 0; i < t->n_fields; i++)
        hash = num_mix(hash, i, (uint64_t)r->problem[i]);
    return hash;
}

static uint64_t hash_of(const struct row_limit *t, const struct load_row *r)
{
    uint64_t hash = hash_problem(t, r);
    for (size_t i = 0; t->by_tuple && i < t->n_params; i++)
        hash = num_mix(hash, i, r->target[i]);
    return hash;
}

static int compare_hashes(const void *pa, const void *pb)
{
    const uint64_t a = *(const uint64_t *)pa, b = *(const uint64_t *)pb;
    return (a > b) - (a < b);
}

static int are_large(const struct row_limit *t, const struct load_row *rows, size_t n_rows)
{
    uint64_t *hash = xcalloc(n_rows + 1, sizeof *hash);
    size_t n = 0;
    for (size_t i = 0; i < n_rows; i++)
        hash[i] = hash_problem(t, &rows[i]);
    qsort(hash, n_rows, sizeof *hash, compare_hashes);
    for (size_t i = 0; i < n_rows; i++)
        n += i == 0 || hash[i] != hash[i - 1];
    free(hash);
    return n_rows > MANY_ROWS * n;
}

static int has_left(const struct row_limit *t, const struct load_row *r)
{
    return t->halvings > 0 && hash_of(t, r) >> (64 - t->halvings) != 0;
}

static void drop_left(struct row_limit *t, struct load_row *rows, size_t *n)
{
    size_t kept = 0;
    for (size_t i = 0; i < *n; i++)
        if (!has_left(t, &rows[i]))
            rows[kept++] = rows[i];
    t->left += *n - kept;
    *n = kept;
}

void row_limit_check(struct row_limit *t, const struct row_lists *all, int is_failed)
{
    size_t *n = is_failed ? all->n_failed : all->n;
    if (has_left(t, (is_failed ? all->failed : all->rows) + *n - 1)) {
        t->left++;
        --*n;
    }
    while (t->most > 0 && *all->n + *all->n_failed > t->most && t->halvings < 63) {
        t->by_tuple = t->halvings > 0 ? t->by_tuple : are_large(t, all->rows, *all->n);
        t->halvings++;
        drop_left(t, all->rows, all->n);
        drop_left(t, all->failed, all->n_failed);
    }
}

void row_limit_note(const struct row_limit *t, size_t kept)
{
    if (t->left > 0)
        note("%zu of %zu rows count, drawn by %s: %zu are the most", kept, kept + t->left,
             t->by_tuple ? "tuples, of all problems" : "whole problems", t->most);
}
