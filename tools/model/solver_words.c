/* solver_words.c - see solver_words.h
   SPDX-License-Identifier: MIT */
#include "solver_words.h"

#include "kpred_constraints.h"

#include <string.h>

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
