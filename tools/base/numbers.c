/* numbers.c - see numbers.h
   SPDX-License-Identifier: MIT */
#include "numbers.h"

#include <stdlib.h>

/* log2(m) = 2/ln 2 * atanh((m-1)/(m+1)) for m in sqrt(1/2)..sqrt(2) */
double num_log2(double x)
{
    int n = 0;
    while (x > 1.4142135623730951) {
        x *= 0.5;
        n++;
    }
    while (x < 0.70710678118654752) {
        x *= 2;
        n--;
    }
    double z = (x - 1) / (x + 1), zz = z * z, sum = 0;
    for (int i = 17; i > 0; i -= 2)
        sum = sum * zz + 1.0 / i;
    return n + 2.8853900817779268 * z * sum;
}

int num_rising(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

int num_rising_int(const void *a, const void *b)
{
    const int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;
    return (x > y) - (x < y);
}

int num_falling_int(const void *a, const void *b)
{
    return num_rising_int(b, a);
}

size_t num_unique(int32_t *v, size_t n)
{
    size_t kept = 0;
    qsort(v, n, sizeof *v, num_rising_int);
    for (size_t i = 0; i < n; i++)
        if (kept == 0 || v[i] != v[kept - 1])
            v[kept++] = v[i];
    return kept;
}

double num_median(const double *rising, size_t n)
{
    return n % 2 != 0 ? rising[n / 2] : (rising[n / 2 - 1] + rising[n / 2]) / 2;
}

void num_shuffle_on(size_t *order, size_t n, uint64_t *state)
{
    for (size_t i = n; i > 1; i--) {
        size_t j = (size_t)(num_draw(state) % i), swap = order[j];
        order[j] = order[i - 1];
        order[i - 1] = swap;
    }
}

void num_shuffle(size_t *order, size_t n, uint64_t seed)
{
    num_shuffle_on(order, n, &seed);
}
