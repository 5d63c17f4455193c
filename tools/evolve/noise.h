/* noise.h - what can be said of times that are measured
   SPDX-License-Identifier: MIT */
#pragma once

#include "task.h"

/* The standard deviation of the difference of two times. Two children that run the same code differ
   by a little more than each one's own spread tells. */
double noise_of(const struct result *a, const struct result *b);
/* Is `a` faster by more than z times that? `b` may be one that is not valid. */
int noise_is_faster(const struct result *a, const struct result *b, double z);

/* The time that several lists share which are as fast as each other: the mean of their times, each
   weighed by its variance. The list that a search found best is best also by luck: its own time is
   too low to be compared with, while the mean comes to what is true. If single steps that are each
   within the noise lead away from it, the mean lags behind, and that ends them. */
struct level {
    double sum, weights;
    double error; /* of the latest */
};

void level_begin(struct level *l, const struct result *result);
void level_add(struct level *l, const struct result *result);
struct result level_result(const struct level *l);
