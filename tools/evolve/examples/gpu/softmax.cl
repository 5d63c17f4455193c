/* softmax.cl - the softmax of n rows, to the base 2: a group for each row
   SPDX-License-Identifier: MIT */
#include "places.h"

#define LANES 64

/* The sum, or the largest, of what the lanes have. Inlined, as PoCL wants it of local memory */
static inline __attribute__((always_inline)) float of_group(__local float *part, unsigned lane,
                                                            float mine, int largest)
{
    part[lane] = mine;
    BARRIER();
#pragma unroll 1
    for (unsigned reach = LANES / 2; reach > 0; reach /= 2) {
        if (lane < reach) {
            const float a = part[lane], b = part[lane + reach];
            part[lane] = largest ? (a > b ? a : b) : a + b;
        }
        BARRIER();
    }
    const float result = part[0];
    BARRIER();
    return result;
}

__kernel void softmax(unsigned n, unsigned width, __global const float *x, __global float *y)
{
    __local float part[LANES];
    const unsigned lane = LANE, row = GROUP;
    if (row >= n) /* all of a group, or none */
        return;
    __global const float *from = x + row * width;
    __global float *to = y + row * width;
    float most = -1e30f, sum = 0;
    for (unsigned k = lane; k < width; k += LANES)
        most = from[k] > most ? from[k] : most;
    most = of_group(part, lane, most, 1);
    for (unsigned k = lane; k < width; k += LANES)
        sum += EXP2(from[k] - most);
    sum = of_group(part, lane, sum, 0);
    for (unsigned k = lane; k < width; k += LANES)
        to[k] = EXP2(from[k] - most) / sum;
}
