/* candidates.c - the tuples of which one is next, and the chance that one of them is faster
   SPDX-License-Identifier: MIT */
#include "expert.h"

#include "base/numbers.h"
#include "base/util.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { DRAWN = 32 }; /* for one that is to be far from the others */

static void candidates_take(struct candidates *c, size_t tuple)
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
                candidates_take(c, i);
}

void candidates_open(struct candidates *c, const struct space *s, const size_t *first,
                     size_t n_first, const size_t *best, size_t n_best, uint64_t seed,
                     struct heap *heap)
{
    const int is_all = s->n <= CANDIDATES_MOST;
    c->n = 0;
    c->tuple = heap_new(heap, is_all ? s->n : CANDIDATES_MOST, sizeof *c->tuple);
    c->where = heap_new(heap, s->n, sizeof *c->where);
    memset(c->where, 0xff, s->n * sizeof *c->where);
    for (size_t i = 0; i < n_first; i++)
        candidates_take(c, first[i]);
    if (!is_all)
        take_neighbours(c, s, best, n_best);
    for (size_t i = 0; is_all && i < s->n; i++)
        candidates_take(c, i);
    while (!is_all && c->n < CANDIDATES_MOST)
        candidates_take(c, (size_t)(num_draw(&seed) % s->n));
}

/* ---- spread samples ---- */

/* For each parameter that differs 1, and how far its values are from each other */
static double candidates_distance(const struct space *s, size_t a, size_t b)
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
        const double d = candidates_distance(s, tuple, others[i]);
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

/* ---- chance ---- */

enum { DRAWS = 256 };

double stop_variance(const struct regression *r, size_t candidate)
{
    const double variance = (double)r->variance[candidate];
    return (variance > 1e-6 ? variance : 1e-6) + r->covariance->noise;
}

void shortlist_add(struct shortlist *l, size_t candidate, double ahead)
{
    size_t at = l->n < STOP_LISTED ? l->n++ : STOP_LISTED;
    for (; at > 0 && ahead > l->v[at - 1].ahead; at--)
        if (at < STOP_LISTED)
            l->v[at] = l->v[at - 1];
    if (at < STOP_LISTED)
        l->v[at] = (struct outlook){candidate, ahead, 1};
}

struct draws {
    const struct shortlist *list;
    const struct regression *regression;
    size_t tuple[STOP_LISTED];
    double line[STOP_LISTED][STOP_LISTED]; /* Cholesky's factor of what is common to them */
    double normal[DRAWS][STOP_LISTED];
    double luck[DRAWS];   /* a tuple runs whose chance to run is above it */
    double spread[DRAWS]; /* what all deviations are multiplied by */
    unsigned char is_hit[DRAWS];
};

/* ---- what the tuples have in common ---- */

/* The correlation of a tuple with those before it, given the results */
static void correlations(const struct draws *d, size_t a, double *out)
{
    const struct regression *r = d->regression;
    const struct outlook *v = d->list->v;
    float common[STOP_LISTED];
    covariance_row(r->covariance, d->tuple[a], COVARIANCE_ALL, r->row);
    covariance_all(r->covariance, r->row, d->tuple, a + 1, common);
    for (size_t b = 0; b <= a; b++)
        out[b] = (double)common[b];
    for (size_t k = 0; k < r->n; k++) {
        const float *known = r->known + k * r->n_candidates;
        const double factor = (double)known[v[a].candidate];
        for (size_t b = 0; b < a; b++)
            out[b] -= factor * (double)known[v[b].candidate];
    }
    for (size_t b = 0; b < a; b++)
        out[b] /= sqrt(stop_variance(r, v[a].candidate) * stop_variance(r, v[b].candidate));
    out[a] = 1;
}

static void add_line(struct draws *d, size_t a)
{
    double *line = d->line[a];
    correlations(d, a, line);
    for (size_t b = 0; b <= a; b++) {
        double left = line[b];
        for (size_t k = 0; k < b; k++)
            left -= line[k] * d->line[b][k];
        line[b] = b < a ? left / d->line[b][b] : sqrt(left > 1e-6 ? left : 1e-6);
    }
}

/* ---- draws ---- */

/* Numbers that were fitted to few results make the regression too sure of itself: its deviations
   are drawn as well, so that the sum has Student's distribution with four degrees of freedom. */
static void draw_common(struct draws *d, uint64_t *seed)
{
    for (size_t i = 0; i < DRAWS; i++) {
        const double u = ((double)num_unit(seed) + 1e-7) * ((double)num_unit(seed) + 1e-7);
        d->spread[i] = sqrt(2 / (-0.69314718 * num_log2(u) + 1e-6));
        d->luck[i] = (double)num_unit(seed);
    }
}

/* In how many draws more is this tuple the first one that is faster? */
static size_t hits(struct draws *d, size_t a, uint64_t *seed)
{
    const struct outlook *o = &d->list->v[a];
    size_t n = 0;
    for (size_t i = 0; i < DRAWS; i++) {
        double z = 0;
        d->normal[i][a] = num_normal(seed);
        for (size_t k = 0; k <= a; k++)
            z += d->line[a][k] * d->normal[i][k];
        if (d->is_hit[i] || z * d->spread[i] >= o->ahead || d->luck[i] >= o->works)
            continue;
        d->is_hit[i] = 1;
        n++;
    }
    return n;
}

double stop_chance(const struct shortlist *l, const struct regression *r, double most,
                   uint64_t seed)
{
    struct draws *d = xcalloc(1, sizeof *d);
    size_t n = 0;
    d->list = l;
    d->regression = r;
    draw_common(d, &seed);
    for (size_t a = 0; a < l->n && (double)n <= most * DRAWS; a++) {
        d->tuple[a] = r->tuple[l->v[a].candidate];
        add_line(d, a);
        n += hits(d, a, &seed);
    }
    free(d);
    return (double)n / DRAWS;
}
