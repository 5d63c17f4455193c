/* onehot.h - a dense layer whose input is a one-hot token: out = the token's row, plus b
   SPDX-License-Identifier: MIT */
#pragma once

#include "blocks.h"

struct onehot {
    size_t n_tokens, n_out; /* n_out: a multiple of 16 */
    size_t w, b;            /* offsets; b: NO_BIAS if something else brings it */
};

#define NO_BIAS SIZE_MAX

void onehot_new(struct onehot *o, struct blocks *b, size_t n_tokens, size_t n_out);
void onehot_new_biased(struct onehot *o, struct blocks *b, size_t n_tokens, size_t n_out,
                       enum block_kind bias);

/* out = bias */
void onehot_begin(const struct onehot *o, const struct arrays *a, size_t rows, float *out);
/* out += the tokens' rows, each times its `keep` (null: 1) */
void onehot_add(const struct onehot *o, const struct arrays *a, const uint16_t *token,
                const float *keep, size_t rows, float *out);
void onehot_backward(const struct onehot *o, const struct arrays *a, const uint16_t *token,
                     const float *keep, const float *d_out, size_t rows);
