/* population.c - lists with their results, ranked
   SPDX-License-Identifier: MIT

   population.h declares it. */
#include "population.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_CONFIRMED = 16 }; /* of a generation */

void population_add(struct population *p, const struct edits *list, const struct result *result)
{
    if (result->outcome != OUTCOME_VALID)
        return;
    for (size_t i = 0; i < p->n; i++)
        if (edits_equal(&p->v[i].list, list))
            return;
    p->v = xgrow(p->v, p->n, &p->cap, sizeof *p->v);
    struct individual *x = &p->v[p->n++];
    memset(x, 0, sizeof *x);
    edits_copy(&x->list, list);
    x->result = *result;
}

void population_empty(struct population *p)
{
    for (size_t i = 0; i < p->n; i++)
        edits_free(&p->v[i].list);
    free(p->v);
    memset(p, 0, sizeof *p);
}

/* ---- ranks ---- */

static int by_value(const void *x, const void *y)
{
    const double *a = x, *b = y;
    return *a < *b ? -1 : *a > *b;
}

/* The median of the spreads: what noise alone does to a time */
static double median_spread(const struct population *p)
{
    double *spread = xmalloc(p->n * sizeof *spread);
    for (size_t i = 0; i < p->n; i++)
        spread[i] = p->v[i].result.spread;
    qsort(spread, p->n, sizeof *spread, by_value);
    const double median = p->n != 0 ? spread[p->n / 2] : 0;
    free(spread);
    return median;
}

/* Times that fall into one step, of half the noise, are taken as equal, so that of those the
   shorter list is better: else lists grow by edits that do nothing but were lucky when they were
   timed. Steps, and not differences, since to be better has to be transitive. With wider ones,
   edits that gain a little and prepare for others die out. */
static void rank(struct population *p)
{
    const double step = median_spread(p) / 2;
    struct point *points = xcalloc(p->n, sizeof *points);
    for (size_t i = 0; i < p->n; i++) {
        const struct result *r = &p->v[i].result;
        const int is_valid = r->outcome == OUTCOME_VALID; /* it may have failed when confirmed */
        const double time = step > 0 ? floor(log(r->time) / step) : r->time;
        points[i].time = is_valid ? time : HUGE_VAL;
        points[i].error = is_valid ? r->error : HUGE_VAL;
        points[i].size = p->v[i].list.n;
    }
    pareto_rank(points, p->n);
    pareto_crowd(points, p->n);
    for (size_t i = 0; i < p->n; i++)
        p->v[i].point = points[i];
    free(points);
}

/* A total order: what is as good as another is told apart by its edits. */
static int in_order(const void *x, const void *y)
{
    const struct individual *a = x, *b = y;
    if (point_precedes(&a->point, &b->point) || point_precedes(&b->point, &a->point))
        return point_precedes(&a->point, &b->point) ? -1 : 1;
    if (a->result.time != b->result.time)
        return a->result.time < b->result.time ? -1 : 1;
    const uint64_t h = edits_hash(&a->list), k = edits_hash(&b->list);
    return h < k ? -1 : h > k;
}

void population_sort(struct population *p)
{
    rank(p);
    qsort(p->v, p->n, sizeof *p->v, in_order);
}

const struct individual *population_pick(const struct population *p, uint64_t *random)
{
    const size_t i = run_below(random, p->n), j = run_below(random, p->n);
    return &p->v[i < j ? i : j];
}

/* ---- who stays ---- */

static void add_all(struct population *p, const struct individual *v, size_t n)
{
    for (size_t i = 0; i < n; i++)
        population_add(p, &v[i].list, &v[i].result);
}

void population_merge(struct population *p, struct population *more, size_t elite, size_t most)
{
    struct population others = {0}, next = {0};
    elite = elite < p->n ? elite : p->n;
    add_all(&next, p->v, elite);
    add_all(&others, p->v + elite, p->n - elite);
    add_all(&others, more->v, more->n);
    population_sort(&others);
    for (size_t i = 0; i < others.n && next.n < most; i++)
        population_add(&next, &others.v[i].list, &others.v[i].result);
    population_empty(&others);
    population_empty(more);
    population_empty(p);
    *p = next;
}

int population_confirm(struct population *p, struct run *r)
{
    struct edits *lists = xmalloc(p->n * sizeof *lists); /* shallow */
    struct result *results = xmalloc(p->n * sizeof *results);
    for (size_t i = 0; i < p->n; i++) {
        lists[i] = p->v[i].list;
        results[i] = p->v[i].result;
    }
    const int rc = run_confirm(r, lists, results, p->n, MOST_CONFIRMED);
    for (size_t i = 0; i < p->n; i++)
        p->v[i].result = results[i];
    free(results);
    free(lists);
    return rc;
}
