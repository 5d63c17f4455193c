/* known.h - what is known before anything is measured: times on other GPUs and problems, orders
   SPDX-License-Identifier: MIT

   Each table or order is kept as a loss for each tuple: log2 of its time over the best one's. Half
   of the tuples are slow, and how slow they are matters little: beyond the median a loss counts for
   a fifth. */
#pragma once

#include "columns.h"

struct known {
    size_t n, n_tuples;
    double *loss[STRATEGY_MOST_KNOWN];
    double *share;  /* of the best one's speed, the sum over the tables: for the first picks */
    double *expect; /* the loss that they give, together, after known_weigh */
    double spread;  /* how much tables differ from one another */
};

enum { KNOWN_CLIP = 5 };

/* A loss beyond the middle one, made smaller */
double known_clip(double loss, double middle);

void known_add_times(struct known *k, const double *time, size_t n_tuples);
void known_add_scores(struct known *k, const double *score, size_t n_tuples);
/* After the last one: a column for each. */
void known_finish(struct known *k, struct columns *c);
/* Weighs the tables by the targets of n results: weights are near to equal ones, unless the results
   say otherwise. */
void known_weigh(struct known *k, const size_t *tuple, const double *target, size_t n);
/* The most promising tuple of which `is_taken` is 0; there is one. */
size_t known_best(const struct known *k, const unsigned char *is_taken);
void known_free(struct known *k);
