/* timing.c - what many times of two codes say about them
   SPDX-License-Identifier: MIT

   timing.h declares it. */
#include "timing.h"

#include <math.h>

double timing_median(double *v, size_t n)
{
    for (size_t i = 1; i < n; i++) {
        const double x = v[i];
        size_t k = i;
        for (; k > 0 && v[k - 1] > x; k--)
            v[k] = v[k - 1];
        v[k] = x;
    }
    return n % 2 == 1 ? v[n / 2] : (v[n / 2 - 1] + v[n / 2]) / 2;
}

/* The standard error of a median, from the median of the distances to it: neither is moved by the
   few values that an interruption made large. */
static double error_of_median(double *v, size_t n, double median)
{
    const double to_deviation = 1.4826, of_median = 1.2533; /* if the distribution is normal */
    for (size_t i = 0; i < n; i++)
        v[i] = fabs(v[i] - median);
    return to_deviation * of_median * timing_median(v, n) / sqrt((double)n);
}

struct timing timing_of(const uint64_t (*pairs)[2], size_t n)
{
    double v[TIMING_MOST];
    struct timing t = {0, 0, {0, 0}};
    for (int code = 0; code < 2; code++) {
        for (size_t i = 0; i < n; i++)
            v[i] = (double)pairs[i][code];
        t.ns[code] = timing_median(v, n);
    }
    for (size_t i = 0; i < n; i++)
        v[i] = (double)pairs[i][0] / (double)pairs[i][1];
    t.ratio = timing_median(v, n);
    t.error = error_of_median(v, n, t.ratio);
    return t;
}

/* The least and the largest count for the error as if they were like their neighbours. */
struct timing_mean timing_trimmed(double *v, size_t n)
{
    const double inner = (double)(n - 2), all = (double)n;
    struct timing_mean t = {0, 0};
    double winsorized = 0, squares = 0;
    timing_median(v, n); /* sorts */
    for (size_t i = 1; i + 1 < n; i++)
        t.mean += v[i] / inner;
    v[0] = v[1];
    v[n - 1] = v[n - 2];
    for (size_t i = 0; i < n; i++)
        winsorized += v[i] / all;
    for (size_t i = 0; i < n; i++)
        squares += (v[i] - winsorized) * (v[i] - winsorized);
    t.error = sqrt(squares / (all - 1) * all) / inner;
    return t;
}
