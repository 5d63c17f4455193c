/* serving.c - the M at which AITER looks for a row
   SPDX-License-Identifier: MIT */
#include "aiter.h"

/* AITER looks for a row at M itself, then at M rounded up to a multiple of 16 (up to 256), 32 (up
   to 1024), 64 (up to 4096) or 128, then at the next power of two; beyond 8192, if N > 4096, at
   8192 (aiter/ops/gemm_op_a8w8.py). N and K are those asked for. */

enum { COARSE_FROM = 8192, WIDE_N = 4096, FINE_LAST = 4096 };

static int32_t step_of(int32_t m)
{
    return m <= 256 ? 16 : m <= 1024 ? 32 : m <= FINE_LAST ? 64 : 128;
}

int32_t serving_fine(int32_t m)
{
    const int32_t step = step_of(m);
    return (m + step - 1) / step * step;
}

int32_t serving_coarse(int32_t m, int32_t n)
{
    int32_t power = 1;
    if (m > COARSE_FROM && n > WIDE_N)
        return COARSE_FROM;
    while (power < m)
        power *= 2;
    return power;
}

size_t serving_grid(int32_t m[SERVING_MOST])
{
    size_t n = 0;
    for (int32_t small = 1; small < step_of(1); small *= 2)
        m[n++] = small;
    for (int32_t fine = step_of(1); fine <= FINE_LAST; fine += step_of(fine + 1))
        m[n++] = fine;
    for (int32_t coarse = COARSE_FROM; coarse <= SERVING_LAST; coarse *= 2)
        m[n++] = coarse;
    return n;
}

/* The next power of two below 32768; above, the largest tier that is not above (aiter/fused_moe.py)
 */
int32_t serving_tier(int32_t tokens)
{
    int32_t power = 1;
    if (tokens >= SERVING_LAST_TIER)
        return SERVING_LAST_TIER;
    while (power < tokens && power < SERVING_LAST)
        power *= 2;
    return power;
}

size_t serving_tiers(int32_t m[SERVING_MOST])
{
    size_t n = 0;
    for (int32_t tier = 1; tier <= SERVING_LAST; tier *= 2)
        m[n++] = tier;
    return n;
}
