/* bench_time.h - times predictions, and bare loops between them
   SPDX-License-Identifier: MIT */
#pragma once

#include "bare.h"
#include "caches.h"

struct bench_tools {
    struct bare bare;
    struct caches caches; /* open if is_cold */
    int is_cold, rounds;
};

struct bench_times {        /* nanoseconds */
    double ns, least, p95;  /* of predictions; ns: the median */
    double plain;           /* the median of bare_plain */
    double loop, warm_loop; /* that of the body's loop; the latter with warm caches at any rate */
};

/* The problems in turn, round by round; 0, or -1: one cannot be predicted. `tuples` has room for
   the beam. Hot: the mean of some repeats is a sample, in CPU time, and a round before the others
   warms up. Cold: each is timed alone after the caches have been emptied. */
int bench_time(const struct bench_tools *tools, kpred_ctx *ctx, const int32_t *problems,
               size_t n_problems, kpred_tuple *tuples, struct bench_times *times);
