/* tree_features.c - what the trees of tools/peers/classics.py see of a problem of ConvAsm1x1U
   SPDX-License-Identifier: MIT */
#include "tree_features.h"

enum { N_FIELDS = 9 };
enum field { N = 3, C, H, W, K, STRIDE };

static float *add(float *x, double value)
{
    *x = (float)value;
    return x + 1;
}

static float *add_remainders(float *x, int64_t size, const int *divisors)
{
    for (size_t i = 0; i < 7; i++)
        x = add(x, (double)(size % divisors[i]));
    return x;
}

void tree_features(const int32_t *problem, float *x)
{
    static const int powers[] = {2, 3, 4, 8, 16, 32, 64}, sides[] = {2, 3, 4, 5, 7, 8, 16};
    const int32_t oh = (problem[H] - 1) / problem[STRIDE] + 1;
    const int32_t ow = (problem[W] - 1) / problem[STRIDE] + 1;
    const double n = problem[N], c = problem[C], k = problem[K], ohw = (double)oh * ow;
    const double products[] = {ohw * n, c * k, ohw * c, ohw * k, ohw * n * c * k};
    for (size_t f = 0; f < N_FIELDS; f++)
        x = add(x, problem[f]);
    x = add(add(add(x, oh), ow), ohw);
    for (size_t i = 0; i < sizeof products / sizeof *products; i++)
        x = add(x, products[i]);
    x = add_remainders(x, problem[N], powers);
    x = add_remainders(x, problem[C], powers);
    x = add_remainders(x, problem[K], powers);
    x = add_remainders(x, (int64_t)oh * ow, powers);
    x = add_remainders(x, oh, sides);
    add_remainders(x, ow, sides);
}
