// hip_select_kernel.hip - the kernel of hip_select.c: sum = first + second
// SPDX-License-Identifier: MIT
//
// A thread adds `each` elements, as far apart as a group is wide, so that neighbouring threads have
// neighbouring elements. The last group's may lie beyond n.
#ifndef __CUDACC__
#include <hip/hip_runtime.h>
#endif

extern "C" __global__ void add(const float *first, const float *second, float *sum, unsigned n,
                               unsigned each)
{
    unsigned i = blockIdx.x * blockDim.x * each + threadIdx.x;
    for (; each > 0 && i < n; each--, i += blockDim.x)
        sum[i] = first[i] + second[i];
}
