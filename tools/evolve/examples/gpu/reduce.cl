/* reduce.cl - the sum of each group's elements, with a barrier that nothing needs
   SPDX-License-Identifier: MIT

   In the directory of the repository, for AMD's gfx90a and for NVIDIA's sm_70:

   clang-16 -target amdgcn-amd-amdhsa -mcpu=gfx90a -nogpulib -O1 -Xclang -disable-llvm-passes \
       -emit-llvm -c tools/evolve/examples/gpu/reduce.cl -o reduce.bc
   clang-16 -target nvptx64-nvidia-cuda -march=sm_70 -nogpulib -O1 -Xclang -disable-llvm-passes \
       -emit-llvm -c tools/evolve/examples/gpu/reduce.cl -o reduce.bc

   reduce.ini launches it in groups of 256. */
#include "places.h"

#define LANES 256

/* A lane sums up `each` elements that are as far apart as the group is wide. */
__kernel void reduce(unsigned n, unsigned each, __global const float *x, __global float *sums)
{
    __local float partial[LANES];
    const unsigned lane = LANE, group = GROUP;
    float sum = 0;
    unsigned i = group * LANES * each + lane;
    for (unsigned k = 0; k < each && i < n; k++, i += LANES)
        sum += x[i];
    partial[lane] = sum;
    BARRIER();
#pragma unroll 1
    for (unsigned reach = LANES / 2; reach > 0; reach /= 2) {
        if (lane < reach)
            partial[lane] += partial[lane + reach];
        BARRIER();
    }
    BARRIER(); /* for nothing: all have just met */
    if (lane == 0)
        sums[group] = partial[0];
}
