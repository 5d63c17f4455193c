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

/* The values at both ends count for the error as if they were like their neighbours. */
struct timing_mean timing_trimmed(double *v, size_t n, size_t cut)
{
    const double inner = (double)(n - 2 * cut), all = (double)n;
    struct timing_mean t = {0, 0};
    double winsorized = 0, squares = 0;
    timing_median(v, n); /* sorts */
    for (size_t i = cut; i < n - cut; i++)
        t.mean += v[i] / inner;
    for (size_t i = 0; i < cut; i++) {
        v[i] = v[cut];
        v[n - 1 - i] = v[n - 1 - cut];
    }
    for (size_t i = 0; i < n; i++)
        winsorized += v[i] / all;
    for (size_t i = 0; i < n; i++)
        squares += (v[i] - winsorized) * (v[i] - winsorized);
    t.error = n < 2 ? 0 : sqrt(squares / (all - 1) * all) / inner;
    return t;
}

/* Of pairs that lie in several places of memory the mean tells more than the median, which jumps
   from the times of one place to those of another. */
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
    const struct timing_mean ratio = timing_trimmed(v, n, n < 5 ? (n - 1) / 2 : n / 5);
    t.ratio = ratio.mean;
    t.error = ratio.error;
    return t;
}
