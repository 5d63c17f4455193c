/* rules.c - rules by name: the vocabulary each expects, the words of their tables, and slots
   SPDX-License-Identifier: MIT */
#include "rules.h"

#include <stdlib.h>
#include <string.h>

/* ---- words of kernels of ConvAsmImplicitGemmGTCDynamic ---- */

/* Pieces of a name, which commas part */
enum { DIR, TYPE = 2, ANY_FILTER = 4, K_BLOCK = 7, MERGED = 18, A = 20, B = 28, PIECES = 36 };
enum { MOST_POWER = 7 };

static uint32_t log2_of(uint32_t x)
{
    uint32_t bits = 0;
    while (x >>= 1)
        bits++;
    return bits;
}

static int is_piece(const char *piece, const char *what)
{
    const size_t n = strlen(what);
    return !strncmp(piece, what, n) && piece[n] == ',';
}

/* Where each piece begins, and what it is as a number; 0: there are fewer. */
static int rules_cut(const char *name, const char *text[PIECES], uint32_t number[PIECES])
{
    size_t i;
    for (i = 0; i < PIECES && name; i++) {
        text[i] = name;
        number[i] = (uint32_t)strtoul(name, NULL, 10);
        name = strchr(name, ',');
        name = name != NULL ? name + 1 : NULL;
    }
    return i == PIECES;
}

/* Observed: forward and backward data, the longest vector that a thread reads divides c; backward
   data, it divides k as well, and so does gemm_k_per_block, if y, x and k are not merged. */
int gtc_word(const char *name, int32_t dir, uint16_t *word)
{
    static const char *const ways[] = {"fwd", "bwd", "wrw"};
    const char *text[PIECES];
    uint32_t n[PIECES], vector, c, k;
    if (!rules_cut(name, text, n) || !is_piece(text[DIR], ways[dir])
        || !(is_piece(text[TYPE], "fp32") || is_piece(text[TYPE], "fp16")))
        return 0;
    vector = n[A + 1] | n[A + 3] | n[B + 1] | n[B + 3];
    c = dir == KPRED_DIR_W ? 0 : log2_of(vector);
    k = dir == KPRED_DIR_B ? log2_of(vector | (n[MERGED] ? 0 : n[K_BLOCK])) : 0;
    *word = (uint16_t)((uint32_t)is_piece(text[TYPE], "fp16") | (uint32_t)(n[ANY_FILTER] != 0) << 1
                       | c << 4 | k << 8);
    return c <= MOST_POWER && k <= MOST_POWER;
}

/* Is the kernel for problems of the kind `i` whose k has the power `k`? */
static int is_for(uint32_t word, uint32_t i, uint32_t k)
{
    return (word & 1) == (i & 1) && (word & 2 || i & 2) && (word >> 8 & 15) <= k;
}

void gtc_set_least(kpred_gtc_kernels *kernels)
{
    for (uint32_t i = 0; i < 4; i++)
        for (uint32_t k = 0; k <= MOST_POWER; k++) {
            uint8_t least = MOST_POWER + 1;
            for (int32_t v = 0; v < kernels->n; v++) {
                const uint32_t word = kernels->words[v], c = word >> 4 & 15;
                if (is_for(word, i, k) && c < least)
                    least = (uint8_t)c;
            }
            kernels->least[i][k] = least;
        }
}

/* ---- words of MIOpen's solvers ---- */

/* What is known of each solver, and what is observed.
   Known, from a solver's name or MIOpen's conditions for it: directions; filters, pads and strides
   of those made for one or two of them; NCHW alone, no dilation and no groups for those in
   assembly or OpenCL, of Winograd and FFT, where the table says so; N images for
   ConvOclBwdWrW2<N>; no Xdlops on gfx906 and gfx1030, which lack the instructions; for
   ConvBinWinogradRxS and the kernels after it, what the rule of their parameters says.
   Observed, in five find-dbs (gfx906_60, gfx90878, gfx90a6e, gfx942130, gfx1030_36: 526,000
   problems): all else. Only where 100 or more listings were to be expected if the thing did not
   matter; or where solvers of one family agree, as in square filters for MLIR, and none of
   ConvWinograd3x3MultipassWrW on gfx1030. Not taken from there, though as rare: that matrix
   products are not for filters of 5x5 to 11x11 or strides of 4, and multiples for what has no
   tiles.

   The numbers are those of KPRED_SOLVER_WORD. Here they say what a solver takes, of k, e, b, n what
   it asks for, and the word has the opposite. */
#define SOLVER(types, dirs, layouts, filters, pads, strides, more, k, e, b, n)                     \
    KPRED_SOLVER_WORD(077777 ^ (types), 7 ^ (dirs), 7 ^ (layouts), 0x3FF ^ (filters), 15 ^ (pads), \
                      15 ^ (strides), 7 ^ (more), (k)-1, (e)-1, (b)-1, (n)-1)

static const struct solver {
    const char *name;
    uint64_t word;
} solvers[] = {
    {"ConvAsm1x1U", SOLVER(004333, 3, 1, 0x001, 1, 3, 4, 1, 1, 1, 1)},
    {"ConvAsm1x1UV2", SOLVER(001111, 3, 1, 0x001, 1, 2, 4, 1, 1, 1, 1)},
    {"ConvAsm3x3U", SOLVER(001111, 3, 1, 0x002, 2, 1, 6, 1, 1, 1, 1)},
    {"ConvAsm5x10u2v2b1", SOLVER(011111, 2, 1, 0x040, 15, 2, 4, 1, 1, 1, 1)},
    {"ConvAsm7x7c3h224w224k64u2v2p3q3f1", SOLVER(011111, 1, 1, 0x008, 8, 2, 4, 1, 1, 1, 1)},
    {"ConvAsmBwdWrW1x1", SOLVER(004577, 4, 1, 0x001, 1, 3, 4, 1, 1, 1, 1)},
    {"ConvAsmBwdWrW3x3", SOLVER(007033, 4, 1, 0x002, 2, 1, 6, 1, 1, 1, 1)},
    {"ConvAsmImplicitGemmGTCDynamicBwdXdlops", SOLVER(004030, 2, 1, 0x3FF, 15, 15, 7, 1, 1, 1, 1)},
    {"ConvAsmImplicitGemmGTCDynamicBwdXdlopsNHWC",
     SOLVER(007730, 2, 3, 0x3FF, 15, 15, 5, 1, 1, 1, 1)},
    {"ConvAsmImplicitGemmGTCDynamicFwdXdlops", SOLVER(004030, 1, 1, 0x3FF, 15, 15, 5, 1, 1, 1, 1)},
    {"ConvAsmImplicitGemmGTCDynamicFwdXdlopsNHWC",
     SOLVER(007730, 1, 3, 0x3FF, 15, 15, 5, 1, 1, 1, 1)},
    {"ConvAsmImplicitGemmGTCDynamicWrwXdlops", SOLVER(004030, 4, 1, 0x3FF, 15, 15, 5, 1, 1, 1, 1)},
    {"ConvAsmImplicitGemmGTCDynamicWrwXdlopsNHWC",
     SOLVER(007730, 4, 3, 0x3FF, 15, 15, 5, 1, 1, 1, 1)},
    {"ConvAsmImplicitGemmV4R1DynamicBwd", SOLVER(001001, 2, 1, 0x3FF, 15, 15, 5, 1, 1, 1, 1)},
    {"ConvAsmImplicitGemmV4R1DynamicFwd", SOLVER(001001, 1, 1, 0x3FF, 15, 15, 1, 1, 1, 32, 8)},
    {"ConvAsmImplicitGemmV4R1DynamicFwd_1x1", SOLVER(001001, 1, 1, 0x001, 15, 15, 5, 1, 1, 32, 1)},
    {"ConvAsmImplicitGemmV4R1DynamicWrw", SOLVER(000001, 4, 1, 0x3FF, 15, 15, 5, 32, 32, 8, 1)},
    {"ConvBinWinograd3x3U", SOLVER(000011, 3, 1, 0x002, 2, 1, 4, 1, 1, 1, 1)},
    {"ConvBinWinogradRxS", SOLVER(000033, 7, 1, 0x3FF, 15, 3, 4, 1, 1, 1, 1) | KPRED_SOLVER_F2X3},
    {"ConvBinWinogradRxSf2x3",
     SOLVER(033333, 7, 1, 0x3FF, 15, 3, 6, 1, 1, 1, 1) | KPRED_SOLVER_F2X3},
    {"ConvBinWinogradRxSf2x3g1",
     SOLVER(033333, 7, 1, 0x3FF, 15, 3, 4, 1, 1, 1, 1) | KPRED_SOLVER_F2X3},
    {"ConvBinWinogradRxSf3x2",
     SOLVER(033333, 7, 1, 0x3FF, 15, 3, 6, 1, 1, 1, 1) | KPRED_SOLVER_F3X2},
    {"ConvCkIgemmFwdV6r1DlopsNchw", SOLVER(037003, 1, 1, 0x3FF, 15, 15, 5, 64, 8, 32, 1)},
    {"ConvDirectNaiveConvBwd", SOLVER(077777, 2, 7, 0x3FF, 15, 15, 7, 1, 1, 1, 1)},
    {"ConvDirectNaiveConvFwd", SOLVER(077777, 1, 7, 0x3FF, 15, 15, 7, 1, 1, 1, 1)},
    {"ConvDirectNaiveConvWrw", SOLVER(077777, 4, 7, 0x3FF, 15, 15, 7, 1, 1, 1, 1)},
    {"ConvHipImplicitGemmBwdDataV1R1", SOLVER(014111, 2, 5, 0x3FF, 15, 15, 5, 4, 32, 32, 1)},
    {"ConvHipImplicitGemmBwdDataV4R1Xdlops", SOLVER(004060, 2, 1, 0x3FF, 15, 15, 7, 8, 8, 16, 1)},
    {"ConvHipImplicitGemmForwardV4R4Xdlops", SOLVER(004770, 1, 1, 0x3FF, 15, 15, 7, 4, 4, 16, 1)},
    {"ConvHipImplicitGemmForwardV4R4Xdlops_Padded_Gemm",
     SOLVER(004770, 1, 1, 0x3FF, 15, 15, 7, 1, 1, 1, 1)},
    {"ConvHipImplicitGemmForwardV4R5Xdlops", SOLVER(004770, 1, 1, 0x3FE, 15, 15, 7, 8, 4, 16, 1)},
    {"ConvHipImplicitGemmFwdXdlops", SOLVER(007770, 1, 6, 0x3FF, 15, 15, 7, 1, 1, 1, 1)},
    {"ConvHipImplicitGemmV4R1Fwd", SOLVER(074777, 1, 1, 0x3FF, 15, 15, 3, 16, 8, 32, 8)},
    {"ConvHipImplicitGemmV4R1WrW", SOLVER(074577, 4, 1, 0x3FF, 15, 15, 7, 16, 32, 8, 1)},
    {"ConvHipImplicitGemmV4R4Fwd", SOLVER(014111, 1, 5, 0x3FF, 15, 15, 5, 32, 4, 32, 1)},
    {"ConvHipImplicitGemmV4R4WrW", SOLVER(014111, 4, 5, 0x3FF, 15, 15, 5, 32, 32, 4, 1)},
    {"ConvHipImplicitGemmWrwV4R4Xdlops", SOLVER(004570, 4, 1, 0x3FF, 15, 15, 7, 4, 16, 4, 1)},
    {"ConvHipImplicitGemmWrwV4R4Xdlops_Padded_Gemm",
     SOLVER(004570, 4, 1, 0x3FF, 15, 15, 7, 1, 1, 1, 1)},
    {"ConvMlirIgemmBwd", SOLVER(004003, 2, 3, 0x18F, 15, 15, 7, 1, 1, 1, 1)},
    {"ConvMlirIgemmBwdXdlops", SOLVER(004330, 2, 3, 0x18F, 15, 7, 7, 1, 1, 1, 1)},
    {"ConvMlirIgemmFwd", SOLVER(004003, 1, 3, 0x18F, 15, 15, 7, 1, 1, 1, 1)},
    {"ConvMlirIgemmFwdXdlops", SOLVER(004330, 1, 3, 0x18F, 15, 7, 7, 1, 1, 1, 1)},
    {"ConvMlirIgemmWrW", SOLVER(004003, 4, 3, 0x18F, 15, 15, 7, 1, 1, 1, 1)},
    {"ConvMlirIgemmWrWXdlops", SOLVER(004330, 4, 3, 0x18F, 15, 7, 7, 1, 1, 1, 1)},
    {"ConvOclBwdWrW1x1", SOLVER(004777, 4, 1, 0x001, 15, 15, 4, 16, 16, 1, 1)},
    {"ConvOclBwdWrW2<16>", SOLVER(077777, 4, 1, 0x3EE, 15, 15, 6, 1, 1, 1, 16)},
    {"ConvOclBwdWrW2<1>", SOLVER(077777, 4, 1, 0x3EE, 15, 15, 6, 1, 1, 1, 1)},
    {"ConvOclBwdWrW2<2>", SOLVER(077777, 4, 1, 0x3EE, 15, 15, 6, 1, 1, 1, 2)},
    {"ConvOclBwdWrW2<4>", SOLVER(077777, 4, 1, 0x3EE, 15, 15, 6, 1, 1, 1, 4)},
    {"ConvOclBwdWrW2<8>", SOLVER(077777, 4, 1, 0x3EE, 15, 15, 6, 1, 1, 1, 8)},
    {"ConvOclBwdWrW2NonTunable", SOLVER(077777, 4, 1, 0x1F2, 15, 15, 4, 1, 1, 1, 1)},
    {"ConvOclBwdWrW53", SOLVER(074777, 4, 1, 0x3FF, 15, 1, 6, 1, 1, 1, 1)},
    {"ConvOclDirectFwd", SOLVER(074777, 3, 1, 0x3FF, 15, 3, 6, 1, 1, 1, 1)},
    {"ConvOclDirectFwd11x11", SOLVER(077777, 1, 1, 0x080, 13, 4, 4, 1, 1, 1, 1)},
    {"ConvOclDirectFwd1x1", SOLVER(004777, 3, 1, 0x001, 1, 3, 4, 1, 1, 1, 1)},
    {"ConvOclDirectFwdFused", SOLVER(077777, 3, 1, 0x3FF, 15, 15, 6, 1, 1, 1, 1)},
    {"ConvOclDirectFwdGen", SOLVER(077777, 1, 1, 0x3FE, 15, 14, 4, 1, 1, 1, 1)},
    {"ConvWinograd3x3MultipassWrW<1-1-7-2>", SOLVER(007777, 4, 1, 0x010, 15, 1, 4, 1, 1, 1, 1)},
    {"ConvWinograd3x3MultipassWrW<1-1-7-3>", SOLVER(007777, 4, 1, 0x010, 15, 1, 4, 1, 1, 1, 1)},
    {"ConvWinograd3x3MultipassWrW<3-2>", SOLVER(007577, 4, 1, 0x002, 15, 2, 4, 1, 1, 1, 1)},
    {"ConvWinograd3x3MultipassWrW<3-3>", SOLVER(007577, 4, 1, 0x002, 15, 2, 4, 1, 1, 1, 1)},
    {"ConvWinograd3x3MultipassWrW<3-4>", SOLVER(007555, 4, 1, 0x002, 15, 3, 4, 1, 1, 1, 1)},
    {"ConvWinograd3x3MultipassWrW<3-5>", SOLVER(007555, 4, 1, 0x002, 15, 3, 4, 1, 1, 1, 1)},
    {"ConvWinograd3x3MultipassWrW<3-6>", SOLVER(007555, 4, 1, 0x002, 15, 3, 4, 1, 1, 1, 1)},
    {"ConvWinograd3x3MultipassWrW<5-3>", SOLVER(007777, 4, 1, 0x004, 15, 1, 4, 1, 1, 1, 1)},
    {"ConvWinograd3x3MultipassWrW<5-4>", SOLVER(007777, 4, 1, 0x004, 15, 1, 4, 1, 1, 1, 1)},
    {"ConvWinograd3x3MultipassWrW<7-2-1-1>", SOLVER(007777, 4, 1, 0x020, 15, 1, 4, 1, 1, 1, 1)},
    {"ConvWinograd3x3MultipassWrW<7-3-1-1>", SOLVER(007777, 4, 1, 0x020, 15, 1, 4, 1, 1, 1, 1)},
    {"GemmBwd1x1_stride1", SOLVER(077777, 2, 5, 0x001, 1, 1, 6, 1, 1, 1, 1)},
    {"GemmBwd1x1_stride2", SOLVER(077777, 2, 3, 0x001, 1, 14, 4, 1, 1, 1, 1)},
    {"GemmBwdRest", SOLVER(077777, 2, 5, 0x3FF, 15, 15, 7, 1, 1, 1, 1)},
    {"GemmFwd1x1_0_1", SOLVER(077777, 1, 5, 0x001, 1, 1, 4, 1, 1, 1, 1)},
    {"GemmFwd1x1_0_2", SOLVER(077777, 1, 1, 0x001, 1, 14, 4, 1, 1, 1, 1)},
    {"GemmFwdRest", SOLVER(077777, 1, 5, 0x3FF, 15, 15, 7, 1, 1, 1, 1)},
    {"GemmWrw1x1_stride1", SOLVER(077777, 4, 5, 0x001, 1, 1, 6, 1, 1, 1, 1)},
    {"GemmWrwUniversal", SOLVER(077777, 4, 5, 0x3FF, 15, 15, 7, 1, 1, 1, 1)},
    {"fft", SOLVER(011111, 3, 1, 0x004, 4, 1, 4, 1, 1, 1, 1)},
    {"ConvAsm5x10u2v2f1", SOLVER(011111, 1, 1, 0x040, 15, 2, 4, 1, 1, 1, 1)},
    {"ConvHipImplicitGemmBwdXdlops", SOLVER(007770, 2, 6, 0x3FF, 15, 15, 7, 1, 1, 1, 1)},
    {"ConvWinograd3x3MultipassWrW<7-2>", SOLVER(007777, 4, 1, 0x008, 15, 1, 4, 1, 1, 1, 1)},
    {"ConvWinograd3x3MultipassWrW<7-3>", SOLVER(007777, 4, 1, 0x008, 15, 1, 4, 1, 1, 1, 1)},
};

const char *solver_name(size_t i)
{
    return i < sizeof solvers / sizeof *solvers ? solvers[i].name : NULL;
}

int solver_word(const char *name, uint64_t *word)
{
    for (size_t i = 0; i < sizeof solvers / sizeof *solvers; i++)
        if (!strcmp(solvers[i].name, name)) {
            *word = solvers[i].word;
            return 1;
        }
    return 0;
}

/* ---- vocabularies ---- */

#define SPELLING(enumerator, spelling) spelling,

static const char *const fields[] = {KPRED_CONV_FIELD_LIST(SPELLING) NULL};
static const char *const gpus[] = {KPRED_GPU_LIST(SPELLING) NULL};
static const char *const dirs[] = {KPRED_DIR_LIST(SPELLING) NULL};
static const char *const dtypes[] = {KPRED_DTYPE_LIST(SPELLING) NULL};
static const char *const *const tokens[] = {gpus, dirs, dtypes, NULL}; /* of the first fields */

static const char *const conv2d_fields[] = {KPRED_CONV2D_FIELD_LIST(SPELLING) NULL};
static const char *const conv2d_gpus[] = {KPRED_GPU_LIST(SPELLING) KPRED_CONV2D_MORE_GPUS(SPELLING)
                                              NULL};
static const char *const conv2d_dtypes[] = {KPRED_DTYPE_LIST(SPELLING)
                                                KPRED_CONV2D_MORE_DTYPES(SPELLING) NULL};
static const char *const conv2d_layouts[] = {KPRED_CONV2D_LAYOUT_LIST(SPELLING) NULL};
static const char *const *const conv2d_tokens[] = {conv2d_gpus, dirs, conv2d_dtypes, conv2d_layouts,
                                                   NULL};

static const char *const conv3d_fields[] = {KPRED_CONV3D_FIELD_LIST(SPELLING) NULL};
static const char *const conv3d_gpus[] = {KPRED_CONV3D_GPU_LIST(SPELLING) NULL};
static const char *const conv3d_layouts[] = {KPRED_CONV2D_LAYOUT_LIST(SPELLING)
                                                 KPRED_CONV3D_MORE_LAYOUTS(SPELLING) NULL};
static const char *const *const conv3d_tokens[] = {conv3d_gpus, dirs, dtypes, conv3d_layouts, NULL};

/* What rules with so many fields expect. */
static const struct vocabulary {
    size_t n_fields;
    const char *const *fields;
    const char *const *const *tokens; /* of the first fields */
} vocabularies[] = {
    {KPRED_CONV2D_FIELD_COUNT, conv2d_fields, conv2d_tokens},
    {KPRED_CONV3D_FIELD_COUNT, conv3d_fields, conv3d_tokens},
    {0, fields, tokens} /* 9 or 10 of them */
};

#define RULE(rule, n_fields, list, family) \
    {{rule, #rule, #family, RULE_NO_TABLE, 0}, n_fields, {list(SPELLING) NULL}},
#define GTC(dir, name)                              \
    {{NULL, name, "CONV_IGEMM_GTC", RULE_GTC, dir}, \
     KPRED_CONV2D_FIELD_COUNT,                      \
     {KPRED_IGEMM_GTC_LIST(SPELLING) NULL}},
#define SOLVERS(name)                              \
    {{NULL, name, "CONV_SOLVER", RULE_SOLVERS, 0}, \
     KPRED_CONV3D_FIELD_COUNT,                     \
     {KPRED_CONV_SOLVER_PARAM_LIST(SPELLING) NULL}},

#define TABLE_LIST(GTC, SOLVERS)                      \
    GTC(KPRED_DIR_F, "kpred_rule_conv_igemm_gtc_fwd") \
    GTC(KPRED_DIR_B, "kpred_rule_conv_igemm_gtc_bwd") \
    GTC(KPRED_DIR_W, "kpred_rule_conv_igemm_gtc_wrw") \
    SOLVERS("kpred_rule_conv_solver")

static const struct known {
    struct spec_rule rule;
    size_t n_fields;
    const char *params[KPRED_MAX_PARAMS + 1];
} known[] = {KPRED_RULE_LIST(RULE) KPRED_ONE_WAY_LIST(RULE) TABLE_LIST(GTC, SOLVERS)};

enum { N_KNOWN = sizeof known / sizeof *known };

static int differs(const struct spec *spec, const char *what, const char *is, const char *should)
{
    return fail("%s: %s \"%s\" where rule %s expects \"%s\"", spec->path, what, is ? is : "(none)",
                spec->rule, should ? should : "(none)");
}

/* Are is[0..n-1] the names of the list, in order? With `some`, the last ones may be missing. */
static int same_names(const struct spec *spec, const char *what, const char *const *is, size_t n,
                      const char *const *list, int some)
{
    size_t i;
    for (i = 0; i < n && list[i] && !strcmp(is[i], list[i]); i++)
        ;
    return i == n && (some || !list[i]) ? 0 : differs(spec, what, i < n ? is[i] : NULL, list[i]);
}

/* A kernel with fields for everything may have run on some GPUs or types only: its spec may stop at
   the last of these, and name any GPUs where the rule does not ask which one it is. */
static int takes_tokens(const struct spec *spec, const struct known *rule, size_t i,
                        const char *const *list)
{
    const struct spec_field *f = spec->fields + i;
    const int conv2d = rule->n_fields == KPRED_CONV2D_FIELD_COUNT;
    const int asks_gpu = !strcmp(rule->rule.family, "CONV_BIN_WINOGRAD_RXS");
    return (conv2d && i == KPRED_CONV2D_GPU && !asks_gpu)
           || same_names(spec, "token", f->tokens, f->n_tokens, list, conv2d) == 0;
}

static const struct vocabulary *vocabulary_of(const struct known *rule)
{
    const struct vocabulary *v = vocabularies;
    while (v->n_fields && v->n_fields != rule->n_fields)
        v++;
    return v;
}

static int check_fields(const struct spec *spec, const struct known *rule)
{
    const char *const *names = vocabulary_of(rule)->fields;
    const char *const *const *of = vocabulary_of(rule)->tokens;
    if (spec->n_fields != rule->n_fields)
        return fail("%s: %zu fields where rule %s expects %zu", spec->path, spec->n_fields,
                    rule->rule.name, rule->n_fields);
    for (size_t i = 0; i < spec->n_fields; i++) {
        const struct spec_field *f = spec->fields + i;
        if (strcmp(f->name, names[i]))
            return differs(spec, "field", f->name, names[i]);
        if ((f->n_tokens > 0) != (*of != NULL))
            return fail("%s: field %s: rule %s expects %s", spec->path, f->name, rule->rule.name,
                        f->n_tokens ? "a size" : "tokens");
        if (*of && !takes_tokens(spec, rule, i, *of++))
            return -1;
    }
    return 0;
}

static int check_params(const struct spec *spec, const struct known *rule)
{
    const char *names[KPRED_MAX_TUPLE];
    for (size_t t = 0; t < spec->n_params; t++)
        names[t] = spec->params[t].name;
    return same_names(spec, "parameter", names, spec->n_params, rule->params, 0);
}

/* ---- rules with a table ---- */

int rules_words(const struct spec *spec, const struct spec_rule *rule, void *words)
{
    const struct spec_param *p = spec->params;
    const int is_gtc = rule->table == RULE_GTC;
    for (size_t v = 0; v < p->n_values; v++) {
        const char *name = p->names[v];
        if (!name)
            return fail("%s: parameter %s: rule %s expects names", spec->path, p->name, spec->rule);
        if (is_gtc ? !gtc_word(name, rule->dir, (uint16_t *)words + v)
                   : !solver_word(name, (uint64_t *)words + v))
            return fail("%s: parameter %s: rule %s knows no %s \"%s\"", spec->path, p->name,
                        spec->rule, is_gtc ? "kernel" : "solver", name);
    }
    return 0;
}

size_t rules_word_bytes(const char *name)
{
    size_t i;
    for (i = 0; i < N_KNOWN && strcmp(known[i].rule.name, name); i++)
        ;
    return i == N_KNOWN || known[i].rule.table == RULE_NO_TABLE ? 0
           : known[i].rule.table == RULE_GTC                    ? sizeof(uint16_t)
                                                                : sizeof(uint64_t);
}

int rules_find(const struct spec *spec, struct spec_rule *rule)
{
    *rule = (struct spec_rule){KPRED_UNCONSTRAINED, "", NULL, RULE_NO_TABLE, 0};
    if (spec_is_unconstrained(spec) || spec_is_listed(spec))
        return 0;
    for (size_t i = 0; i < N_KNOWN; i++)
        if (!strcmp(known[i].rule.name, spec->rule)) {
            *rule = known[i].rule;
            return check_fields(spec, &known[i]) || check_params(spec, &known[i]) ? -1 : 0;
        }
    return fail("%s: rule \"%s\" is not in kpred_constraints.h", spec->path, spec->rule);
}

/* ---- slots ---- */

#define SLOTS(X)    EIGHT(X, 0) EIGHT(X, 1) EIGHT(X, 2) EIGHT(X, 3)
#define EIGHT(X, i) X(i##0) X(i##1) X(i##2) X(i##3) X(i##4) X(i##5) X(i##6) X(i##7)

static struct slot {
    rule_ask ask; /* NULL: it is free */
    const void *model;
} slots[RULE_SLOTS];

/* The names of slots are octal numbers. */
#define SLOT_RULE(i)                                                            \
    static int rule##i(const int32_t *problem, const int32_t *values, size_t n) \
    {                                                                           \
        return slots[0##i].ask(slots[0##i].model, problem, values, n);          \
    }
SLOTS(SLOT_RULE)

#define SLOT_NAME(i) rule##i,
static const kpred_rule slot_rules[RULE_SLOTS] = {SLOTS(SLOT_NAME)};

kpred_rule rule_slots_take(rule_ask ask, const void *model)
{
    for (size_t i = 0; i < RULE_SLOTS; i++)
        if (!slots[i].ask) {
            slots[i] = (struct slot){ask, model};
            return slot_rules[i];
        }
    return NULL;
}

void rule_slots_release(const void *model)
{
    for (size_t i = 0; i < RULE_SLOTS; i++)
        if (slots[i].model == model)
            slots[i] = (struct slot){NULL, NULL};
}
