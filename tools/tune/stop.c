/* stop.c - see stop.h
   SPDX-License-Identifier: MIT */
#include "stop.h"

#include "base/numbers.h"
#include "base/util.h"

#include <math.h>
#include <stdlib.h>

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
