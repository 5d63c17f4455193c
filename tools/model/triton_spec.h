/* triton_spec.h - what a spec of format = triton may have: its families, fields and parameters
   SPDX-License-Identifier: MIT

   Its data are the tuned configurations of Triton kernels that vLLM and SGLang bring along. The
   names of fields and members are those of their files, as of August 2026. */
#pragma once

#include <stddef.h>

/* The kernel that a file is about, `family` in [data]: the fused MoE (both GEMMs of it, or the
   first one), SGLang's second GEMM of it, and the GEMM whose scales are those of blocks. */
enum triton_kernel { TRITON_MOE, TRITON_MOE_DOWN, TRITON_BLOCK_GEMM, TRITON_N_KERNELS };

enum triton_field {
    TRITON_SERVER, /* tokens: vllm, sglang */
    TRITON_GPU,
    TRITON_DTYPE,       /* tokens, as in the names of files; bf16 where the name has none */
    TRITON_BLOCK,       /* sizes: of a square block of weights that has one scale; 0: none */
    TRITON_PER_CHANNEL, /* 1: each channel has a scale; 0 */
    TRITON_E,           /* experts on this GPU; not of the GEMM */
    TRITON_N,
    TRITON_K, /* of the GEMM alone */
    TRITON_M, /* tokens */
    TRITON_N_FIELDS
};
extern const char *const triton_fields[TRITON_N_FIELDS];

/* Of a tuple, in the order in which the servers' tuners write them */
enum triton_member {
    TRITON_BLOCK_SIZE_M,
    TRITON_BLOCK_SIZE_N,
    TRITON_BLOCK_SIZE_K,
    TRITON_GROUP_SIZE_M,
    TRITON_NUM_WARPS,
    TRITON_NUM_STAGES,
    TRITON_WAVES_PER_EU, /* these three: of AMD's GPUs */
    TRITON_NONKDIM,
    TRITON_KPACK,
    TRITON_N_MEMBERS
};
extern const char *const triton_members[TRITON_N_MEMBERS];

/* The index of a name among n; n: it is none of them. */
size_t triton_index(const char *name, const char *const *names, size_t n);
