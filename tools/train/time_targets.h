/* time_targets.h - what to learn from problems of which several options were timed
   SPDX-License-Identifier: MIT

   An option that is nearly as fast as the best one is nearly as good an answer. So an option with
   time t gets the odds (best / t)^sharpness, and the network learns probabilities in proportion to
   them: for each parameter, their distribution after the values before it. Where these odds are
   spread over more options than `perplexity`, they are taken with twice the sharpness, or four or
   eight times. A network can learn the
   odds well and still choose badly: a choice matters more where one option is ten times as slow as
   the best than where all are within a tenth. So `regret` adds to the loss what a choice by the
   network's probabilities costs on average, in octaves of time, among the options that were
   timed. */
#pragma once

#include "data/data.h"
#include "recipe.h"

/* How many rows a problem of several parameters gets: the recipe's draws, or for 0 what
   recipe.h says. */
size_t time_targets_draws(const struct recipe *recipe, const struct dataset *d);

/* The rows of the dataset from first to end-1, which are those of one problem, and how many rows to
   learn from it is to have. */
struct time_problem {
    size_t first, end, rows;
};

/* Adds rows about a problem to `to`, which has room for them: with one parameter one row, else as
   many as it is to have, each with a tuple drawn by the odds. Options that the spec does not name
   or the rule rejects have none. Is there another option? If not, nothing is added. Where all rows
   of the problem are narrow (data.h), the values of the first parameter that were not tried have
   -1 in place of a probability, as net_rows says, in all rows but a share of as_searched. */
int time_targets_add(const struct recipe *recipe, const struct model *model,
                     const struct dataset *d, const struct time_problem *problem, uint64_t seed,
                     struct recipe_rows *to);
