/* timing.h - how long a tuple takes, for timer.c and show.c
   SPDX-License-Identifier: MIT

   Before it _POSIX_C_SOURCE is to be defined, for clock_gettime. */
#pragma once

#include "../own_kernel/clock.h"
#include "product.h"

/* The mean of `runs` runs, in microseconds */
static double time_runs(const struct product *product, const struct tuple *t, int runs)
{
    const double start = now_us();
    for (int i = 0; i < runs; i++)
        (void)gemm(product->p, t, product->a, product->b, product->c, product->work);
    return (now_us() - start) / runs;
}

/* So many runs take about `us`. It warms up, too. */
static int runs_for(const struct product *product, const struct tuple *t, double us)
{
    const double one = time_runs(product, t, 1), runs = 1 + us / (one > 0.05 ? one : 0.05);
    return runs < 1e6 ? (int)runs : 1000000;
}
