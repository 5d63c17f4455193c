/* layers.h - the layers that the networks are made of, and where their weights lie
   SPDX-License-Identifier: MIT

   All weights of a network are one array of floats, so that Adam, files and tests need not know the
   layers; a layer holds offsets into it. Rows of numbers are padded with zeros to a multiple of 16,
   which is what matrix_mul wants. Sequences are [step][row][unit]: rows of one step together. */
#pragma once

#include "train/matrix.h"

#include <stdint.h>

/* ---- weights ------------------------------------------------------------------------------- */

enum block_kind {
    BLOCK_MATRIX, /* [inputs][outputs] */
    BLOCK_TABLE,  /* a row for each token */
    BLOCK_BIAS,
    BLOCK_GATES, /* biases of an LSTM: those of the forget gates begin at 1 */
    BLOCK_NONE   /* no bias: something else brings it */
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

void blocks_init(const struct blocks *b, uint64_t seed, float *w);

/* The weights; their matrices in panels (matrix.h), for products of many rows, or null; the same
   transposed, and the gradient to be added to: null where nothing goes back. */
struct arrays {
    const float *w, *panels, *turned;
    float *g;
};

/* Block i of w, if it is a matrix, into both kinds of panels. */
void blocks_pack(const struct blocks *b, size_t i, const float *w, float *panels, float *turned);

/* A matrix [n_in][n_out] of weights, n_out a multiple of 16; of a table n_in is the number of
   tokens, each of which has a row. */
struct weight {
    size_t at, n_in, n_out;
};

/* A new block; used: columns before the padding. */
struct weight weight_new(struct blocks *b, enum block_kind kind, size_t n_in, size_t used,
                         float range);

/* out = in * m, d_in = d_out * m transposed (both += with `add`), and in transposed * d_out added
   to the gradient of m. */
void weight_forward(const struct arrays *a, struct weight m, size_t rows, const float *in,
                    float *out, int add);
void weight_back(const struct arrays *a, struct weight m, size_t rows, const float *d_out,
                 float *d_in, int add);
void weight_gradient(const struct arrays *a, struct weight m, size_t rows, const float *in,
                     const float *d_out);
/* The first of tokens, one-hot rows each times its `keep` (null: 1); out is added to. */
void token_forward(const struct arrays *a, struct weight m, size_t rows, const uint16_t *token,
                   const float *keep, float *out);

/* Memory handed out piece by piece. With `at` null the pieces are only counted. */
struct room {
    float *at;
    size_t used;
};

float *room_take(struct room *room, size_t n);

/* ---- what several layers do with numbers --------------------------------------------------- */

void multiply(const float *in, const float *by, size_t n, float *out);
void add_scaled(const float *restrict in, float scale, size_t n, float *restrict sum);

/* Dropout: n factors, 0 at that rate and 1 / (1 - rate) for the others, from the seed and a number
   of their own. Null without dropout. */
float *keep_draw(uint64_t seed, uint64_t which, float rate, size_t n, float *keep);

/* The loss in bits: the sum over the rows of -log2 p[y], p = 2^logit over the sum of them; rows are
   `cols` apart, of which `values` count. d, which may be the logits or null: its derivatives times
   scale. */
double softmax_loss(const float *logits, size_t rows, size_t values, size_t cols, const uint16_t *y,
                    float scale, float *d);

/* ---- dense: out = in W + b, or of tokens their rows + b ------------------------------------- */

struct dense {
    struct weight w;
    size_t b; /* offset, or NO_BIAS */
};

#define NO_BIAS SIZE_MAX

/* kind: BLOCK_MATRIX, or of tokens BLOCK_TABLE; used: outputs before the padding; bias: the kind of
   its block */
void dense_new(struct dense *d, struct blocks *b, enum block_kind kind, size_t n_in, size_t used,
               enum block_kind bias);

/* out = b */
void dense_begin(const struct dense *d, const struct arrays *a, size_t rows, float *out);
void dense_forward(const struct dense *d, const struct arrays *a, const float *in, size_t rows,
                   float *out);
/* Add to the derivatives of the weights and the bias. */
void dense_gradient(const struct dense *d, const struct arrays *a, const float *in,
                    const float *d_out, size_t rows);
void dense_token_gradient(const struct dense *d, const struct arrays *a, const uint16_t *token,
                          const float *keep, const float *d_out, size_t rows);

/* ---- convolution along a sequence, then relu ----------------------------------------------

   out[o] = relu(b + sum over j in[o s + j] W_j). There is no padding: a sequence of length t
   becomes one of length (t - k) / s + 1. The first layer reads tokens, for which W_j is a table. */

enum { CONV1D_MOST_TAPS = 8 };

struct conv1d {
    size_t length, out_length; /* of the sequences */
    size_t taps, stride;       /* k, s */
    struct weight w[CONV1D_MOST_TAPS];
    size_t b; /* offset */
};

/* length, taps and stride are set; taps beyond the length are left out. */
void conv1d_new(struct conv1d *l, struct blocks *b, enum block_kind kind, size_t n_in,
                size_t n_out);

/* in: [length][rows][n_in], or null and tokens [length][rows]; out: [out_length][rows][n_out] */
void conv1d_forward(const struct conv1d *l, const struct arrays *a, const float *in,
                    const uint16_t *tokens, size_t rows, float *out);

/* d_out becomes the derivatives before the relu; d_in is set, for tokens it is null. */
void conv1d_backward(const struct conv1d *l, const struct arrays *a, const float *in,
                     const uint16_t *tokens, const float *out, size_t rows, float *d_out,
                     float *d_in);

/* ---- LSTM: the recurrent half of the layer, its input comes in the gates ------------------

       gates     i, f, g, o = what the input gives (with the bias) + h' U
       cell      c = sigmoid(f) c' + sigmoid(i) tanh(g)
       output    h = sigmoid(o) tanh(c)

   c' and h' come from the step before; h' first goes through the recurrent dropout, with the
   same factors in every step. */

struct lstm {
    size_t n;        /* units */
    struct weight u; /* U, [n][4 n] */
};

/* One pass over a sequence. Arrays are [slot][row][unit]. c and h have steps + 1 slots; one holds
   the state before the sequence: the first, or in a reverse run the last. */
struct lstm_run {
    size_t n, steps, rows;
    int reverse;
    float *gates; /* [steps][rows][4 n]: the input's part, then the activated gates, then
                     their derivatives */
    float *c, *h;
    float *fed, *squashed; /* [steps][rows][n]: h' after dropout, and tanh(c) */
    const float *keep;     /* [rows][n], or null */
    float *d_h, *d_c;      /* [rows][n]: on the way back, what the later step asks of this state */
};

void lstm_new(struct lstm *l, struct blocks *b, size_t n);
void lstm_run_new(struct lstm_run *r, struct room *room, size_t n, size_t steps, size_t rows,
                  int reverse);
void lstm_clear(struct lstm_run *r); /* state before the sequence: 0 */

/* The state before step t and after it. */
size_t lstm_before(const struct lstm_run *r, size_t t); /* offset into c and h */
size_t lstm_after(const struct lstm_run *r, size_t t);
float *lstm_outputs(const struct lstm_run *r); /* h after each step, [steps][rows][n] */

void lstm_step(const struct lstm *l, const struct arrays *a, const struct lstm_run *r, size_t t);
void lstm_forward(const struct lstm *l, const struct arrays *a, const struct lstm_run *r);

/* Steps go back in the opposite order. d_out has the derivatives of this step's h that come from
   above (null: 0). At first d_h and d_c hold the derivatives of the last state that come from
   elsewhere; at the end they hold the derivatives of the state before the sequence. */
void lstm_step_back(const struct lstm *l, const struct arrays *a, const struct lstm_run *r,
                    size_t t, const float *d_out);
/* After all steps have gone back: adds the derivatives of U. */
void lstm_finish(const struct lstm *l, const struct arrays *a, const struct lstm_run *r);
/* All steps; d_out [steps][rows][n], or null. */
void lstm_backward(const struct lstm *l, const struct arrays *a, const struct lstm_run *r,
                   const float *d_out);

/* ---- bi-LSTM: two over the same sequence, one from its end; their outputs side by side ----- */

struct bilstm {
    struct lstm way[2]; /* forward, backward; the input's part comes in the gates of each */
};

struct bilstm_run {
    struct lstm_run way[2];
    float *d_out; /* [steps][rows][n]: the half of one way */
};

void bilstm_new(struct bilstm *l, struct blocks *b, size_t n);
void bilstm_run_new(struct bilstm_run *r, struct room *room, size_t n, size_t steps, size_t rows);

void bilstm_forward(const struct bilstm *l, const struct arrays *a, struct bilstm_run *r);
/* The outputs of all steps, [steps][rows][2 n], or of each way the last state, [rows][2 n]. */
void bilstm_outputs(const struct bilstm_run *r, int is_last, float *out);

/* Computes the derivatives of the gates from those of the same. */
void bilstm_backward(const struct bilstm *l, const struct arrays *a, struct bilstm_run *r,
                     int is_last, const float *d_out);

/* ---- Bahdanau's attention: where to look in a sequence, given a state ----------------------

       score     e_l = v . tanh(s W_s + a_l W_a + b), a dense layer of n_d nodes and their weights
       weights   alpha = softmax(e) over the positions l
       context   sum over l of alpha_l a_l */

struct attention {
    size_t n_a, n_d, pad; /* of sequence, nodes; pad: n_d padded */
    struct dense look;    /* a W_a + b, once a sequence */
    struct weight w_s, v;
};

struct attention_run {
    size_t length, steps, rows;
    float *seq, *d_seq; /* [length][rows][n_a]: what is looked at */
    float *looked;      /* [length][rows][pad]: a W_a + b, right behind seq */
    float *nodes;       /* [steps][length][rows][pad]: the tanh */
    float *alpha;       /* [steps][length][rows] */
    float *state_part;  /* [rows][pad]: s W_s, on the way back its derivatives */
    float *d_looked;    /* [length][rows][pad] */
    float *d_score;     /* [length][rows] */
};

void attention_new(struct attention *l, struct blocks *b, size_t n_s, size_t n_a, size_t n_d);
void attention_run_new(const struct attention *l, struct attention_run *r, struct room *room,
                       size_t length, size_t steps, size_t rows);

/* The context [rows][n_a] of step t, from the state s [rows][n_s]; seq is there, and the dense
   layer `look` has made `looked` of it. */
void attention_step(const struct attention *l, const struct arrays *a, struct attention_run *r,
                    size_t t, const float *s, float *context);

/* Adds to d_s, and sums up d_seq and the derivatives of the weights, which are whole when the first
   step has gone back, the last one to do so. */
void attention_step_back(const struct attention *l, const struct arrays *a, struct attention_run *r,
                         size_t t, const float *s, const float *d_context, float *d_s);
