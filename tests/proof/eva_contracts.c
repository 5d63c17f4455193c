/* eva_contracts.c - exp2, log2 and kpri_share by their contracts in kpred.h, for Frama-C's Eva
   SPDX-License-Identifier: MIT */
#include "any.h"

/* ---- exp2 ---- */

/* A step of the table at a time, and 0 apart */
static void exp2_of(int32_t first)
{
    /*@ loop unroll 70; */
    for (int32_t x = first; x < first + 65536; x += 1024)
        holds(kpri_exp2_neg((uint32_t)any(x ? x : 1, x + 1023)) <= 1 << 24);
}

static void exp2_of_all(void)
{
    /*@ loop unroll 30; */
    for (int32_t whole = 0; whole < 25; whole++)
        exp2_of(whole * 65536);
    holds(kpri_exp2_neg((uint32_t)any(25 << 16, UINT32_MAX)) == 0);
    holds(kpri_exp2_neg(0) == 1 << 24);
}

/* ---- log2 ---- */

/* The same for the numbers whose highest bit is bit e; below 2^6 there are fewer of them than
   steps. */
static void log2_of(int32_t e)
{
    const int64_t size = INT64_C(1) << e, step = e < 6 ? 1 : size / 64;
    /*@ loop unroll 70; */
    for (int64_t x = size; x < 2 * size; x += step)
        holds(kpri_log2((uint32_t)any(x, x + step - 1)) >= e * 65536);
    holds(kpri_leading_zeros((uint32_t)any(size, 2 * size - 1)) == 31 - e);
}

static void log2_of_all(void)
{
    /*@ loop unroll 40; */
    for (int32_t e = 0; e < 32; e++)
        log2_of(e);
    holds(kpri_log2((uint32_t)1 << 31) == 31 * 65536);
    holds(kpri_log2(0) == 0);
    holds(kpri_leading_zeros((uint32_t)any(INT64_C(1) << 31, UINT32_MAX)) == 0);
}

/* ---- ramps ---- */

static void shares(void)
{
    /*@ loop unroll 40; */
    for (unsigned shift = 0; shift < 32; shift++)
        holds(kpri_share(any(INT64_MIN, INT64_MAX), shift) <= 127);
}

int main(void)
{
    RUN(exp2_of_all);
    RUN(log2_of_all);
    RUN(shares);
    return test_end();
}
