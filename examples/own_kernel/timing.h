/* timing.h - how long the transpose of kernel.h takes, for measure.c and timer.c
   SPDX-License-Identifier: MIT

   Before it _POSIX_C_SOURCE is to be defined, for clock_gettime. */
#pragma once

#include "clock.h"
#include "kernel.h"

/* The shortest of seven runs, each long enough for the clock */
static double time_us(const float *in, float *out, size_t rows, size_t cols, struct tile t)
{
    const size_t runs = 1 + 200000 / (rows * cols);
    double best = 1e30;
    for (int i = 0; i < 7; i++) {
        const double start = now_us();
        for (size_t k = 0; k < runs; k++)
            transpose(in, out, rows, cols, t);
        const double time = (now_us() - start) / (double)runs;
        best = time < best ? time : best;
    }
    return best;
}
