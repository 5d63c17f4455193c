/* additive_net.h - the default network, `additive`, in floats: its layout, one problem, its files
   SPDX-License-Identifier: MIT

     c    = relu(W2 relu(W1 x + b1) + b2)               encoder, once a problem
     a_t  = Wc_t c + bc_t + sum over u < t of E_t[y_u]  the prefix enters through summed rows
     p_t  = softmax2(U_t relu(a_t) + o_t)               logits are in log2 units

   relu clips to 0..127/64. Parameters with a single value have no weights and probability 1.
   An activation is an integer q of 0..127 that stands for q / 64, in every layer and in the input.
   quantise.h says what the integer network makes of this. */
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
