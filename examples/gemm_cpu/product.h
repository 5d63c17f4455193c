/* product.h - a matrix product to be timed: its matrices, and what has to come out
   SPDX-License-Identifier: MIT */
#pragma once

#include "gemm.h"

struct product {
    struct problem p;
    float *a, *b, *c, *right, *work;
};

/* Makes the matrices and, by three plain loops, the right result. 0, or -1 without memory or for a
   size of 0; then there is nothing to close. */
int product_open(struct product *out, struct problem p);
void product_close(struct product *product);

/* Runs the tuple once: 1 if every element is right, else 0. */
int product_is_right(const struct product *product, const struct tuple *t);
