/* dense.c - see dense.h
   SPDX-License-Identifier: MIT */
#include "dense.h"

#include <math.h>

/* The start values are Glorot's: uniform, by the number of inputs and outputs. */
void dense_new(struct dense *d, struct blocks *b, size_t n_in, size_t used, enum block_kind bias)
{
    d->n_in = n_in;
    d->n_out = pad16(used);
    d->w = blocks_add(b, BLOCK_MATRIX, n_in, used, sqrtf(6.0f / (float)(n_in + used)));
    d->b = blocks_add(b, bias, 1, used, 0);
}

void dense_forward(const struct dense *d, const struct arrays *a, const float *in, size_t rows,
                   float *out)
{
    fill_rows(a->w + d->b, rows, d->n_out, out);
    matrix_forward(a, d->w, rows, d->n_in, d->n_out, in, out, 1);
}

void dense_back_in(const struct dense *d, const struct arrays *a, const float *d_out, size_t rows,
                   float *d_in, int add)
{
    matrix_back(a, d->w, rows, d->n_in, d->n_out, d_out, d_in, add);
}

void dense_back_weights(const struct dense *d, const struct arrays *a, const float *in,
                        const float *d_out, size_t rows)
{
    matrix_gradient(a, d->w, rows, d->n_in, d->n_out, in, d_out);
    add_columns(d_out, rows, d->n_out, a->g + d->b);
}
