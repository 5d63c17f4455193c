/* fit.h - finds the numbers of a covariance under which the times that were measured are likely
   SPDX-License-Identifier: MIT */
#pragma once

#include "covariance.h"

struct fit {      /* all zero: nothing was fitted */
    double *step; /* of each number, as the last fit left it */
    double *matrix, *target;
    float *rows; /* of each tuple, by the numbers as they are */
    size_t *tuple;
};

enum { FIT_MOST = 150 }; /* results; of more, the better half and some of the others are taken */

/* Takes some of n results, the better ones first of all, but in their order: at most `most` of
   them, by their numbers. Returns how many. */
size_t fit_choose(const double *target, size_t n, size_t most, size_t *chosen);

/* Improves the numbers, one after another. Returns the variance of the targets, whose mean is to be
   about 0, in units of the covariance. */
double fit_numbers(struct fit *f, struct covariance *c, const size_t *tuple, const double *target,
                   size_t n);
/* log2 of how likely, with the numbers as they are, the last targets were after the `before` ones
   ahead of them; but for a constant. Of more than FIT_MOST, the last ones count. fit_numbers comes
   first. */
double fit_likelihood(struct fit *f, const struct covariance *c, const size_t *tuple,
                      const double *target, size_t n, size_t before, double variance);
void fit_free(struct fit *f);
