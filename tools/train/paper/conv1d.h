/* conv1d.h - convolution along a sequence, then relu: out[o] = relu(b + sum over j in[o s + j] W_j)
   SPDX-License-Identifier: MIT

   There is no padding: a sequence of length t becomes one of length (t - k) / s + 1. The first
   layer reads one-hot tokens, for which W_j is a table with a row for each token. */
#pragma once

#include "blocks.h"

enum { CONV1D_MOST_TAPS = 8 };

struct conv1d {
    size_t length, out_length; /* of the sequences */
    size_t n_in, n_out;        /* multiples of 16; for tokens n_in is their number */
    size_t taps, stride;       /* k, s */
    size_t w[CONV1D_MOST_TAPS], b;
};

/* taps beyond the length are left out */
void conv1d_new(struct conv1d *l, struct blocks *b, enum block_kind kind, size_t length,
                size_t n_in, size_t n_out, size_t taps, size_t stride);

/* in: [length][rows][n_in], or tokens [length][rows]; out: [out_length][rows][n_out] */
void conv1d_forward(const struct conv1d *l, const struct arrays *a, const float *in, size_t rows,
                    float *out);
void conv1d_forward_tokens(const struct conv1d *l, const struct arrays *a, const uint16_t *in,
                           size_t rows, float *out);

/* d_out becomes the derivatives before the relu; d_in is set. */
void conv1d_backward(const struct conv1d *l, const struct arrays *a, const float *in,
                     const float *out, size_t rows, float *d_out, float *d_in);
void conv1d_backward_tokens(const struct conv1d *l, const struct arrays *a, const uint16_t *in,
                            const float *out, size_t rows, float *d_out);
