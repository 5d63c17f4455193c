/* kpred_constraints.h - v0.4.0 - which tuning parameters a GPU kernel accepts
   SPDX-License-Identifier: MIT

   In ONE C or C++ file:                     Everywhere else:
       #define KPRED_IMPLEMENTATION              #include "kpred_constraints.h"
       #include "kpred_constraints.h"

WHAT IT DOES
   A rule gets a problem and the first n of a kernel's tuning parameters. It tells whether they can
   still become a tuple that the kernel runs. This file has the rules of MIOpen's tunable
   convolution kernels, the names and numbers of their fields and parameters, the limits of the GPUs
   that they run on, and small predicates that help to write a rule for a kernel of your own.

       int32_t problem[] = {KPRED_GPU_GFX906_60, KPRED_DIR_F, KPRED_DTYPE_FP32,
                            16, 64, 56, 56, 256, 1};    // n c h w k stride
       int32_t values[] = {4, 16, 4, 16};               // read_size ... chunk_size
       int hope = kpred_rule_conv_asm_1x1u(problem, values, 4);

GUARANTEES                                                              (shown by tests/)
   C1 A rule accepts the empty prefix, every longer prefix and the whole
      tuple if and only if MIOpen's kernel applies to the problem and
      accepts the tuple. Conditions marked "observed" (see below) are
      weaker: the rule accepts every tuned optimum, and maybe more.       rules_oracle.py
   C2 A rule rejects no prefix that a legal tuple begins with.            test_rules.c
   C3 A rule accepts no prefix that no legal tuple begins with: its
      look-ahead is exact, so a search meets no dead end.                 test_rules.c
   C4 A rule has no side effects. It is defined for every int32 in
      `values`, legal or not, for all sizes in 1..KPRED_MAX_SIZE and pads
      from 0. Nothing overflows.                                          test_rules.c, UBSan
   C5 The file is freestanding: no libc symbol, floating point, loop,
      recursion or 64-bit division. Its data are constant.                freestanding.sh

HOW TO READ A RULE
   rule(problem, values, n) judges values[n-1] and takes the values before it as accepted. With
   n == 0 (values may then be NULL) it says whether the kernel applies to the problem at all. In
   every direction the fields describe the forward convolution: n images of c channels, h x w pixels
   (the true input size), k filters, the same stride in both directions. Four kernels have one
   filter each, and their names imply the rest: NCHW, no bias, dilation 1, and either 1x1 filters
   without padding or 3x3 filters with padding 1. The other kernels have fields for all of this
   (KPRED_CONV2D_FIELD_LIST). The comments use these marks:

     [4] R5   parameter 4 decides check R5 of MIOpen. The numbers are those of the oracle that the
              test asks (V: the values a parameter may have; S: what MIOpen's search emits)
     ahead    tests a check of later parameters early, with the smallest values that they can have
     E        elements in 32 bits: 1 for FP32, 2 for FP16 and BF16
     small    the output image of the forward convolution, ceil(h / stride) x ceil(w / stride)
              for 1x1 filters
     observed all tuned optima in MIOpen's databases satisfy the condition. MIOpen's own condition,
              if it has one, is not restated here. The declarations name these rules and conditions

CONFIGURATION
   KPRED_IMPLEMENTATION   emit the definitions of the rules: in one file of a program
   KPRED_STATIC           emit them as static functions (the helpers are always static inline)
   KPRED_RULES_FAMILY     emit the rules of this family alone. FAMILY is the name of a section below
                          in capitals. The request holds for the next #include of this file. Several
                          requests may stand side by side; a family is emitted once. Without a
                          request all families are emitted; KPRED_RULES_NO_FAMILY requests none,
                          but what a rule that a header has itself calls (>>expressions).
                          A generated header requests the family of its model's rule

CONTENTS   >>limits >>helpers >>vocabulary >>parameters >>rules >>expressions
           implementation: >>shared >>conv_asm_1x1u >>conv_ocl_direct_fwd_1x1
                           >>conv_asm_bwd_wrw_1x1 >>conv_asm_bwd_wrw_3x3 >>conv2d
                           >>winograd >>conv_asm_3x3u >>conv_ocl_direct_fwd
                           >>conv_bin_winograd_rxs >>conv_hip_igemm_v4r1 >>conv_igemm
                           >>conv_igemm_gtc >>conv_ocl_bwd_wrw2 >>conv_solver */
#if defined(__cplusplus) && defined(__GNUC__) /* this file is also C, and casts as C does */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wold-style-cast"
#pragma GCC diagnostic ignored "-Wzero-as-null-pointer-constant"
#ifndef __clang__
#pragma GCC diagnostic ignored "-Wuseless-cast"
#endif
#endif

#ifndef KPRED_CONSTRAINTS_H
#define KPRED_CONSTRAINTS_H

#include "kpred.h"

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define KPRI_RULES_UNUSED __attribute__((unused))
#else
#define KPRI_RULES_UNUSED inline
#endif

/* >>limits: what a compute unit (CU) of AMD's GCN3 and Vega GPUs (gfx8, gfx9) offers. Sources:
   AMD's reference guides "Graphics Core Next Architecture, Generation 3" and "Vega Instruction Set
   Architecture". MIOpen's own checks use the same limits of registers and LDS. */
#define KPRED_GCN_WAVE_SIZE       64 /* work-items of a wave, a lane each */
#define KPRED_GCN_SIMDS           4  /* of a CU; they share the waves of a work-group */
#define KPRED_GCN_WORKGROUP_WAVES 16 /* waves of a work-group: 1024 work-items */
/* Vector registers of a lane: a wave can address all of them, and the waves of a SIMD share them */
#define KPRED_GCN_VGPRS     256
#define KPRED_GCN_SGPRS     102   /* scalar registers a wave can address (s0 to s101) */
#define KPRED_GCN_LDS_BYTES 65536 /* local data share */

/* >>helpers: for rules, your own too. They take every int32 unless a `pre:` says less. */

/*@ assigns \nothing;
    ensures \result == (lo <= x && x <= hi); */
static inline int kpred_between(int32_t x, int32_t lo, int32_t hi)
{
    return lo <= x && x <= hi;
}

/* Is x one of 1, 2, 4, ... 2^30? */
/*@ assigns \nothing;
    ensures \result ==> x > 0; */
static inline int kpred_is_pow2(int32_t x)
{
    return x > 0 && (x & (x - 1)) == 0;
}

/* Is x a multiple of d? Never if d < 1. */
/*@ assigns \nothing;
    ensures \result == (d > 0 && x % d == 0); */
static inline int kpred_divides(int32_t d, int32_t x)
{
    return d > 0 && x % d == 0;
}

/* ceil(a / b). It does not overflow for large a. */
/*@ requires a >= 0 && b >= 1;
    assigns \nothing;
    ensures 0 <= \result <= a && (\result - 1) * b < a <= \result * b; */
static inline int32_t kpred_ceil_div(int32_t a, int32_t b)
{
    return a / b + (a % b != 0);
}

/* The smaller of a * b and INT32_MAX. So a product of any number of factors >= 1 compares with a
   limit below INT32_MAX as the true product does. */
/*@ requires a >= 0 && b >= 0;
    assigns \nothing;
    ensures \result == \min(a * b, INT32_MAX) && \result >= 0; */
static inline int32_t kpred_mul_sat(int32_t a, int32_t b)
{
    int64_t product = (int64_t)a * b;
    return product < INT32_MAX ? (int32_t)product : INT32_MAX;
}

/* Has a CU room for one work-group of `waves` waves with `vgprs` vector registers each? Its fullest
   SIMD holds ceil(waves / 4) waves. (The hardware allocates registers in fours. MIOpen's checks do
   not round up to four, and neither does this function.) */
/*@ requires vgprs >= 0 && waves >= 0;
    assigns \nothing;
    ensures \result == (vgprs * ((waves + 3) / 4) <= KPRED_GCN_VGPRS); */
static inline int kpred_fits_vgprs(int32_t vgprs, int32_t waves)
{
    return kpred_mul_sat(vgprs, kpred_ceil_div(waves, KPRED_GCN_SIMDS)) <= KPRED_GCN_VGPRS;
}

/* Has a CU room for one work-group that uses this many bytes of LDS?
   pre: bytes >= 0 */
static inline int kpred_fits_lds(int32_t bytes)
{
    return bytes <= KPRED_GCN_LDS_BYTES;
}

/* >>vocabulary: tokens and fields as X(enumerator, spelling), counted from 0. First come those of
   the four kernels with one filter each. */
#define KPRED_GPU_LIST(X)               \
    X(KPRED_GPU_GFX900_56, "gfx900_56") \
    X(KPRED_GPU_GFX906_60, "gfx906_60")

#define KPRED_DIR_LIST(X)                    \
    X(KPRED_DIR_F, "F") /* forward */        \
    X(KPRED_DIR_B, "B") /* backward, data */ \
    X(KPRED_DIR_W, "W") /* backward, weights */

#define KPRED_DTYPE_LIST(X)     \
    X(KPRED_DTYPE_FP32, "FP32") \
    X(KPRED_DTYPE_FP16, "FP16") \
    X(KPRED_DTYPE_BF16, "BF16")

#define KPRED_CONV_FIELD_LIST(X)   \
    X(KPRED_CONV_GPU, "gpu")       \
    X(KPRED_CONV_DIR, "dir")       \
    X(KPRED_CONV_DTYPE, "dtype")   \
    X(KPRED_CONV_N, "n")           \
    X(KPRED_CONV_C, "c")           \
    X(KPRED_CONV_H, "h")           \
    X(KPRED_CONV_W, "w")           \
    X(KPRED_CONV_K, "k")           \
    X(KPRED_CONV_STRIDE, "stride") \
    X(KPRED_CONV_GROUPS, "groups") /* conv_asm_bwd_wrw_3x3 only */

/* The fields of the other kernels: filters of y x x, and a pad and a stride for each side of the
   image. Their tokens are the tokens above, followed by some more. */
#define KPRED_CONV2D_FIELD_LIST(X)       \
    X(KPRED_CONV2D_GPU, "gpu")           \
    X(KPRED_CONV2D_DIR, "dir")           \
    X(KPRED_CONV2D_DTYPE, "dtype")       \
    X(KPRED_CONV2D_LAYOUT, "layout")     \
    X(KPRED_CONV2D_N, "n")               \
    X(KPRED_CONV2D_C, "c")               \
    X(KPRED_CONV2D_H, "h")               \
    X(KPRED_CONV2D_W, "w")               \
    X(KPRED_CONV2D_K, "k")               \
    X(KPRED_CONV2D_Y, "y")               \
    X(KPRED_CONV2D_X, "x")               \
    X(KPRED_CONV2D_PAD_H, "pad_h")       \
    X(KPRED_CONV2D_PAD_W, "pad_w")       \
    X(KPRED_CONV2D_STRIDE_H, "stride_h") \
    X(KPRED_CONV2D_STRIDE_W, "stride_w") \
    X(KPRED_CONV2D_DIL_H, "dil_h")       \
    X(KPRED_CONV2D_DIL_W, "dil_w")       \
    X(KPRED_CONV2D_GROUPS, "groups")

#define KPRED_CONV2D_MORE_GPUS(X)         \
    X(KPRED_GPU_GFX1030_36, "gfx1030_36") \
    X(KPRED_GPU_GFX942130, "gfx942130")

#define KPRED_CONV2D_MORE_DTYPES(X) X(KPRED_DTYPE_INT8, "INT8")

#define KPRED_CONV2D_LAYOUT_LIST(X) \
    X(KPRED_LAYOUT_NCHW, "NCHW")    \
    X(KPRED_LAYOUT_NHWC, "NHWC")

/* The fields for the choice of a solver, in 2-D and 3-D: a 2-D convolution has depth 1. Triples
   stand in the order depth, height, width. The types are those of KPRED_DTYPE_LIST. */
#define KPRED_CONV3D_FIELD_LIST(X)       \
    X(KPRED_CONV3D_GPU, "gpu")           \
    X(KPRED_CONV3D_DIR, "dir")           \
    X(KPRED_CONV3D_DTYPE, "dtype")       \
    X(KPRED_CONV3D_LAYOUT, "layout")     \
    X(KPRED_CONV3D_N, "n")               \
    X(KPRED_CONV3D_C, "c")               \
    X(KPRED_CONV3D_D, "d")               \
    X(KPRED_CONV3D_H, "h")               \
    X(KPRED_CONV3D_W, "w")               \
    X(KPRED_CONV3D_K, "k")               \
    X(KPRED_CONV3D_Z, "z")               \
    X(KPRED_CONV3D_Y, "y")               \
    X(KPRED_CONV3D_X, "x")               \
    X(KPRED_CONV3D_PAD_D, "pad_d")       \
    X(KPRED_CONV3D_PAD_H, "pad_h")       \
    X(KPRED_CONV3D_PAD_W, "pad_w")       \
    X(KPRED_CONV3D_STRIDE_D, "stride_d") \
    X(KPRED_CONV3D_STRIDE_H, "stride_h") \
    X(KPRED_CONV3D_STRIDE_W, "stride_w") \
    X(KPRED_CONV3D_DIL_D, "dil_d")       \
    X(KPRED_CONV3D_DIL_H, "dil_h")       \
    X(KPRED_CONV3D_DIL_W, "dil_w")       \
    X(KPRED_CONV3D_GROUPS, "groups")

/* The GPUs of MIOpen's find-dbs. */
#define KPRED_CONV3D_GPU_LIST(X)               \
    X(KPRED_CONV3D_GPU_GFX906_60, "gfx906_60") \
    X(KPRED_CONV3D_GPU_GFX90878, "gfx90878")   \
    X(KPRED_CONV3D_GPU_GFX90A6E, "gfx90a6e")   \
    X(KPRED_CONV3D_GPU_GFX942130, "gfx942130") \
    X(KPRED_CONV3D_GPU_GFX1030_36, "gfx1030_36")

#define KPRED_CONV3D_MORE_LAYOUTS(X) X(KPRED_LAYOUT_NCDHW, "NCDHW")

/* >>parameters: the parameters of each kernel, in the order in which a search decides them. */
#define KPRED_ASM_1X1U_LIST(X)                             \
    X(KPRED_ASM_1X1U_READ_SIZE, "read_size")               \
    X(KPRED_ASM_1X1U_K_MULT, "k_mult")                     \
    X(KPRED_ASM_1X1U_CHUNKS_PER_WAVE, "chunks_per_wave")   \
    X(KPRED_ASM_1X1U_CHUNK_SIZE, "chunk_size")             \
    X(KPRED_ASM_1X1U_N_MULT, "n_mult")                     \
    X(KPRED_ASM_1X1U_C_MULT, "c_mult")                     \
    X(KPRED_ASM_1X1U_WAVES_C_IN_GROUP, "waves_c_in_group") \
    X(KPRED_ASM_1X1U_WAVES_K_IN_GROUP, "waves_k_in_group")

#define KPRED_OCL_DIRECT_FWD_1X1_LIST(X)                           \
    X(KPRED_OCL_DIRECT_FWD_1X1_GRP_TILE1, "grp_tile1")             \
    X(KPRED_OCL_DIRECT_FWD_1X1_GRP_TILE0, "grp_tile0")             \
    X(KPRED_OCL_DIRECT_FWD_1X1_IN_TILE1, "in_tile1")               \
    X(KPRED_OCL_DIRECT_FWD_1X1_IN_TILE0, "in_tile0")               \
    X(KPRED_OCL_DIRECT_FWD_1X1_OUT_PIX_TILE1, "out_pix_tile1")     \
    X(KPRED_OCL_DIRECT_FWD_1X1_OUT_PIX_TILE0, "out_pix_tile0")     \
    X(KPRED_OCL_DIRECT_FWD_1X1_N_OUT_PIX_TILES, "n_out_pix_tiles") \
    X(KPRED_OCL_DIRECT_FWD_1X1_N_IN_DATA_TILES, "n_in_data_tiles") \
    X(KPRED_OCL_DIRECT_FWD_1X1_N_STACKS, "n_stacks")

#define KPRED_ASM_BWD_WRW_1X1_LIST(X)                   \
    X(KPRED_ASM_BWD_WRW_1X1_CHUNK_SIZE, "chunk_size")   \
    X(KPRED_ASM_BWD_WRW_1X1_C_PER_GPR, "c_per_gpr")     \
    X(KPRED_ASM_BWD_WRW_1X1_C_MULT, "c_mult")           \
    X(KPRED_ASM_BWD_WRW_1X1_K_PER_GPR, "k_per_gpr")     \
    X(KPRED_ASM_BWD_WRW_1X1_K_MULT, "k_mult")           \
    X(KPRED_ASM_BWD_WRW_1X1_N_PER_GPR, "n_per_gpr")     \
    X(KPRED_ASM_BWD_WRW_1X1_N_PART_CNT, "n_part_cnt")   \
    X(KPRED_ASM_BWD_WRW_1X1_READ_SIZE, "read_size")     \
    X(KPRED_ASM_BWD_WRW_1X1_SHORT_STORE, "short_store") \
    X(KPRED_ASM_BWD_WRW_1X1_DATA_PREFETCH, "data_prefetch")

#define KPRED_ASM_BWD_WRW_3X3_LIST(X)                             \
    X(KPRED_ASM_BWD_WRW_3X3_LIMIT_WAVE_CNT, "limit_wave_cnt")     \
    X(KPRED_ASM_BWD_WRW_3X3_REVERSE_INOUT, "reverse_inout")       \
    X(KPRED_ASM_BWD_WRW_3X3_CHUNK_SIZE, "chunk_size")             \
    X(KPRED_ASM_BWD_WRW_3X3_K_PER_WAVE, "k_per_wave")             \
    X(KPRED_ASM_BWD_WRW_3X3_PIPE_LINES_DEPTH, "pipe_lines_depth") \
    X(KPRED_ASM_BWD_WRW_3X3_N_PER_GROUP, "n_per_group")

#define KPRED_ASM_3X3U_LIST(X)                             \
    X(KPRED_ASM_3X3U_LIMIT_WAVE_CNT, "limit_wave_cnt")     \
    X(KPRED_ASM_3X3U_FILTERS_PER_WAVE, "filters_per_wave") \
    X(KPRED_ASM_3X3U_OUTPUT_LINES_PER_WAVE, "output_lines_per_wave")

#define KPRED_OCL_DIRECT_FWD_LIST(X)                           \
    X(KPRED_OCL_DIRECT_FWD_GRP_TILE1, "grp_tile1")             \
    X(KPRED_OCL_DIRECT_FWD_GRP_TILE0, "grp_tile0")             \
    X(KPRED_OCL_DIRECT_FWD_IN_TILE1, "in_tile1")               \
    X(KPRED_OCL_DIRECT_FWD_IN_TILE0, "in_tile0")               \
    X(KPRED_OCL_DIRECT_FWD_OUT_PIX_TILE1, "out_pix_tile1")     \
    X(KPRED_OCL_DIRECT_FWD_OUT_PIX_TILE0, "out_pix_tile0")     \
    X(KPRED_OCL_DIRECT_FWD_N_OUT_PIX_TILES, "n_out_pix_tiles") \
    X(KPRED_OCL_DIRECT_FWD_N_IN_DATA_TILES, "n_in_data_tiles") \
    X(KPRED_OCL_DIRECT_FWD_N_STACKS, "n_stacks")

#define KPRED_IGEMM_GTC_LIST(X)         \
    X(KPRED_IGEMM_GTC_KERNEL, "kernel") \
    X(KPRED_IGEMM_GTC_GEMM_K_GLOBAL_SPLIT, "gemm_k_global_split")

/* The number of work-groups is the sum of the two parameters, because one parameter cannot have as
   many values. */
#define KPRED_BIN_WINOGRAD_RXS_LIST(X)             \
    X(KPRED_BIN_WINOGRAD_RXS_N_GROUPS, "n_groups") \
    X(KPRED_BIN_WINOGRAD_RXS_N_GROUPS_PLUS, "n_groups_plus")

#define KPRED_HIP_IGEMM_V4R1_LIST(X)                                           \
    X(KPRED_HIP_IGEMM_V4R1_B_PER_BLOCK, "b_per_block")                         \
    X(KPRED_HIP_IGEMM_V4R1_K_PER_BLOCK, "k_per_block")                         \
    X(KPRED_HIP_IGEMM_V4R1_E_PER_BLOCK, "e_per_block")                         \
    X(KPRED_HIP_IGEMM_V4R1_GEMM_N_REPEAT, "gemm_n_repeat")                     \
    X(KPRED_HIP_IGEMM_V4R1_GEMM_M_PER_THREAD_SUB_C, "gemm_m_per_thread_sub_c") \
    X(KPRED_HIP_IGEMM_V4R1_GEMM_N_PER_THREAD_SUB_C, "gemm_n_per_thread_sub_c") \
    X(KPRED_HIP_IGEMM_V4R1_GEMM_M_LEVEL0_CLUSTER, "gemm_m_level0_cluster")     \
    X(KPRED_HIP_IGEMM_V4R1_GEMM_N_LEVEL0_CLUSTER, "gemm_n_level0_cluster")     \
    X(KPRED_HIP_IGEMM_V4R1_GEMM_M_LEVEL1_CLUSTER, "gemm_m_level1_cluster")     \
    X(KPRED_HIP_IGEMM_V4R1_GEMM_N_LEVEL1_CLUSTER, "gemm_n_level1_cluster")     \
    X(KPRED_HIP_IGEMM_V4R1_IN_COPY_E, "in_copy_e")                             \
    X(KPRED_HIP_IGEMM_V4R1_IN_COPY_N1, "in_copy_n1")                           \
    X(KPRED_HIP_IGEMM_V4R1_IN_COPY_B, "in_copy_b")                             \
    X(KPRED_HIP_IGEMM_V4R1_IN_COPY_N2, "in_copy_n2")                           \
    X(KPRED_HIP_IGEMM_V4R1_WEI_COPY_E, "wei_copy_e")                           \
    X(KPRED_HIP_IGEMM_V4R1_WEI_COPY_K, "wei_copy_k")

/* The parameters of all kernels that compute one tiled matrix product. */
#define KPRED_IGEMM_LIST(X)                               \
    X(KPRED_IGEMM_BLOCK_SIZE, "block_size")               \
    X(KPRED_IGEMM_GEMM_M_PER_BLOCK, "gemm_m_per_block")   \
    X(KPRED_IGEMM_GEMM_N_PER_BLOCK, "gemm_n_per_block")   \
    X(KPRED_IGEMM_GEMM_K_PER_BLOCK, "gemm_k_per_block")   \
    X(KPRED_IGEMM_GEMM_M_PER_THREAD, "gemm_m_per_thread") \
    X(KPRED_IGEMM_GEMM_N_PER_THREAD, "gemm_n_per_thread")

#define KPRED_OCL_BWD_WRW2_LIST(X)                                           \
    X(KPRED_OCL_BWD_WRW2_N_WAVES, "n_waves")                                 \
    X(KPRED_OCL_BWD_WRW2_READ_SIZE, "read_size")                             \
    X(KPRED_OCL_BWD_WRW2_N_OUT_CHANNELS_PER_TILE, "n_out_channels_per_tile") \
    X(KPRED_OCL_BWD_WRW2_N_OUT_CHANNELS_TILES, "n_out_channels_tiles")       \
    X(KPRED_OCL_BWD_WRW2_N_OUT_ROWS_IN_LCL, "n_out_rows_in_lcl")

#define KPRED_CONV_SOLVER_PARAM_LIST(X) X(KPRED_CONV_SOLVER_SOLVER, "solver")

#define KPRI_RULES_ENUM(enumerator, spelling) enumerator,
enum kpred_gpu { KPRED_GPU_LIST(KPRI_RULES_ENUM) KPRED_GPU_COUNT };
enum kpred_dir { KPRED_DIR_LIST(KPRI_RULES_ENUM) KPRED_DIR_COUNT };
enum kpred_dtype { KPRED_DTYPE_LIST(KPRI_RULES_ENUM) KPRED_DTYPE_COUNT };
enum kpred_conv_field { KPRED_CONV_FIELD_LIST(KPRI_RULES_ENUM) KPRED_CONV_FIELD_COUNT };
enum kpred_conv2d_field { KPRED_CONV2D_FIELD_LIST(KPRI_RULES_ENUM) KPRED_CONV2D_FIELD_COUNT };
enum kpred_conv2d_gpu {
    KPRI_CONV2D_GPUS_BEFORE = KPRED_GPU_COUNT - 1,
    KPRED_CONV2D_MORE_GPUS(KPRI_RULES_ENUM) KPRED_CONV2D_GPU_COUNT
};
enum kpred_conv2d_dtype {
    KPRI_CONV2D_DTYPES_BEFORE = KPRED_DTYPE_COUNT - 1,
    KPRED_CONV2D_MORE_DTYPES(KPRI_RULES_ENUM) KPRED_CONV2D_DTYPE_COUNT
};
enum kpred_conv2d_layout { KPRED_CONV2D_LAYOUT_LIST(KPRI_RULES_ENUM) KPRED_CONV2D_LAYOUT_COUNT };
enum kpred_asm_1x1u { KPRED_ASM_1X1U_LIST(KPRI_RULES_ENUM) KPRED_ASM_1X1U_COUNT };
enum kpred_ocl_direct_fwd_1x1 {
    KPRED_OCL_DIRECT_FWD_1X1_LIST(KPRI_RULES_ENUM) KPRED_OCL_DIRECT_FWD_1X1_COUNT
};
enum kpred_asm_bwd_wrw_1x1 {
    KPRED_ASM_BWD_WRW_1X1_LIST(KPRI_RULES_ENUM) KPRED_ASM_BWD_WRW_1X1_COUNT
};
enum kpred_asm_bwd_wrw_3x3 {
    KPRED_ASM_BWD_WRW_3X3_LIST(KPRI_RULES_ENUM) KPRED_ASM_BWD_WRW_3X3_COUNT
};
enum kpred_asm_3x3u { KPRED_ASM_3X3U_LIST(KPRI_RULES_ENUM) KPRED_ASM_3X3U_COUNT };
enum kpred_ocl_direct_fwd { KPRED_OCL_DIRECT_FWD_LIST(KPRI_RULES_ENUM) KPRED_OCL_DIRECT_FWD_COUNT };
enum kpred_bin_winograd_rxs {
    KPRED_BIN_WINOGRAD_RXS_LIST(KPRI_RULES_ENUM) KPRED_BIN_WINOGRAD_RXS_COUNT
};
enum kpred_igemm_gtc { KPRED_IGEMM_GTC_LIST(KPRI_RULES_ENUM) KPRED_IGEMM_GTC_COUNT };
enum kpred_hip_igemm_v4r1 { KPRED_HIP_IGEMM_V4R1_LIST(KPRI_RULES_ENUM) KPRED_HIP_IGEMM_V4R1_COUNT };
enum kpred_igemm { KPRED_IGEMM_LIST(KPRI_RULES_ENUM) KPRED_IGEMM_COUNT };
enum kpred_ocl_bwd_wrw2 { KPRED_OCL_BWD_WRW2_LIST(KPRI_RULES_ENUM) KPRED_OCL_BWD_WRW2_COUNT };
enum kpred_conv3d_field { KPRED_CONV3D_FIELD_LIST(KPRI_RULES_ENUM) KPRED_CONV3D_FIELD_COUNT };
enum kpred_conv3d_gpu { KPRED_CONV3D_GPU_LIST(KPRI_RULES_ENUM) KPRED_CONV3D_GPU_COUNT };
enum kpred_conv3d_layout {
    KPRI_CONV3D_LAYOUTS_BEFORE = KPRED_CONV2D_LAYOUT_COUNT - 1,
    KPRED_CONV3D_MORE_LAYOUTS(KPRI_RULES_ENUM) KPRED_CONV3D_LAYOUT_COUNT
};
enum kpred_conv_solver_param {
    KPRED_CONV_SOLVER_PARAM_LIST(KPRI_RULES_ENUM) KPRED_CONV_SOLVER_PARAM_COUNT
};

/* What each named kernel demands. A word has this for each kernel: bit 0: FP16, else FP32; bit 1:
   any filter, else only 1x1 filters without pads, strides and dilations; bits 4 to 7 and 8 to 11:
   the power of two, 0 to 7, that must divide the c and the k of a group. */
typedef struct kpred_gtc_kernels {
    int32_t dir, n; /* the direction, a token; the number of kernels */
    const uint16_t *words;
    /* least[kind][power of two in a group's k]: the smallest power of two in the group's c for
       which a kernel exists; 8 where none does. kind: 1 for FP16, plus 2 for 1x1 filters as above.
       Powers above 7 count as 7. With this table the rule need not search the kernels. */
    uint8_t least[4][8];
} kpred_gtc_kernels;

/* A problem's word has a bit for each property that the problem has. The word of one of MIOpen's
   solvers has a bit for each property that rules the solver out.
   types    octal, a digit for each GPU (gfx1030_36 ... gfx906_60): 1 FP32, 2 FP16, 4 BF16
   dirs     1 F, 2 B, 4 W
   layouts  1 NCHW, 2 NHWC, 4 NCDHW
   filters  1 1x1, 2 3x3, 4 5x5, 8 7x7, 0x10 1x7, 0x20 7x1, 0x40 5x10, 0x80 11x11, 0x100 other
            squares and cubes, 0x200 others
   pads     1 none, 2 of 1, 4 of 2, 8 others
   strides  1, 2, 4: this stride in all directions (the depth may have 1), 8 others
   more     1 dilated, 2 groups, 4 the number of images is no multiple of eight
   k, e, b  the filters of a group, the terms of a sum (channels of a group x filter), and the
            pixels of the small images must be multiples of a power of two, up to 64, 32, 32. The
            problem's word has the bits of the powers of which they are not multiples
   n        there must be at least so many images, a power of two up to 16. The problem's word has
            the bits of the powers that it does not reach
   The two bits above these: the rules of F(2,3) and F(3,2) reject the problem (>>winograd). */
#define KPRED_SOLVER_WORD(types, dirs, layouts, filters, pads, strides, more, k, e, b, n)       \
    ((uint64_t)(types) | (uint64_t)(dirs) << 15 | (uint64_t)(layouts) << 18                     \
     | (uint64_t)(filters) << 21 | (uint64_t)(pads) << 31 | (uint64_t)(strides) << 35           \
     | (uint64_t)(more) << 39 | (uint64_t)(k) << 42 | (uint64_t)(e) << 48 | (uint64_t)(b) << 53 \
     | (uint64_t)(n) << 58)
#define KPRED_SOLVER_F2X3 ((uint64_t)1 << 62)
#define KPRED_SOLVER_F3X2 ((uint64_t)1 << 63)

/* >>rules: X(function, number of fields, list of its parameters, family) */
#define KPRED_RULE_LIST(X)                                                                      \
    X(kpred_rule_conv_asm_1x1u, 9, KPRED_ASM_1X1U_LIST, CONV_ASM_1X1U)                          \
    X(kpred_rule_conv_ocl_direct_fwd_1x1, 9, KPRED_OCL_DIRECT_FWD_1X1_LIST,                     \
      CONV_OCL_DIRECT_FWD_1X1)                                                                  \
    X(kpred_rule_conv_asm_bwd_wrw_1x1, 9, KPRED_ASM_BWD_WRW_1X1_LIST, CONV_ASM_BWD_WRW_1X1)     \
    X(kpred_rule_conv_asm_bwd_wrw_3x3, 10, KPRED_ASM_BWD_WRW_3X3_LIST, CONV_ASM_BWD_WRW_3X3)    \
    X(kpred_rule_conv_asm_3x3u, 18, KPRED_ASM_3X3U_LIST, CONV_ASM_3X3U)                         \
    X(kpred_rule_conv_ocl_direct_fwd, 18, KPRED_OCL_DIRECT_FWD_LIST, CONV_OCL_DIRECT_FWD)       \
    X(kpred_rule_conv_bin_winograd_rxs, 18, KPRED_BIN_WINOGRAD_RXS_LIST, CONV_BIN_WINOGRAD_RXS) \
    X(kpred_rule_conv_bin_winograd_rxs_f3x2, 18, KPRED_BIN_WINOGRAD_RXS_LIST,                   \
      CONV_BIN_WINOGRAD_RXS)                                                                    \
    X(kpred_rule_conv_hip_igemm_v4r1, 18, KPRED_HIP_IGEMM_V4R1_LIST, CONV_HIP_IGEMM_V4R1)       \
    X(kpred_rule_conv_hip_igemm_bwd_v1r1, 18, KPRED_IGEMM_LIST, CONV_IGEMM)                     \
    X(kpred_rule_conv_hip_igemm_v4r4, 18, KPRED_IGEMM_LIST, CONV_IGEMM)                         \
    X(kpred_rule_conv_mlir_igemm, 18, KPRED_IGEMM_LIST, CONV_IGEMM)                             \
    X(kpred_rule_conv_ocl_bwd_wrw2, 18, KPRED_OCL_BWD_WRW2_LIST, CONV_OCL_BWD_WRW2)

/* The same rules for solvers that run a single direction */
#define KPRED_ONE_WAY_LIST(X)                                                                 \
    X(kpred_rule_conv_hip_igemm_v4r1_wrw, 18, KPRED_HIP_IGEMM_V4R1_LIST, CONV_HIP_IGEMM_V4R1) \
    X(kpred_rule_conv_hip_igemm_v4r4_wrw, 18, KPRED_IGEMM_LIST, CONV_IGEMM)                   \
    X(kpred_rule_conv_mlir_igemm_bwd, 18, KPRED_IGEMM_LIST, CONV_IGEMM)                       \
    X(kpred_rule_conv_mlir_igemm_wrw, 18, KPRED_IGEMM_LIST, CONV_IGEMM)

/* All rules are of type kpred_rule. They return 0 if values[n-1] (for n == 0, the problem) leaves
   no legal tuple, or if there is no n-th parameter; else 1. A rule with 9 or 10 fields has those of
   KPRED_CONV_FIELD_LIST, a rule with 18 fields those of KPRED_CONV2D_FIELD_LIST.
   pre: as many fields as listed, tokens within their lists, sizes in 1..KPRED_MAX_SIZE, pads in
        0..KPRED_MAX_SIZE */
#ifndef KPRED_STATIC /* the definition of a static function declares it */

/* MIOpen's ConvAsm1x1U: F, B; FP32, FP16. */
KPRED_API int kpred_rule_conv_asm_1x1u(const int32_t *problem, const int32_t *values, size_t n);

/* ConvOclDirectFwd1x1: F, B; FP32, FP16, BF16. A tuple is legal if MIOpen's search emits it or if
   it is MIOpen's default. */
KPRED_API int kpred_rule_conv_ocl_direct_fwd_1x1(const int32_t *problem, const int32_t *values,
                                                 size_t n);

/* ConvAsmBwdWrW1x1: W; FP32, FP16, BF16. */
KPRED_API int kpred_rule_conv_asm_bwd_wrw_1x1(const int32_t *problem, const int32_t *values,
                                              size_t n);

/* ConvAsmBwdWrW3x3: W; FP32, FP16; stride 1 (MIOpen no longer runs it with 2); groups. */
KPRED_API int kpred_rule_conv_asm_bwd_wrw_3x3(const int32_t *problem, const int32_t *values,
                                              size_t n);

/* ConvAsm3x3U: F, B; FP32; filters of 3x3, pads 1, stride 1; groups. */
KPRED_API int kpred_rule_conv_asm_3x3u(const int32_t *problem, const int32_t *values, size_t n);

/* ConvOclDirectFwd: F, B; FP32, FP16, BF16; odd filters of 3x3 to 11x11 and some others, and any
   filter with groups. A tuple is legal if MIOpen's checks accept it, and if it is the default or
   MIOpen's search emits it. */
KPRED_API int kpred_rule_conv_ocl_direct_fwd(const int32_t *problem, const int32_t *values,
                                             size_t n);

/* ConvBinWinogradRxSf2x3: FP32, and FP16 but on gfx900; NCHW, dilation 1, both strides 1 or both 2
   (W: 1); groups. All sizes, of a group's channels too, and all pads are below 2^16, and products
   of sizes have limits (>>winograd). That pads are smaller than the filter for B is observed. */
KPRED_API int kpred_rule_conv_bin_winograd_rxs(const int32_t *problem, const int32_t *values,
                                               size_t n);

/* ConvBinWinogradRxSf3x2: the same, but with stride 2 on gfx906 and gfx942 alone. This is observed:
   gfx1030 has no tuned optimum with it, and gfx900 none at all. */
KPRED_API int kpred_rule_conv_bin_winograd_rxs_f3x2(const int32_t *problem, const int32_t *values,
                                                    size_t n);

/* ConvHipImplicitGemmV4R1Fwd and ConvHipImplicitGemmV4R1WrW: F, W; FP32, FP16, BF16; groups. They
   apply here where they accept some tuple; MIOpen's further conditions are not restated. NCHW is
   observed. */
KPRED_API int kpred_rule_conv_hip_igemm_v4r1(const int32_t *problem, const int32_t *values,
                                             size_t n);

/* ConvHipImplicitGemmBwdDataV1R1: B; FP32, FP16, BF16. It applies as V4R1 does; that it has no
   groups is observed. */
KPRED_API int kpred_rule_conv_hip_igemm_bwd_v1r1(const int32_t *problem, const int32_t *values,
                                                 size_t n);

/* ConvHipImplicitGemmV4R4Fwd and ConvHipImplicitGemmV4R4WrW: F, W; FP32. All is observed: the rule
   applies the checks of BwdDataV1R1 to the matrices of these kernels. */
KPRED_API int kpred_rule_conv_hip_igemm_v4r4(const int32_t *problem, const int32_t *values,
                                             size_t n);

/* ConvMlirIgemmFwd, ConvMlirIgemmBwd and ConvMlirIgemmWrW: all problems. All is observed: a tile
   need not divide its matrix, but it holds what the threads of a block compute. */
KPRED_API int kpred_rule_conv_mlir_igemm(const int32_t *problem, const int32_t *values, size_t n);

/* ConvHipImplicitGemmV4R1WrW, ConvHipImplicitGemmV4R4WrW, ConvMlirIgemmBwd, ConvMlirIgemmWrW: the
   rules above, for the one direction of the solver. (The forward solvers need no such rule: the
   problems of their specs have no other direction.) */
#define KPRI_ONE_WAY_DECLARED(rule, n_fields, list, family) \
    KPRED_API int rule(const int32_t *problem, const int32_t *values, size_t n);
KPRED_ONE_WAY_LIST(KPRI_ONE_WAY_DECLARED)
#undef KPRI_ONE_WAY_DECLARED

/* ConvOclBwdWrW2<1>, <2>, <4>, <8> and <16>: W; FP32, FP16, BF16; filters of 2 to 11 lines; groups.
   All is observed. (<N> needs N images or more; the rule does not test that.) */
KPRED_API int kpred_rule_conv_ocl_bwd_wrw2(const int32_t *problem, const int32_t *values, size_t n);

/* The next two serve models whose first parameter is a name. The model's header holds the words of
   the names and the rule itself, which calls one of these functions. They return what the rules
   above return.

   ConvAsmImplicitGemmGTCDynamicFwdXdlopsNHWC, BwdXdlopsNHWC and WrwXdlopsNHWC: FP32, FP16; groups.
   All is observed: each kernel computes one type, has its filters, and reads vectors of channels.
   The fields are those of KPRED_CONV2D_FIELD_LIST, the parameters those of KPRED_IGEMM_GTC_LIST. */
KPRED_API int kpred_rule_of_gtc_kernels(const kpred_gtc_kernels *kernels, const int32_t *problem,
                                        const int32_t *values, size_t n);

/* Rejects the solvers that MIOpen's find-dbs never list for such a problem. The rule knows of a
   problem only what KPRED_SOLVER_WORD holds, so a solver that it accepts may still not apply. With
   n == 0 it accepts every problem, because the naive solver of each direction applies to all. The
   fields are those of KPRED_CONV3D_FIELD_LIST, the parameter that of
   KPRED_CONV_SOLVER_PARAM_LIST. */
KPRED_API int kpred_rule_of_solvers(const uint64_t *words, int32_t n_words, const int32_t *problem,
                                    const int32_t *values, size_t n);
#endif

#ifdef __cplusplus
}
#endif
#endif /* KPRED_CONSTRAINTS_H */

/* Without a request, all families and the expressions are emitted. */
#if !defined(KPRED_RULES_CONV_ASM_1X1U) && !defined(KPRED_RULES_CONV_OCL_DIRECT_FWD_1X1)        \
    && !defined(KPRED_RULES_CONV_ASM_BWD_WRW_1X1) && !defined(KPRED_RULES_CONV_ASM_BWD_WRW_3X3) \
    && !defined(KPRED_RULES_CONV_ASM_3X3U) && !defined(KPRED_RULES_CONV_OCL_DIRECT_FWD)         \
    && !defined(KPRED_RULES_CONV_BIN_WINOGRAD_RXS) && !defined(KPRED_RULES_CONV_HIP_IGEMM_V4R1) \
    && !defined(KPRED_RULES_CONV_IGEMM) && !defined(KPRED_RULES_CONV_IGEMM_GTC)                 \
    && !defined(KPRED_RULES_CONV_OCL_BWD_WRW2) && !defined(KPRED_RULES_CONV_SOLVER)             \
    && !defined(KPRED_RULES_NO_FAMILY)
#define KPRED_RULES_CONV_ASM_1X1U
#define KPRED_RULES_CONV_OCL_DIRECT_FWD_1X1
#define KPRED_RULES_CONV_ASM_BWD_WRW_1X1
#define KPRED_RULES_CONV_ASM_BWD_WRW_3X3
#define KPRED_RULES_CONV_ASM_3X3U
#define KPRED_RULES_CONV_OCL_DIRECT_FWD
#define KPRED_RULES_CONV_BIN_WINOGRAD_RXS
#define KPRED_RULES_CONV_HIP_IGEMM_V4R1
#define KPRED_RULES_CONV_IGEMM
#define KPRED_RULES_CONV_IGEMM_GTC
#define KPRED_RULES_CONV_OCL_BWD_WRW2
#define KPRED_RULES_CONV_SOLVER
#define KPRED_RULES_NO_FAMILY
#endif

#if defined(KPRED_RULES_NO_FAMILY) && !defined(KPRI_RULES_EXPRESSIONS)
#define KPRI_RULES_EXPRESSIONS
#ifdef __cplusplus
extern "C" {
#endif

/* >>expressions: the arithmetic of a spec's [restrict], which generated rules call (the meaning is
   told in tools/model/clause.h). Integers have 64 bits, and no clause that the tools accept leaves
   them; + - * saturate, so that all is defined for values that no spec has. *bad is set where a
   clause is false because of a division by 0. A quotient is a numerator and a positive denominator,
   not reduced; a span is the least and the largest of a set of integers, and empty if the least is
   larger; a truth has bit 0 if a clause may be false and bit 1 if it may be true. */
typedef struct {
    int64_t n, d;
} kpri_quotient;

typedef struct {
    int64_t least, most;
} kpri_span;

static inline int64_t kpri_x_add(int64_t a, int64_t b)
{
    if (b > 0 ? a > INT64_MAX - b : a < INT64_MIN - b)
        return b > 0 ? INT64_MAX : INT64_MIN;
    return a + b;
}

static inline int64_t kpri_x_sub(int64_t a, int64_t b)
{
    if (b < 0 ? a > INT64_MAX + b : a < INT64_MIN + b)
        return b < 0 ? INT64_MAX : INT64_MIN;
    return a - b;
}

/* |a|, and back */
static inline uint64_t kpri_x_size(int64_t a)
{
    return a < 0 ? 0 - (uint64_t)a : (uint64_t)a;
}

static inline int64_t kpri_x_signed(uint64_t size, int is_negative)
{
    if (size > INT64_MAX)
        return is_negative ? INT64_MIN : INT64_MAX;
    return is_negative ? -(int64_t)size : (int64_t)size;
}

/* Of halves of 32 bits: only one of the two may have a high half. */
static inline int64_t kpri_x_mul(int64_t a, int64_t b)
{
    const uint64_t x = kpri_x_size(a), y = kpri_x_size(b);
    const uint64_t low = (uint64_t)(uint32_t)x * (uint32_t)y;
    const uint64_t high = (x >> 32) * (uint32_t)y + (y >> 32) * (uint32_t)x + (low >> 32);
    const int is_wide = (x >> 32 && y >> 32) || high > INT32_MAX;
    return kpri_x_signed(is_wide ? UINT64_MAX : high << 32 | (uint32_t)low, (a < 0) != (b < 0));
}

static inline int64_t kpri_x_abs(int64_t a)
{
    return a < 0 ? kpri_x_sub(0, a) : a;
}

static inline int64_t kpri_x_min(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static inline int64_t kpri_x_max(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

/* A division bit by bit, where more than 32 of them are needed: the dividend moves out of
   `quotient` at the top, and the quotient moves in at the bottom. No loop: 1, 4, 16, 64 bits. */
typedef struct {
    uint64_t quotient, rest;
} kpri_division;

static inline kpri_division kpri_x_bit(kpri_division x, uint64_t by)
{
    x.rest = x.rest << 1 | x.quotient >> 63;
    x.quotient <<= 1;
    if (x.rest >= by) {
        x.rest -= by;
        x.quotient |= 1;
    }
    return x;
}

static inline kpri_division kpri_x_4_bits(kpri_division x, uint64_t by)
{
    return kpri_x_bit(kpri_x_bit(kpri_x_bit(kpri_x_bit(x, by), by), by), by);
}

static inline kpri_division kpri_x_16_bits(kpri_division x, uint64_t by)
{
    return kpri_x_4_bits(kpri_x_4_bits(kpri_x_4_bits(kpri_x_4_bits(x, by), by), by), by);
}

static inline kpri_division kpri_x_64_bits(kpri_division x, uint64_t by)
{
    return kpri_x_16_bits(kpri_x_16_bits(kpri_x_16_bits(kpri_x_16_bits(x, by), by), by), by);
}

/* |a| / |b|. pre: b != 0 */
static inline kpri_division kpri_x_divide(int64_t a, int64_t b)
{
    const uint64_t by = kpri_x_size(b);
    kpri_division x;
    x.quotient = kpri_x_size(a);
    x.rest = 0;
    if (x.quotient > UINT32_MAX || by > UINT32_MAX)
        return kpri_x_64_bits(x, by);
    x.rest = (uint32_t)x.quotient % (uint32_t)by;
    x.quotient = (uint32_t)x.quotient / (uint32_t)by;
    return x;
}

/* a / b, rounded up or down */
static inline int64_t kpri_x_div(int64_t a, int64_t b, int up, int *bad)
{
    const int is_negative = (a < 0) != (b < 0);
    kpri_division x;
    if (b == 0) {
        *bad = 1;
        return 0;
    }
    x = kpri_x_divide(a, b);
    return kpri_x_signed(x.quotient + (x.rest != 0 && is_negative != up), is_negative);
}

static inline int64_t kpri_x_floor_div(int64_t a, int64_t b, int *bad)
{
    return kpri_x_div(a, b, 0, bad);
}

static inline int64_t kpri_x_ceil_div(int64_t a, int64_t b, int *bad)
{
    return kpri_x_div(a, b, 1, bad);
}

static inline int64_t kpri_x_mod(int64_t a, int64_t b, int *bad)
{
    uint64_t rest;
    if (b == 0) {
        *bad = 1;
        return 0;
    }
    rest = kpri_x_divide(a, b).rest;
    return kpri_x_signed(rest != 0 && (a < 0) != (b < 0) ? kpri_x_size(b) - rest : rest, b < 0);
}

/* n / d */
static inline kpri_quotient kpri_q(int64_t n, int64_t d, int *bad)
{
    kpri_quotient q;
    *bad |= d == 0;
    q.n = d < 0 ? kpri_x_sub(0, n) : d == 0 ? 0 : n;
    q.d = d == 0 ? 1 : kpri_x_abs(d);
    return q;
}

static inline kpri_quotient kpri_q_of(int64_t a)
{
    kpri_quotient q;
    q.n = a;
    q.d = 1;
    return q;
}

/* The same, for what is divided or divides */
static inline kpri_quotient kpri_q_term(int64_t a, int *bad)
{
    (void)bad;
    return kpri_q_of(a);
}

/* Its sign is that of the quotient. */
static inline int64_t kpri_x_high(kpri_quotient x)
{
    return x.n;
}

static inline kpri_quotient kpri_q_add(kpri_quotient x, kpri_quotient y, int *bad)
{
    return kpri_q(kpri_x_add(kpri_x_mul(x.n, y.d), kpri_x_mul(y.n, x.d)), kpri_x_mul(x.d, y.d),
                  bad);
}

static inline kpri_quotient kpri_q_sub(kpri_quotient x, kpri_quotient y, int *bad)
{
    return kpri_q(kpri_x_sub(kpri_x_mul(x.n, y.d), kpri_x_mul(y.n, x.d)), kpri_x_mul(x.d, y.d),
                  bad);
}

static inline kpri_quotient kpri_q_mul(kpri_quotient x, kpri_quotient y, int *bad)
{
    return kpri_q(kpri_x_mul(x.n, y.n), kpri_x_mul(x.d, y.d), bad);
}

static inline kpri_quotient kpri_q_div(kpri_quotient x, kpri_quotient y, int *bad)
{
    return kpri_q(kpri_x_mul(x.n, y.d), kpri_x_mul(x.d, y.n), bad);
}

static inline int kpri_q_less(kpri_quotient x, kpri_quotient y)
{
    return kpri_x_mul(x.n, y.d) < kpri_x_mul(y.n, x.d);
}

static inline int kpri_q_equal(kpri_quotient x, kpri_quotient y)
{
    return kpri_x_mul(x.n, y.d) == kpri_x_mul(y.n, x.d);
}

static inline kpri_quotient kpri_q_min(kpri_quotient x, kpri_quotient y)
{
    return kpri_q_less(y, x) ? y : x;
}

static inline kpri_quotient kpri_q_max(kpri_quotient x, kpri_quotient y)
{
    return kpri_q_less(x, y) ? y : x;
}

static inline kpri_quotient kpri_q_abs(kpri_quotient x, int *bad)
{
    return x.n < 0 ? kpri_q_sub(kpri_q_of(0), x, bad) : x;
}

/* x / y rounded down; its negative for -x is x / y rounded up */
static inline int64_t kpri_q_floor_div(kpri_quotient x, kpri_quotient y, int *bad)
{
    const kpri_quotient q = kpri_q_div(x, y, bad);
    return kpri_x_floor_div(q.n, q.d, bad);
}

static inline kpri_quotient kpri_q_mod(kpri_quotient x, kpri_quotient y, int *bad)
{
    const kpri_quotient whole = kpri_q_of(kpri_q_floor_div(x, y, bad));
    return kpri_q_sub(x, kpri_q_mul(y, whole, bad), bad);
}

static inline kpri_span kpri_s_from(int64_t least, int64_t most)
{
    kpri_span s;
    s.least = least;
    s.most = most;
    return s;
}

#define KPRI_S_EMPTY kpri_s_from(1, 0)

static inline kpri_span kpri_s_of(int64_t a)
{
    return kpri_s_from(a, a);
}

static inline int kpri_s_is_empty(kpri_span s)
{
    return s.least > s.most;
}

/* Of both */
static inline kpri_span kpri_s_hull(kpri_span s, kpri_span t)
{
    if (kpri_s_is_empty(s))
        return t;
    if (kpri_s_is_empty(t))
        return s;
    return kpri_s_from(kpri_x_min(s.least, t.least), kpri_x_max(s.most, t.most));
}

/* Of what both have */
static inline kpri_span kpri_s_meet(kpri_span s, int64_t least, int64_t most)
{
    return kpri_s_from(kpri_x_max(s.least, least), kpri_x_min(s.most, most));
}

static inline kpri_span kpri_s_add(kpri_span s, kpri_span t)
{
    if (kpri_s_is_empty(s) || kpri_s_is_empty(t))
        return KPRI_S_EMPTY;
    return kpri_s_from(kpri_x_add(s.least, t.least), kpri_x_add(s.most, t.most));
}

static inline kpri_span kpri_s_sub(kpri_span s, kpri_span t)
{
    if (kpri_s_is_empty(s) || kpri_s_is_empty(t))
        return KPRI_S_EMPTY;
    return kpri_s_from(kpri_x_sub(s.least, t.most), kpri_x_sub(s.most, t.least));
}

/* Of the four results at the ends of two spans */
static inline kpri_span kpri_s_ends(int64_t a, int64_t b, int64_t c, int64_t d)
{
    return kpri_s_from(kpri_x_min(kpri_x_min(a, b), kpri_x_min(c, d)),
                       kpri_x_max(kpri_x_max(a, b), kpri_x_max(c, d)));
}

static inline kpri_span kpri_s_mul(kpri_span s, kpri_span t)
{
    if (kpri_s_is_empty(s) || kpri_s_is_empty(t))
        return KPRI_S_EMPTY;
    return kpri_s_ends(kpri_x_mul(s.least, t.least), kpri_x_mul(s.least, t.most),
                       kpri_x_mul(s.most, t.least), kpri_x_mul(s.most, t.most));
}

static inline kpri_span kpri_s_abs(kpri_span s)
{
    if (kpri_s_is_empty(s) || s.least >= 0)
        return s;
    return kpri_s_from(s.most < 0 ? kpri_x_abs(s.most) : 0,
                       kpri_x_max(kpri_x_abs(s.least), s.most));
}

static inline kpri_span kpri_s_min(kpri_span s, kpri_span t)
{
    if (kpri_s_is_empty(s) || kpri_s_is_empty(t))
        return KPRI_S_EMPTY;
    return kpri_s_from(kpri_x_min(s.least, t.least), kpri_x_min(s.most, t.most));
}

static inline kpri_span kpri_s_max(kpri_span s, kpri_span t)
{
    if (kpri_s_is_empty(s) || kpri_s_is_empty(t))
        return KPRI_S_EMPTY;
    return kpri_s_from(kpri_x_max(s.least, t.least), kpri_x_max(s.most, t.most));
}

/* The divisors of a span that are negative, or positive */
static inline kpri_span kpri_s_divisor(kpri_span s, int positive)
{
    return positive ? kpri_s_meet(s, 1, INT64_MAX) : kpri_s_meet(s, INT64_MIN, -1);
}

/* By divisors of one sign: a quotient rises or falls all the way in both. */
static inline kpri_span kpri_s_div_part(kpri_span s, kpri_span t, int up)
{
    int bad = 0;
    if (kpri_s_is_empty(s) || kpri_s_is_empty(t))
        return KPRI_S_EMPTY;
    return kpri_s_ends(kpri_x_div(s.least, t.least, up, &bad),
                       kpri_x_div(s.least, t.most, up, &bad), kpri_x_div(s.most, t.least, up, &bad),
                       kpri_x_div(s.most, t.most, up, &bad));
}

static inline kpri_span kpri_s_div(kpri_span s, kpri_span t, int up)
{
    return kpri_s_hull(kpri_s_div_part(s, kpri_s_divisor(t, 0), up),
                       kpri_s_div_part(s, kpri_s_divisor(t, 1), up));
}

static inline kpri_span kpri_s_floor_div(kpri_span s, kpri_span t)
{
    return kpri_s_div(s, t, 0);
}

static inline kpri_span kpri_s_ceil_div(kpri_span s, kpri_span t)
{
    return kpri_s_div(s, t, 1);
}

/* By divisors of one sign: the dividend itself where it is nearer to 0 than all of them, else what
   a rest can be. */
static inline kpri_span kpri_s_mod_part(kpri_span s, kpri_span t)
{
    const int64_t a = s.least, b = s.most, c = t.least, d = t.most;
    int bad = 0;
    if (kpri_s_is_empty(s) || kpri_s_is_empty(t))
        return KPRI_S_EMPTY;
    if (a == b && c == d)
        return kpri_s_of(kpri_x_mod(a, c, &bad));
    if (c > 0)
        return a >= 0 && b < c ? s : kpri_s_from(0, a >= 0 ? kpri_x_min(b, d - 1) : d - 1);
    return b <= 0 && a > d ? s : kpri_s_from(b <= 0 ? kpri_x_max(a, c + 1) : c + 1, 0);
}

static inline kpri_span kpri_s_mod(kpri_span s, kpri_span t)
{
    return kpri_s_hull(kpri_s_mod_part(s, kpri_s_divisor(t, 0)),
                       kpri_s_mod_part(s, kpri_s_divisor(t, 1)));
}

static inline int kpri_t_less(kpri_span s, kpri_span t)
{
    if (kpri_s_is_empty(s) || kpri_s_is_empty(t))
        return 0;
    return (s.most >= t.least) | (s.least < t.most) << 1;
}

static inline int kpri_t_equal(kpri_span s, kpri_span t)
{
    if (kpri_s_is_empty(s) || kpri_s_is_empty(t))
        return 0;
    return (s.least != s.most || t.least != t.most || s.least != t.least)
           | (s.least <= t.most && t.least <= s.most) << 1;
}

static inline int kpri_t_not(int t)
{
    return (t & 1) << 1 | t >> 1;
}

/* The second operand is looked at where the first does not decide. */
static inline int kpri_t_and(int s, int t)
{
    return (s & 1) | (s & 2 ? t : 0);
}

static inline int kpri_t_or(int s, int t)
{
    return (s & 2) | (s & 1 ? t : 0);
}

/* Either of two that are both looked at */
static inline int kpri_t_any(int s, int t)
{
    return s == 0 || t == 0 ? 0 : (s & t & 1) | ((s | t) & 2);
}

/* Of a span, and the span of a truth: 0 and 1 */
static inline int kpri_t_of(kpri_span s)
{
    return kpri_t_not(kpri_t_equal(s, kpri_s_of(0)));
}

static inline kpri_span kpri_s_of_truth(int t)
{
    return t == 0 ? KPRI_S_EMPTY : kpri_s_from(t == 2, t >= 2);
}

/* A parameter's: its value, or while it is open all that it may have */
static inline kpri_span kpri_s_param(const int32_t *values, size_t n, size_t t, int32_t least,
                                     int32_t most)
{
    return t < n ? kpri_s_of(values[t]) : kpri_s_from(least, most);
}

#ifdef __cplusplus
}
#endif
#endif /* KPRI_RULES_EXPRESSIONS */

#if defined(KPRED_IMPLEMENTATION) || defined(KPRED_STATIC)

#ifndef KPRI_RULES_SHARED
#define KPRI_RULES_SHARED
/* >>shared: what several kernels use. Throughout, p is the problem and v the values. */

/* A value that was judged before. The mask changes no legal value where this is used (the largest
   is 64), and bounds what is computed from illegal ones. */
/*@ requires \valid_read(v + i);
    assigns \nothing;
    ensures 0 <= \result <= 127 && (0 <= v[i] <= 127 ==> \result == v[i]); */
static KPRI_RULES_UNUSED int32_t kpri_rule_past(const int32_t *v, int i)
{
    return v[i] & 127;
}

/* Is x one of 1, 2, 4, ... most? */
/*@ assigns \nothing;
    ensures \result ==> 1 <= x <= most; */
static KPRI_RULES_UNUSED int kpri_rule_pow2(int32_t x, int32_t most)
{
    return kpred_is_pow2(x) && x <= most;
}

/* Is x a multiple of d, a power of two? */
static KPRI_RULES_UNUSED int kpri_rule_aligned(int32_t x, int32_t d)
{
    return (x & (d - 1)) == 0;
}

/* log2 of E. So !(x & half) says that x is a multiple of E. */
/*@ requires \valid_read(p + KPRED_CONV_DTYPE);
    assigns \nothing;
    ensures 0 <= \result <= 1; */
static KPRI_RULES_UNUSED int32_t kpri_rule_half(const int32_t *p)
{
    return p[KPRED_CONV_DTYPE] != KPRED_DTYPE_FP32;
}

/*@ requires \valid_read(p + KPRED_CONV_DIR);
    assigns \nothing;
    ensures \result == (p[KPRED_CONV_DIR] == KPRED_DIR_F); */
static KPRI_RULES_UNUSED int kpri_rule_forward(const int32_t *p)
{
    return p[KPRED_CONV_DIR] == KPRED_DIR_F;
}

/* The number of channels that a 1x1 kernel sums over, and of those that it writes. */
static KPRI_RULES_UNUSED int32_t kpri_rule_ic(const int32_t *p)
{
    return p[kpri_rule_forward(p) ? KPRED_CONV_C : KPRED_CONV_K];
}

static KPRI_RULES_UNUSED int32_t kpri_rule_oc(const int32_t *p)
{
    return p[kpri_rule_forward(p) ? KPRED_CONV_K : KPRED_CONV_C];
}

/* A side of the small image: ceil(x / stride), mostly without a division. */
/*@ requires \valid_read(p + KPRED_CONV_STRIDE) && p[KPRED_CONV_STRIDE] >= 1 && x >= 0;
    assigns \nothing;
    ensures 0 <= \result <= x; */
static KPRI_RULES_UNUSED int32_t kpri_rule_side(const int32_t *p, int32_t x)
{
    int32_t stride = p[KPRED_CONV_STRIDE];

    return stride == 1 ? x : stride == 2 ? (x >> 1) + (x & 1) : kpred_ceil_div(x, stride);
}

/* The pixels of the large image and of the small one, saturated. */
/*@ requires \valid_read(p + (0 .. KPRED_CONV_STRIDE));
    requires p[KPRED_CONV_H] >= 0 && p[KPRED_CONV_W] >= 0;
    assigns \nothing;
    ensures \result >= 0; */
static KPRI_RULES_UNUSED int32_t kpri_rule_large(const int32_t *p)
{
    return kpred_mul_sat(p[KPRED_CONV_H], p[KPRED_CONV_W]);
}

/*@ requires \valid_read(p + (0 .. KPRED_CONV_STRIDE)) && p[KPRED_CONV_STRIDE] >= 1;
    requires p[KPRED_CONV_H] >= 0 && p[KPRED_CONV_W] >= 0;
    assigns \nothing;
    ensures \result >= 0; */
static KPRI_RULES_UNUSED int32_t kpri_rule_small(const int32_t *p)
{
    return kpred_mul_sat(kpri_rule_side(p, p[KPRED_CONV_H]), kpri_rule_side(p, p[KPRED_CONV_W]));
}

/* What all three assembly kernels demand. image: its number of pixels */
/*@ requires \valid_read(p + (0 .. KPRED_CONV_STRIDE)) && image >= 0;
    requires p[KPRED_CONV_N] >= 0 && p[KPRED_CONV_C] >= 0 && p[KPRED_CONV_K] >= 0;
    assigns \nothing;
    ensures 0 <= \result <= 1; */
static KPRI_RULES_UNUSED int kpri_rule_sizes(const int32_t *p, int32_t image)
{
    int32_t n = p[KPRED_CONV_N], c = p[KPRED_CONV_C], k = p[KPRED_CONV_K];
    int32_t c_image = kpred_mul_sat(c, image), k_image = kpred_mul_sat(k, image);

    return n < 1 << 16 && c < 1 << 16 && k < 1 << 16 && c_image < 1 << 24 && k_image < 1 << 24
           && kpred_mul_sat(n, c_image) < 1 << 29 && kpred_mul_sat(n, k_image) < 1 << 29
           && kpred_mul_sat(c, k) < 1 << 29;
}

/* The default of the OpenCL kernels cuts each side of the image that is read, x pixels long, into
   tiles of 8, 16 or 32 pixels. This is how many of these pixels a work-item takes. */
/*@ requires stride >= 1;
    assigns \nothing;
    ensures \result == \max(stride, x <= 8 ? 1 : 2); */
static KPRI_RULES_UNUSED int32_t kpri_ocl_item(int32_t stride, int32_t x)
{
    int32_t least = x <= 8 ? 1 : 2;

    return stride > least ? stride : least;
}

/* The work-items along a side of a tile */
/*@ requires stride >= 1;
    assigns \nothing;
    ensures 8 <= \result <= 16 && (stride >= 4 ==> \result == 8); */
static KPRI_RULES_UNUSED int32_t kpri_ocl_group(int32_t stride, int32_t x)
{
    int32_t group = (x <= 8 ? 8 : x <= 16 ? 16 : 32) / kpri_ocl_item(stride, x);

    return group > 8 ? group : 8;
}

/* The pixels that these work-items take */
/*@ requires 1 <= stride <= KPRED_MAX_SIZE;
    assigns \nothing;
    ensures 8 <= \result <= 134217728; */
static KPRI_RULES_UNUSED int32_t kpri_ocl_tile(int32_t stride, int32_t x)
{
    return kpri_ocl_group(stride, x) * kpri_ocl_item(stride, x);
}
#endif

#if defined(KPRED_RULES_CONV_ASM_1X1U) && !defined(KPRI_RULES_CONV_ASM_1X1U)
#define KPRI_RULES_CONV_ASM_1X1U
/* >>conv_asm_1x1u: a wave computes k_mult filters on chunks_per_wave chunks of chunk_size pixels,
   for n_mult sets of images, c_mult channels at a time. The waves of a group divide channels and
   filters among them. hw is the number of pixels written: those of the small image forward, of the
   large image backward. */
#define KPRI_1X1U(v, NAME) kpri_rule_past(v, KPRED_ASM_1X1U_##NAME)

static int32_t kpri_1x1u_hw(const int32_t *p)
{
    return kpri_rule_forward(p) ? kpri_rule_small(p) : kpri_rule_large(p);
}

/* hw % E. It is right where hw is saturated, too. */
static int32_t kpri_1x1u_odd(const int32_t *p)
{
    int32_t h = p[KPRED_CONV_H], w = p[KPRED_CONV_W];

    if (kpri_rule_forward(p)) {
        h = kpri_rule_side(p, h);
        w = kpri_rule_side(p, w);
    }
    return h & w & kpri_rule_half(p);
}

/* [0] The c channels of the large image take less than 2^24 bytes, at 4 bytes a pixel. So do the k
   channels of the small image. */
static int kpri_1x1u_applies(const int32_t *p)
{
    int32_t half = kpri_rule_half(p), out = kpri_rule_small(p);

    return p[KPRED_CONV_DIR] != KPRED_DIR_W && p[KPRED_CONV_DTYPE] != KPRED_DTYPE_BF16
           && p[KPRED_CONV_STRIDE] <= 2 && !(p[KPRED_CONV_C] & half) && !(p[KPRED_CONV_K] & half)
           && kpri_1x1u_hw(p) >= 1 << half && (!half || kpri_rule_oc(p) >= 4)
           && (!half || kpri_rule_forward(p) || kpri_rule_aligned(kpri_rule_oc(p), 4))
           && kpred_mul_sat(p[KPRED_CONV_C], kpri_rule_large(p)) < 1 << 22
           && kpred_mul_sat(p[KPRED_CONV_K], out) < 1 << 22 && kpri_rule_sizes(p, out);
}

/* The vector registers of a wave: five, two sets for inputs, the sums, and one for an image with an
   odd number of 16-bit pixels.
   pre:  n_mult, c_mult <= 127
   post: result <= 5 + 3 * 127^3 + 1 */
static int32_t kpri_1x1u_vgprs(const int32_t *p, const int32_t *v, int32_t n_mult, int32_t c_mult)
{
    int32_t half = kpri_rule_half(p), chunks = KPRI_1X1U(v, CHUNKS_PER_WAVE) * n_mult;
    int32_t inputs = (chunks * c_mult + half) >> half;

    return 5 + 2 * inputs + chunks * KPRI_1X1U(v, K_MULT) + kpri_1x1u_odd(p);
}

/* R9: the scalar registers. Most of them hold weights. */
static int kpri_1x1u_fits_sgprs(int32_t k_mult, int32_t c_mult)
{
    return 25 + 2 * k_mult * c_mult < KPRED_GCN_SGPRS;
}

/* [1] V1; ahead to R3-R5: chunks_per_wave lies between read_size * E and hw. */
static int kpri_1x1u_read_size(const int32_t *p, int32_t read_size)
{
    return kpred_between(read_size, 1, 4) && read_size << kpri_rule_half(p) <= kpri_1x1u_hw(p);
}

/* [2] V2, R1, R2; ahead to R9 with c_mult = E, to R12 with waves_k_in_group = 1. (R8 cannot fail:
   read_size * E chunks times what R9 leaves of k_mult take at most 141 registers in full precision,
   150 in half.) */
static int kpri_1x1u_k_mult(const int32_t *p, int32_t k_mult)
{
    int32_t oc = kpri_rule_oc(p);

    return (k_mult == 1 || (kpred_between(k_mult, 4, 32) && k_mult % 4 == 0))
           && !(k_mult & kpri_rule_half(p)) && (kpri_rule_forward(p) || oc % k_mult == 0)
           && kpri_1x1u_fits_sgprs(k_mult, 1 << kpri_rule_half(p)) && k_mult <= oc;
}

/* [3] V3, R3, R4; ahead to R5 with chunk_size = 1, to R8 with n_mult = 1, c_mult = E. */
static int kpri_1x1u_chunks_per_wave(const int32_t *p, const int32_t *v, int32_t chunks)
{
    int32_t half = kpri_rule_half(p);

    return kpred_between(chunks, 1, 16) && KPRI_1X1U(v, READ_SIZE) << half <= chunks
           && !(chunks & half) && chunks <= kpri_1x1u_hw(p)
           && kpri_1x1u_vgprs(p, v, 1, 1 << half) < KPRED_GCN_VGPRS;
}

/* [4] V4; R5: chunks_per_wave <= ceil(hw / chunk_size). */
static int kpri_1x1u_chunk_size(const int32_t *p, const int32_t *v, int32_t chunk_size)
{
    return kpri_rule_pow2(chunk_size, 64)
           && (KPRI_1X1U(v, CHUNKS_PER_WAVE) - 1) * chunk_size < kpri_1x1u_hw(p);
}

/* [5] V5; R6: n_mult <= ceil(n / (64 / chunk_size)); ahead to R8 with c_mult = E.
   (2^24 images times 127 is below 2^31.) */
static int kpri_1x1u_n_mult(const int32_t *p, const int32_t *v, int32_t n_mult)
{
    return kpred_between(n_mult, 1, 8)
           && (n_mult - 1) * 64 < p[KPRED_CONV_N] * KPRI_1X1U(v, CHUNK_SIZE)
           && kpri_1x1u_vgprs(p, v, n_mult, 1 << kpri_rule_half(p)) < KPRED_GCN_VGPRS;
}

/* [6] V6, R7-R9; ahead to R11: if each wave has a multiple of c_mult channels, all waves together
   have one. */
static int kpri_1x1u_c_mult(const int32_t *p, const int32_t *v, int32_t c_mult)
{
    return kpri_rule_pow2(c_mult, 32) && !(c_mult & kpri_rule_half(p))
           && kpri_1x1u_vgprs(p, v, KPRI_1X1U(v, N_MULT), c_mult) < KPRED_GCN_VGPRS
           && kpri_1x1u_fits_sgprs(KPRI_1X1U(v, K_MULT), c_mult)
           && kpri_rule_aligned(kpri_rule_ic(p), c_mult);
}

/* R14: 4 * floor(256 / vgprs) >= waves. */
static int kpri_1x1u_fits_vgprs(const int32_t *p, const int32_t *v, int32_t waves)
{
    int32_t vgprs = kpri_1x1u_vgprs(p, v, KPRI_1X1U(v, N_MULT), KPRI_1X1U(v, C_MULT));

    return kpred_fits_vgprs(vgprs, waves);
}

/* [7] V7, R10; R11: each wave takes ceil(ic / waves_c) channels, and the last wave takes the rest;
   both must be multiples of c_mult. By [6], ic is a multiple, so it is enough to test the first.
   Ahead to R14 with waves_k_in_group = 1. */
static int kpri_1x1u_waves_c(const int32_t *p, const int32_t *v, int32_t waves_c)
{
    int32_t ic = kpri_rule_ic(p);

    return kpred_between(waves_c, 1, 8) && waves_c <= ic
           && kpri_rule_aligned(kpred_ceil_div(ic, waves_c), KPRI_1X1U(v, C_MULT))
           && kpri_1x1u_fits_vgprs(p, v, waves_c);
}

/* [8] V8, R12-R14 */
static int kpri_1x1u_waves_k(const int32_t *p, const int32_t *v, int32_t waves_k)
{
    return kpri_rule_pow2(waves_k, 8) && KPRI_1X1U(v, K_MULT) * waves_k <= kpri_rule_oc(p)
           && KPRI_1X1U(v, WAVES_C_IN_GROUP) * waves_k <= KPRED_GCN_WORKGROUP_WAVES
           && kpri_1x1u_fits_vgprs(p, v, KPRI_1X1U(v, WAVES_C_IN_GROUP) * waves_k);
}

KPRED_API int kpred_rule_conv_asm_1x1u(const int32_t *problem, const int32_t *values, size_t n)
{
    int32_t newest = n ? values[n - 1] : 0;

    switch (n) {
    case 0: return kpri_1x1u_applies(problem);
    case 1: return kpri_1x1u_read_size(problem, newest);
    case 2: return kpri_1x1u_k_mult(problem, newest);
    case 3: return kpri_1x1u_chunks_per_wave(problem, values, newest);
    case 4: return kpri_1x1u_chunk_size(problem, values, newest);
    case 5: return kpri_1x1u_n_mult(problem, values, newest);
    case 6: return kpri_1x1u_c_mult(problem, values, newest);
    case 7: return kpri_1x1u_waves_c(problem, values, newest);
    case 8: return kpri_1x1u_waves_k(problem, values, newest);
    default: return 0;
    }
}
#endif

#if defined(KPRED_RULES_CONV_OCL_DIRECT_FWD_1X1) && !defined(KPRI_RULES_CONV_OCL_DIRECT_FWD_1X1)
#define KPRI_RULES_CONV_OCL_DIRECT_FWD_1X1
/* >>conv_ocl_direct_fwd_1x1: the kernel itself takes any tuple. A tuple is legal here if MIOpen's
   search emits it or if it is MIOpen's default. The first value tells which of the two a tuple can
   be: grp_tile1 is 1 in the search, and 8 or more in the default. The kernel has two versions, 0
   and 1. */

static int kpri_ocl_version(const int32_t *p)
{
    return kpri_rule_forward(p) && p[KPRED_CONV_DTYPE] == KPRED_DTYPE_FP32
           && kpri_rule_aligned(p[KPRED_CONV_C] | p[KPRED_CONV_K], 16);
}

/* The largest number of pixels for a work-item of version 0. With stride 1 it is the largest of 1,
   2, 4 that divides the image. With other strides it is 2 if the rows written (and, backward, the
   rows read) have an even length, else 1. */
static int32_t kpri_ocl_pixels(const int32_t *p)
{
    int32_t h = p[KPRED_CONV_H], w = p[KPRED_CONV_W];
    int32_t image = ((h & 3) * (w & 3)) & 3;

    if (p[KPRED_CONV_STRIDE] != 1)
        return (kpri_rule_side(p, w) | (kpri_rule_forward(p) ? 0 : w)) & 1 ? 1 : 2;
    return image & 1 ? 1 : image ? 2 : 4;
}

/* A side of the image that is read: the large image forward, the small image backward. */
static int32_t kpri_ocl_read(const int32_t *p, int32_t x)
{
    return kpri_rule_forward(p) ? x : kpri_rule_side(p, x);
}

/* The n-th value of the default, n in 1..9. */
static int32_t kpri_ocl_default(const int32_t *p, size_t n)
{
    int version = kpri_ocl_version(p);
    int32_t ih = kpri_ocl_read(p, p[KPRED_CONV_H]), iw = kpri_ocl_read(p, p[KPRED_CONV_W]);
    int32_t stride = p[KPRED_CONV_STRIDE];

    switch (n) {
    case 1: return kpri_ocl_group(stride, ih);
    case 2: return version ? kpri_ocl_group(stride, iw) : 64;
    case 3: return kpri_ocl_tile(stride, ih);
    case 4: return kpri_ocl_tile(stride, iw);
    case 5: return version;
    case 6: return version ? 0 : kpri_ocl_pixels(p) == 1 ? 1 : 2;
    case 7: return version ? 32 : 16;
    case 8: return version ? 128 : 4;
    default: return 1;
    }
}

/* [6] S6 */
static int kpri_ocl_out_pix_tile0(const int32_t *p, int32_t pixels)
{
    if (kpri_ocl_version(p))
        return pixels == 0 || pixels == 1 || pixels == 4;
    return kpri_rule_pow2(pixels, kpri_ocl_pixels(p));
}

/* [7] S7; S7b: not 32 with 4 pixels each, nor 64 with 2 or more. */
static int kpri_ocl_n_out_pix_tiles(const int32_t *p, const int32_t *v, int32_t n_out)
{
    if (kpri_ocl_version(p))
        return n_out == 16 || n_out == 32 || n_out == 64;
    return kpri_rule_pow2(n_out, 64) && n_out >= 4
           && (n_out <= 16 || kpri_rule_aligned(kpri_rule_oc(p), n_out))
           && n_out * kpri_rule_past(v, KPRED_OCL_DIRECT_FWD_1X1_OUT_PIX_TILE0) < 128;
}

/* [8] S8 */
static int kpri_ocl_n_in_data_tiles(const int32_t *p, int32_t n_in)
{
    if (kpri_ocl_version(p))
        return n_in == 64 || n_in == 128 || n_in == 256 || n_in == 2048;
    return n_in == 4 || (n_in == 8 && kpri_rule_aligned(kpri_rule_ic(p), 8));
}

/* S1-S9 for a first value of 1. No look-ahead is needed: n_out_pix_tiles and n_in_data_tiles of
   version 0 can always be 4, and the values of version 1 do not depend on one another. */
static int kpri_ocl_search(const int32_t *p, const int32_t *v, size_t n)
{
    int32_t newest = v[n - 1];

    switch (n) {
    case 2: return newest == 64 || (!kpri_ocl_version(p) && (newest == 128 || newest == 256));
    case 5: return newest == kpri_ocl_version(p);
    case 6: return kpri_ocl_out_pix_tile0(p, newest);
    case 7: return kpri_ocl_n_out_pix_tiles(p, v, newest);
    case 8: return kpri_ocl_n_in_data_tiles(p, newest);
    case 9: return newest == 0;
    default: return newest == 1;
    }
}

KPRED_API int kpred_rule_conv_ocl_direct_fwd_1x1(const int32_t *problem, const int32_t *values,
                                                 size_t n)
{
    if (n == 0)
        return problem[KPRED_CONV_DIR] != KPRED_DIR_W;
    if (n > KPRED_OCL_DIRECT_FWD_1X1_COUNT)
        return 0;
    if (values[KPRED_OCL_DIRECT_FWD_1X1_GRP_TILE1] == 1)
        return kpri_ocl_search(problem, values, n);
    return values[n - 1] == kpri_ocl_default(problem, n);
}
#endif

#if defined(KPRED_RULES_CONV_ASM_BWD_WRW_1X1) && !defined(KPRI_RULES_CONV_ASM_BWD_WRW_1X1)
#define KPRI_RULES_CONV_ASM_BWD_WRW_1X1
/* >>conv_asm_bwd_wrw_1x1: the 64 lanes of a register hold chunk_size pixels in c_per_gpr channels
   of n_per_gpr images, times 1, 2 or 4. A wave multiplies c_mult by k_mult such registers,
   k_per_gpr times. The parameters depend on nothing of the problem but the type and whether c is
   even. */
#define KPRI_WRW1(v, NAME) kpri_rule_past(v, KPRED_ASM_BWD_WRW_1X1_##NAME)

/* [0] */
static int kpri_wrw1_applies(const int32_t *p)
{
    return p[KPRED_CONV_DIR] == KPRED_DIR_W && p[KPRED_CONV_STRIDE] <= 2
           && kpri_rule_sizes(p, kpri_rule_small(p));
}

/* R6: the kernel needs 12 registers, a sum for each product, and sets of
   (c_mult + k_mult) * read_size values: one set in use, one for each prefetch, and one more for
   BF16, which these GPUs emulate. Five or more waves have half of the registers each. */
static int kpri_wrw1_fits(const int32_t *p, int32_t c_mult, int32_t k_per_gpr, int32_t k_mult,
                          int32_t waves, int32_t read_size, int32_t prefetch)
{
    int32_t sets = prefetch + (p[KPRED_CONV_DTYPE] == KPRED_DTYPE_BF16 ? 2 : 1);

    return kpred_fits_vgprs(c_mult * k_mult * k_per_gpr + 12 + (c_mult + k_mult) * read_size * sets,
                            waves);
}

/* [2] V2; R1, R2: the product is at least 16 and at most 16 (V2 alone says so for chunk_size 1). */
static int kpri_wrw1_c_per_gpr(const int32_t *v, int32_t c_per_gpr)
{
    return kpri_rule_pow2(c_per_gpr, 16) && KPRI_WRW1(v, CHUNK_SIZE) * c_per_gpr == 16;
}

/* [4] V4, R3; ahead to R6 with the smallest values of all later parameters. */
static int kpri_wrw1_k_per_gpr(const int32_t *p, const int32_t *v, int32_t k_per_gpr)
{
    return kpri_rule_pow2(k_per_gpr, 16) && k_per_gpr <= KPRI_WRW1(v, C_PER_GPR)
           && kpri_wrw1_fits(p, KPRI_WRW1(v, C_MULT), k_per_gpr, 1, 1, 1, 0);
}

/* [5] V5; ahead to R6. */
static int kpri_wrw1_k_mult(const int32_t *p, const int32_t *v, int32_t k_mult)
{
    return kpri_rule_pow2(k_mult, 16)
           && kpri_wrw1_fits(p, KPRI_WRW1(v, C_MULT), KPRI_WRW1(v, K_PER_GPR), k_mult, 1, 1, 0);
}

/* [7] V7; R7: all waves but one pass their sums on through LDS, 4 bytes a lane. (R6 cannot fail:
   with five or more waves R7 allows 64 sums, so c_mult + k_mult <= 20, and
   64 + 12 + 20 * 2 <= 128.) */
static int kpri_wrw1_n_part_cnt(const int32_t *v, int32_t waves)
{
    int32_t sums = KPRI_WRW1(v, C_MULT) * KPRI_WRW1(v, K_MULT) * KPRI_WRW1(v, K_PER_GPR);

    return kpred_between(waves, 1, 8)
           && kpred_fits_lds(kpred_mul_sat((waves - 1) * KPRED_GCN_WAVE_SIZE * 4, sums));
}

/* [8] V8; ahead to R6 without prefetch. */
static int kpri_wrw1_read_size(const int32_t *p, const int32_t *v, int32_t read_size)
{
    return kpred_between(read_size, 1, 4)
           && kpri_wrw1_fits(p, KPRI_WRW1(v, C_MULT), KPRI_WRW1(v, K_PER_GPR), KPRI_WRW1(v, K_MULT),
                             KPRI_WRW1(v, N_PART_CNT), read_size, 0);
}

/* [9] V9; R5a: only 16-bit types can be stored one by one; R5b, R5c: they can be stored in pairs if
   c_mult and c are even. */
static int kpri_wrw1_short_store(const int32_t *p, const int32_t *v, int32_t short_store)
{
    int32_t half = kpri_rule_half(p);

    if (short_store == 1)
        return half;
    return short_store == 0 && !((KPRI_WRW1(v, C_MULT) | p[KPRED_CONV_C]) & half);
}

/* [10] V10, R6 */
static int kpri_wrw1_data_prefetch(const int32_t *p, const int32_t *v, int32_t prefetch)
{
    return kpred_between(prefetch, 0, 4)
           && kpri_wrw1_fits(p, KPRI_WRW1(v, C_MULT), KPRI_WRW1(v, K_PER_GPR), KPRI_WRW1(v, K_MULT),
                             KPRI_WRW1(v, N_PART_CNT), KPRI_WRW1(v, READ_SIZE), prefetch);
}

KPRED_API int kpred_rule_conv_asm_bwd_wrw_1x1(const int32_t *problem, const int32_t *values,
                                              size_t n)
{
    int32_t newest = n ? values[n - 1] : 0;

    switch (n) {
    case 0: return kpri_wrw1_applies(problem);
    case 1: return kpri_rule_pow2(newest, 16); /* V1 */
    case 2: return kpri_wrw1_c_per_gpr(values, newest);
    case 3: return kpri_rule_pow2(newest, 16); /* V3 */
    case 4: return kpri_wrw1_k_per_gpr(problem, values, newest);
    case 5: return kpri_wrw1_k_mult(problem, values, newest);
    case 6: return kpri_rule_pow2(newest, 4); /* V6; V11, R4: 64 / 16 / n_per_gpr is 1, 2 or 4 */
    case 7: return kpri_wrw1_n_part_cnt(values, newest);
    case 8: return kpri_wrw1_read_size(problem, values, newest);
    case 9: return kpri_wrw1_short_store(problem, values, newest);
    case 10: return kpri_wrw1_data_prefetch(problem, values, newest);
    default: return 0;
    }
}
#endif

#if defined(KPRED_RULES_CONV_ASM_BWD_WRW_3X3) && !defined(KPRI_RULES_CONV_ASM_BWD_WRW_3X3)
#define KPRI_RULES_CONV_ASM_BWD_WRW_3X3
/* >>conv_asm_bwd_wrw_3x3: the lanes of a wave hold chunk_size pixels of 64 / chunk_size channels.
   The wave pairs them with k_per_wave filters, pipe_lines_depth lines at a time. With reverse_inout
   the lanes hold filters, and the wave pairs them with channels. A work-group has n_per_group
   waves. */
#define KPRI_WRW3(v, NAME) kpri_rule_past(v, KPRED_ASM_BWD_WRW_3X3_##NAME)

/* Has every group a multiple of `multiple` of the x channels or filters?
   pre: 1 <= multiple <= 64 (then no product overflows: groups <= 2^24) */
static int kpri_wrw3_share(const int32_t *p, int32_t x, int32_t multiple)
{
    return x % (p[KPRED_CONV_GROUPS] * multiple) == 0;
}

/* What the lanes hold, and what is paired with it: channels and filters, or the reverse. */
static int32_t kpri_wrw3_held(const int32_t *p, int32_t reverse)
{
    return p[reverse ? KPRED_CONV_K : KPRED_CONV_C];
}

static int32_t kpri_wrw3_paired(const int32_t *p, int32_t reverse)
{
    return p[reverse ? KPRED_CONV_C : KPRED_CONV_K];
}

/* [0] The groups divide c and k: MIOpen's check takes this for granted, and R2, R3 demand it. */
static int kpri_wrw3_applies(const int32_t *p)
{
    int32_t c = p[KPRED_CONV_C], k = p[KPRED_CONV_K], image = kpri_rule_large(p);

    return p[KPRED_CONV_DIR] == KPRED_DIR_W && p[KPRED_CONV_STRIDE] == 1
           && (p[KPRED_CONV_DTYPE] == KPRED_DTYPE_FP32
               || (p[KPRED_CONV_DTYPE] == KPRED_DTYPE_FP16 && !(p[KPRED_CONV_N] & 1)))
           && p[KPRED_CONV_W] <= 512 && p[KPRED_CONV_H] < 1 << 16 && kpri_rule_sizes(p, image)
           && kpred_mul_sat(c, image) < 1 << 22 && kpred_mul_sat(k, image) < 1 << 22
           && kpred_mul_sat(c * 9, k) < 1 << 29 && kpri_wrw3_share(p, c, 1)
           && kpri_wrw3_share(p, k, 1) && (kpri_wrw3_share(p, c, 4) || kpri_wrw3_share(p, k, 4));
}

/* The registers for a line of the image, with E elements each. Chunks have 16 elements, or 8 that
   overlap by one.
   post: result <= 2^24 / 7 + 1 */
static int32_t kpri_wrw3_line(const int32_t *p, int32_t chunk_size)
{
    int32_t half = kpri_rule_half(p), lanes = (p[KPRED_CONV_W] + half) >> half;

    return chunk_size == 16 ? (lanes + 15) / 16 : (lanes + 6) / 7;
}

/* The vector registers: a sum for each filter and each of its 3x3 places, depth + 2 lines read,
   depth lines written. (Where k / groups is no power of two, and fewer than 4 registers hold lines
   read or fewer than 3 hold lines written, a division needs at most seven more. Such kernels use at
   most 94 registers in all, which is below every limit here. So the seven decide nothing and are
   left out.)
   pre:  k_per_wave, depth <= 127
   post: result < 2^30 */
static int32_t kpri_wrw3_vgprs(const int32_t *p, int32_t chunk_size, int32_t k_per_wave,
                               int32_t depth)
{
    int32_t half = kpri_rule_half(p), line = kpri_wrw3_line(p, chunk_size) << half;

    return 9 * k_per_wave + (depth + 2) * line + depth * line + 6 + half;
}

/* MIOpen's estimate of the length of the code in instructions: the memory and vector instructions
   of a line, times the unrolled lines. gfx900 needs two instructions for a dot product of halves.
   pre:  1 <= depth <= 16, k_per_wave <= 127, at most 256 registers for lines
   post: result < 2^30 */
static int32_t kpri_wrw3_code(const int32_t *p, int32_t chunk_size, int32_t k_per_wave,
                              int32_t depth)
{
    int32_t half = kpri_rule_half(p), line = kpri_wrw3_line(p, chunk_size);
    int32_t emulated = half && p[KPRED_CONV_GPU] != KPRED_GPU_GFX906_60;
    int32_t unroll = depth * (depth + 2), rest = p[KPRED_CONV_H] - 1 - depth;
    int32_t n_lines = depth + unroll + (rest > 0 ? rest % unroll : 0) + 1;
    int32_t memory, vector;

    line = KPRI_HOLDS(line <= 256) ? line : 256;
    memory = (3 + (line + 3) / 4) * (half ? 4 : 1);
    vector = (12 * k_per_wave * line) << (half + emulated);
    return (n_lines * (memory + vector)) << half;
}

/* R8, R12. Both demand least with the smallest k_per_wave and with a depth of 1, so these values
   look ahead. */
static int kpri_wrw3_fits(const int32_t *p, int32_t chunk_size, int32_t k_per_wave, int32_t depth)
{
    return kpri_wrw3_vgprs(p, chunk_size, k_per_wave, depth) <= KPRED_GCN_VGPRS
           && kpri_wrw3_code(p, chunk_size, k_per_wave, depth) < 32000;
}

/* [2] V2 (R1 cannot fail: the stride is 1); ahead to R2 with chunk_size = 16. */
static int kpri_wrw3_reverse_inout(const int32_t *p, int32_t reverse)
{
    return kpred_between(reverse, 0, 1) && kpri_wrw3_share(p, kpri_wrw3_held(p, reverse), 4);
}

/* [3] V3; R2, and R4 with it; ahead to R8, R12. */
static int kpri_wrw3_chunk_size(const int32_t *p, const int32_t *v, int32_t chunk_size)
{
    return (chunk_size == 8 || chunk_size == 16)
           && kpri_wrw3_share(p, kpri_wrw3_held(p, KPRI_WRW3(v, REVERSE_INOUT)),
                              KPRED_GCN_WAVE_SIZE / chunk_size)
           && kpri_wrw3_fits(p, chunk_size, 1, 1);
}

/* [4] V4, R3, R5; ahead to R8, R12. */
static int kpri_wrw3_k_per_wave(const int32_t *p, const int32_t *v, int32_t k_per_wave)
{
    return kpri_rule_pow2(k_per_wave, 8)
           && kpri_wrw3_share(p, kpri_wrw3_paired(p, KPRI_WRW3(v, REVERSE_INOUT)), k_per_wave)
           && KPRI_WRW3(v, CHUNK_SIZE) * k_per_wave <= KPRED_GCN_WAVE_SIZE
           && kpri_wrw3_fits(p, KPRI_WRW3(v, CHUNK_SIZE), k_per_wave, 1);
}

/* [5] V5, R6, R8, R12 */
static int kpri_wrw3_pipe_lines_depth(const int32_t *p, const int32_t *v, int32_t depth)
{
    return kpred_between(depth, 1, 16) && depth <= p[KPRED_CONV_H]
           && kpri_wrw3_fits(p, KPRI_WRW3(v, CHUNK_SIZE), KPRI_WRW3(v, K_PER_WAVE), depth);
}

/* [6] V6, R7; R9: five or more waves have half of the registers each; R10; R11: all waves but one
   pass their sums on through LDS, 4 bytes a lane. */
static int kpri_wrw3_n_per_group(const int32_t *p, const int32_t *v, int32_t waves)
{
    int32_t limit = KPRI_WRW3(v, LIMIT_WAVE_CNT), k_per_wave = KPRI_WRW3(v, K_PER_WAVE);
    int32_t vgprs =
        kpri_wrw3_vgprs(p, KPRI_WRW3(v, CHUNK_SIZE), k_per_wave, KPRI_WRW3(v, PIPE_LINES_DEPTH));

    return kpred_between(waves, 1, 8) && waves <= p[KPRED_CONV_N] && kpred_fits_vgprs(vgprs, waves)
           && (limit == 0 || limit * 4 >= waves)
           && kpred_fits_lds((waves - 1) * KPRED_GCN_WAVE_SIZE * 4 * 9 * k_per_wave);
}

KPRED_API int kpred_rule_conv_asm_bwd_wrw_3x3(const int32_t *problem, const int32_t *values,
                                              size_t n)
{
    int32_t newest = n ? values[n - 1] : 0;

    switch (n) {
    case 0: return kpri_wrw3_applies(problem);
    case 1: return kpred_between(newest, 0, 9); /* V1; 0 and npg = 1 satisfy R10 */
    case 2: return kpri_wrw3_reverse_inout(problem, newest);
    case 3: return kpri_wrw3_chunk_size(problem, values, newest);
    case 4: return kpri_wrw3_k_per_wave(problem, values, newest);
    case 5: return kpri_wrw3_pipe_lines_depth(problem, values, newest);
    case 6: return kpri_wrw3_n_per_group(problem, values, newest);
    default: return 0;
    }
}
#endif

#ifndef KPRI_RULES_CONV2D
#define KPRI_RULES_CONV2D
/* >>conv2d: what the kernels with KPRED_CONV2D_FIELD_LIST share. Their first three fields are those
   of KPRED_CONV_FIELD_LIST, and kpri_rule_half and kpri_rule_forward read nothing else. */
static KPRI_RULES_UNUSED int32_t kpri_conv2d_ic(const int32_t *p)
{
    return p[kpri_rule_forward(p) ? KPRED_CONV2D_C : KPRED_CONV2D_K];
}

static KPRI_RULES_UNUSED int32_t kpri_conv2d_oc(const int32_t *p)
{
    return p[kpri_rule_forward(p) ? KPRED_CONV2D_K : KPRED_CONV2D_C];
}

/* How far a filter can move along a padded side. It is negative if the filter does not fit. */
static KPRI_RULES_UNUSED int32_t kpri_conv_room(int32_t side, int32_t filter, int32_t pad,
                                                int32_t dilation)
{
    return side + 2 * pad - 1 - kpred_mul_sat(dilation, filter - 1);
}

/* A side of the image that the forward convolution writes: h for i == 0, w for i == 1. It is 0 if
   the filter does not fit, but 1 for a forward convolution, as in MIOpen.
   post: 0 <= result <= 3 * 2^24 */
static KPRI_RULES_UNUSED int32_t kpri_conv2d_side(const int32_t *p, int i)
{
    int32_t room = kpri_conv_room(p[KPRED_CONV2D_H + i], p[KPRED_CONV2D_Y + i],
                                  p[KPRED_CONV2D_PAD_H + i], p[KPRED_CONV2D_DIL_H + i]);

    return room < 0 ? kpri_rule_forward(p) : room / p[KPRED_CONV2D_STRIDE_H + i] + 1;
}

static KPRI_RULES_UNUSED int32_t kpri_conv2d_out_h(const int32_t *p)
{
    return kpri_conv2d_side(p, 0);
}

static KPRI_RULES_UNUSED int32_t kpri_conv2d_out_w(const int32_t *p)
{
    return kpri_conv2d_side(p, 1);
}

/* Do the groups divide the channels, and is there a pixel to write? */
static KPRI_RULES_UNUSED int kpri_conv2d_exists(const int32_t *p)
{
    return p[KPRED_CONV2D_C] % p[KPRED_CONV2D_GROUPS] == 0
           && p[KPRED_CONV2D_K] % p[KPRED_CONV2D_GROUPS] == 0 && kpri_conv2d_out_h(p) > 0
           && kpri_conv2d_out_w(p) > 0;
}

static KPRI_RULES_UNUSED int kpri_conv2d_nchw(const int32_t *p)
{
    return p[KPRED_CONV2D_LAYOUT] == KPRED_LAYOUT_NCHW && kpri_conv2d_exists(p);
}

static KPRI_RULES_UNUSED int kpri_conv2d_undilated(const int32_t *p)
{
    return p[KPRED_CONV2D_DIL_H] == 1 && p[KPRED_CONV2D_DIL_W] == 1;
}

/* Is a * b * c a multiple of d, a power of two? For d <= 128 the last seven bits of each tell.
   pre: a, b, c >= 0 */
static KPRI_RULES_UNUSED int kpri_conv2d_aligned(int32_t a, int32_t b, int32_t c, int32_t d)
{
    return kpri_rule_aligned(((a & 127) * (b & 127) & 127) * (c & 127), d);
}

/* >>winograd: what conv_bin_winograd_rxs and conv_solver share, the demands of MIOpen's kernels
   F(2,3) and F(3,2). Backward weights these sum over the images, and a group's c take their place;
   the small image and the filter change places as well. */

/* Is every size below 2^16 (then none has a bit from there on), and are the products of what is
   read, written and summed within their limits? any_product: these do not matter */
static KPRI_RULES_UNUSED int kpri_winograd_fits(const int32_t *p, int any_product)
{
    int32_t wrw = p[KPRED_CONV2D_DIR] == KPRED_DIR_W, groups = p[KPRED_CONV2D_GROUPS];
    int32_t n = p[KPRED_CONV2D_N], c = p[KPRED_CONV2D_C] / groups, k = p[KPRED_CONV2D_K] / groups;
    int32_t h = p[KPRED_CONV2D_H], w = p[KPRED_CONV2D_W];
    int32_t y = p[KPRED_CONV2D_Y], x = p[KPRED_CONV2D_X];
    int32_t out_h = kpri_conv2d_out_h(p), out_w = kpri_conv2d_out_w(p);
    int32_t pads = p[KPRED_CONV2D_PAD_H] | p[KPRED_CONV2D_PAD_W];
    int32_t image = kpred_mul_sat(h, w), out = kpred_mul_sat(out_h, out_w);
    int32_t filter = kpred_mul_sat(y, x), terms = wrw ? n : c;
    int32_t written = kpri_rule_forward(p) ? out : wrw ? filter : image;

    return (n | c | k | h | w | y | x | out_h | out_w | pads) < 1 << 16
           && (any_product
               || (written <= 1 << 23 && kpred_mul_sat(terms, image) <= 1 << 28
                   && kpred_mul_sat(terms, wrw ? out : filter) <= 1 << 28
                   && kpred_mul_sat(k, out) <= 1 << 28 && kpred_mul_sat(k, filter) <= 1 << 28));
}

/* Does the kernel apply? For B the pad of MIOpen's kernel is y - 1 - pad_h, and not negative. */
static KPRI_RULES_UNUSED int kpri_winograd_applies(const int32_t *p, int32_t most_stride,
                                                   int any_product)
{
    int32_t dir = p[KPRED_CONV2D_DIR], dtype = p[KPRED_CONV2D_DTYPE];
    int32_t stride = p[KPRED_CONV2D_STRIDE_H];

    return kpri_conv2d_nchw(p) && kpri_conv2d_undilated(p)
           && (dtype == KPRED_DTYPE_FP32
               || (dtype == KPRED_DTYPE_FP16 && p[KPRED_CONV2D_GPU] != KPRED_GPU_GFX900_56))
           && stride == p[KPRED_CONV2D_STRIDE_W] && stride <= (dir == KPRED_DIR_W ? 1 : most_stride)
           && kpri_winograd_fits(p, any_product)
           && (dir != KPRED_DIR_B
               || (p[KPRED_CONV2D_PAD_H] < p[KPRED_CONV2D_Y]
                   && p[KPRED_CONV2D_PAD_W] < p[KPRED_CONV2D_X]));
}

/* A rule for a solver that runs a single direction */
#define KPRI_ONE_WAY(rule, of, dir)                                             \
    KPRED_API int rule(const int32_t *problem, const int32_t *values, size_t n) \
    {                                                                           \
        return problem[KPRED_CONV2D_DIR] == dir && of(problem, values, n);      \
    }
#endif

#if defined(KPRED_RULES_CONV_ASM_3X3U) && !defined(KPRI_RULES_CONV_ASM_3X3U)
#define KPRI_RULES_CONV_ASM_3X3U
/* >>conv_asm_3x3u: a wave computes output_lines_per_wave lines of the images of filters_per_wave
   filters; a line of w pixels lies in groups of up to 64 lanes. */
#define KPRI_3X3U(v, NAME) kpri_rule_past(v, KPRED_ASM_3X3U_##NAME)

/* [0] */
static int kpri_3x3u_applies(const int32_t *p)
{
    return kpri_conv2d_nchw(p) && kpri_conv2d_undilated(p) && p[KPRED_CONV2D_DIR] != KPRED_DIR_W
           && p[KPRED_CONV2D_DTYPE] == KPRED_DTYPE_FP32 && p[KPRED_CONV2D_Y] == 3
           && p[KPRED_CONV2D_X] == 3 && p[KPRED_CONV2D_PAD_H] == 1 && p[KPRED_CONV2D_PAD_W] == 1
           && p[KPRED_CONV2D_STRIDE_H] == 1 && p[KPRED_CONV2D_STRIDE_W] == 1
           && kpri_conv2d_ic(p) / p[KPRED_CONV2D_GROUPS] % 4 == 0
           && kpred_between(p[KPRED_CONV2D_W], 4, 1000);
}

/* The vector registers of a wave: two sets of lines read, the sums, and up to four more. (Where
   k / groups is no power of two, MIOpen reserves at least 4 and 3 registers for the lines. That is
   more only for three lines or fewer in one group of lanes, where the kernel uses at most 35
   registers in all, so it decides nothing.)
   pre:  w >= 1, filters <= 127, 1 <= n_lines <= 8
   post: result < 2^29; for w <= 1000, filters <= 8 and one line at most 228 */
static int32_t kpri_3x3u_vgprs(const int32_t *p, int32_t filters, int32_t n_lines)
{
    int32_t h = p[KPRED_CONV2D_H], w = p[KPRED_CONV2D_W];
    int32_t waves = (w - 1) / KPRED_GCN_WAVE_SIZE + 1, lanes = (w - 1) / waves + 1;
    int32_t groups = kpred_ceil_div(w, lanes), in = groups * (h == n_lines ? n_lines : n_lines + 2);

    return (h != n_lines) + (w % lanes != 0) + 2 + 2 * in + groups * filters * n_lines;
}

/* [2] V2, R1. (R2 cannot fail: a line of 8 filters takes at most 228 registers.) */
static int kpri_3x3u_filters_per_wave(const int32_t *p, int32_t filters)
{
    int32_t groups = p[KPRED_CONV2D_GROUPS];

    return kpred_between(filters, 1, 8)
           && (groups == 1 || kpri_conv2d_oc(p) / groups % filters == 0);
}

/* [3] V3, R2 */
static int kpri_3x3u_output_lines_per_wave(const int32_t *p, const int32_t *v, int32_t n_lines)
{
    return kpred_between(n_lines, 1, 8)
           && kpri_3x3u_vgprs(p, KPRI_3X3U(v, FILTERS_PER_WAVE), n_lines) < KPRED_GCN_VGPRS;
}

KPRED_API int kpred_rule_conv_asm_3x3u(const int32_t *problem, const int32_t *values, size_t n)
{
    int32_t newest = n ? values[n - 1] : 0;

    switch (n) {
    case 0: return kpri_3x3u_applies(problem);
    case 1: return kpred_between(newest, 0, 9); /* V1 */
    case 2: return kpri_3x3u_filters_per_wave(problem, newest);
    case 3: return kpri_3x3u_output_lines_per_wave(problem, values, newest);
    default: return 0;
    }
}
#endif

#if defined(KPRED_RULES_CONV_OCL_DIRECT_FWD) && !defined(KPRI_RULES_CONV_OCL_DIRECT_FWD)
#define KPRI_RULES_CONV_OCL_DIRECT_FWD
/* >>conv_ocl_direct_fwd: a work-group has grp_tile1 x grp_tile0 work-items for a tile of
   in_tile1 x in_tile0 pixels. Each computes out_pix_tile1 x out_pix_tile0 of the pixels in
   n_out_pix_tiles channels, and reads n_in_data_tiles channels at a time. The tile sizes depend on
   one another in many ways, so this rule judges all values anew each time. In place of the values
   that are still open it takes the least demanding ones: the fewest work-items, the smallest tiles,
   one channel, one stack. */

/* The filters that MIOpen has kernels for. */
static int kpri_ocld_filter(const int32_t *p)
{
    int32_t y = p[KPRED_CONV2D_Y], x = p[KPRED_CONV2D_X], pad = p[KPRED_CONV2D_PAD_H];

    return p[KPRED_CONV2D_GROUPS] > 1 || (y == x && kpred_between(y, 3, 11) && (y & 1))
           || (y == 5 && (x == 10 || x == 20) && p[KPRED_CONV2D_STRIDE_H] == 2 && pad == 0)
           || (y == 4 && x == 4 && p[KPRED_CONV2D_DTYPE] == KPRED_DTYPE_FP16 && pad == 0);
}

/* [0], except for the question whether some tuple is legal */
static int kpri_ocld_applies(const int32_t *p)
{
    int32_t stride = p[KPRED_CONV2D_STRIDE_H], pad = p[KPRED_CONV2D_PAD_H];

    return kpri_conv2d_nchw(p) && kpri_conv2d_undilated(p) && p[KPRED_CONV2D_DIR] != KPRED_DIR_W
           && p[KPRED_CONV2D_DTYPE] != KPRED_DTYPE_INT8 && stride <= 2
           && p[KPRED_CONV2D_STRIDE_W] == stride && p[KPRED_CONV2D_PAD_W] == pad
           && (kpri_rule_forward(p) ? stride == 1 || p[KPRED_CONV2D_DTYPE] != KPRED_DTYPE_FP16
                                    : pad < p[KPRED_CONV2D_Y] && pad < p[KPRED_CONV2D_X])
           && kpri_ocld_filter(p);
}

/* Backward with a stride above 1: the kernel uses the stride as its out_pix_tile. */
static int kpri_ocld_strided(const int32_t *p)
{
    return !kpri_rule_forward(p) && p[KPRED_CONV2D_STRIDE_H] > 1;
}

/* A side of what a tile reads. A strided tile (kpri_ocld_strided) has at least 16 pixels.
   pre: 8 <= tile <= 32 */
static int32_t kpri_ocld_side(const int32_t *p, int32_t tile, int32_t filter)
{
    int32_t stride = p[KPRED_CONV2D_STRIDE_H];

    if (kpri_rule_forward(p))
        return (tile - 1) * stride + filter;
    if (kpri_ocld_strided(p) && tile < 16)
        tile = 16;
    return (tile + filter - 1 + stride - 1) / stride;
}

/* R5: LDS holds a tile and the weights of the channels that are read at a time. A group may have
   fewer channels. */
static int kpri_ocld_fits_lds(const int32_t *p, int32_t tile1, int32_t tile0, int32_t n_out,
                              int32_t n_in)
{
    int32_t y = p[KPRED_CONV2D_Y], x = p[KPRED_CONV2D_X], groups = p[KPRED_CONV2D_GROUPS];
    int32_t ic = kpri_conv2d_ic(p) / groups, oc = kpri_conv2d_oc(p) / groups, tile, weights;

    ic = n_in < ic ? n_in : ic;
    oc = n_out < oc ? n_out : oc;
    tile =
        kpred_mul_sat(kpred_mul_sat(kpri_ocld_side(p, tile1, y), kpri_ocld_side(p, tile0, x)), ic);
    weights = kpred_mul_sat(kpred_mul_sat(y, x), oc * ic);
    return tile <= KPRED_GCN_LDS_BYTES && weights <= KPRED_GCN_LDS_BYTES
           && kpred_fits_lds((tile + weights) * (4 >> kpri_rule_half(p)));
}

/* S3, S4; S1, S2: tiles are powers of two, and a work-item has 1, 2 or 4 pixels a side. (A tile of
   64 never passes: it is for sides below 16, and half of a tile must be less than the side.) */
static int kpri_ocld_tile(int32_t side, int32_t grp, int32_t tile)
{
    return kpri_rule_pow2(grp, 32) && grp >= 8 && grp <= tile
           && (tile == 8    ? side < 16
               : tile == 16 ? side > 8
                            : tile == 32 && side > 16);
}

/* The smallest tile for at least this many work-items. */
static int32_t kpri_ocld_least(int32_t side, int32_t grp)
{
    return side >= 16 && grp < 16 ? 16 : grp;
}

/* S1, S2, S5
   pre: kpri_ocld_tile of some side */
static int kpri_ocld_pixels(int32_t grp, int32_t tile, int32_t pixels)
{
    return kpri_rule_pow2(pixels, 4) && grp * pixels == tile;
}

/* [7..9] S6-S9
   pre: pixels <= 16 */
static int kpri_ocld_channels(const int32_t *p, int32_t pixels, int32_t n_out, int32_t n_in,
                              int32_t stacks)
{
    return kpri_rule_pow2(n_out, 8) && n_out <= kpri_conv2d_oc(p) && kpri_rule_pow2(n_in, 4)
           && n_in <= kpri_conv2d_ic(p) && kpri_rule_pow2(stacks, 2) && stacks <= p[KPRED_CONV2D_N]
           && pixels * n_out * stacks < 128;
}

/* S1-S9, R2, R5. (R1, R3, R4 cannot fail. A strided work-group has 8 or 16 work-items a side.) */
static int kpri_ocld_search(const int32_t *p, const int32_t *v, size_t n)
{
    int forward = kpri_rule_forward(p);
    int32_t oh = forward ? kpri_conv2d_out_h(p) : p[KPRED_CONV2D_H];
    int32_t ow = forward ? kpri_conv2d_out_w(p) : p[KPRED_CONV2D_W];
    int32_t group1 = n > 0 ? v[0] : 8, group0 = n > 1 ? v[1] : 8;
    int32_t tile1 = n > 2 ? v[2] : kpri_ocld_least(oh, group1);
    int32_t tile0 = n > 3 ? v[3] : kpri_ocld_least(ow, ow > 32 && tile1 > group0 ? tile1 : group0);
    int32_t n_out = n > 6 ? v[6] : 1, n_in = n > 7 ? v[7] : 1;

    return kpri_ocld_tile(oh, group1, tile1) && kpri_ocld_tile(ow, group0, tile0)
           && (ow <= 32 || tile1 <= tile0) && (group1 * group0 <= 256 || kpri_ocld_strided(p))
           && (n < 5 || kpri_ocld_pixels(group1, tile1, v[4]))
           && (n < 6 || kpri_ocld_pixels(group0, tile0, v[5]))
           && kpri_ocld_channels(p, tile1 / group1 * (tile0 / group0), n_out, n_in,
                                 n > 8 ? v[8] : 1)
           && kpri_ocld_fits_lds(p, tile1, tile0, n_out, n_in);
}

/* Are these the values of the default, and does R5 accept the default? */
static int kpri_ocld_default(const int32_t *p, const int32_t *v, size_t n)
{
    int forward = kpri_rule_forward(p);
    int32_t ih = forward ? p[KPRED_CONV2D_H] : kpri_conv2d_out_h(p);
    int32_t iw = forward ? p[KPRED_CONV2D_W] : kpri_conv2d_out_w(p);
    int32_t stride = p[KPRED_CONV2D_STRIDE_H];

    return stride <= 2 && (n < 1 || v[0] == kpri_ocl_group(stride, ih))
           && (n < 2 || v[1] == kpri_ocl_group(stride, iw))
           && (n < 3 || v[2] == kpri_ocl_tile(stride, ih))
           && (n < 4 || v[3] == kpri_ocl_tile(stride, iw))
           && (n < 5 || v[4] == kpri_ocl_item(stride, ih))
           && (n < 6 || v[5] == kpri_ocl_item(stride, iw)) && (n < 7 || v[6] == 8)
           && (n < 8 || v[7] == 2) && (n < 9 || v[8] == 1)
           && kpri_ocld_fits_lds(p, kpri_ocl_tile(stride, ih), kpri_ocl_tile(stride, iw), 8, 2);
}

KPRED_API int kpred_rule_conv_ocl_direct_fwd(const int32_t *problem, const int32_t *values,
                                             size_t n)
{
    if (n > KPRED_OCL_DIRECT_FWD_COUNT || (n == 0 && !kpri_ocld_applies(problem)))
        return 0;
    return kpri_ocld_search(problem, values, n) || kpri_ocld_default(problem, values, n);
}
#endif

#if defined(KPRED_RULES_CONV_BIN_WINOGRAD_RXS) && !defined(KPRI_RULES_CONV_BIN_WINOGRAD_RXS)
#define KPRI_RULES_CONV_BIN_WINOGRAD_RXS
/* >>conv_bin_winograd_rxs: n_groups + n_groups_plus work-groups share the work, at most one on each
   CU. The first is a multiple of 16 and the second is 1 to 16, so each number is exactly one
   pair. */
static int32_t kpri_rxs_units(const int32_t *p)
{
    switch (p[KPRED_CONV2D_GPU]) {
    case KPRED_GPU_GFX900_56: return 56;
    case KPRED_GPU_GFX906_60: return 60;
    case KPRED_GPU_GFX1030_36: return 72; /* see docs/miopen.md, gfx1030_36 */
    default: return 304;
    }
}

static int kpri_rxs_groups(const int32_t *p, const int32_t *v, size_t n)
{
    const int32_t units = kpri_rxs_units(p);
    if (n == 1) /* ahead to R1 */
        return kpred_divides(16, v[0]) && kpred_between(v[0], 0, units - 1);
    return n == 2 && kpred_between(v[1], 1, 16)
           && v[1] <= units - (v[0] & 511); /* V1, R1; kpri_rule_past is too narrow */
}

KPRED_API int kpred_rule_conv_bin_winograd_rxs(const int32_t *problem, const int32_t *values,
                                               size_t n)
{
    return n ? kpri_rxs_groups(problem, values, n) : kpri_winograd_applies(problem, 2, 0);
}

KPRED_API int kpred_rule_conv_bin_winograd_rxs_f3x2(const int32_t *problem, const int32_t *values,
                                                    size_t n)
{
    int32_t gpu = problem[KPRED_CONV2D_GPU];
    int32_t most = gpu == KPRED_GPU_GFX906_60 || gpu == KPRED_GPU_GFX942130 ? 2 : 1;

    return n ? kpri_rxs_groups(problem, values, n) : kpri_winograd_applies(problem, most, 0);
}
#endif

#if defined(KPRED_RULES_CONV_HIP_IGEMM_V4R1) && !defined(KPRI_RULES_CONV_HIP_IGEMM_V4R1)
#define KPRI_RULES_CONV_HIP_IGEMM_V4R1
/* >>conv_hip_igemm_v4r1: k / k_per_block x B / b_per_block blocks of threads compute one matrix
   product, and add e_per_block of the E terms of its sums at a time. A thread takes
   gemm_n_repeat * gemm_n_per_thread_sub_c images at once; B is the number of pixels of the image
   written times the number of such sets of images. Backward weights, channels and images change
   places, and so do the filter and the small image. All parameters are powers of two. MT and NT are
   the two per_thread_sub_c. A block has M0 * M1 threads times N0 * N1 threads, where
   M0 * M1 = k_per_block / (2 * MT) and N0 * N1 = b_per_block. */
#define KPRI_V4R1(v, NAME) kpri_rule_past(v, KPRED_HIP_IGEMM_V4R1_##NAME)

/* A k_per_block reaches 128, for which kpri_rule_past is too narrow.
   post: 0 <= result <= 255 */
static int32_t kpri_v4r1_k_per_block(const int32_t *v)
{
    return v[KPRED_HIP_IGEMM_V4R1_K_PER_BLOCK] & 255;
}

static int kpri_v4r1_wrw(const int32_t *p)
{
    return p[KPRED_CONV2D_DIR] == KPRED_DIR_W;
}

/* R1, R3: are there enough images for NT, and B pixels for b_per_block?
   pre: nt is 2 or 4 */
static int kpri_v4r1_pixels(const int32_t *p, int32_t b_per_block, int32_t nt)
{
    int wrw = kpri_v4r1_wrw(p);
    int32_t n = wrw ? p[KPRED_CONV2D_C] / p[KPRED_CONV2D_GROUPS] : p[KPRED_CONV2D_N];
    int32_t h = wrw ? p[KPRED_CONV2D_Y] : kpri_conv2d_out_h(p);
    int32_t w = wrw ? p[KPRED_CONV2D_X] : kpri_conv2d_out_w(p);

    return kpri_rule_aligned(n, 2 * nt) && kpri_conv2d_aligned(n / (2 * nt), h, w, b_per_block);
}

/* R2, R5: each group has a multiple. */
static int kpri_v4r1_filters(const int32_t *p, int32_t k_per_block)
{
    return kpri_rule_aligned(p[KPRED_CONV2D_K] / p[KPRED_CONV2D_GROUPS], k_per_block);
}

/* R4 */
static int kpri_v4r1_terms(const int32_t *p, int32_t e_per_block)
{
    int wrw = kpri_v4r1_wrw(p);
    int32_t c = wrw ? p[KPRED_CONV2D_N] : p[KPRED_CONV2D_C] / p[KPRED_CONV2D_GROUPS];

    return kpri_conv2d_aligned(c >> kpri_rule_half(p),
                               wrw ? kpri_conv2d_out_h(p) : p[KPRED_CONV2D_Y],
                               wrw ? kpri_conv2d_out_w(p) : p[KPRED_CONV2D_X], e_per_block);
}

/* [1] V1; ahead to R1-R5 and R9: MT = NT = 2 and e_per_block = 4 demand least, and 64 threads then
   need a k_per_block of 256 / b_per_block. */
static int kpri_v4r1_b_per_block(const int32_t *p, int32_t b_per_block)
{
    return (b_per_block == 8 || b_per_block == 16) && kpri_v4r1_pixels(p, b_per_block, 2)
           && kpri_v4r1_filters(p, 256 / b_per_block) && kpri_v4r1_terms(p, 4);
}

/* [0] */
static int kpri_v4r1_applies(const int32_t *p)
{
    return kpri_conv2d_nchw(p) && p[KPRED_CONV2D_DIR] != KPRED_DIR_B
           && p[KPRED_CONV2D_DTYPE] != KPRED_DTYPE_INT8
           && (kpri_v4r1_b_per_block(p, 8) || kpri_v4r1_b_per_block(p, 16));
}

/* [2] V2, R2, R5; ahead to R7, R9: up to 64 is possible with MT = 2. 128 needs MT = 4, and 16-bit
   types then need NT = 4, too (R6, R1, R3). */
static int kpri_v4r1_k(const int32_t *p, const int32_t *v, int32_t k_per_block)
{
    int32_t b_per_block = KPRI_V4R1(v, B_PER_BLOCK);

    return kpri_rule_pow2(k_per_block, 128) && k_per_block >= 16
           && kpri_v4r1_filters(p, k_per_block) && k_per_block * b_per_block >= 256
           && (k_per_block < 128 || !kpri_rule_half(p) || kpri_v4r1_pixels(p, b_per_block, 4));
}

/* [3] V3, R4; ahead to R14: M0 * M1, which is at most k_per_block / 4, is a multiple of it. */
static int kpri_v4r1_e(const int32_t *p, const int32_t *v, int32_t e_per_block)
{
    return kpri_rule_pow2(e_per_block, 16) && e_per_block >= 4 && kpri_v4r1_terms(p, e_per_block)
           && e_per_block * 4 <= kpri_v4r1_k_per_block(v);
}

/* [5] V5; ahead to R6 (with R1, R3), to R7 (M0 * M1 is at most 16), to R9 (a block has at least 64
   threads), and to R14. */
static int kpri_v4r1_mt(const int32_t *p, const int32_t *v, int32_t mt)
{
    int32_t k_per_block = kpri_v4r1_k_per_block(v), b_per_block = KPRI_V4R1(v, B_PER_BLOCK);

    return (mt == 2 || mt == 4) && k_per_block <= 32 * mt && k_per_block * b_per_block >= 128 * mt
           && k_per_block >= 2 * mt * KPRI_V4R1(v, E_PER_BLOCK)
           && (!kpri_rule_half(p) || kpri_v4r1_pixels(p, b_per_block, mt));
}

/* [6] V6, R1, R3, R6 */
static int kpri_v4r1_nt(const int32_t *p, const int32_t *v, int32_t nt)
{
    return (nt == 2 || nt == 4)
           && (!kpri_rule_half(p) || nt == KPRI_V4R1(v, GEMM_M_PER_THREAD_SUB_C))
           && kpri_v4r1_pixels(p, KPRI_V4R1(v, B_PER_BLOCK), nt);
}

/* [7] V7; ahead to R7: M1 is at most 4. And [9] V9, R7. */
static int kpri_v4r1_m0(const int32_t *v, int32_t m0)
{
    int32_t mt = KPRI_V4R1(v, GEMM_M_PER_THREAD_SUB_C);

    return kpri_rule_pow2(m0, 4)
           && kpred_between(kpri_v4r1_k_per_block(v), 2 * mt * m0, 8 * mt * m0);
}

static int kpri_v4r1_m1(const int32_t *v, int32_t m1)
{
    int32_t mt = KPRI_V4R1(v, GEMM_M_PER_THREAD_SUB_C);

    return kpri_rule_pow2(m1, 4)
           && 2 * mt * KPRI_V4R1(v, GEMM_M_LEVEL0_CLUSTER) * m1 == kpri_v4r1_k_per_block(v);
}

/* [8] V8; ahead to R8: N1 is at most 4. And [10] V10, R8 (R9 is decided by [5]). */
static int kpri_v4r1_n0(const int32_t *v, int32_t n0)
{
    return kpri_rule_pow2(n0, 4) && kpred_between(KPRI_V4R1(v, B_PER_BLOCK), n0, 4 * n0);
}

static int kpri_v4r1_n1(const int32_t *v, int32_t n1)
{
    return kpri_rule_pow2(n1, 4)
           && KPRI_V4R1(v, GEMM_N_LEVEL0_CLUSTER) * n1 == KPRI_V4R1(v, B_PER_BLOCK);
}

/* R14: in_copy_e * in_copy_n1 * in_copy_n2 is M0 * M1; b_per_block cancels. This is the k_per_block
   that R14 allows with in_copy_n2 = 1.
   pre: n1 <= 4 */
static int32_t kpri_v4r1_copy(const int32_t *v, int32_t n1)
{
    return 2 * KPRI_V4R1(v, GEMM_M_PER_THREAD_SUB_C) * KPRI_V4R1(v, E_PER_BLOCK) * n1;
}

/* [12] V12, R11; ahead to R14, since in_copy_n2 is at most NT (R13). And [14] V14, R13, R14. */
static int kpri_v4r1_copy_n1(const int32_t *v, int32_t n1)
{
    return kpri_rule_pow2(n1, 2)
           && kpred_between(kpri_v4r1_k_per_block(v), kpri_v4r1_copy(v, n1),
                            kpri_v4r1_copy(v, n1) * KPRI_V4R1(v, GEMM_N_PER_THREAD_SUB_C));
}

static int kpri_v4r1_copy_n2(const int32_t *v, int32_t n2)
{
    return kpri_rule_pow2(n2, 4) && n2 <= KPRI_V4R1(v, GEMM_N_PER_THREAD_SUB_C)
           && kpri_v4r1_copy(v, KPRI_V4R1(v, IN_COPY_N1)) * n2 == kpri_v4r1_k_per_block(v);
}

/* [15] V15, R15 (e_per_block is at least 4); ahead to R17: wei_copy_k is at most k_per_block (R16)
   and at least 16, because a block has at least 64 threads. */
static int kpri_v4r1_weights_e(const int32_t *v, int32_t e)
{
    return kpri_rule_pow2(e, 4)
           && KPRI_V4R1(v, B_PER_BLOCK) <= 2 * KPRI_V4R1(v, GEMM_M_PER_THREAD_SUB_C) * e;
}

/* [16] V16, R16, R17 */
static int kpri_v4r1_weights_k(const int32_t *v, int32_t k)
{
    int32_t threads = kpri_v4r1_k_per_block(v) * KPRI_V4R1(v, B_PER_BLOCK);

    return kpri_rule_pow2(k, 128) && k >= 16 && k <= kpri_v4r1_k_per_block(v)
           && k * KPRI_V4R1(v, WEI_COPY_E) * 2 * KPRI_V4R1(v, GEMM_M_PER_THREAD_SUB_C) == threads;
}

KPRED_API int kpred_rule_conv_hip_igemm_v4r1(const int32_t *problem, const int32_t *values,
                                             size_t n)
{
    int32_t newest = n ? values[n - 1] : 0;

    switch (n) {
    case 0: return kpri_v4r1_applies(problem);
    case 1: return kpri_v4r1_b_per_block(problem, newest);
    case 2: return kpri_v4r1_k(problem, values, newest);
    case 3: return kpri_v4r1_e(problem, values, newest);
    case 4: return newest == 2; /* V4 */
    case 5: return kpri_v4r1_mt(problem, values, newest);
    case 6: return kpri_v4r1_nt(problem, values, newest);
    case 7: return kpri_v4r1_m0(values, newest);
    case 8: return kpri_v4r1_n0(values, newest);
    case 9: return kpri_v4r1_m1(values, newest);
    case 10: return kpri_v4r1_n1(values, newest);
    case 11: return newest == values[KPRED_HIP_IGEMM_V4R1_E_PER_BLOCK]; /* V11, R10 */
    case 12: return kpri_v4r1_copy_n1(values, newest);
    case 13: return newest == values[KPRED_HIP_IGEMM_V4R1_B_PER_BLOCK]; /* V13, R12 */
    case 14: return kpri_v4r1_copy_n2(values, newest);
    case 15: return kpri_v4r1_weights_e(values, newest);
    case 16: return kpri_v4r1_weights_k(values, newest);
    default: return 0;
    }
}

KPRI_ONE_WAY(kpred_rule_conv_hip_igemm_v4r1_wrw, kpred_rule_conv_hip_igemm_v4r1, KPRED_DIR_W)
#endif

#if defined(KPRED_RULES_CONV_IGEMM) && !defined(KPRI_RULES_CONV_IGEMM)
#define KPRI_RULES_CONV_IGEMM
/* >>conv_igemm: one product of an M x K matrix and a K x N matrix. The block_size threads of a
   block form a cluster of 8 or 16 by 8 or 16. Each thread computes gemm_m_per_thread by
   gemm_n_per_thread sums, or a multiple of them. */

/* The threads along each side of the cluster. */
static int32_t kpri_igemm_cluster_m(int32_t block_size)
{
    return block_size == 64 ? 8 : 16;
}

static int32_t kpri_igemm_cluster_n(int32_t block_size)
{
    return block_size == 256 ? 16 : 8;
}

static int kpri_igemm_block_size(int32_t x)
{
    return x == 64 || x == 128 || x == 256;
}

/* Are M, N and K multiples of d? Backward data: M = c * y * x, N = the pixels of the small images,
   K = k. Forward: M = k, N = those pixels, K = c * y * x. Backward weights: as forward, but N and K
   change places.
   pre: d is a power of two, at most 128 */
static int kpri_igemm_weights(const int32_t *p, int32_t d)
{
    return kpri_conv2d_aligned(p[KPRED_CONV2D_C], p[KPRED_CONV2D_Y], p[KPRED_CONV2D_X], d);
}

static int kpri_igemm_pixels(const int32_t *p, int32_t d)
{
    return kpri_conv2d_aligned(p[KPRED_CONV2D_N], kpri_conv2d_out_h(p), kpri_conv2d_out_w(p), d);
}

static int kpri_igemm_m(const int32_t *p, int32_t d)
{
    return p[KPRED_CONV2D_DIR] == KPRED_DIR_B ? kpri_igemm_weights(p, d)
                                              : kpri_rule_aligned(p[KPRED_CONV2D_K], d);
}

static int kpri_igemm_n(const int32_t *p, int32_t d)
{
    return p[KPRED_CONV2D_DIR] == KPRED_DIR_W ? kpri_igemm_weights(p, d) : kpri_igemm_pixels(p, d);
}

static int kpri_igemm_k(const int32_t *p, int32_t d)
{
    switch (p[KPRED_CONV2D_DIR]) {
    case KPRED_DIR_F: return kpri_igemm_weights(p, d);
    case KPRED_DIR_B: return kpri_rule_aligned(p[KPRED_CONV2D_K] >> kpri_rule_half(p), d);
    default: return kpri_igemm_pixels(p, d);
    }
}

/* Has a side of a tile twice what the threads along that side compute at once?
   pre: threads is 8 or 16 */
static int kpri_igemm_twice(int32_t tile, int32_t threads, int32_t per_thread)
{
    return (per_thread == 2 || per_thread == 4) && tile == 2 * threads * per_thread;
}

/* V1-V6, R1-R5. R6 to R10 then cannot fail: a tile has at least as many elements as the block has
   threads, and at most 128 x 128, for which 16 KiB of LDS hold what is read. [1] looks ahead to R1
   and R2 with 2 sums a thread. No other value depends on a later one. */
static int kpri_igemm_divides(const int32_t *p, const int32_t *v, size_t n)
{
    int32_t newest = v[n - 1], block = v[KPRED_IGEMM_BLOCK_SIZE];
    int32_t m = kpri_igemm_cluster_m(block), nn = kpri_igemm_cluster_n(block);

    switch (n) {
    case 1:
        return kpri_igemm_block_size(newest) && kpri_igemm_m(p, 4 * m) && kpri_igemm_n(p, 4 * nn);
    case 2: return (newest == 4 * m || newest == 8 * m) && kpri_igemm_m(p, newest);
    case 3: return (newest == 4 * nn || newest == 8 * nn) && kpri_igemm_n(p, newest);
    case 4: return (newest == 4 || newest == 8 || newest == 16) && kpri_igemm_k(p, newest);
    case 5: return kpri_igemm_twice(v[KPRED_IGEMM_GEMM_M_PER_BLOCK], m, newest);
    case 6: return kpri_igemm_twice(v[KPRED_IGEMM_GEMM_N_PER_BLOCK], nn, newest);
    default: return 0;
    }
}

/* [0] The smallest block demands least. */
static int kpri_igemm_applies(const int32_t *p)
{
    return kpri_conv2d_nchw(p) && p[KPRED_CONV2D_GROUPS] == 1 && kpri_igemm_m(p, 32)
           && kpri_igemm_n(p, 32) && kpri_igemm_k(p, 4);
}

KPRED_API int kpred_rule_conv_hip_igemm_bwd_v1r1(const int32_t *problem, const int32_t *values,
                                                 size_t n)
{
    if (n == 0)
        return problem[KPRED_CONV2D_DIR] == KPRED_DIR_B
               && problem[KPRED_CONV2D_DTYPE] != KPRED_DTYPE_INT8 && kpri_igemm_applies(problem);
    return kpri_igemm_divides(problem, values, n);
}

KPRED_API int kpred_rule_conv_hip_igemm_v4r4(const int32_t *problem, const int32_t *values,
                                             size_t n)
{
    if (n == 0)
        return problem[KPRED_CONV2D_DIR] != KPRED_DIR_B
               && problem[KPRED_CONV2D_DTYPE] == KPRED_DTYPE_FP32 && kpri_igemm_applies(problem);
    return kpri_igemm_divides(problem, values, n);
}

/* [5], [6] A tile has work for each thread of the cluster. A side of 32 is enough for 2 sums each,
   so the values before need no look-ahead. */
KPRED_API int kpred_rule_conv_mlir_igemm(const int32_t *problem, const int32_t *values, size_t n)
{
    int32_t newest = n ? values[n - 1] : 0, block = n ? values[KPRED_IGEMM_BLOCK_SIZE] : 0;

    switch (n) {
    case 0: return kpri_conv2d_exists(problem);
    case 1: return kpri_igemm_block_size(newest);
    case 2:
    case 3: return newest == 32 || newest == 64 || newest == 128;
    case 4: return newest == 4 || newest == 8 || newest == 16;
    case 5:
        return (newest == 2 || newest == 4)
               && values[KPRED_IGEMM_GEMM_M_PER_BLOCK] >= kpri_igemm_cluster_m(block) * newest;
    case 6:
        return (newest == 2 || newest == 4)
               && values[KPRED_IGEMM_GEMM_N_PER_BLOCK] >= kpri_igemm_cluster_n(block) * newest;
    default: return 0;
    }
}

KPRI_ONE_WAY(kpred_rule_conv_hip_igemm_v4r4_wrw, kpred_rule_conv_hip_igemm_v4r4, KPRED_DIR_W)
KPRI_ONE_WAY(kpred_rule_conv_mlir_igemm_bwd, kpred_rule_conv_mlir_igemm, KPRED_DIR_B)
KPRI_ONE_WAY(kpred_rule_conv_mlir_igemm_wrw, kpred_rule_conv_mlir_igemm, KPRED_DIR_W)
#endif

#if defined(KPRED_RULES_CONV_IGEMM_GTC) && !defined(KPRI_RULES_CONV_IGEMM_GTC)
#define KPRI_RULES_CONV_IGEMM_GTC
/* >>conv_igemm_gtc: compares the word of a kernel (kpred_gtc_kernels) with the problem. */

/* The power of two that divides a group's share of x, at most 7. */
static uint32_t kpri_gtc_power(int32_t x, int32_t groups)
{
    uint32_t share = (uint32_t)(x / groups) | 0x80, low = share & (0u - share);

    return (low & 0xAA ? 1u : 0) | (low & 0xCC ? 2u : 0) | (low & 0xF0 ? 4u : 0);
}

static uint32_t kpri_gtc_power_of_c(const int32_t *p)
{
    return kpri_gtc_power(p[KPRED_CONV2D_C], p[KPRED_CONV2D_GROUPS]);
}

static uint32_t kpri_gtc_power_of_k(const int32_t *p)
{
    return kpri_gtc_power(p[KPRED_CONV2D_K], p[KPRED_CONV2D_GROUPS]);
}

/* Is the convolution a plain matrix product: 1x1 filters without pads, strides and dilations? */
static int kpri_gtc_is_point(const int32_t *p)
{
    return p[KPRED_CONV2D_Y] == 1 && p[KPRED_CONV2D_X] == 1 && kpri_conv2d_undilated(p)
           && p[KPRED_CONV2D_PAD_H] == 0 && p[KPRED_CONV2D_PAD_W] == 0
           && p[KPRED_CONV2D_STRIDE_H] == 1 && p[KPRED_CONV2D_STRIDE_W] == 1;
}

static uint32_t kpri_gtc_type(const int32_t *p)
{
    return p[KPRED_CONV2D_DTYPE] == KPRED_DTYPE_FP16;
}

static int kpri_gtc_kernel(const int32_t *p, uint32_t word)
{
    return (word & 1) == kpri_gtc_type(p) && (word & 2 || kpri_gtc_is_point(p))
           && (word >> 4 & 15) <= kpri_gtc_power_of_c(p)
           && (word >> 8 & 15) <= kpri_gtc_power_of_k(p);
}

/* [0] Is there a kernel for such a problem? */
static int kpri_gtc_applies(const kpred_gtc_kernels *kernels, const int32_t *p)
{
    return p[KPRED_CONV2D_DIR] == kernels->dir && p[KPRED_CONV2D_DTYPE] <= KPRED_DTYPE_FP16
           && kpri_conv2d_exists(p)
           && kernels->least[kpri_gtc_type(p) | (kpri_gtc_is_point(p) ? 2u : 0)]
                            [kpri_gtc_power_of_k(p)]
                  <= kpri_gtc_power_of_c(p);
}

KPRED_API int kpred_rule_of_gtc_kernels(const kpred_gtc_kernels *kernels, const int32_t *problem,
                                        const int32_t *values, size_t n)
{
    if (n == 0)
        return kpri_gtc_applies(kernels, problem);
    if (n == KPRED_IGEMM_GTC_COUNT)
        return kpred_between(values[KPRED_IGEMM_GTC_GEMM_K_GLOBAL_SPLIT], 0, 10);
    return n == 1 && kpred_between(values[KPRED_IGEMM_GTC_KERNEL], 0, kernels->n - 1)
           && kpri_gtc_kernel(problem, kernels->words[values[KPRED_IGEMM_GTC_KERNEL]]);
}
#endif

#if defined(KPRED_RULES_CONV_OCL_BWD_WRW2) && !defined(KPRI_RULES_CONV_OCL_BWD_WRW2)
#define KPRI_RULES_CONV_OCL_BWD_WRW2
/* >>conv_ocl_bwd_wrw2: LDS holds n_out_rows_in_lcl lines of the image, for n_out_channels_tiles
   tiles of n_out_channels_per_tile filters. */

/* [0] No row of the databases has a filter with y = 1, and no kernel holds more than 11 lines. */
static int kpri_wrw2_applies(const int32_t *p)
{
    return kpri_conv2d_nchw(p) && kpri_conv2d_undilated(p) && p[KPRED_CONV2D_DIR] == KPRED_DIR_W
           && p[KPRED_CONV2D_DTYPE] != KPRED_DTYPE_INT8 && kpred_between(p[KPRED_CONV2D_Y], 2, 11)
           && p[KPRED_CONV2D_STRIDE_H] == p[KPRED_CONV2D_STRIDE_W];
}

/* [3], [4] A work-group takes no more filters at a time than a group has, and one tile if there are
   groups. One filter in one tile is always possible, so no look-ahead is needed. */
static int kpri_wrw2_filters(const int32_t *p, int32_t per_tile, int32_t tiles)
{
    int32_t groups = p[KPRED_CONV2D_GROUPS];

    return (groups == 1 || tiles == 1) && per_tile * tiles <= p[KPRED_CONV2D_K] / groups;
}

static int kpri_wrw2_one_of(int32_t x)
{
    return x == 1 || x == 3 || x == 8;
}

/* [1..2], and [5]: the lines are 2, 3, 5, 7, 9 or 11, and at least as many as the filter has. */
KPRED_API int kpred_rule_conv_ocl_bwd_wrw2(const int32_t *problem, const int32_t *values, size_t n)
{
    int32_t newest = n ? values[n - 1] : 0;

    switch (n) {
    case 0: return kpri_wrw2_applies(problem);
    case 1: return kpri_wrw2_one_of(newest);
    case 2: return kpred_between(newest, 6, 12);
    case 3: return kpri_wrw2_one_of(newest) && kpri_wrw2_filters(problem, newest, 1);
    case 4:
        return kpri_wrw2_one_of(newest)
               && kpri_wrw2_filters(problem, kpri_rule_past(values, 2), newest);
    case 5:
        return (newest == 2 || (newest & 1)) && kpred_between(newest, 2, 11)
               && newest >= problem[KPRED_CONV2D_Y];
    default: return 0;
    }
}
#endif

#if defined(KPRED_RULES_CONV_SOLVER) && !defined(KPRI_RULES_CONV_SOLVER)
#define KPRI_RULES_CONV_SOLVER
/* >>conv_solver: compares the problem's word with the solver's (KPRED_SOLVER_WORD). */

/* The bits of the powers 2, 4, 8, ... of which x is no multiple: those above its lowest bit. */
static uint32_t kpri_solver_uneven(uint32_t x, uint32_t all)
{
    return all & ~((x & (0u - x)) - 1);
}

static uint32_t kpri_solver_filter(const int32_t *p)
{
    int32_t z = p[KPRED_CONV3D_Z], y = p[KPRED_CONV3D_Y], x = p[KPRED_CONV3D_X];

    if (z != 1)
        return z == y && y == x ? 0x100 : 0x200;
    if (y != x)
        return y == 1 && x == 7 ? 0x10 : y == 7 && x == 1 ? 0x20 : y == 5 && x == 10 ? 0x40 : 0x200;
    return y == 1 ? 1 : y == 3 ? 2 : y == 5 ? 4 : y == 7 ? 8 : y == 11 ? 0x80 : 0x100;
}

static uint32_t kpri_solver_pad(const int32_t *p)
{
    int32_t h = p[KPRED_CONV3D_PAD_H];

    return p[KPRED_CONV3D_PAD_D] == 0 && h == p[KPRED_CONV3D_PAD_W] && h < 3 ? 1u << h : 8;
}

static uint32_t kpri_solver_stride(const int32_t *p)
{
    int32_t d = p[KPRED_CONV3D_STRIDE_D], h = p[KPRED_CONV3D_STRIDE_H];
    int same = h == p[KPRED_CONV3D_STRIDE_W] && (d == 1 || d == h);

    return same && (h == 1 || h == 2 || h == 4) ? (uint32_t)h : 8;
}

static uint32_t kpri_solver_more(const int32_t *p)
{
    int dilated =
        p[KPRED_CONV3D_DIL_D] > 1 || p[KPRED_CONV3D_DIL_H] > 1 || p[KPRED_CONV3D_DIL_W] > 1;

    return (uint32_t)dilated | (p[KPRED_CONV3D_GROUPS] > 1 ? 2u : 0)
           | (p[KPRED_CONV3D_N] & 7 ? 4u : 0);
}

/* As kpri_conv2d_side, but 0 in every direction if the filter does not fit. (Then the number of
   pixels is a multiple of every power.) */
static uint32_t kpri_solver_side(const int32_t *p, int i)
{
    int32_t room = kpri_conv_room(p[KPRED_CONV3D_D + i], p[KPRED_CONV3D_Z + i],
                                  p[KPRED_CONV3D_PAD_D + i], p[KPRED_CONV3D_DIL_D + i]);

    return room < 0 ? 0 : (uint32_t)(room / p[KPRED_CONV3D_STRIDE_D + i] + 1);
}

/* The products may wrap: only their lowest bits count. */
static uint64_t kpri_solver_word(const int32_t *p)
{
    int32_t n = p[KPRED_CONV3D_N], groups = p[KPRED_CONV3D_GROUPS];
    uint32_t terms = (uint32_t)(p[KPRED_CONV3D_C] / groups) * (uint32_t)p[KPRED_CONV3D_Z]
                     * (uint32_t)p[KPRED_CONV3D_Y] * (uint32_t)p[KPRED_CONV3D_X];
    uint32_t pixels =
        (uint32_t)n * kpri_solver_side(p, 0) * kpri_solver_side(p, 1) * kpri_solver_side(p, 2);

    return KPRED_SOLVER_WORD(1u << (3 * p[KPRED_CONV3D_GPU] + p[KPRED_CONV3D_DTYPE]),
                             1u << p[KPRED_CONV3D_DIR], 1u << p[KPRED_CONV3D_LAYOUT],
                             kpri_solver_filter(p), kpri_solver_pad(p), kpri_solver_stride(p),
                             kpri_solver_more(p),
                             kpri_solver_uneven((uint32_t)(p[KPRED_CONV3D_K] / groups), 63),
                             kpri_solver_uneven(terms, 31), kpri_solver_uneven(pixels, 31),
                             (n < 2) | (n < 4) << 1 | (n < 8) << 2 | (n < 16) << 3);
}

/* Does the solver's kernel take the problem, if it is F(2,3) or F(3,2)? Here no GPU lacks FP16. The
   find-dbs of gfx908 and gfx90a list problems beyond the limits of the products. */
static int kpri_solver_winograd(const int32_t *p, uint64_t word)
{
    const int32_t flat[KPRED_CONV2D_FIELD_COUNT] = {
        KPRED_GPU_GFX906_60,    p[KPRED_CONV3D_DIR],      p[KPRED_CONV3D_DTYPE],
        p[KPRED_CONV3D_LAYOUT], p[KPRED_CONV3D_N],        p[KPRED_CONV3D_C],
        p[KPRED_CONV3D_H],      p[KPRED_CONV3D_W],        p[KPRED_CONV3D_K],
        p[KPRED_CONV3D_Y],      p[KPRED_CONV3D_X],        p[KPRED_CONV3D_PAD_H],
        p[KPRED_CONV3D_PAD_W],  p[KPRED_CONV3D_STRIDE_H], p[KPRED_CONV3D_STRIDE_W],
        p[KPRED_CONV3D_DIL_H],  p[KPRED_CONV3D_DIL_W],    p[KPRED_CONV3D_GROUPS]};
    int32_t gpu = p[KPRED_CONV3D_GPU];
    int one = word & KPRED_SOLVER_F3X2 && gpu == KPRED_CONV3D_GPU_GFX1030_36;
    int any_product = gpu == KPRED_CONV3D_GPU_GFX90878 || gpu == KPRED_CONV3D_GPU_GFX90A6E;

    return !(word & (KPRED_SOLVER_F2X3 | KPRED_SOLVER_F3X2))
           || kpri_winograd_applies(flat, one ? 1 : 2, any_product);
}

KPRED_API int kpred_rule_of_solvers(const uint64_t *words, int32_t n_words, const int32_t *problem,
                                    const int32_t *values, size_t n)
{
    if (n == 0)
        return 1;
    return n == 1 && kpred_between(values[0], 0, n_words - 1)
           && !(kpri_solver_word(problem) & words[values[0]])
           && kpri_solver_winograd(problem, words[values[0]]);
}
#endif
#endif /* KPRED_IMPLEMENTATION || KPRED_STATIC */

/* The requested families are emitted. The next #include may request others. */
#undef KPRED_RULES_CONV_ASM_1X1U
#undef KPRED_RULES_CONV_OCL_DIRECT_FWD_1X1
#undef KPRED_RULES_CONV_ASM_BWD_WRW_1X1
#undef KPRED_RULES_CONV_ASM_BWD_WRW_3X3
#undef KPRED_RULES_CONV_ASM_3X3U
#undef KPRED_RULES_CONV_OCL_DIRECT_FWD
#undef KPRED_RULES_CONV_BIN_WINOGRAD_RXS
#undef KPRED_RULES_CONV_HIP_IGEMM_V4R1
#undef KPRED_RULES_CONV_IGEMM
#undef KPRED_RULES_CONV_IGEMM_GTC
#undef KPRED_RULES_CONV_OCL_BWD_WRW2
#undef KPRED_RULES_CONV_SOLVER
#undef KPRED_RULES_NO_FAMILY

#if defined(__cplusplus) && defined(__GNUC__)
#pragma GCC diagnostic pop
#endif
