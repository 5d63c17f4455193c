/* test_domains.c - exp2 and log2 of kpred.h over their whole domains, against exact bounds
   SPDX-License-Identifier: MIT

   Each power 2^(j/65536) is enclosed between two integers in Q62: square roots of 2, and products
   of them, rounded down for one and up for the other. So no rounding of a library takes part.
   STRIDE=N looks at each N-th argument beyond 2^24; STRIDE=1, which looks at all, takes some five
   seconds. */
#define KPRED_STATIC
#include "kpred.h"

#include "harness/test.h"

#include <stdlib.h>

__extension__ typedef unsigned __int128 wide;

enum { DENSE = 1 << 24, FRACTIONS = 1 << 16 };

static struct {
    uint64_t least, most; /* Q62 */
} power[FRACTIONS];       /* 2^(j / 65536) */
static uint32_t stride = 61;

/* floor(sqrt(x)) */
static uint64_t root(wide x)
{
    uint64_t r = 0;
    for (int bit = 63; bit >= 0; bit--) {
        const uint64_t more = r | (uint64_t)1 << bit;
        if ((wide)more * more <= x)
            r = more;
    }
    return r;
}

static void enclose_powers(void)
{
    uint64_t least = (uint64_t)1 << 63, most = least; /* 2 */
    power[0].least = power[0].most = (uint64_t)1 << 62;
    for (uint32_t half = FRACTIONS / 2; half > 0; half /= 2) {
        least = root((wide)least << 62);
        most = root((wide)most << 62) + 1;
        for (uint32_t j = 0; j < FRACTIONS; j += 2 * half) {
            power[j + half].least = (uint64_t)((wide)power[j].least * least >> 62);
            power[j + half].most = (uint64_t)((wide)power[j].most * most >> 62) + 1;
        }
    }
}

/* Both ends are near, and 2^(j/65536) 2^(1-j/65536) = 2 lies between their products. */
static void the_powers_are_enclosed(void)
{
    for (uint32_t j = 1; j < FRACTIONS; j++) {
        const uint32_t k = FRACTIONS - j;
        CHECK(power[j].most > power[j].least && power[j].most - power[j].least < 128);
        CHECK((wide)power[j].least * power[k].least <= (wide)1 << 125);
        CHECK((wide)power[j].most * power[k].most >= (wide)1 << 125);
        CHECK(power[j].least > power[j - 1].most);
    }
}

/* ---- exp2 ---- */

/* y = kpri_exp2_neg(x), and e = 2^(24 - x/65536): e - 1 < y < e (1 + 2^-16) + 1. Both sides are
   multiplied by 2^scale, so that e stands as Q62 and lies in 1..2. */
static void check_exp2(int32_t x, int32_t y)
{
    const int32_t scale = (x >> 16) + 39, j = FRACTIONS - (x & 65535);
    const wide least = (wide)power[j & 65535].least << (j >> 16);
    const wide most = (wide)power[j & 65535].most << (j >> 16);
    CHECK((wide)(y + 1) << scale > most);
    CHECK(y == 0 || (wide)(y - 1) << scale < least + (least >> 16));
}

static void exp2_is_near_where_it_is_not_0(void)
{
    for (int32_t x = 0; x < 25 << 16; x++)
        check_exp2(x, kpri_exp2_neg((uint32_t)x));
}

static void exp2_falls_from_1(void)
{
    int32_t last = 1 << 24;
    CHECK_EQ(kpri_exp2_neg(0), last);
    for (int32_t x = 1; x <= 25 << 16; x++) {
        const int32_t y = kpri_exp2_neg((uint32_t)x);
        CHECK(y <= last);
        last = y;
    }
}

/* The exact value is below 1/2 there. */
static void exp2_is_0_beyond(void)
{
    int32_t any = 0;
    for (int64_t x = 25 << 16; x <= UINT32_MAX; x += stride)
        any |= kpri_exp2_neg((uint32_t)x);
    CHECK_EQ(any | kpri_exp2_neg(UINT32_MAX), 0);
}

/* ---- log2 ---- */

/* 2^(j/65536) below x^2, and above it */
static int power_is_below(int64_t j, uint32_t x)
{
    return j < 0 || (wide)power[j % FRACTIONS].most << (j / FRACTIONS) < (wide)x * x << 62;
}

static int power_is_above(int64_t j, uint32_t x)
{
    return (wide)power[j % FRACTIONS].least << (j / FRACTIONS) > (wide)x * x << 62;
}

/* y = kpri_log2(x), which is the same for first..last, and l = 65536 log2(x): l - 4.5 < y < l +
   0.5. The end that is nearer to the bound stands for the others. */
static void check_log2(uint32_t first, uint32_t last, int32_t y)
{
    CHECK(power_is_below(2 * (int64_t)y - 1, first));
    CHECK(power_is_above(2 * (int64_t)y + 9, last));
}

static uint32_t step_from(uint32_t x)
{
    const uint32_t end = (uint32_t)1 << 31;
    const uint32_t step = x < DENSE ? 1 : stride;
    return x < end && end - x < step ? end - x : step;
}

/* One pass: where y rises, the arguments of the last y were all that there are of it. */
static void log2_is_near_and_rises(void)
{
    const uint32_t end = (uint32_t)1 << 31;
    uint32_t first = 1, last = 1;
    int32_t y = 0;
    for (uint32_t x = 1; x <= end; last = x, x += step_from(x)) {
        const int32_t next = kpri_log2(x);
        if (next == y)
            continue;
        CHECK(next > y);
        check_log2(first, last, y);
        first = x;
        y = next;
    }
    check_log2(first, end, y);
    CHECK_EQ(y, 31 * 65536);
}

static void log2_of_powers_is_exact(void)
{
    for (int32_t e = 0; e < 32; e++)
        CHECK_EQ(kpri_log2((uint32_t)1 << e), e * 65536);
}

int main(void)
{
    const char *text = getenv("STRIDE");
    if (text && atol(text) > 0)
        stride = (uint32_t)atol(text);
    printf("each argument up to %d, then each %lu-th\n", DENSE, (unsigned long)stride);
    enclose_powers();
    RUN_ALL(the_powers_are_enclosed, exp2_is_near_where_it_is_not_0, exp2_falls_from_1,
            exp2_is_0_beyond, log2_is_near_and_rises, log2_of_powers_is_exact);
    return test_end();
}
