/* candidates.c - see candidates.h
   SPDX-License-Identifier: MIT */
#include "candidates.h"

#include "base/numbers.h"
#include "base/util.h"

#include <stdlib.h>
#include <string.h>

enum { DRAWN = 32 }; /* for one that is to be far from the others */

static void take(struct candidates *c, size_t tuple)
{
    if (c->where[tuple] != CANDIDATE_NONE || c->n == CANDIDATES_MOST)
        return;
    c->where[tuple] = (uint32_t)c->n;
    c->tuple[c->n++] = tuple;
}

static size_t n_different(const struct space *s, size_t a, size_t b)
{
    size_t n = 0;
    for (size_t p = 0; p < s->n_params; p++)
        n += s->value[a * s->n_params + p] != s->value[b * s->n_params + p];
    return n;
}

static void take_neighbours(struct candidates *c, const struct space *s, const size_t *best,
                            size_t n_best)
{
    for (size_t i = 0; i < s->n; i++)
        for (size_t k = 0; k < n_best; k++)
            if (n_different(s, i, best[k]) == 1)
                take(c, i);
}

void candidates_open(struct candidates *c, const struct space *s, const size_t *first,
                     size_t n_first, const size_t *best, size_t n_best, uint64_t seed)
{
    const int is_all = s->n <= CANDIDATES_MOST;
    c->n = 0;
    c->tuple = xcalloc(is_all ? s->n : CANDIDATES_MOST, sizeof *c->tuple);
    c->where = xmalloc(s->n * sizeof *c->where);
    memset(c->where, 0xff, s->n * sizeof *c->where);
    for (size_t i = 0; i < n_first; i++)
        take(c, first[i]);
    if (!is_all)
        take_neighbours(c, s, best, n_best);
    for (size_t i = 0; is_all && i < s->n; i++)
        take(c, i);
    while (!is_all && c->n < CANDIDATES_MOST)
        take(c, (size_t)(num_draw(&seed) % s->n));
}

void candidates_free(struct candidates *c)
{
    free(c->tuple);
    free(c->where);
}

/* ---- spread samples ---- */

/* For each parameter that differs 1, and how far its values are from each other */
static double distance(const struct space *s, size_t a, size_t b)
{
    double sum = 0;
    for (size_t p = 0; p < s->n_params; p++) {
        const int x = s->value[a * s->n_params + p], y = s->value[b * s->n_params + p];
        if (x != y)
            sum += 1 + (double)abs(x - y) / s->n_values[p];
    }
    return sum;
}

static double nearest(const struct space *s, size_t tuple, const size_t *others, size_t n)
{
    double least = 1e300;
    for (size_t i = 0; i < n; i++) {
        const double d = distance(s, tuple, others[i]);
        least = d < least ? d : least;
    }
    return least;
}

size_t candidate_spread(const struct space *s, const size_t *others, size_t n,
                        const unsigned char *is_taken, uint64_t seed)
{
    size_t best = SIZE_MAX;
    double most = -1;
    for (int i = 0; i < DRAWN; i++) {
        const size_t tuple = (size_t)(num_draw(&seed) % s->n);
        const double d = is_taken[tuple] ? -1 : nearest(s, tuple, others, n);
        if (d > most) {
            most = d;
            best = tuple;
        }
    }
    for (size_t i = 0; best == SIZE_MAX; i++)
        best = is_taken[i] ? SIZE_MAX : i;
    return best;
}
