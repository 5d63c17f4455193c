/* attention.h - Bahdanau's attention: where to look in a sequence, given a state
   SPDX-License-Identifier: MIT

       score     e_l = v . tanh(s W_s + a_l W_a + b), a dense layer of n_d nodes and their weights
       weights   alpha = softmax(e) over the positions l
       context   sum over l of alpha_l a_l */
#pragma once

#include "dense.h"

struct attention {
    size_t n_s, n_a, n_d, pad; /* of state, sequence, nodes; pad: n_d padded */
    struct dense look;         /* a W_a + b, once a sequence */
    size_t w_s, v;             /* offsets */
};

struct attention_run {
    size_t length, steps, rows;
    float *looked;     /* [length][rows][pad]: a W_a + b */
    float *nodes;      /* [steps][length][rows][pad]: the tanh */
    float *alpha;      /* [steps][length][rows] */
    float *state_part; /* [rows][pad]: s W_s, on the way back its derivatives */
    float *d_looked;   /* [length][rows][pad] */
    float *d_score;    /* [length][rows] */
};

void attention_new(struct attention *l, struct blocks *b, size_t n_s, size_t n_a, size_t n_d);
void attention_run_new(const struct attention *l, struct attention_run *r, struct room *room,
                       size_t length, size_t steps, size_t rows);

/* Once a sequence a, [length][rows][n_a] */
void attention_begin(const struct attention *l, const struct arrays *a, struct attention_run *r,
                     const float *seq);
/* The context [rows][n_a] of step t, from the state s [rows][n_s] */
void attention_step(const struct attention *l, const struct arrays *a, struct attention_run *r,
                    size_t t, const float *seq, const float *s, float *context);

/* Before the first step back: d_looked = 0. */
void attention_back_begin(const struct attention *l, struct attention_run *r);
/* Adds to d_seq; d_s is added to. */
void attention_step_back(const struct attention *l, const struct arrays *a, struct attention_run *r,
                         size_t t, const float *seq, const float *s, const float *d_context,
                         float *d_seq, float *d_s);
/* After the last step back: W_a and b, and what of d_seq comes through them. */
void attention_finish(const struct attention *l, const struct arrays *a, struct attention_run *r,
                      const float *seq, float *d_seq);
