/* product.h - two matrices of a problem, and some rows of their product by a triple loop
   SPDX-License-Identifier: MIT

   All elements are integers of -15 to 15, so every sum of up to 32768 products is exact in any
   order, and what a device computes has to be equal. (Numbers with so few bits heat a device less
   than others, so its clock may be a little higher than in real use.) */
#pragma once

#include <stdint.h>
#include <stdlib.h>

enum { MOST_ROWS = 64, LEAST_ROWS = 4, PRODUCTS = 1 << 27 };

struct problem {
    int m, n, k;
};

struct product {
    struct problem of;
    float *a, *b;          /* m x k, k x n */
    int n, row[MOST_ROWS]; /* the rows that are known: all of a small matrix */
    float *right;          /* n x of.n: these rows */
};

static inline uint32_t next_random(uint32_t *state)
{
    *state = *state * 1664525u + 1013904223u;
    return *state >> 8;
}

static inline float *random_matrix(int rows, int columns, uint32_t seed)
{
    const size_t n = (size_t)rows * (size_t)columns;
    float *x = (float *)malloc(n * sizeof *x);
    for (size_t i = 0; x != NULL && i < n; i++)
        x[i] = (float)((int)(next_random(&seed) % 31) - 15);
    return x;
}

/* The first, the last, and some between: as many as the loop below has time for */
static inline void choose_rows(struct product *p)
{
    const long long wanted = PRODUCTS / ((long long)p->of.n * p->of.k);
    const long long n = wanted < LEAST_ROWS ? LEAST_ROWS : wanted > MOST_ROWS ? MOST_ROWS : wanted;
    uint32_t state = 1;
    p->n = p->of.m < (int)n ? p->of.m : (int)n;
    for (int i = 0; i < p->n; i++)
        p->row[i] = p->n == p->of.m ? i
                    : i == 0        ? 0
                    : i == p->n - 1 ? p->of.m - 1
                                    : (int)(next_random(&state) % (uint32_t)p->of.m);
}

static inline void multiply_row(const struct product *p, int row, float *c)
{
    const size_t n = (size_t)p->of.n, k = (size_t)p->of.k;
    for (size_t j = 0; j < n; j++)
        c[j] = 0;
    for (size_t d = 0; d < k; d++)
        for (size_t j = 0; j < n; j++)
            c[j] += p->a[(size_t)row * k + d] * p->b[d * n + j];
}

static inline void close_product(struct product *p)
{
    const struct product none = {{0, 0, 0}, NULL, NULL, 0, {0}, NULL};
    free(p->a);
    free(p->b);
    free(p->right);
    *p = none;
}

/* 0, or -1 without memory; then it is closed. */
static inline int open_product(struct product *p, struct problem of)
{
    p->of = of;
    p->a = random_matrix(of.m, of.k, 1);
    p->b = random_matrix(of.k, of.n, 2);
    choose_rows(p);
    p->right = (float *)malloc((size_t)p->n * (size_t)of.n * sizeof *p->right);
    if (p->a == NULL || p->b == NULL || p->right == NULL) {
        close_product(p);
        return -1;
    }
    for (int i = 0; i < p->n; i++)
        multiply_row(p, p->row[i], p->right + (size_t)i * (size_t)of.n);
    return 0;
}
