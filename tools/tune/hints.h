/* hints.h - what is known before anything is measured: times on other GPUs and problems, orders
   SPDX-License-Identifier: MIT

   Each table or order is kept as a loss for each tuple: log2 of its time over the best one's. Half
   of the tuples are slow, and how slow they are matters little: beyond the median a loss counts for
   a fifth. */
#pragma once

#include "columns.h"

struct hints {
    size_t n, n_tuples;
    double *loss[STRATEGY_MOST_KNOWN];
    double weight[STRATEGY_MOST_KNOWN]; /* of each, before anything is measured; their sum: */
    double weights;
    double *share;  /* of the best one's speed, the weighted sum: for the first picks */
    double *failed; /* the weighted share of the tables in which each failed; NULL: none did */
    double *expect; /* the loss that they give, together, after hints_finish */
    double middle;  /* the loss beyond which losses are made smaller, the mean of the tables */
    double spread;  /* how much tables differ from one another */
};

enum { HINTS_CLIP = 5 };

/* A loss beyond the middle one, made smaller */
double hints_clip(double loss, double middle);

void hints_add_times(struct hints *k, const double *time, size_t n_tuples, double weight);
void hints_add_scores(struct hints *k, const double *score, size_t n_tuples);
/* After the last one: a column for each. */
void hints_finish(struct hints *k, struct columns *c);
/* The most promising tuple of which `is_taken` is 0; there is one. */
size_t hints_best(const struct hints *k, const unsigned char *is_taken);
void hints_free(struct hints *k);
