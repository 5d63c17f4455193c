// hip_select_kernel.hip - the kernel of hip_select.c: sum = first + second
// SPDX-License-Identifier: MIT
//
// A thread adds `each` elements, as far apart as a group is wide, so that neighbouring threads have
// neighbouring elements. The last group's may lie beyond n.
#ifdef __OPENCL_VERSION__

#define KERNEL      __kernel void
#define ARRAY       __global float *
#define IN_GROUP    get_local_size(0)
#define FIRST(each) (get_group_id(0) * IN_GROUP * (each) + get_local_id(0))

#else

#ifndef __CUDACC__
#include <hip/hip_runtime.h>
#endif
#define KERNEL      extern "C" __global__ void
#define ARRAY       float *
#define IN_GROUP    blockDim.x
#define FIRST(each) (blockIdx.x * IN_GROUP * (each) + threadIdx.x)

#endif

KERNEL add(const ARRAY first, const ARRAY second, ARRAY sum, unsigned n, unsigned each)
{
    unsigned i = FIRST(each);
    for (; each > 0 && i < n; each--, i += IN_GROUP)
        sum[i] = first[i] + second[i];
}
