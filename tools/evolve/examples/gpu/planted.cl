/* planted.cl - means of so many neighbours, with a store in each turn that nobody reads
   SPDX-License-Identifier: MIT

   The compiler has to keep the store, and the division for it, as y may lie in x. */
#include "places.h"

#define LANES 64

__kernel void planted(unsigned n, unsigned each, __global const float *x, __global float *y)
{
    const unsigned i = GROUP * LANES + LANE;
    float sum = 0;
    if (i >= n)
        return;
#pragma unroll 1
    for (unsigned k = 0; k < each; k++) {
        sum += x[i + k];
        y[i] = sum / (float)(k + 1); /* the waste */
    }
    y[i] = sum / (float)each;
}
