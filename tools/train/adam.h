/* adam.h - the optimiser of the trainers: Adam with decoupled weight decay, and a running mean
   SPDX-License-Identifier: MIT

   A minibatch is cut into shards, each with a gradient of its own; these are added in
   their order, so that the bits do not depend on the threads that made them. */
#pragma once

#include <stddef.h>

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
