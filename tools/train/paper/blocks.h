/* blocks.h - where the layers of a network keep their weights, and room for what they compute
   SPDX-License-Identifier: MIT

   All weights of a network are one array of floats, so that Adam, files and tests need not know the
   layers; a layer holds offsets into it. Rows of numbers are padded with zeros to a multiple of 16,
   which is what matrix_mul wants. Sequences are [step][row][unit]: rows of one step together. */
#pragma once

#include "train/matrix.h"

#include <stdint.h>

enum block_kind {
    BLOCK_MATRIX, /* [inputs][outputs] */
    BLOCK_TABLE,  /* a row for each token */
    BLOCK_BIAS,
    BLOCK_GATES /* biases of an LSTM: those of the forget gates begin at 1 */
};

struct block {
    size_t at, rows, cols, used; /* columns from `used` on are padding and stay 0 */
    enum block_kind kind;
    float range; /* of the uniform start values */
};

enum { BLOCKS_MOST = 40 };

struct blocks {
    size_t n, n_weights;
    struct block block[BLOCKS_MOST];
};

/* The offset of a new block. */
size_t blocks_add(struct blocks *b, enum block_kind kind, size_t rows, size_t used, float range);
void blocks_init(const struct blocks *b, uint64_t seed, float *w);

/* The weights; their matrices in panels (matrix.h), for products of many rows, or null; the same
   transposed, and the gradient to be added to: null where nothing goes back. */
struct arrays {
    const float *w, *panels, *turned;
    float *g;
};

/* Block i of w, if it is a matrix, into both kinds of panels. */
void blocks_pack(const struct blocks *b, size_t i, const float *w, float *panels, float *turned);

/* What layers do with the matrix [n_in][n_out] that begins at `at`: out = in * m, d_in = d_out * m
   transposed (both += with `add`), and in transposed * d_out added to its gradient. */
void matrix_forward(const struct arrays *a, size_t at, size_t rows, size_t n_in, size_t n_out,
                    const float *in, float *out, int add);
void matrix_back(const struct arrays *a, size_t at, size_t rows, size_t n_in, size_t n_out,
                 const float *d_out, float *d_in, int add);
void matrix_gradient(const struct arrays *a, size_t at, size_t rows, size_t n_in, size_t n_out,
                     const float *in, const float *d_out);

/* Memory handed out piece by piece. With `at` null the pieces are only counted. */
struct room {
    float *at;
    size_t used;
};

float *room_take(struct room *room, size_t n);

/* ---- what several layers do with numbers ---- */

void multiply(const float *in, const float *by, size_t n, float *out);

/* Dropout: n factors, 0 at that rate and 1 / (1 - rate) for the others. */
void fill_keep(uint64_t seed, float rate, size_t n, float *keep);
