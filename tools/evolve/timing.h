/* timing.h - what many times of two codes say about them
   SPDX-License-Identifier: MIT */
#pragma once

#include <stddef.h>
#include <stdint.h>

enum { TIMING_MOST = 256 }; /* values that can be dealt with at once */

struct timing {
    double ratio; /* of the first code's time to the second's */
    double error; /* its standard error, as far as the pairs tell */
    double ns[2]; /* the times of both, as timing_quiet has them */
};

/* The lower quartile of n times, 1 or more, which are sorted. What disturbs only adds to a time,
   for a while: a neighbour on the same core slows one code by a third and another one not at all.
   So the shorter ones tell more of a code than the mean. Calls nothing: a child can use it. */
double timing_quiet(double *v, size_t n);
/* Of pairs that were measured by turns, 1 to TIMING_MOST of them, none 0 */
struct timing timing_of(const uint64_t (*pairs)[2], size_t n);
