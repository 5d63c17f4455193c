/* numbers.h - the trainers' arithmetic: random numbers, exp2 and log2, the same bits everywhere
   SPDX-License-Identifier: MIT

   Build with -ffp-contract=off. Functions are inline here where a loop around them should become
   vectors. */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* splitmix64 */
static inline uint64_t num_draw(uint64_t *state)
{
    uint64_t z = (*state += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

/* A seed of its own for each (a, b) */
static inline uint64_t num_mix(uint64_t seed, uint64_t a, uint64_t b)
{
    uint64_t state = seed ^ (a * 0xd6e8feb86659fd93u) ^ (b * 0xa0761d6478bd642fu);
    num_draw(&state);
    return num_draw(&state);
}

/* -1 .. 1 */
static inline float num_signed(uint64_t *state)
{
    return (float)((int32_t)(num_draw(state) >> 40) - (1 << 23)) / (float)(1 << 23);
}

/* 0 .. 1, less than 1 */
static inline float num_unit(uint64_t *state)
{
    return (float)(num_draw(state) >> 40) / (float)(1 << 24);
}

/* Nearly normal, of mean 0 and variance 1 */
static inline double num_normal(uint64_t *state)
{
    double sum = -6;
    for (int i = 0; i < 12; i++)
        sum += (double)num_unit(state);
    return sum;
}

/* 2^x, |x| < 126, what is below -120 as -120. 2^f on -1/2..1/2 is a polynomial (relative error
   2e-7), 2^n goes into the exponent's bits. */
static inline float num_exp2(float x)
{
    x = x < -120.0f ? -120.0f : x;
    float n = (x + 12582912.0f) - 12582912.0f; /* 1.5 * 2^23: rounds to an integer */
    float f = x - n;
    float p = 1.5403530e-4f;
    p = p * f + 1.3333558e-3f;
    p = p * f + 9.6181291e-3f;
    p = p * f + 5.5504109e-2f;
    p = p * f + 2.4022651e-1f;
    p = p * f + 6.9314718e-1f;
    p = p * f + 1.0f;
    uint32_t bits = (uint32_t)((int32_t)n + 127) << 23;
    float scale;
    memcpy(&scale, &bits, sizeof scale);
    return p * scale;
}

/* A float scorer's logit, in log2 units, as the search takes it: Q16, within its range */
static inline int32_t num_logit(float x)
{
    const float most = 8191;
    x = x < -most ? -most : x > most ? most : x;
    return (int32_t)(x * 65536);
}

/* log2(x), x > 0 */
double num_log2(double x);

/* Compare two doubles, or two int32_t, for qsort */
int num_rising(const void *a, const void *b);
int num_rising_int(const void *a, const void *b);
int num_falling_int(const void *a, const void *b);

/* Sorts n integers and keeps one of each; how many */
size_t num_unique(int32_t *v, size_t n);

/* The middle one of n numbers that rise, n > 0, or the mean of the two in the middle */
double num_median(const double *rising, size_t n);

void num_shuffle(size_t *order, size_t n, uint64_t seed);
/* The same, with draws that go on from a state, which moves */
void num_shuffle_on(size_t *order, size_t n, uint64_t *state);
