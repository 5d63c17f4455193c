/* twin.h - the arithmetic of kpred.h stated a second time: 64 bits, division, tables from libm
   SPDX-License-Identifier: MIT */
#pragma once

#include <math.h>
#include <stddef.h>
#include <stdint.h>

static int64_t twin_exp2_table[65], twin_log2_table[65];

static inline void twin_make_tables(void)
{
    for (int i = 0; i <= 64; i++) {
        twin_exp2_table[i] = llroundl(ldexpl(exp2l(-(long double)i / 64), 24));
        twin_log2_table[i] = llroundl(ldexpl(log2l(1 + (long double)i / 64), 16));
    }
}

/* floor(a / b), b > 0 */
static inline int64_t twin_floor_div(int64_t a, int64_t b)
{
    return a / b - (a % b < 0);
}

static inline int64_t twin_clamp(int64_t x, int64_t least, int64_t most)
{
    return x < least ? least : x > most ? most : x;
}

static inline int64_t twin_exp2_neg(int64_t x)
{
    const int64_t whole = x / 65536, step = x % 65536 / 1024, rest = x % 1024;
    const int64_t a = twin_exp2_table[step], b = twin_exp2_table[step + 1];
    return whole > 24 ? 0 : (a - (a - b) * rest / 1024) / ((int64_t)1 << whole);
}

/* The 16 bits of the fraction below the 6 of the step are what a 32-bit mantissa leaves. */
static inline int64_t twin_log2(int64_t x)
{
    int64_t e = 0;
    while ((int64_t)2 << e <= x)
        e++;
    int64_t step = (x - ((int64_t)1 << e)) * 64 / ((int64_t)1 << e);
    int64_t rest = ((x - ((int64_t)1 << e)) * 64 * 65536 / ((int64_t)1 << e)) % 65536;
    return e * 65536 + twin_log2_table[step]
           + (twin_log2_table[step + 1] - twin_log2_table[step]) * rest / 65536;
}

static inline void twin_log_softmax(int64_t *x, size_t n)
{
    int64_t most = x[0], sum = 0;
    for (size_t v = 0; v < n; v++)
        most = x[v] > most ? x[v] : most;
    for (size_t v = 0; v < n; v++)
        sum += twin_exp2_neg(most - x[v]);
    for (size_t v = 0; v < n; v++)
        x[v] = twin_clamp(x[v] - most - (twin_log2(sum) - 24 * 65536), -67108864, 0);
}

static inline int64_t twin_requantise(int64_t acc, int64_t s)
{
    return twin_clamp(twin_floor_div(acc + ((int64_t)1 << (s - 1)), (int64_t)1 << s), 0, 127);
}
