/* dense.h - out = in W + b
   SPDX-License-Identifier: MIT */
#pragma once

#include "blocks.h"

struct dense {
    size_t n_in, n_out; /* multiples of 16 */
    size_t w, b;        /* offsets */
};

/* used: outputs before the padding; bias: the kind of its block */
void dense_new(struct dense *d, struct blocks *b, size_t n_in, size_t used, enum block_kind bias);

void dense_forward(const struct dense *d, const struct arrays *a, const float *in, size_t rows,
                   float *out);

/* Computes the derivatives of `in` from those of `out`; sets them, or with `add` adds to them. */
void dense_back_in(const struct dense *d, const struct arrays *a, const float *d_out, size_t rows,
                   float *d_in, int add);
/* Adds to the derivatives of the weights. */
void dense_back_weights(const struct dense *d, const struct arrays *a, const float *in,
                        const float *d_out, size_t rows);
