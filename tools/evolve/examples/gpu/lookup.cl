/* lookup.cl - sums of a table's values, with a division whose quotient is there already
   SPDX-License-Identifier: MIT

   The compiler has to keep the division, as the product may wrap. */
#include "places.h"

#define LANES 64

__kernel void lookup(unsigned n, unsigned each, __global const unsigned *x,
                     __global const float *table, __global float *y)
{
    const unsigned i = GROUP * LANES + LANE;
    float sum = 0;
    if (i >= n)
        return;
#pragma unroll 1
    for (unsigned k = 0; k < each; k++) {
        const unsigned scaled = x[i + k] * each;
        sum += table[scaled / each] + (float)(scaled & 1);
    }
    y[i] = sum;
}
