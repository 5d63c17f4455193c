/* gemm.h - a matrix product in blocks, whose tuning parameters are those of gemm.spec
   SPDX-License-Identifier: MIT */
#pragma once

#include <stddef.h>

struct problem {
    size_t m, n, k;
};

/* In the order of the spec */
struct tuple {
    int mr, nr;         /* the tile of C that is held in registers */
    int unroll;         /* steps of its loop that are one */
    int pack_a, pack_b; /* are blocks of A, of B, copied so that they lie in one piece? */
    int order;          /* what stays while the rest goes by: 0 a block of B, 1 one of A */
    int kc, mc, nc;     /* a block of A is mc x kc, one of B kc x nc */
};

enum {
    GEMM_PARAMS = 9,
    GEMM_MAX_MR = 12,
    GEMM_MAX_NR = 64,
    GEMM_MAX_KC = 512,
    GEMM_MAX_MC = 384,
    GEMM_MAX_NC = 576,
    /* Floats of `work`, for a block of A, one of B, and a tile of C */
    GEMM_WORK = GEMM_MAX_KC * (GEMM_MAX_MC + GEMM_MAX_NC) + GEMM_MAX_MR * GEMM_MAX_NR,
};

/* C = A * B, all three row by row: A is m x k, B is k x n. `work` lies at a multiple of 64 bytes.
   0, or -1 for a tuple that the kernel does not have; then nothing is written. */
int gemm(struct problem p, const struct tuple *t, const float *a, const float *b, float *c,
         float *work);
