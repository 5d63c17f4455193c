/* gemm_places.h - the places of examples/gemm_gpu/gemm.hip on the CPU, see gemm_gpu.c
   SPDX-License-Identifier: MIT */
#pragma once

extern "C" unsigned place_thread, place_block, place_slice;
extern "C" void place_barrier(void);

#define PLACE_THREAD    place_thread
#define PLACE_BLOCK     place_block
#define PLACE_SLICE     place_slice
#define PLACE_BARRIER   place_barrier()
#define KERNEL(threads) extern "C"
#define INLINE          static inline
#define OF_BLOCK        static
