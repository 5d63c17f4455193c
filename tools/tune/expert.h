/* expert.h - a regression on the losses so far, and what improvement it expects of each candidate
   SPDX-License-Identifier: MIT

   A strategy that knows something beforehand has two experts: one begins with that, the other one
   does without. Losses are log2 of times, those beyond the median made smaller. */
#pragma once

#include "candidates.h"
#include "fit.h"
#include "hints.h"
#include "regression.h"

struct results { /* those so far, as they were told */
    size_t n;
    const size_t *tuple;
    const double *loss;
};

struct expert {
    const struct hints *hints; /* what is known to it; NULL: nothing */
    double more, spread;       /* results that are as if seen, and how far they are apart */
    struct covariance covariance;
    struct fit fit;
    struct regression regression;
    int is_open; /* is there a regression? */
    size_t cap;
    double *target;         /* of all results */
    double mean, deviation; /* a loss is a target times the deviation, and the mean, and what the
                               hints give */
    double variance;        /* of the regression, by the last fit */
    size_t n_fitted;        /* results at the last fit */
    double evidence;        /* log2 of how likely it took what came after each fit */
};

/* With what is known, or, if `is_told` is 0, without it. Hints and columns have to outlive it. */
void expert_open(struct expert *e, const struct columns *columns, const struct hints *hints,
                 int is_told, uint64_t seed);
void expert_take(struct expert *e, const struct results *r);
/* Fits its numbers to the results that were taken; its regression is then to be made anew. */
void expert_fit(struct expert *e, const struct results *r);
/* A regression over candidates, with the results of those in `used`. */
void expert_regress(struct expert *e, const struct candidates *c, const struct results *r,
                    const size_t *used, size_t n_used, size_t most);
void expert_means(struct expert *e, const size_t *used, size_t n_used);
/* Of a candidate, and of a result, with what is known, in deviations */
double expert_mean(const struct expert *e, size_t candidate, size_t tuple);
double expert_target(const struct expert *e, size_t result, size_t tuple);
/* log2 of the improvement upon a loss that is to be expected of a candidate; a loss is doubled for
   each unit. */
double expert_gain(const struct expert *e, size_t candidate, size_t tuple, double least);
void expert_close_regression(struct expert *e);
void expert_free(struct expert *e);
