/* kpred_constraints.h - v0.1.0 - which tuning parameters a GPU kernel accepts
   SPDX-License-Identifier: MIT

   In ONE C or C++ file:                     Everywhere else:
       #define KPRED_IMPLEMENTATION              #include "kpred_constraints.h"
       #include "kpred_constraints.h"

WHAT IT DOES
   A rule tells, for a problem and the first n of a kernel's tuning parameters, whether they can
   still become a tuple that the kernel runs. Here are the rules of four of MIOpen's convolution
   kernels, the names and numbers of their fields and parameters, the limits of the GPUs they run
   on, and the small predicates one needs to write a rule for a kernel of one's own.

       int32_t problem[] = {KPRED_GPU_GFX906_60, KPRED_DIR_F, KPRED_DTYPE_FP32,
                            16, 64, 56, 56, 256, 1};    // n c h w k stride
       int32_t values[] = {4, 16, 4, 16};               // read_size ... chunk_size
       int hope = kpred_rule_conv_asm_1x1u(problem, values, 4);

GUARANTEES                                                              (shown by tests/)
   C1 Every prefix of a tuple is accepted, the empty one and the tuple itself
      included <=> MIOpen's kernel applies and accepts the tuple.         rules_oracle.py
   C2 No prefix is rejected that a legal tuple begins with.               test_rules.c
   C3 None is accepted that no legal tuple begins with: look-ahead is
      exact for these four kernels, a search meets no dead end.           test_rules.c
   C4 Rules are pure, and defined for every int32 in `values`, legal or
      not, and all sizes in 1..KPRED_MAX_SIZE: nothing wraps.             test_rules.c, UBSan
   C5 Freestanding: no libc symbol, floating point, data, loop, recursion
      or 64-bit division.                                                 nm -u

HOW TO READ A RULE
   rule(problem, values, n) judges values[n-1], takes the values before it as accepted ones, and for
   n == 0 (values may be NULL then) says whether the kernel applies at all. In every direction the
   fields describe the forward convolution: n images of c channels, h x w (the true input size),
   k filters, square stride. A kernel's name implies the rest: NCHW, no bias, dilation 1, and 1x1
   filters without padding or 3x3 filters with padding 1. In comments,

     [4] R5   parameter 4 decides check R5 of MIOpen's, in the numbering of the oracle that the
              test asks (V: a parameter's own domain; S: what MIOpen's search emits)
     ahead    anticipates a check of later parameters, with the least they can be
     E        elements in 32 bits: 1 for FP32, 2 for FP16 and BF16
     small    the forward convolution's output image, ceil(h / stride) x ceil(w / stride) for 1x1

CONFIGURATION
   KPRED_IMPLEMENTATION   emit the rules' definitions: in one file of a program
   KPRED_STATIC           emit them as static functions (the helpers always are, and inline)

CONTENTS   >>limits >>helpers >>vocabulary >>parameters >>rules
           implementation: >>shared >>conv_asm_1x1u >>conv_ocl_direct_fwd_1x1
                           >>conv_asm_bwd_wrw_1x1 >>conv_asm_bwd_wrw_3x3 */
#ifndef KPRED_CONSTRAINTS_H
#define KPRED_CONSTRAINTS_H

#include "kpred.h"

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define KPRI_RULES_UNUSED __attribute__((unused))
#else
#define KPRI_RULES_UNUSED
#endif

/* >>limits: what a compute unit (CU) of AMD's GCN3 and Vega GPUs (gfx8, gfx9) offers. Sources: the
   reference guides "Graphics Core Next Architecture, Generation 3" and "Vega Instruction Set
   Architecture" of AMD; registers and LDS are also those of MIOpen's own checks. */
#define KPRED_GCN_WAVE_SIZE 64       /* work-items of a wave, a lane each */
#define KPRED_GCN_SIMDS 4            /* a work-group's waves spread over them */
#define KPRED_GCN_WORKGROUP_WAVES 16 /* waves of a work-group: 1024 work-items */
#define KPRED_GCN_VGPRS 256          /* vector registers a lane: the most one wave can address, and
                                        all there are for the waves of a SIMD together */
#define KPRED_GCN_SGPRS 102          /* scalar registers a wave can address (s0 to s101) */
#define KPRED_GCN_LDS_BYTES 65536    /* local data share */

/* >>helpers: for rules, yours too. Defined for every int32 where no `pre:` says otherwise. */

/* Is lo <= x <= hi? */
static inline int kpred_between(int32_t x, int32_t lo, int32_t hi) { return lo <= x && x <= hi; }

/* Is x one of 1, 2, 4, ... 2^30? */
static inline int kpred_is_pow2(int32_t x) { return x > 0 && (x & (x - 1)) == 0; }

/* Is x a multiple of d? Never if d < 1. */
static inline int kpred_divides(int32_t d, int32_t x) { return d > 0 && x % d == 0; }

/* ceil(a / b), for large a as well.
   pre:  a >= 0, b >= 1
   post: 0 <= result <= a */
static inline int32_t kpred_ceil_div(int32_t a, int32_t b) { return a / b + (a % b != 0); }

/* The lesser of a * b and INT32_MAX, so that a product of any number of factors >= 1 compares with
   any limit below INT32_MAX as the true product does.
   pre:  a >= 0, b >= 0
   post: 0 <= result */
static inline int32_t kpred_mul_sat(int32_t a, int32_t b)
{
    int64_t product = (int64_t)a * b;
    return product < INT32_MAX ? (int32_t)product : INT32_MAX;
}

/* Has a CU room for one work-group of `waves` waves with `vgprs` vector registers each? Its fullest
   SIMD holds ceil(waves / 4) of them. (Hardware hands registers out in fours. MIOpen's checks do
   not round up to that, and neither does this.)
   pre: vgprs >= 0, waves >= 0 */
static inline int kpred_fits_vgprs(int32_t vgprs, int32_t waves)
{
    return kpred_mul_sat(vgprs, kpred_ceil_div(waves, KPRED_GCN_SIMDS)) <= KPRED_GCN_VGPRS;
}

/* Has a CU room for one work-group with so many bytes of LDS?
   pre: bytes >= 0 */
static inline int kpred_fits_lds(int32_t bytes) { return bytes <= KPRED_GCN_LDS_BYTES; }

/* >>vocabulary: tokens and fields of the four models, X(enumerator, spelling), counted from 0. */
#define KPRED_GPU_LIST(X)                \
    X(KPRED_GPU_GFX900_56, "gfx900_56")  \
    X(KPRED_GPU_GFX906_60, "gfx906_60")

#define KPRED_DIR_LIST(X)                           \
    X(KPRED_DIR_F, "F") /* forward */               \
    X(KPRED_DIR_B, "B") /* backward, data */        \
    X(KPRED_DIR_W, "W") /* backward, weights */

#define KPRED_DTYPE_LIST(X)      \
    X(KPRED_DTYPE_FP32, "FP32")  \
    X(KPRED_DTYPE_FP16, "FP16")  \
    X(KPRED_DTYPE_BF16, "BF16")

#define KPRED_CONV_FIELD_LIST(X)     \
    X(KPRED_CONV_GPU, "gpu")         \
    X(KPRED_CONV_DIR, "dir")         \
    X(KPRED_CONV_DTYPE, "dtype")     \
    X(KPRED_CONV_N, "n")             \
    X(KPRED_CONV_C, "c")             \
    X(KPRED_CONV_H, "h")             \
    X(KPRED_CONV_W, "w")             \
    X(KPRED_CONV_K, "k")             \
    X(KPRED_CONV_STRIDE, "stride")   \
    X(KPRED_CONV_GROUPS, "groups") /* conv_asm_bwd_wrw_3x3 only */

/* >>parameters: of each kernel, in the order in which they are decided. */
#define KPRED_ASM_1X1U_LIST(X)                                    \
    X(KPRED_ASM_1X1U_READ_SIZE, "read_size")                      \
    X(KPRED_ASM_1X1U_K_MULT, "k_mult")                            \
    X(KPRED_ASM_1X1U_CHUNKS_PER_WAVE, "chunks_per_wave")          \
    X(KPRED_ASM_1X1U_CHUNK_SIZE, "chunk_size")                    \
    X(KPRED_ASM_1X1U_N_MULT, "n_mult")                            \
    X(KPRED_ASM_1X1U_C_MULT, "c_mult")                            \
    X(KPRED_ASM_1X1U_WAVES_C_IN_GROUP, "waves_c_in_group")        \
    X(KPRED_ASM_1X1U_WAVES_K_IN_GROUP, "waves_k_in_group")

#define KPRED_OCL_DIRECT_FWD_1X1_LIST(X)                          \
    X(KPRED_OCL_DIRECT_FWD_1X1_GRP_TILE1, "grp_tile1")            \
    X(KPRED_OCL_DIRECT_FWD_1X1_GRP_TILE0, "grp_tile0")            \
    X(KPRED_OCL_DIRECT_FWD_1X1_IN_TILE1, "in_tile1")              \
    X(KPRED_OCL_DIRECT_FWD_1X1_IN_TILE0, "in_tile0")              \
    X(KPRED_OCL_DIRECT_FWD_1X1_OUT_PIX_TILE1, "out_pix_tile1")    \
    X(KPRED_OCL_DIRECT_FWD_1X1_OUT_PIX_TILE0, "out_pix_tile0")    \
    X(KPRED_OCL_DIRECT_FWD_1X1_N_OUT_PIX_TILES, "n_out_pix_tiles") \
    X(KPRED_OCL_DIRECT_FWD_1X1_N_IN_DATA_TILES, "n_in_data_tiles") \
    X(KPRED_OCL_DIRECT_FWD_1X1_N_STACKS, "n_stacks")

#define KPRED_ASM_BWD_WRW_1X1_LIST(X)                             \
    X(KPRED_ASM_BWD_WRW_1X1_CHUNK_SIZE, "chunk_size")             \
    X(KPRED_ASM_BWD_WRW_1X1_C_PER_GPR, "c_per_gpr")               \
    X(KPRED_ASM_BWD_WRW_1X1_C_MULT, "c_mult")                     \
    X(KPRED_ASM_BWD_WRW_1X1_K_PER_GPR, "k_per_gpr")               \
    X(KPRED_ASM_BWD_WRW_1X1_K_MULT, "k_mult")                     \
    X(KPRED_ASM_BWD_WRW_1X1_N_PER_GPR, "n_per_gpr")               \
    X(KPRED_ASM_BWD_WRW_1X1_N_PART_CNT, "n_part_cnt")             \
    X(KPRED_ASM_BWD_WRW_1X1_READ_SIZE, "read_size")               \
    X(KPRED_ASM_BWD_WRW_1X1_SHORT_STORE, "short_store")           \
    X(KPRED_ASM_BWD_WRW_1X1_DATA_PREFETCH, "data_prefetch")

#define KPRED_ASM_BWD_WRW_3X3_LIST(X)                             \
    X(KPRED_ASM_BWD_WRW_3X3_LIMIT_WAVE_CNT, "limit_wave_cnt")     \
    X(KPRED_ASM_BWD_WRW_3X3_REVERSE_INOUT, "reverse_inout")       \
    X(KPRED_ASM_BWD_WRW_3X3_CHUNK_SIZE, "chunk_size")             \
    X(KPRED_ASM_BWD_WRW_3X3_K_PER_WAVE, "k_per_wave")             \
    X(KPRED_ASM_BWD_WRW_3X3_PIPE_LINES_DEPTH, "pipe_lines_depth") \
    X(KPRED_ASM_BWD_WRW_3X3_N_PER_GROUP, "n_per_group")

#define KPRI_RULES_ENUM(enumerator, spelling) enumerator,
enum kpred_gpu { KPRED_GPU_LIST(KPRI_RULES_ENUM) KPRED_GPU_COUNT };
enum kpred_dir { KPRED_DIR_LIST(KPRI_RULES_ENUM) KPRED_DIR_COUNT };
enum kpred_dtype { KPRED_DTYPE_LIST(KPRI_RULES_ENUM) KPRED_DTYPE_COUNT };
enum kpred_conv_field { KPRED_CONV_FIELD_LIST(KPRI_RULES_ENUM) KPRED_CONV_FIELD_COUNT };
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

/* >>rules: X(function, number of fields, list of its parameters) */
#define KPRED_RULE_LIST(X)                                                   \
    X(kpred_rule_conv_asm_1x1u, 9, KPRED_ASM_1X1U_LIST)                      \
    X(kpred_rule_conv_ocl_direct_fwd_1x1, 9, KPRED_OCL_DIRECT_FWD_1X1_LIST)  \
    X(kpred_rule_conv_asm_bwd_wrw_1x1, 9, KPRED_ASM_BWD_WRW_1X1_LIST)        \
    X(kpred_rule_conv_asm_bwd_wrw_3x3, 10, KPRED_ASM_BWD_WRW_3X3_LIST)

/* All four are of type kpred_rule: 1, or 0 if values[n-1] (for n == 0, the problem) rules out every
   legal tuple, or if there is no n-th parameter.
   pre: as many fields as listed, tokens within their lists, sizes in 1..KPRED_MAX_SIZE */

/* MIOpen's ConvAsm1x1U: F, B; FP32, FP16. */
KPRED_API KPRI_RULES_UNUSED
int kpred_rule_conv_asm_1x1u(const int32_t *problem, const int32_t *values, size_t n);

/* ConvOclDirectFwd1x1: F, B; FP32, FP16, BF16. What MIOpen's search emits, or its default. */
KPRED_API KPRI_RULES_UNUSED
int kpred_rule_conv_ocl_direct_fwd_1x1(const int32_t *problem, const int32_t *values, size_t n);

/* ConvAsmBwdWrW1x1: W; FP32, FP16, BF16. */
KPRED_API KPRI_RULES_UNUSED
int kpred_rule_conv_asm_bwd_wrw_1x1(const int32_t *problem, const int32_t *values, size_t n);

/* ConvAsmBwdWrW3x3: W; FP32, FP16; stride 1 (MIOpen no longer runs it with 2); groups. */
KPRED_API KPRI_RULES_UNUSED
int kpred_rule_conv_asm_bwd_wrw_3x3(const int32_t *problem, const int32_t *values, size_t n);

#ifdef __cplusplus
}
#endif
#endif /* KPRED_CONSTRAINTS_H */

#if defined(KPRED_IMPLEMENTATION) || defined(KPRED_STATIC)
#ifndef KPRI_RULES_IMPLEMENTED
#define KPRI_RULES_IMPLEMENTED

/* >>shared: what several kernels ask. Throughout, p is the problem and v the values. */

/* A value judged before. The mask changes no legal one where this is used (64 is the largest), and
   bounds what is computed from those that are not.
   post: 0 <= result <= 127 */
static int32_t kpri_rule_past(const int32_t *v, int i) { return v[i] & 127; }

/* Is x one of 1, 2, 4, ... most? */
static int kpri_rule_pow2(int32_t x, int32_t most) { return kpred_is_pow2(x) && x <= most; }

/* Is x a multiple of d, a power of two? */
static int kpri_rule_aligned(int32_t x, int32_t d) { return (x & (d - 1)) == 0; }

/* log2 of E: x is even enough for packing if !(x & half). */
static int32_t kpri_rule_half(const int32_t *p) { return p[KPRED_CONV_DTYPE] != KPRED_DTYPE_FP32; }

static int kpri_rule_forward(const int32_t *p) { return p[KPRED_CONV_DIR] == KPRED_DIR_F; }

/* The channels a 1x1 kernel sums over, and those that it writes. */
static int32_t kpri_rule_ic(const int32_t *p)
{
    return p[kpri_rule_forward(p) ? KPRED_CONV_C : KPRED_CONV_K];
}

static int32_t kpri_rule_oc(const int32_t *p)
{
    return p[kpri_rule_forward(p) ? KPRED_CONV_K : KPRED_CONV_C];
}

/* A side of the small image: ceil(x / stride), mostly without a division. */
static int32_t kpri_rule_side(const int32_t *p, int32_t x)
{
    int32_t stride = p[KPRED_CONV_STRIDE];

    return stride == 1 ? x : stride == 2 ? (x >> 1) + (x & 1) : kpred_ceil_div(x, stride);
}

/* Pixels of the large image and of the small one, saturated. */
static int32_t kpri_rule_large(const int32_t *p)
{
    return kpred_mul_sat(p[KPRED_CONV_H], p[KPRED_CONV_W]);
}

static int32_t kpri_rule_small(const int32_t *p)
{
    return kpred_mul_sat(kpri_rule_side(p, p[KPRED_CONV_H]), kpri_rule_side(p, p[KPRED_CONV_W]));
}

/* What all three assembly kernels demand, of an image of so many pixels. */
static int kpri_rule_sizes(const int32_t *p, int32_t image)
{
    int32_t n = p[KPRED_CONV_N], c = p[KPRED_CONV_C], k = p[KPRED_CONV_K];
    int32_t c_image = kpred_mul_sat(c, image), k_image = kpred_mul_sat(k, image);

    return n < 1 << 16 && c < 1 << 16 && k < 1 << 16
        && c_image < 1 << 24 && k_image < 1 << 24
        && kpred_mul_sat(n, c_image) < 1 << 29 && kpred_mul_sat(n, k_image) < 1 << 29
        && kpred_mul_sat(c, k) < 1 << 29;
}

/* >>conv_asm_1x1u: a wave computes k_mult filters on chunks_per_wave chunks of chunk_size pixels,
   for n_mult sets of images, c_mult channels at a time; the waves of a group divide channels and
   filters among them. hw counts the pixels written: the small image's forward, the large one's
   backward. */
#define KPRI_1X1U(v, NAME) kpri_rule_past(v, KPRED_ASM_1X1U_##NAME)

static int32_t kpri_1x1u_hw(const int32_t *p)
{
    return kpri_rule_forward(p) ? kpri_rule_small(p) : kpri_rule_large(p);
}

/* hw % E, also where hw is saturated. */
static int32_t kpri_1x1u_odd(const int32_t *p)
{
    int32_t h = p[KPRED_CONV_H], w = p[KPRED_CONV_W];

    if (kpri_rule_forward(p)) {
        h = kpri_rule_side(p, h);
        w = kpri_rule_side(p, w);
    }
    return h & w & kpri_rule_half(p);
}

/* [0] c channels have the large image, k the small one: less than 2^24 bytes, at 4 each. */
static int kpri_1x1u_applies(const int32_t *p)
{
    int32_t half = kpri_rule_half(p), small = kpri_rule_small(p);

    return p[KPRED_CONV_DIR] != KPRED_DIR_W && p[KPRED_CONV_DTYPE] != KPRED_DTYPE_BF16
        && p[KPRED_CONV_STRIDE] <= 2
        && !(p[KPRED_CONV_C] & half) && !(p[KPRED_CONV_K] & half)
        && kpri_1x1u_hw(p) >= 1 << half
        && (!half || kpri_rule_oc(p) >= 4)
        && (!half || kpri_rule_forward(p) || kpri_rule_aligned(kpri_rule_oc(p), 4))
        && kpred_mul_sat(p[KPRED_CONV_C], kpri_rule_large(p)) < 1 << 22
        && kpred_mul_sat(p[KPRED_CONV_K], small) < 1 << 22
        && kpri_rule_sizes(p, small);
}

/* Vector registers of a wave: five, inputs twice, sums, and one for an odd image of 16-bit pixels.
   pre:  n_mult, c_mult <= 127
   post: result <= 5 + 3 * 127^3 + 1 */
static int32_t kpri_1x1u_vgprs(const int32_t *p, const int32_t *v, int32_t n_mult, int32_t c_mult)
{
    int32_t half = kpri_rule_half(p), chunks = KPRI_1X1U(v, CHUNKS_PER_WAVE) * n_mult;
    int32_t inputs = (chunks * c_mult + half) >> half;

    return 5 + 2 * inputs + chunks * KPRI_1X1U(v, K_MULT) + kpri_1x1u_odd(p);
}

/* R9: scalar registers, of which most hold weights. */
static int kpri_1x1u_fits_sgprs(int32_t k_mult, int32_t c_mult)
{
    return 25 + 2 * k_mult * c_mult < KPRED_GCN_SGPRS;
}

/* [1] V1; ahead to R3-R5: chunks_per_wave is at least read_size * E, and at most hw. */
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
        && !(k_mult & kpri_rule_half(p))
        && (kpri_rule_forward(p) || oc % k_mult == 0)
        && kpri_1x1u_fits_sgprs(k_mult, 1 << kpri_rule_half(p))
        && k_mult <= oc;
}

/* [3] V3, R3, R4; ahead to R5 with chunk_size = 1, to R8 with n_mult = 1, c_mult = E. */
static int kpri_1x1u_chunks_per_wave(const int32_t *p, const int32_t *v, int32_t chunks)
{
    int32_t half = kpri_rule_half(p);

    return kpred_between(chunks, 1, 16)
        && KPRI_1X1U(v, READ_SIZE) << half <= chunks
        && !(chunks & half)
        && chunks <= kpri_1x1u_hw(p)
        && kpri_1x1u_vgprs(p, v, 1, 1 << half) < KPRED_GCN_VGPRS;
}

/* [4] V4; R5: chunks_per_wave <= ceil(hw / chunk_size). */
static int kpri_1x1u_chunk_size(const int32_t *p, const int32_t *v, int32_t chunk_size)
{
    return kpri_rule_pow2(chunk_size, 64)
        && (KPRI_1X1U(v, CHUNKS_PER_WAVE) - 1) * chunk_size < kpri_1x1u_hw(p);
}

/* [5] V5; R6: n_mult <= ceil(n / (64 / chunk_size)); ahead to R8 with c_mult = E.
   (2^24 images times 127 are below 2^31.) */
static int kpri_1x1u_n_mult(const int32_t *p, const int32_t *v, int32_t n_mult)
{
    return kpred_between(n_mult, 1, 8)
        && (n_mult - 1) * 64 < p[KPRED_CONV_N] * KPRI_1X1U(v, CHUNK_SIZE)
        && kpri_1x1u_vgprs(p, v, n_mult, 1 << kpri_rule_half(p)) < KPRED_GCN_VGPRS;
}

/* [6] V6, R7-R9; ahead to R11: a multiple of c_mult for each wave is one in all. */
static int kpri_1x1u_c_mult(const int32_t *p, const int32_t *v, int32_t c_mult)
{
    return kpri_rule_pow2(c_mult, 32)
        && !(c_mult & kpri_rule_half(p))
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

/* [7] V7, R10; R11: each wave takes ceil(ic / waves_c) channels and the last one what is left, both
   multiples of c_mult; as ic is one by [6], the second is if the first is. Ahead to R14 with
   waves_k_in_group = 1. */
static int kpri_1x1u_waves_c(const int32_t *p, const int32_t *v, int32_t waves_c)
{
    int32_t ic = kpri_rule_ic(p);

    return kpred_between(waves_c, 1, 8)
        && waves_c <= ic
        && kpri_rule_aligned(kpred_ceil_div(ic, waves_c), KPRI_1X1U(v, C_MULT))
        && kpri_1x1u_fits_vgprs(p, v, waves_c);
}

/* [8] V8, R12-R14 */
static int kpri_1x1u_waves_k(const int32_t *p, const int32_t *v, int32_t waves_k)
{
    return kpri_rule_pow2(waves_k, 8)
        && KPRI_1X1U(v, K_MULT) * waves_k <= kpri_rule_oc(p)
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

/* >>conv_ocl_direct_fwd_1x1: the kernel takes anything, so legal is what MIOpen's search emits, and
   MIOpen's default. The first value tells which of the two a tuple can be: grp_tile1 is 1 in the
   search, and 8 or more in the default. There are two versions of the kernel, 0 and 1. */

static int kpri_ocl_version(const int32_t *p)
{
    return kpri_rule_forward(p) && p[KPRED_CONV_DTYPE] == KPRED_DTYPE_FP32
        && kpri_rule_aligned(p[KPRED_CONV_C] | p[KPRED_CONV_K], 16);
}

/* The most pixels for a work-item of version 0: with stride 1 the largest of 1, 2, 4 that divides
   the image; else 2 if the rows written (backward, those read as well) are even. */
static int32_t kpri_ocl_pixels(const int32_t *p)
{
    int32_t h = p[KPRED_CONV_H], w = p[KPRED_CONV_W];
    int32_t image = ((h & 3) * (w & 3)) & 3;

    if (p[KPRED_CONV_STRIDE] != 1)
        return (kpri_rule_side(p, w) | (kpri_rule_forward(p) ? 0 : w)) & 1 ? 1 : 2;
    return image & 1 ? 1 : image ? 2 : 4;
}

/* The default cuts a side of the image read (x pixels: the large one's forward, the small one's
   backward) into tiles of 8, 16 or 32 pixels, of which each work-item takes some. */
static int32_t kpri_ocl_read(const int32_t *p, int32_t x)
{
    return kpri_rule_forward(p) ? x : kpri_rule_side(p, x);
}

/* post: 1 <= result <= max(2, stride) */
static int32_t kpri_ocl_item(const int32_t *p, int32_t x)
{
    int32_t least = x <= 8 ? 1 : 2, stride = p[KPRED_CONV_STRIDE];

    return stride > least ? stride : least;
}

/* Work-items of a tile's side, at least 8.
   post: 8 <= result <= 16 */
static int32_t kpri_ocl_group(const int32_t *p, int32_t x)
{
    int32_t group = (x <= 8 ? 8 : x <= 16 ? 16 : 32) / kpri_ocl_item(p, x);

    return group > 8 ? group : 8;
}

/* And the pixels they take.
   post: 8 <= result <= 2^27 */
static int32_t kpri_ocl_tile(const int32_t *p, int32_t x)
{
    return kpri_ocl_group(p, x) * kpri_ocl_item(p, x);
}

/* The default's n-th value, n in 1..9. */
static int32_t kpri_ocl_default(const int32_t *p, size_t n)
{
    int version = kpri_ocl_version(p);
    int32_t ih = kpri_ocl_read(p, p[KPRED_CONV_H]), iw = kpri_ocl_read(p, p[KPRED_CONV_W]);

    switch (n) {
    case 1: return kpri_ocl_group(p, ih);
    case 2: return version ? kpri_ocl_group(p, iw) : 64;
    case 3: return kpri_ocl_tile(p, ih);
    case 4: return kpri_ocl_tile(p, iw);
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

/* S1-S9 for a first value of 1. Nothing to look ahead to: 4 always is an n_out_pix_tiles and an
   n_in_data_tiles of version 0, and values of version 1 do not depend on one another. */
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

/* >>conv_asm_bwd_wrw_1x1: the 64 lanes of a register hold chunk_size pixels in c_per_gpr channels
   of n_per_gpr images, times 1, 2 or 4; a wave multiplies c_mult by k_mult such registers,
   k_per_gpr times. Of the problem, only the type and the parity of c matter. */
#define KPRI_WRW1(v, NAME) kpri_rule_past(v, KPRED_ASM_BWD_WRW_1X1_##NAME)

/* [0] */
static int kpri_wrw1_applies(const int32_t *p)
{
    return p[KPRED_CONV_DIR] == KPRED_DIR_W && p[KPRED_CONV_STRIDE] <= 2
        && kpri_rule_sizes(p, kpri_rule_small(p));
}

/* R6: 12 registers, a sum for each product, and sets of (c_mult + k_mult) * read_size values: one
   in use, one for each prefetch, and one more for BF16, which these GPUs emulate. Five waves or
   more have half of the registers. */
static int kpri_wrw1_fits(const int32_t *p, int32_t c_mult, int32_t k_per_gpr, int32_t k_mult,
                          int32_t waves, int32_t read_size, int32_t prefetch)
{
    int32_t sets = prefetch + (p[KPRED_CONV_DTYPE] == KPRED_DTYPE_BF16 ? 2 : 1);

    return kpred_fits_vgprs(c_mult * k_mult * k_per_gpr + 12 + (c_mult + k_mult) * read_size * sets,
                            waves);
}

/* [2] V2; R1, R2: the product is at least 16, and at most 16 (for chunk_size 1 by V2 alone). */
static int kpri_wrw1_c_per_gpr(const int32_t *v, int32_t c_per_gpr)
{
    return kpri_rule_pow2(c_per_gpr, 16) && KPRI_WRW1(v, CHUNK_SIZE) * c_per_gpr == 16;
}

/* [4] V4, R3; ahead to R6 with the least of all that is open. */
static int kpri_wrw1_k_per_gpr(const int32_t *p, const int32_t *v, int32_t k_per_gpr)
{
    return kpri_rule_pow2(k_per_gpr, 16)
        && k_per_gpr <= KPRI_WRW1(v, C_PER_GPR)
        && kpri_wrw1_fits(p, KPRI_WRW1(v, C_MULT), k_per_gpr, 1, 1, 1, 0);
}

/* [5] V5; ahead to R6. */
static int kpri_wrw1_k_mult(const int32_t *p, const int32_t *v, int32_t k_mult)
{
    return kpri_rule_pow2(k_mult, 16)
        && kpri_wrw1_fits(p, KPRI_WRW1(v, C_MULT), KPRI_WRW1(v, K_PER_GPR), k_mult, 1, 1, 0);
}

/* [7] V7; R7: all waves but one hand their sums over in LDS, 4 bytes a lane. (R6 cannot fail: this
   leaves five waves or more 64 sums, so c_mult + k_mult <= 20, and 64 + 12 + 20 * 2 <= 128.) */
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

/* [9] V9; R5a: only 16-bit types can be stored one by one; R5b, R5c: in pairs if c_mult and c are
   even. */
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

/* >>conv_asm_bwd_wrw_3x3: the lanes of a wave hold chunk_size pixels of 64 / chunk_size channels,
   and pair them with k_per_wave filters (with reverse_inout, filters with channels),
   pipe_lines_depth lines at a time. A work-group has n_per_group waves. */
#define KPRI_WRW3(v, NAME) kpri_rule_past(v, KPRED_ASM_BWD_WRW_3X3_##NAME)

/* Does every group have a multiple of so many out of x channels or filters?
   pre: 1 <= multiple <= 64 (then no product overflows: groups <= 2^24) */
static int kpri_wrw3_share(const int32_t *p, int32_t x, int32_t multiple)
{
    return x % (p[KPRED_CONV_GROUPS] * multiple) == 0;
}

/* What lanes hold, and what is paired with it: channels and filters, or the reverse. */
static int32_t kpri_wrw3_held(const int32_t *p, int32_t reverse)
{
    return p[reverse ? KPRED_CONV_K : KPRED_CONV_C];
}

static int32_t kpri_wrw3_paired(const int32_t *p, int32_t reverse)
{
    return p[reverse ? KPRED_CONV_C : KPRED_CONV_K];
}

/* [0] That groups divide c and k goes without saying in MIOpen's check, and R2, R3 demand it. */
static int kpri_wrw3_applies(const int32_t *p)
{
    int32_t c = p[KPRED_CONV_C], k = p[KPRED_CONV_K], image = kpri_rule_large(p);

    return p[KPRED_CONV_DIR] == KPRED_DIR_W && p[KPRED_CONV_STRIDE] == 1
        && (p[KPRED_CONV_DTYPE] == KPRED_DTYPE_FP32
            || (p[KPRED_CONV_DTYPE] == KPRED_DTYPE_FP16 && !(p[KPRED_CONV_N] & 1)))
        && p[KPRED_CONV_W] <= 512 && p[KPRED_CONV_H] < 1 << 16
        && kpri_rule_sizes(p, image)
        && kpred_mul_sat(c, image) < 1 << 22 && kpred_mul_sat(k, image) < 1 << 22
        && kpred_mul_sat(c * 9, k) < 1 << 29
        && kpri_wrw3_share(p, c, 1) && kpri_wrw3_share(p, k, 1)
        && (kpri_wrw3_share(p, c, 4) || kpri_wrw3_share(p, k, 4));
}

/* Registers for a line of the image, E elements each: chunks of 16, or of 8 that overlap by one.
   post: result <= 2^24 / 7 + 1 */
static int32_t kpri_wrw3_line(const int32_t *p, int32_t chunk_size)
{
    int32_t half = kpri_rule_half(p), lanes = (p[KPRED_CONV_W] + half) >> half;

    return chunk_size == 16 ? (lanes + 15) / 16 : (lanes + 6) / 7;
}

/* Vector registers: a sum for each filter and place of the 3x3, depth + 2 lines read, depth lines
   written. (At most seven more serve a division, where k / groups is no power of two and fewer than
   4 hold lines read or fewer than 3 lines written. Such kernels have at most 94 in all, within any
   limit here, so that these seven decide nothing and are left out.)
   pre:  k_per_wave, depth <= 127
   post: result < 2^30 */
static int32_t kpri_wrw3_vgprs(const int32_t *p, int32_t chunk_size, int32_t k_per_wave,
                                int32_t depth)
{
    int32_t half = kpri_rule_half(p), line = kpri_wrw3_line(p, chunk_size) << half;

    return 9 * k_per_wave + (depth + 2) * line + depth * line + 6 + half;
}

/* MIOpen's estimate of the length of the code, in instructions: memory and vector ones of a line,
   with lines unrolled. gfx900 needs two for a dot product of halves.
   pre:  1 <= depth <= 16, k_per_wave <= 127, at most 256 registers for lines
   post: result < 2^30 */
static int32_t kpri_wrw3_code(const int32_t *p, int32_t chunk_size, int32_t k_per_wave,
                               int32_t depth)
{
    int32_t half = kpri_rule_half(p), line = kpri_wrw3_line(p, chunk_size);
    int32_t emulated = half && p[KPRED_CONV_GPU] != KPRED_GPU_GFX906_60;
    int32_t unroll = depth * (depth + 2), rest = p[KPRED_CONV_H] - 1 - depth;
    int32_t lines = depth + unroll + (rest > 0 ? rest % unroll : 0) + 1;
    int32_t memory = (3 + (line + 3) / 4) * (half ? 4 : 1);
    int32_t vector = (12 * k_per_wave * line) << (half + emulated);

    return (lines * (memory + vector)) << half;
}

/* R8, R12. Both grow with k_per_wave, and are least for a depth of 1: that looks ahead. */
static int kpri_wrw3_fits(const int32_t *p, int32_t chunk_size, int32_t k_per_wave, int32_t depth)
{
    return kpri_wrw3_vgprs(p, chunk_size, k_per_wave, depth) <= KPRED_GCN_VGPRS
        && kpri_wrw3_code(p, chunk_size, k_per_wave, depth) < 32000;
}

/* [2] V2 (R1: the stride is 1 anyway); ahead to R2 with chunk_size = 16. */
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

/* [6] V6, R7; R9: five waves and more have half of the registers; R10; R11: all waves but one hand
   their sums over in LDS, 4 bytes a lane. */
static int kpri_wrw3_n_per_group(const int32_t *p, const int32_t *v, int32_t waves)
{
    int32_t limit = KPRI_WRW3(v, LIMIT_WAVE_CNT), k_per_wave = KPRI_WRW3(v, K_PER_WAVE);
    int32_t vgprs = kpri_wrw3_vgprs(p, KPRI_WRW3(v, CHUNK_SIZE), k_per_wave,
                                    KPRI_WRW3(v, PIPE_LINES_DEPTH));

    return kpred_between(waves, 1, 8) && waves <= p[KPRED_CONV_N]
        && kpred_fits_vgprs(vgprs, waves)
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

#endif /* KPRI_RULES_IMPLEMENTED */
#endif /* KPRED_IMPLEMENTATION || KPRED_STATIC */
