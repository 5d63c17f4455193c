/* fit.h - training: minibatches, Adam, dropout of words
   SPDX-License-Identifier: MIT

   It gives the same bits with any number of threads: a batch is cut into FIT_SHARDS parts, whose
   gradients are added in their order. There are two parts only, because these networks have
   millions of weights: each part reads all of them, and writes as many derivatives. */
#pragma once

#include "net.h"

enum { FIT_SHARDS = 2 };

/* Row i: in + i * n_in, out + i * n_out. */
struct fit_rows {
    size_t n;
    const uint16_t *in, *out;
    const float *unknown; /* for each problem word, how often to show the unknown word, 0, instead;
                             null: never */
};

struct fit_config {
    uint64_t seed;
    size_t epochs, batch, n_threads;
    float rate, drop, average;
};

/* losses in bits a row; held_out is 0 without such rows */
typedef void fit_progress(void *user, size_t epoch, double loss, double held_out);

void fit(struct paper_net *net, const struct fit_rows *rows, const struct fit_rows *held_out,
         const struct fit_config *config, fit_progress *progress, void *user);

/* The rows' loss in bits, without dropout; where gradient is not null, n_weights derivatives. */
double fit_loss(const struct paper_net *net, const struct fit_rows *rows, float *gradient);
