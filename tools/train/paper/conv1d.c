/* conv1d.c - see conv1d.h
   SPDX-License-Identifier: MIT */
#include "conv1d.h"

#include "onehot.h"

#include <math.h>
#include <string.h>

void conv1d_new(struct conv1d *l, struct blocks *b, enum block_kind kind, size_t length,
                size_t n_in, size_t n_out, size_t taps, size_t stride)
{
    l->length = length;
    l->n_in = n_in;
    l->n_out = n_out;
    l->taps = taps < length ? taps : length;
    l->stride = stride;
    l->out_length = (length - l->taps) / stride + 1;
    for (size_t j = 0; j < l->taps; j++)
        l->w[j] = blocks_add(b, kind, n_in, n_out, sqrtf(6.0f / (float)(l->taps * (n_in + n_out))));
    l->b = blocks_add(b, BLOCK_BIAS, 1, n_out, 0);
}

static void relu(size_t n, float *out)
{
    for (size_t i = 0; i < n; i++)
        out[i] = out[i] > 0.0f ? out[i] : 0.0f;
}

static void relu_back(const float *out, size_t n, float *d_out)
{
    for (size_t i = 0; i < n; i++)
        d_out[i] = out[i] > 0.0f ? d_out[i] : 0.0f;
}

void conv1d_forward(const struct conv1d *l, const struct arrays *a, const float *in, size_t rows,
                    float *out)
{
    fill_rows(a->w + l->b, l->out_length * rows, l->n_out, out);
    for (size_t o = 0; o < l->out_length; o++)
        for (size_t j = 0; j < l->taps; j++) {
            const float *at = in + (o * l->stride + j) * rows * l->n_in;
            matrix_forward(a, l->w[j], rows, l->n_in, l->n_out, at, out + o * rows * l->n_out, 1);
        }
    relu(l->out_length * rows * l->n_out, out);
}

void conv1d_backward(const struct conv1d *l, const struct arrays *a, const float *in,
                     const float *out, size_t rows, float *d_out, float *d_in)
{
    memset(d_in, 0, l->length * rows * l->n_in * sizeof *d_in);
    relu_back(out, l->out_length * rows * l->n_out, d_out);
    add_columns(d_out, l->out_length * rows, l->n_out, a->g + l->b);
    for (size_t o = 0; o < l->out_length; o++)
        for (size_t j = 0; j < l->taps; j++) {
            const size_t at = (o * l->stride + j) * rows * l->n_in;
            const float *d = d_out + o * rows * l->n_out;
            matrix_gradient(a, l->w[j], rows, l->n_in, l->n_out, in + at, d);
            matrix_back(a, l->w[j], rows, l->n_in, l->n_out, d, d_in + at, 1);
        }
}

static struct onehot tap(const struct conv1d *l, size_t j)
{
    struct onehot o = {l->n_in, l->n_out, l->w[j], NO_BIAS};
    return o;
}

void conv1d_forward_tokens(const struct conv1d *l, const struct arrays *a, const uint16_t *in,
                           size_t rows, float *out)
{
    fill_rows(a->w + l->b, l->out_length * rows, l->n_out, out);
    for (size_t o = 0; o < l->out_length; o++)
        for (size_t j = 0; j < l->taps; j++) {
            const struct onehot t = tap(l, j);
            onehot_add(&t, a, in + (o * l->stride + j) * rows, NULL, rows,
                       out + o * rows * l->n_out);
        }
    relu(l->out_length * rows * l->n_out, out);
}

void conv1d_backward_tokens(const struct conv1d *l, const struct arrays *a, const uint16_t *in,
                            const float *out, size_t rows, float *d_out)
{
    relu_back(out, l->out_length * rows * l->n_out, d_out);
    add_columns(d_out, l->out_length * rows, l->n_out, a->g + l->b);
    for (size_t o = 0; o < l->out_length; o++)
        for (size_t j = 0; j < l->taps; j++) {
            const struct onehot t = tap(l, j);
            onehot_backward(&t, a, in + (o * l->stride + j) * rows, NULL,
                            d_out + o * rows * l->n_out, rows);
        }
}
