/* timing.c - what many times of two codes say about them
   SPDX-License-Identifier: MIT

   timing.h declares it. */
#include "timing.h"

#include <math.h>

static void sort(double *v, size_t n)
{
    for (size_t i = 1; i < n; i++) {
        const double x = v[i];
        size_t k = i;
        for (; k > 0 && v[k - 1] > x; k--)
            v[k] = v[k - 1];
        v[k] = x;
    }
}

double timing_quiet(double *v, size_t n)
{
    sort(v, n);
    return v[n / 4];
}

static double median(double *v, size_t n)
{
    sort(v, n);
    return n % 2 == 1 ? v[n / 2] : (v[n / 2 - 1] + v[n / 2]) / 2;
}

/* The standard error of a median, from the median of the distances to it: neither is moved by the
   few values that an interruption made large. */
static double error_of_median(double *v, size_t n)
{
    const double to_deviation = 1.4826, of_median = 1.2533; /* if the distribution is normal */
    const double middle = median(v, n);
    for (size_t i = 0; i < n; i++)
        v[i] = fabs(v[i] - middle);
    return to_deviation * of_median * median(v, n) / sqrt((double)n);
}

struct timing timing_of(const uint64_t (*pairs)[2], size_t n)
{
    double v[TIMING_MOST];
    struct timing t = {0, 0, {0, 0}};
    for (int code = 0; code < 2; code++) {
        for (size_t i = 0; i < n; i++)
            v[i] = (double)pairs[i][code];
        t.ns[code] = timing_quiet(v, n);
    }
    for (size_t i = 0; i < n; i++)
        v[i] = (double)pairs[i][0] / (double)pairs[i][1];
    t.ratio = t.ns[0] / t.ns[1];
    t.error = error_of_median(v, n);
    return t;
}
