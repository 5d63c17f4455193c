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

/* From the derivatives of out to those of in, which are set or with `add` added to. */
void dense_back_in(const struct dense *d, const struct arrays *a, const float *d_out, size_t rows,
                   float *d_in, int add);
/* To those of the weights, which are added to. */
void dense_back_weights(const struct dense *d, const struct arrays *a, const float *in,
                        const float *d_out, size_t rows);
