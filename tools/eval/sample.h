/* sample.h - tables in which only some of a problem's tuples were timed
   SPDX-License-Identifier: MIT

   Nothing is known of a predicted tuple that nobody timed. So a model is judged by its order of the
   timed tuples alone: it is asked as if no other were legal. */
#pragma once

#include "eval.h"

/* Is it a sample? A table is full where each problem has every tuple that the rule allows, failures
   included, or, without a rule, where all problems have as many. */
int eval_find_sample(const struct eval *e);

/* A model that answers with tuples that were timed for the row's problem, once eval_sample_row has
   said which row that is. */
kpred_model eval_sample_model(const kpred_model *run);
void eval_sample_row(const struct eval *e, const struct eval_row *row);

/* How many of the n tuples were timed and are legal */
size_t eval_count_timed(const struct eval *e, const struct eval_row *row, const kpred_tuple *t,
                        size_t n);
