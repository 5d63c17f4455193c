/* stop.h - how likely it is that a tuple without a result is fast enough to go on for
   SPDX-License-Identifier: MIT

   Draws from what the regression says of the most promising tuples together: tuples that are alike
   are fast together, so that neither the sum of their chances nor the largest one is the chance
   that one of them is. */
#pragma once

#include "regression.h"

enum { STOP_LISTED = 96 };

struct outlook { /* of a tuple without a result */
    size_t candidate;
    double ahead; /* the time to be faster than, less the mean, in deviations of the tuple */
    double works; /* the chance that it runs */
};

struct shortlist { /* the most promising ones, best first; all zero: none */
    size_t n;
    struct outlook v[STOP_LISTED];
};

/* Of the time of a candidate that would be measured, in units of the regression */
double stop_variance(const struct regression *r, size_t candidate);
void shortlist_add(struct shortlist *l, size_t candidate, double ahead);

/* The chance that one of them is faster; instead of one above `most`, any number above it. */
double stop_chance(const struct shortlist *l, const struct regression *r, double most,
                   uint64_t seed);
