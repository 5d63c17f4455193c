/* contest.h - times tuples of several ways to choose one, side by side, and says what came of it
   SPDX-License-Identifier: MIT */
#pragma once

#include "product.h"

enum way { BY_DEFAULT, BY_FIRST, BY_TEN, BY_RANDOM, BY_NEAREST, BY_SEARCH, WAYS };

enum { CONTEST_MOST = 64, CONTEST_ROUNDS = 99 };

struct candidate {
    struct tuple t;
    unsigned ways; /* bit W: way W proposed it */
    int runs;      /* of a sample */
    double sample[CONTEST_ROUNDS], us;
};

struct contest {
    struct candidate candidate[CONTEST_MOST];
    int n;
};

/* One candidate for all ways that propose the same tuple; beyond CONTEST_MOST they are left out */
void contest_add(struct contest *c, const struct tuple *t, enum way way);

/* Times all candidates: each round times each of them once, and begins with another one. A time is
   the lower quartile over the rounds, so that what disturbs fewer than three quarters does not
   count. 0, or -1 after a message if a result is wrong. */
int contest_run(struct contest *c, const struct product *product, int rounds);

struct result { /* of a problem, in GFLOP/s; 0: the way has no tuple */
    struct problem p;
    double speed[WAYS], best;
};

struct result result_of(const struct contest *c, struct problem p);

/* A table on standard output, or CSV: m,n,k,way,gflops,share,low,high, in whose last rows m, n and
   k are empty: means over all problems. */
void report(const struct result *results, size_t n, int as_csv);
