/* dense.c - see dense.h
   SPDX-License-Identifier: MIT */
#include "dense.h"

#include "matrix.h"

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
    const struct matrix x = {in, d->n_in, 1};
    fill_rows(a->w + d->b, rows, d->n_out, out);
    matrix_mul(rows, d->n_out, d->n_in, x, a->w + d->w, d->n_out, out, d->n_out, 1);
}

void dense_back_in(const struct dense *d, const struct arrays *a, const float *d_out, size_t rows,
                   float *d_in, int add)
{
    const struct matrix y = {d_out, d->n_out, 1};
    matrix_mul(rows, d->n_in, d->n_out, y, a->t + d->w, d->n_in, d_in, d->n_in, add);
}

void dense_back_weights(const struct dense *d, const struct arrays *a, const float *in,
                        const float *d_out, size_t rows)
{
    const struct matrix x = {in, 1, d->n_in};
    matrix_mul(d->n_in, d->n_out, rows, x, d_out, d->n_out, a->g + d->w, d->n_out, 1);
    add_columns(d_out, rows, d->n_out, a->g + d->b);
}
