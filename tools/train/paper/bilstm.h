/* bilstm.h - two LSTMs over the same sequence, one from its end; their outputs side by side
   SPDX-License-Identifier: MIT */
#pragma once

#include "lstm.h"

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
/* The outputs of all steps, [steps][rows][2 n]. */
void bilstm_outputs(const struct bilstm_run *r, float *out);
/* The last state of each way, [rows][2 n]. */
void bilstm_last(const struct bilstm_run *r, float *out);

/* Computes the derivatives of the gates from the derivatives of the outputs. */
void bilstm_backward(const struct bilstm *l, const struct arrays *a, struct bilstm_run *r,
                     const float *d_out);
/* The same, from the derivatives of the last states. */
void bilstm_backward_last(const struct bilstm *l, const struct arrays *a, struct bilstm_run *r,
                          const float *d_last);
