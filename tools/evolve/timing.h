/* timing.h - what many times of two codes say about them
   SPDX-License-Identifier: MIT */
#pragma once

#include <stddef.h>
#include <stdint.h>

enum { TIMING_MOST = 256 }; /* values that can be dealt with at once */

struct timing {
    double ratio; /* of the first code's time to the second's */
    double error; /* its standard error */
    double ns[2]; /* the medians of both */
};

/* Sorts the values; n is 1 or more. Calls nothing, so that a child can use it. */
double timing_median(double *v, size_t n);
/* Of pairs that were measured by turns, 1 to TIMING_MOST of them, none 0 */
struct timing timing_of(const uint64_t (*pairs)[2], size_t n);

struct timing_mean {
    double mean, error; /* its standard error */
};
/* The mean of n times without the `cut` least and largest, as some may have been interrupted; n is
   more than twice that. The values are lost. The error follows Tukey and McLaughlin, "Less
   vulnerable confidence and significance procedures for location based on a single sample",
   Sankhya A 25, 1963. */
struct timing_mean timing_trimmed(double *v, size_t n, size_t cut);
