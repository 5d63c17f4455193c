/* balance.c - see balance.h
   SPDX-License-Identifier: MIT */
#include "balance.h"

#include "base/numbers.h"
#include "data/split.h"

#include <stdlib.h>

struct groups {
    uint64_t *sorted; /* the group of each problem that trains */
    uint64_t *group;  /* the group of each row that begins a problem */
    size_t n;
};

static int compare_groups(const void *pa, const void *pb)
{
    const uint64_t a = *(const uint64_t *)pa, b = *(const uint64_t *)pb;
    return (a > b) - (a < b);
}

static struct groups find_groups(const struct spec *spec, const struct dataset *d,
                                 const unsigned char *part)
{
    struct groups g = {xcalloc(d->n, sizeof *g.sorted), xcalloc(d->n, sizeof *g.group), 0};
    struct buf scratch = {NULL, 0, 0};
    for (size_t i = 0; i < d->n; i = data_problem_end(d, i)) {
        g.group[i] = split_row_hash(spec, &spec->balance, d->problem + i * d->n_fields, &scratch);
        if (part[i] == HELD_OUT_TRAIN)
            g.sorted[g.n++] = g.group[i];
    }
    buf_free(&scratch);
    qsort(g.sorted, g.n, sizeof *g.sorted, compare_groups);
    return g;
}

/* How many of the sorted ones are below x */
static size_t count_below(const struct groups *g, uint64_t x)
{
    size_t first = 0, n = g->n;
    while (n > 0) {
        const size_t half = n / 2;
        if (g->sorted[first + half] < x) {
            first += half + 1;
            n -= half + 1;
        } else {
            n = half;
        }
    }
    return first;
}

/* A problem's share before all are made to sum to 1 */
static double weight_of(const struct recipe *r, const struct groups *g, size_t row)
{
    const uint64_t x = g->group[row];
    const size_t problems = (x == UINT64_MAX ? g->n : count_below(g, x + 1)) - count_below(g, x);
    return (double)num_exp2((float)(-r->balance * num_log2((double)problems)));
}

static double sum_weights(const struct recipe *r, const struct groups *g, const struct dataset *d,
                          const unsigned char *part)
{
    double sum = 0;
    for (size_t i = 0; i < d->n; i = data_problem_end(d, i))
        if (part[i] == HELD_OUT_TRAIN)
            sum += weight_of(r, g, i);
    return sum;
}

/* On average it is x. */
static size_t round_by_chance(double x, size_t row)
{
    uint64_t seed = num_mix(10, row, 0);
    return (size_t)(x + (double)num_unit(&seed));
}

size_t *balance_rows(const struct recipe *recipe, const struct spec *spec, const struct dataset *d,
                     const unsigned char *part)
{
    size_t *rows = xcalloc(d->n, sizeof *rows);
    const int any = spec->balance.n > 0 && recipe->balance > 0;
    struct groups g = {NULL, NULL, 0};
    double each = 0;
    if (any) {
        g = find_groups(spec, d, part);
        each = recipe->draws * (double)g.n / sum_weights(recipe, &g, d, part);
    }
    for (size_t i = 0; i < d->n; i = data_problem_end(d, i))
        rows[i] = any && part[i] == HELD_OUT_TRAIN
                      ? round_by_chance(each * recipe->thinned * weight_of(recipe, &g, i), i)
                      : (size_t)recipe->draws;
    free(g.sorted);
    free(g.group);
    return rows;
}
