/* additive_rows.h - many rows through the additive network: forward, loss, backward
   SPDX-License-Identifier: MIT

   It gives the same bits on every compiler and vector width (matrix.h), for a given cut into
   shards. */
#pragma once

#include "additive_net.h"

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
                            their times give (time_targets.h), for the regret */
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
