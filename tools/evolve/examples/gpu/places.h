/* places.h - what the kernels here ask of a device: places, a barrier, a power of two
   SPDX-License-Identifier: MIT

   For AMD's and NVIDIA's GPUs the compiler's own functions, so that no library of a device is
   needed; for others OpenCL's. */
#pragma once

#if defined __AMDGCN__
#define LANE  __builtin_amdgcn_workitem_id_x()
#define GROUP __builtin_amdgcn_workgroup_id_x()
#define BARRIER()                                              \
    do {                                                       \
        __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup"); \
        __builtin_amdgcn_s_barrier();                          \
        __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup"); \
    } while (0)
#define EXP2(x) __builtin_exp2f(x)
#elif defined __NVPTX__
#define LANE      __nvvm_read_ptx_sreg_tid_x()
#define GROUP     __nvvm_read_ptx_sreg_ctaid_x()
#define BARRIER() __syncthreads()
#define EXP2(x)   __nvvm_ex2_approx_f(x)
#else
#define LANE      ((unsigned)get_local_id(0))
#define GROUP     ((unsigned)get_group_id(0))
#define BARRIER() barrier(CLK_LOCAL_MEM_FENCE)
#define EXP2(x)   exp2(x)
#endif
