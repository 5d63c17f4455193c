/* pareto.h - which of some points are better: ranks of non-domination, and how crowded each is
   SPDX-License-Identifier: MIT

   Deb et al. 2002: the points that no other dominates have rank 0; without them, those that are not
   dominated then have rank 1, and so on. Within a rank, a point is crowded by its neighbours. */
#pragma once

#include <stddef.h>

struct point {
    double time, error; /* less is better */
    size_t size;        /* less is better where the others are equal */
    /* filled in */
    int rank;
    double crowding; /* HUGE_VAL at the ends of a rank */
};

int point_dominates(const struct point *a, const struct point *b);
void pareto_rank(struct point *points, size_t n);
/* Of points that have their ranks */
void pareto_crowd(struct point *points, size_t n);
/* Is `a` to be preferred by rank and crowding? */
int point_precedes(const struct point *a, const struct point *b);
