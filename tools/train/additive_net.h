/* additive_net.h - the default network, `additive`, in floats, and the integers that it rounds to
   SPDX-License-Identifier: MIT

     c    = relu(W2 relu(W1 x + b1) + b2)               encoder, once a problem
     a_t  = Wc_t c + bc_t + sum over u < t of E_t[y_u]  the prefix enters through summed rows
     p_t  = softmax2(U_t relu(a_t) + o_t)               logits are in log2 units

   relu clips to 0..127/64. Parameters with a single value have no weights and probability 1.
   An activation is an integer q of 0..127 that stands for q / 64, in every layer and in the input.
   Training gives the same bits on every compiler and vector width (matrix.h). */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum { NET_MAX_PARAMS = 32, NET_MAX_VALUES = 128, NET_ONE = 64, NET_TOP = 127 };

/* Widths are multiples of 16; n_features counts the input's activations as they are stored. */
struct net_dims {
    size_t n_features, enc1, enc2, hidden, n_params;
    size_t n_values[NET_MAX_PARAMS];
};

enum net_kind { NET_MATRIX, NET_BIAS };

/* Matrices are stored input-major, [inputs][outputs], with the outputs padded to 16 (only those of
   the logits ever need it; the padding stays 0). */
struct net_block {
    size_t at, rows, cols;
    enum net_kind kind;
    size_t exponent; /* index of the exponent that scales it */
};

/* The bias of a dense layer is the block behind its matrix. */
enum { NET_W1, NET_B1, NET_W2, NET_B2, NET_WC, NET_BC, NET_FIRST_PARAM };
enum { NET_K1, NET_K2, NET_KC, NET_KE }; /* exponents: then ke_t, ku_t for each parameter */
enum { NET_MAX_EXPONENTS = NET_KE + 2 * NET_MAX_PARAMS };
enum { NET_MAX_BLOCKS = NET_FIRST_PARAM + 3 * NET_MAX_PARAMS };

struct net_layout {
    size_t n_blocks, n_weights, n_active;
    size_t slot[NET_MAX_PARAMS];          /* place of t among the parameters with weights */
    size_t first_row[NET_MAX_PARAMS + 1]; /* row of (u, value 0) in every later E_t; at n_params
                                             the number of values of all active parameters */
    struct net_block block[NET_MAX_BLOCKS];
    size_t emb[NET_MAX_PARAMS], out[NET_MAX_PARAMS]; /* block indexes of E_t and U_t */
};

struct net {
    struct net_dims dims;
    struct net_layout at;
    float *w;
};

/* Weights all 0. 0, or -1 with a message that begins with the name: no such dimensions. */
int net_new(struct net *net, const struct net_dims *dims, const char *name);
void net_free(struct net *net);
void net_init(struct net *net, uint64_t seed);
size_t net_target_width(const struct net_dims *dims); /* the sum of n_values */

/* One problem: base[n_active * hidden], then for each prefix the n_values[t] logits. prefix holds
   indexes of the values of the parameters before t. rounded: whether activations are rounded, as
   in the integer network (the weights should then come from net_round). */
void net_context(const struct net *net, int rounded, const uint8_t *x, float *base);
void net_logits(const struct net *net, int rounded, const float *base, size_t t,
                const uint8_t *prefix, float *logits);

/* Their steps, for n rows: the dense layer whose matrix is that block; the clipped relu; a += the
   embeddings of the values before t. */
void net_dense(const struct net *net, size_t block, const float *in, size_t n, float *out);
void net_activate(const float *in, size_t n, int rounded, float *out);
void net_add_prefix(const struct net *net, size_t t, const uint8_t *prefix, float *a);

static inline float net_activation(int q)
{
    return (float)q / NET_ONE;
}

/* A file of float networks: an id of the caller's, then one after the other text of dimensions and
   little-endian binary32. net_load takes at most so many and says how many it holds; all that it
   gives are the caller's: 0, or -1 with a message. Errors of writing are left to ferror(f). */
void net_save(const struct net *nets, size_t n, uint64_t id, FILE *f);
int net_load(struct net *nets, size_t most, const char *path, size_t *n, uint64_t *id);

/* ---- many rows: forward, loss, backward (additive_rows.c) ----

   Rows are cut into shards, so that the bits do not depend on the threads that work on them. */

enum { NET_SHARDS = 4 };

/* What to learn from. Row i: x + i * n_features, y + i * n_params (indexes of values). */
struct net_rows {
    size_t n;
    const uint8_t *x;
    const uint8_t *y;
    const float *weight; /* [n]; null: 1 */
    const float *target; /* [n][net_target_width()] probabilities that replace y as what to learn
                            (y stays the prefix); null: y. Below 0: a value that was not tried,
                            and the choice is learnt among the others alone */
    const float *timed;  /* [n_timed][net_target_width()] of the first rows, the probabilities that
                            their times give (timed.h), for the regret */
    size_t n_timed;
};

struct net_pass {
    int rounded;
    uint64_t seed; /* of the drops; used where a drop is not 0 */
    float drop_input, drop_encoder, drop_hidden, temperature, regret;
};

/* A forward pass as a search sees it. */
extern const struct net_pass NET_PLAIN;

/* The buffers of the rows that one task works on. */
struct net_shard {
    const struct net *net;
    const float *turned; /* its weights from net_turn, for the way back */
    size_t n, capacity;
    float *x, *a1, *a2, *a, *h, *logits; /* activations; a: all a_t, h: all relu(a_t) */
    float *d_logits, *d_a, *d_c, *d_1;   /* derivatives */
    const uint8_t *y;                    /* the values that are the rows' prefixes */
    uint8_t *own_y;                      /* room for them */
    float *gradient;                     /* to be added to; null: no way back */
    double loss;
};

void net_shard_new(struct net_shard *s, const struct net *net, size_t capacity);
void net_shard_free(struct net_shard *s);

/* The matrices that the way back needs transposed, each at its block's place in `turned`. */
void net_turn(const struct net *net, float *turned);

/* Adds the loss in bits of the n picked rows to s->loss and, where s->gradient is set, their
   derivatives times scale to it. */
void net_shard_run(struct net_shard *s, const struct net_rows *rows, const size_t *pick, size_t n,
                   const struct net_pass *p, float scale);

/* The forward pass alone, of n rows: net_shard_logits leaves the logits of parameter t, each row's
   padded to 16, in s->logits; it may be called once for each t, in any order. */
void net_shard_start(struct net_shard *s, const uint8_t *x, const uint8_t *y, size_t n);
void net_shard_logits(struct net_shard *s, size_t t, const struct net_pass *p);

/* p[v] = the softmax, padding included with 0; the result is log2 of the sum of 2^logit. */
double net_softmax2(const float *logits, size_t values, float *p);

/* Writes into targets, [n][net_target_width()], the mean of the nets' probabilities after the
   prefixes y. If draws is not null, it draws each value from these means before it goes to the next
   parameter. The values drawn are then the prefix, and replace y of the rows; draws has a seed for
   each row. The nets have the same inputs and values, and any widths. */
void net_ensemble(const struct net *nets, size_t n_nets, const struct net_rows *rows, uint8_t *y,
                  const uint64_t *draws, size_t n_threads, float *targets);

/* ---- from floats to the integer network of kpred.h ----

   It holds a matrix as int8 q with one exponent k, w = q / 2^k, and

     activation  min(127, max(0, floor((acc + 2^(k-1)) / 2^k))), acc at the scale 2^-(6+k), k >= 1
     context     the products Wc_t c + bc_t of all parameters, one matrix, acc scale 2^-(6+kc)
     prefix      (sum of the int8 rows) << (6 + kc - ke_t), that shift being 0..15
     logit       acc << (10 - ku_t), Q16, ku_t <= 10 */

struct model;

struct net_exponents {
    int k[NET_MAX_EXPONENTS];
};

/* Exponents that lose least, and the weights rounded to them: net_round(net, ..., out) makes of net
   the float network whose forward pass, with rounded activations, equals the integer one bit for
   bit (out has the same dimensions and may be net). */
void net_choose_exponents(const struct net *net, struct net_exponents *k);
void net_round(const struct net *net, const struct net_exponents *k, struct net *out);

/* Rounds the network into the model's arrays, with those exponents, and seals the model. 0, or -1
   with a message. */
int net_quantise(const struct net *net, struct model *model);
