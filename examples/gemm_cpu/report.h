/* report.h - what the contests say: speeds, and shares of the best known speed
   SPDX-License-Identifier: MIT */
#pragma once

#include "contest.h"

struct result { /* of a problem, in GFLOP/s; 0: the way has no tuple */
    struct problem p;
    double speed[WAYS], best;
};

struct result result_of(const struct contest *c, struct problem p);

/* A table on standard output, or CSV: m,n,k,way,gflops,share,low,high, in whose last rows m, n and
   k are empty: means over all problems. */
void report(const struct result *results, size_t n, int as_csv);
