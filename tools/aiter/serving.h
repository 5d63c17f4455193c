/* serving.h - at which M AITER looks a shape up, and the few M whose rows serve all others
   SPDX-License-Identifier: MIT

   AITER looks for a row at M itself, then at M rounded up to a multiple of 16 (up to 256), 32 (up
   to 1024), 64 (up to 4096) or 128, then at the next power of two; beyond 8192, if N > 4096, at
   8192 (aiter/ops/gemm_op_a8w8.py). N and K are those asked for. */
#pragma once

#include <stddef.h>
#include <stdint.h>

int32_t serving_fine(int32_t m);
int32_t serving_coarse(int32_t m, int32_t n);

enum { SERVING_MOST = 128, SERVING_LAST = 32768 };

/* The M, ascending: 1, 2, 4 and 8, every fine step up to 4096, and 8192, 16384 and 32768. Their
   number. */
size_t serving_grid(int32_t m[SERVING_MOST]);
