/* shipped.h - every model of weights/, for tests that look at all of them
   SPDX-License-Identifier: MIT

   SHIPPED(X) lists them as X(name, NAME), as their macros spell it. tests/model/test_models.c fails
   where the list is not that of weights/. */
#pragma once

#include "weights/conv_asm_1x1u.h"
#include "weights/conv_asm_bwd_wrw_1x1.h"
#include "weights/conv_asm_bwd_wrw_3x3.h"
#include "weights/conv_bin_winograd_rxs_f2x3.h"
#include "weights/conv_bin_winograd_rxs_f3x2.h"
#include "weights/conv_hip_igemm_v4r1_wrw.h"
#include "weights/conv_igemm_gtc_bwd_nhwc.h"
#include "weights/conv_igemm_gtc_fwd_nhwc.h"
#include "weights/conv_igemm_gtc_wrw_nhwc.h"
#include "weights/conv_ocl_direct_fwd_1x1.h"
#include "weights/conv_solver.h"
#include "weights/gemm_a4w4_blockscale.h"
#include "weights/gemm_a8w8_blockscale.h"
#include "weights/gemm_a8w8_blockscale_bpreshuffle.h"
#include "weights/gemm_mi100_nn.h"
#include "weights/gemm_mi100_nt.h"
#include "weights/gemm_mi100_tn.h"

#define SHIPPED(X)                                                        \
    X(conv_asm_1x1u, CONV_ASM_1X1U)                                       \
    X(conv_asm_bwd_wrw_1x1, CONV_ASM_BWD_WRW_1X1)                         \
    X(conv_asm_bwd_wrw_3x3, CONV_ASM_BWD_WRW_3X3)                         \
    X(conv_bin_winograd_rxs_f2x3, CONV_BIN_WINOGRAD_RXS_F2X3)             \
    X(conv_bin_winograd_rxs_f3x2, CONV_BIN_WINOGRAD_RXS_F3X2)             \
    X(conv_hip_igemm_v4r1_wrw, CONV_HIP_IGEMM_V4R1_WRW)                   \
    X(conv_igemm_gtc_bwd_nhwc, CONV_IGEMM_GTC_BWD_NHWC)                   \
    X(conv_igemm_gtc_fwd_nhwc, CONV_IGEMM_GTC_FWD_NHWC)                   \
    X(conv_igemm_gtc_wrw_nhwc, CONV_IGEMM_GTC_WRW_NHWC)                   \
    X(conv_ocl_direct_fwd_1x1, CONV_OCL_DIRECT_FWD_1X1)                   \
    X(conv_solver, CONV_SOLVER)                                           \
    X(gemm_a4w4_blockscale, GEMM_A4W4_BLOCKSCALE)                         \
    X(gemm_a8w8_blockscale, GEMM_A8W8_BLOCKSCALE)                         \
    X(gemm_a8w8_blockscale_bpreshuffle, GEMM_A8W8_BLOCKSCALE_BPRESHUFFLE) \
    X(gemm_mi100_nn, GEMM_MI100_NN)                                       \
    X(gemm_mi100_nt, GEMM_MI100_NT)                                       \
    X(gemm_mi100_tn, GEMM_MI100_TN)
