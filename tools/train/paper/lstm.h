/* lstm.h - long short-term memory: the recurrent half of the layer, its input comes in the gates
   SPDX-License-Identifier: MIT

       gates     i, f, g, o = what the input gives (with the bias) + h' U
       cell      c = sigmoid(f) c' + sigmoid(i) tanh(g)
       output    h = sigmoid(o) tanh(c)

   c' and h' come from the step before; h' first goes through the recurrent dropout, with the
   same factors in every step. */
#pragma once

#include "blocks.h"

struct lstm {
    size_t n; /* units */
    size_t u; /* offset of U, [n][4 n] */
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
size_t lstm_last(const struct lstm_run *r);    /* the step that comes last */

void lstm_step(const struct lstm *l, const struct arrays *a, const struct lstm_run *r, size_t t);
void lstm_forward(const struct lstm *l, const struct arrays *a, const struct lstm_run *r);

/* Steps go back in the opposite order. d_out has the derivatives of this step's h that come from
   above (null: 0). At first d_h and d_c hold the derivatives of the last state that come from
   elsewhere; at the end they hold the derivatives of the state before the sequence. */
void lstm_step_back(const struct lstm *l, const struct arrays *a, const struct lstm_run *r,
                    size_t t, const float *d_out);
/* After all steps have gone back: adds the derivatives of U. */
void lstm_finish(const struct lstm *l, const struct arrays *a, const struct lstm_run *r);
/* Both, d_h and d_c beginning at 0; d_out [steps][rows][n]. */
void lstm_backward(const struct lstm *l, const struct arrays *a, const struct lstm_run *r,
                   const float *d_out);
