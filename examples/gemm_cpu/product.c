/* product.c - see product.h
   SPDX-License-Identifier: MIT */
#define _POSIX_C_SOURCE 200809L
#include "product.h"

#include <stdlib.h>
#include <string.h>

enum { LINE = 64, MOST = 1 << 14 };

static float *floats(size_t n)
{
    void *to = NULL;
    return posix_memalign(&to, LINE, n * sizeof(float)) == 0 ? to : NULL;
}

/* Small integers: their sums are exact, whatever the order in which they are added. */
static void fill(float *to, size_t n, unsigned seed)
{
    for (size_t i = 0; i < n; i++) {
        seed = seed * 1664525u + 1013904223u;
        to[i] = (float)(seed >> 29) - 4;
    }
}

static void three_loops(struct problem p, const float *a, const float *b, float *c)
{
    memset(c, 0, p.m * p.n * sizeof *c);
    for (size_t i = 0; i < p.m; i++)
        for (size_t q = 0; q < p.k; q++)
            for (size_t j = 0; j < p.n; j++)
                c[i * p.n + j] += a[i * p.k + q] * b[q * p.n + j];
}

static int is_size(size_t n)
{
    return n > 0 && n <= MOST;
}

int product_open(struct product *out, struct problem p)
{
    if (!is_size(p.m) || !is_size(p.n) || !is_size(p.k))
        return -1;
    *out = (struct product){p,
                            floats(p.m * p.k),
                            floats(p.k * p.n),
                            floats(p.m * p.n),
                            floats(p.m * p.n),
                            floats(GEMM_WORK)};
    if (!out->a || !out->b || !out->c || !out->right || !out->work) {
        product_close(out);
        return -1;
    }
    fill(out->a, p.m * p.k, 1);
    fill(out->b, p.k * p.n, 2);
    three_loops(p, out->a, out->b, out->right);
    return 0;
}

void product_close(struct product *product)
{
    free(product->a);
    free(product->b);
    free(product->c);
    free(product->right);
    free(product->work);
}

int product_is_right(const struct product *product, const struct tuple *t)
{
    const size_t n = product->p.m * product->p.n;
    for (size_t i = 0; i < n; i++)
        product->c[i] = -1e9f;
    if (gemm(product->p, t, product->a, product->b, product->c, product->work) != 0)
        return 0;
    for (size_t i = 0; i < n; i++)
        if (product->c[i] != product->right[i])
            return 0;
    return 1;
}
