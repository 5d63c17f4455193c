/* bench_work.h - what the predictions of a model compute, counted while it makes them
   SPDX-License-Identifier: MIT */
#pragma once

#include "kpred.h"

struct work {                /* of a prediction, the mean over the problems */
    double prefixes, values; /* scored: prefixes, and values that may follow them */
    double kept;             /* prefixes that the search kept, the tuples among them */
    double multiply_adds;    /* an addition of a row of an embedding counts as one, too */
    double weight_bytes;     /* different ones: those that several prefixes read count once */
};

/* pre: the model has the built-in network. 0, or -1: a problem cannot be predicted. */
int work_count(const kpred_ctx *ctx, const int32_t *problems, size_t n_problems, struct work *work);
