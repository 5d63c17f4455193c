/* gemm_places.h - the places of examples/gemm_gpu/gemm.hip and gemm.cl on the CPU, see gemm_gpu.c
   SPDX-License-Identifier: MIT */
#pragma once

#ifdef __cplusplus

extern "C" unsigned place_thread, place_block, place_slice;
extern "C" void place_barrier(void);

#define PLACE_THREAD    place_thread
#define PLACE_BLOCK     place_block
#define PLACE_SLICE     place_slice
#define PLACE_BARRIER   place_barrier()
#define KERNEL(threads) extern "C"
#define INLINE          static inline
#define OF_BLOCK        static

#else /* gemm.cl, as C */

extern unsigned place_thread, place_block, place_slice;
extern void place_barrier(void);

typedef float float4 __attribute__((ext_vector_type(4)));
#define __kernel
#define reqd_work_group_size(x, y, z) unused
#define __global
#define __local
#define OF_GROUP         static
#define get_local_id(d)  place_thread
#define get_group_id(d)  ((d) == 0 ? place_block : place_slice)
#define get_global_id(d) (place_block * ADD_THREADS + place_thread)
#define barrier(fence)   place_barrier()
#define min(a, b)        ((a) < (b) ? (a) : (b))

#endif
