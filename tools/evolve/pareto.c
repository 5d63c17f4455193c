/* pareto.c - which of some points are better: ranks of non-domination, and how crowded each is
   SPDX-License-Identifier: MIT

   pareto.h declares it. */
#include "pareto.h"

#include "base/util.h"

#include <math.h>
#include <stdlib.h>

int point_dominates(const struct point *a, const struct point *b)
{
    if (a->time > b->time || a->error > b->error)
        return 0;
    return a->time < b->time || a->error < b->error || a->size < b->size;
}

int point_precedes(const struct point *a, const struct point *b)
{
    if (a->rank != b->rank)
        return a->rank < b->rank;
    return a->crowding > b->crowding;
}

static int by_time(const void *x, const void *y)
{
    const struct point *a = *(struct point *const *)x, *b = *(struct point *const *)y;
    if (a->time != b->time)
        return a->time < b->time ? -1 : 1;
    if (a->error != b->error)
        return a->error < b->error ? -1 : 1;
    return a->size < b->size ? -1 : a->size > b->size;
}

static int by_rank(const void *x, const void *y)
{
    const struct point *a = *(struct point *const *)x, *b = *(struct point *const *)y;
    return a->rank != b->rank ? (a->rank < b->rank ? -1 : 1) : by_time(x, y);
}

/* Pointers to the points in an order; to be freed */
static struct point **sorted(struct point *points, size_t n,
                             int (*compare)(const void *, const void *))
{
    struct point **order = xmalloc(n * sizeof *order);
    for (size_t i = 0; i < n; i++)
        order[i] = &points[i];
    qsort(order, n, sizeof *order, compare);
    return order;
}

/* In the order of times, only an earlier point can dominate a later one, and of a rank the latest
   point has the least error: if that one does not dominate, none of the rank does. */
void pareto_rank(struct point *points, size_t n)
{
    struct point **order = sorted(points, n, by_time);
    struct point **latest = xmalloc(n * sizeof *latest);
    int ranks = 0;
    for (size_t i = 0; i < n; i++) {
        int rank = 0;
        while (rank < ranks && point_dominates(latest[rank], order[i]))
            rank++;
        order[i]->rank = rank;
        latest[rank] = order[i];
        ranks = rank == ranks ? ranks + 1 : ranks;
    }
    free(latest);
    free(order);
}

/* Of one rank, in the order of times, and so of falling errors */
static void crowd(struct point **rank, size_t n)
{
    const double times = rank[n - 1]->time - rank[0]->time;
    const double errors = rank[0]->error - rank[n - 1]->error;
    for (size_t i = 0; i < n; i++)
        rank[i]->crowding = i == 0 || i == n - 1 ? HUGE_VAL : 0;
    for (size_t i = 1; i + 1 < n; i++) {
        if (times > 0)
            rank[i]->crowding += (rank[i + 1]->time - rank[i - 1]->time) / times;
        if (errors > 0)
            rank[i]->crowding += (rank[i - 1]->error - rank[i + 1]->error) / errors;
    }
}

void pareto_crowd(struct point *points, size_t n)
{
    struct point **order = sorted(points, n, by_rank);
    for (size_t begin = 0, end; begin < n; begin = end) {
        for (end = begin; end < n && order[end]->rank == order[begin]->rank;)
            end++;
        crowd(order + begin, end - begin);
    }
    free(order);
}
