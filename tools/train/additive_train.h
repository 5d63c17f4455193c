/* additive_train.h - training of the additive network
   SPDX-License-Identifier: MIT

   It gives the same bits on every compiler, vector width and number of threads (see matrix.h): a
   minibatch is cut into NET_SHARDS parts whose gradients are added in order. */
#pragma once

#include "additive_rows.h"
#include "watch.h"

struct net_train_config {
    uint64_t seed;
    size_t epochs, batch, n_threads;
    size_t rounded_epochs; /* the last so many see rounded weights and activations */
    float rate, rate_end;  /* Adam's step, after the warm-up and at the end */
    float warm_up;         /* part of the steps */
    float weight_decay;    /* decoupled, of matrices alone */
    float temperature;     /* what fits the targets is the logits times this; 1: the logits */
    float regret;          /* part in the loss of what choosing by the probabilities costs: the
                              mean of log2(greatest / own) of what was timed */
    float drop_input, drop_encoder, drop_hidden; /* rates of dropout */
    float average;       /* decay of the running average of weights, per step; 0: none */
    struct watch *watch; /* tells when to stop and which epoch's weights to take; null: the last */
};

/* loss in bits a row, of the training rows as seen on the way and of the validation rows (or 0);
   with a watch what it lost, in octaves, in the place of the latter */
typedef void net_progress(void *user, size_t epoch, double loss, double validation);

/* Trains on at least one row, in batches of at least one. */
void net_train(struct net *net, const struct net_rows *rows, const struct net_rows *validation,
               const struct net_train_config *config, net_progress *progress, void *user);

/* Sum of the rows' losses in bits and, where gradient is not null, its n_weights derivatives;
   rounded: whether activations are rounded (the weights should then come from net_round). */
double net_loss(const struct net *net, const struct net_rows *rows, float temperature, float regret,
                int rounded, float *gradient);
