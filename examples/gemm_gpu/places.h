/* places.h - what gemm.hip asks of a device: its place, a barrier, memory of a block
   SPDX-License-Identifier: MIT

   nvcc has these names itself. clang compiles HIP and CUDA here without any header of theirs, so it
   needs neither ROCm nor CUDA; hipcc is clang. */
#pragma once

#if defined(__CUDACC__) && !defined(__clang__)

#define PLACE_THREAD    threadIdx.x
#define PLACE_BLOCK     blockIdx.x
#define PLACE_SLICE     blockIdx.y
#define PLACE_BARRIER   __syncthreads()
#define KERNEL(threads) extern "C" __global__ __launch_bounds__(threads)
#define INLINE          static __device__ __forceinline__
#define OF_BLOCK        __shared__

#else

#define INLINE   static inline __attribute__((device)) __attribute__((always_inline))
#define OF_BLOCK __attribute__((shared))

#if defined(__NVPTX__)
#define KERNEL(threads) extern "C" __attribute__((global)) __attribute__((launch_bounds(threads)))
#define PLACE_THREAD    (unsigned)__nvvm_read_ptx_sreg_tid_x()
#define PLACE_BLOCK     (unsigned)__nvvm_read_ptx_sreg_ctaid_x()
#define PLACE_SLICE     (unsigned)__nvvm_read_ptx_sreg_ctaid_y()
#define PLACE_BARRIER   __syncthreads()
#else
#define KERNEL(threads) \
    extern "C" __attribute__((global)) __attribute__((amdgpu_flat_work_group_size(1, threads)))
#define PLACE_THREAD __builtin_amdgcn_workitem_id_x()
#define PLACE_BLOCK  __builtin_amdgcn_workgroup_id_x()
#define PLACE_SLICE  __builtin_amdgcn_workgroup_id_y()
#define PLACE_BARRIER                                          \
    do {                                                       \
        __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup"); \
        __builtin_amdgcn_s_barrier();                          \
        __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup"); \
    } while (0)
#endif
#endif
