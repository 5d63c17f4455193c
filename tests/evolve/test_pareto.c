/* test_pareto.c - ranks of non-domination and crowding, against definitions taken word by word
   SPDX-License-Identifier: MIT */
#include "evolve/pareto.h"

#include "harness/test.h"

#include <math.h>

enum { MOST = 60 };
static uint64_t seed = 1;

/* With few different values, so that points are equal, or equal in one of them */
static void draw(struct point *p, size_t n, int values)
{
    memset(p, 0, n * sizeof *p);
    for (size_t i = 0; i < n; i++) {
        p[i].time = test_between(&seed, 0, values);
        p[i].error = test_between(&seed, 0, values);
        p[i].size = (size_t)test_between(&seed, 0, 2);
    }
}

static int better(const struct point *a, const struct point *b)
{
    const int none_worse = a->time <= b->time && a->error <= b->error;
    const int same = a->time == b->time && a->error == b->error;
    return same ? a->size < b->size : none_worse;
}

/* Takes the points that none of those left dominates, again and again. */
static void peel(const struct point *p, size_t n, int *rank)
{
    size_t left = n;
    for (size_t i = 0; i < n; i++)
        rank[i] = -1;
    for (int r = 0; left > 0; r++) {
        int is_best[MOST];
        for (size_t i = 0; i < n; i++) {
            is_best[i] = rank[i] < 0;
            for (size_t j = 0; j < n && is_best[i]; j++)
                is_best[i] = rank[j] >= 0 || !better(&p[j], &p[i]);
        }
        for (size_t i = 0; i < n; i++)
            if (is_best[i])
                rank[i] = r, left--;
    }
}

static void ranks(void)
{
    for (int round = 0; round < 400; round++) {
        struct point p[MOST];
        int rank[MOST], wrong = 0;
        const size_t n = (size_t)test_between(&seed, 0, MOST);
        draw(p, n, round % 2 ? 8 : 1 << 20);
        peel(p, n, rank);
        pareto_rank(p, n);
        for (size_t i = 0; i < n; i++)
            wrong += p[i].rank != rank[i];
        CHECK_EQ(wrong, 0);
    }
}

/* The neighbours of a point within its rank, by one of the objectives; all values differ. */
static double gap(const struct point *p, size_t n, size_t of, int by_error)
{
    double below = -HUGE_VAL, above = HUGE_VAL, least = HUGE_VAL, most = -HUGE_VAL;
    const double x = by_error ? p[of].error : p[of].time;
    for (size_t i = 0; i < n; i++) {
        const double y = by_error ? p[i].error : p[i].time;
        if (p[i].rank != p[of].rank)
            continue;
        least = fmin(least, y);
        most = fmax(most, y);
        below = y < x ? fmax(below, y) : below;
        above = y > x ? fmin(above, y) : above;
    }
    return (above - below) / (most - least);
}

static void crowding(void)
{
    for (int round = 0; round < 400; round++) {
        struct point p[MOST];
        int wrong = 0;
        const size_t n = (size_t)test_between(&seed, 1, MOST);
        draw(p, n, 1 << 30);
        pareto_rank(p, n);
        pareto_crowd(p, n);
        for (size_t i = 0; i < n; i++) {
            const double want = gap(p, n, i, 0) + gap(p, n, i, 1);
            if (!(want < HUGE_VAL)) /* an end of its rank, or alone in it */
                wrong += p[i].crowding != HUGE_VAL;
            else
                wrong += !(fabs(p[i].crowding - want) < 1e-9);
        }
        CHECK_EQ(wrong, 0);
    }
}

/* Of three that lie close and one far away, the latter is to be preferred; ranks come first. */
static void preference(void)
{
    struct point p[] = {{1, 9, 0, 0, 0}, {2, 8, 0, 0, 0}, {3, 7, 0, 0, 0},
                        {6, 4, 0, 0, 0}, {9, 1, 0, 0, 0}, {9, 2, 0, 0, 0}};
    pareto_rank(p, 6);
    pareto_crowd(p, 6);
    CHECK(point_precedes(&p[3], &p[1]) && !point_precedes(&p[1], &p[3]));
    CHECK(point_precedes(&p[0], &p[3]));
    CHECK(p[5].rank == 1 && point_precedes(&p[1], &p[5]) && !point_precedes(&p[5], &p[1]));
}

/* What failed when it was confirmed has no finite value; it is behind all others. */
static void infinities(void)
{
    struct point p[] = {
        {HUGE_VAL, HUGE_VAL, 0, 0, 0}, {2, 8, 5, 0, 0}, {HUGE_VAL, HUGE_VAL, 1, 0, 0}};
    pareto_rank(p, 3);
    pareto_crowd(p, 3);
    CHECK(p[1].rank == 0 && p[0].rank == 1 && p[2].rank == 2);
}

int main(void)
{
    RUN(ranks);
    RUN(crowding);
    RUN(preference);
    RUN(infinities);
    return test_end();
}
