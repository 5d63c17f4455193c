/* additive_train.h - training of the additive network: its optimiser, which epoch ships, the steps
   SPDX-License-Identifier: MIT

   It gives the same bits on every compiler, vector width and number of threads (see matrix.h): a
   minibatch is cut into shards, each with a gradient of its own, and these are added in order. */
#pragma once

#include "additive_net.h"

/* ---- the optimiser: Adam with decoupled weight decay, and a running mean ---- */

struct adam {
    size_t n, n_shards; /* weights; gradients of them */
    float *w;           /* the caller's, that Adam moves */
    float *gradients;   /* of the shards, after one another */
    float *moment, *square;
    float *mean; /* the running average of w */
    size_t step;
    double decay1, decay2; /* powers of Adam's decays */
};

struct adam_schedule {
    float rate, rate_end; /* after the warm-up, and at the end */
    float warm_up;        /* part of the steps */
    float average;        /* decay of the running mean, per step; 0: it is w */
    size_t n_steps;
};

/* What one step does to every weight. */
struct adam_step {
    float rate, scale1, scale2, keep;
};

void adam_new(struct adam *a, float *w, size_t n, size_t n_shards);
void adam_free(struct adam *a);

/* Goes on to the next step. */
struct adam_step adam_next(struct adam *a, const struct adam_schedule *schedule);

/* The step for the weights from..to. */
void adam_move(const struct adam *a, const struct adam_step *s, float weight_decay, size_t from,
               size_t to);

/* ---- which epoch's network ships, by timed problems that it does not learn from ----

   After each epoch the network ranks what was timed of these problems. What is lost with its first
   1, 4 and 10 tuples, in octaves of time and as the mean of the three, tells epochs apart. The last
   epoch ships unless an earlier one lost less by more than three standard errors of the difference
   over the problems: it is the best of many, so with fewer chance would decide. Times that a model
   says have no noise, and a network has all it can learn of them after few epochs: one will do.
   Training ends when it has become so much worse for WATCH_PATIENCE epochs in a row. */

enum { WATCH_PATIENCE = 10, WATCH_ERRORS = 3, WATCH_EXACT_ERRORS = 1, WATCH_PLACES = 3 };
extern const long watch_places[WATCH_PLACES]; /* 1, 4, 10 */

/* Timed tuples: x and y as in net_rows, octaves above the fastest of the problem */
struct watch_rows {
    size_t n, n_problems;
    const uint8_t *x, *y;
    const float *octaves;
    const size_t *end; /* n_problems: behind the last row of each */
    int errors;        /* by so many standard errors an epoch has to be better */
};

struct watch;

struct watch *watch_new(const struct watch_rows *rows);
void watch_free(struct watch *w);

/* How much the network of an epoch loses, in octaves. Epochs come in their order, from 0. */
double watch_epoch(struct watch *w, const struct net *net);
/* Is going on of no use? */
int watch_is_over(const struct watch *w);

struct watch_result {
    size_t problems, epochs; /* epochs until it was over */
    size_t epoch;            /* whose network ships, from 1 */
    double lost;             /* octaves, by that network */
};

/* Puts the weights that ship in the place of the last epoch's. */
struct watch_result watch_choose(const struct watch *w, struct net *net);

/* ---- training ---- */

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
