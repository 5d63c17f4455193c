/* regression.h - what the results so far say of the other tuples: a mean and a variance of each
   SPDX-License-Identifier: MIT

   A Gaussian process over candidates, to which results are added one after another. */
#pragma once

#include "covariance.h"

struct regression {
    const struct covariance *covariance;
    size_t most, n; /* results: for which there is room; added */
    size_t n_candidates;
    const size_t *tuple;    /* of each candidate */
    float *known;           /* for each result, what it tells of each candidate */
    double *line;           /* Cholesky's factor, a line for each result */
    float *mean, *variance; /* of each candidate; means follow from regression_means */
    float *row;
};

/* Without a result yet; `tuple` has to outlive it. */
void regression_open(struct regression *r, const struct covariance *c, const size_t *tuple,
                     size_t n_candidates, size_t most);
/* There is a result of this candidate. */
void regression_add(struct regression *r, size_t candidate);
/* The targets of all results, in their order. */
void regression_means(struct regression *r, const double *target);
void regression_free(struct regression *r);

/* log2 of the improvement to be expected of a normal variable of variance 1 that is to fall below a
   value `ahead` of its mean. */
double expected_gain(double ahead);
