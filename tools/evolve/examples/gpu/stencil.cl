/* stencil.cl - a step of heat in a plane of n rows: each cell with its four neighbours, as hotspot
   SPDX-License-Identifier: MIT */
#include "places.h"

#define LANES 64

__kernel void stencil(unsigned n, unsigned width, __global const float *x, __global float *y)
{
    const unsigned i = GROUP * LANES + LANE, row = i / width, column = i % width;
    if (row >= n)
        return;
    const unsigned up = row == 0 ? row : row - 1, down = row == n - 1 ? row : row + 1;
    const unsigned left = column == 0 ? column : column - 1;
    const unsigned right = column == width - 1 ? column : column + 1;
    const float here = x[row * width + column];
    const float across = x[row * width + left] + x[row * width + right] - 2.0f * here;
    const float along = x[up * width + column] + x[down * width + column] - 2.0f * here;
    y[row * width + column] = here + 0.25f * across + 0.125f * along;
}
