/* onehot.c - see onehot.h
   SPDX-License-Identifier: MIT */
#include "onehot.h"

#include <math.h>

void onehot_new(struct onehot *o, struct blocks *b, size_t n_tokens, size_t n_out)
{
    o->n_tokens = n_tokens;
    o->n_out = n_out;
    o->w = blocks_add(b, BLOCK_TABLE, n_tokens, n_out, sqrtf(6.0f / (float)(n_tokens + n_out)));
    o->b = NO_BIAS;
}

void onehot_new_biased(struct onehot *o, struct blocks *b, size_t n_tokens, size_t n_out,
                       enum block_kind bias)
{
    onehot_new(o, b, n_tokens, n_out);
    o->b = blocks_add(b, bias, 1, n_out, 0);
}

void onehot_begin(const struct onehot *o, const struct arrays *a, size_t rows, float *out)
{
    fill_rows(a->w + o->b, rows, o->n_out, out);
}

static void add_scaled(const float *restrict in, float scale, size_t n, float *restrict sum)
{
    for (size_t i = 0; i < n; i++)
        sum[i] += in[i] * scale;
}

void onehot_add(const struct onehot *o, const struct arrays *a, const uint16_t *token,
                const float *keep, size_t rows, float *out)
{
    for (size_t i = 0; i < rows; i++)
        add_scaled(a->w + o->w + token[i] * o->n_out, keep ? keep[i] : 1.0f, o->n_out,
                   out + i * o->n_out);
}

void onehot_backward(const struct onehot *o, const struct arrays *a, const uint16_t *token,
                     const float *keep, const float *d_out, size_t rows)
{
    for (size_t i = 0; i < rows; i++)
        add_scaled(d_out + i * o->n_out, keep ? keep[i] : 1.0f, o->n_out,
                   a->g + o->w + token[i] * o->n_out);
    if (o->b != NO_BIAS)
        add_columns(d_out, rows, o->n_out, a->g + o->b);
}
