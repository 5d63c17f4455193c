/* estimate.h - what judges think of answers that nobody timed
   SPDX-License-Identifier: MIT

   Where a problem's table is a sample, most of a model's answers have no time. Trees that learn from
   all rows of the data, as those of training do (judge_trees.h), say how fast they are beside the
   best of all legal tuples. That is an estimate: the trees err, and the best of many guesses is too
   good. */
#pragma once

#include "eval.h"

struct estimate;

/* Fits the judges of e's data. NULL after a message. */
struct estimate *estimate_open(const struct eval *e);
void estimate_close(struct estimate *t);

/* The share of the best of n answers to a row; below 0 for most of many rows, as asking is slow. */
double estimate_share(struct estimate *t, const struct eval_row *row, const kpred_tuple *answers,
                      size_t n);
