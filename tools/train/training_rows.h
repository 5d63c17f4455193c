/* training_rows.h - from files of tuning results to the rows that a network learns from
   SPDX-License-Identifier: MIT */
#pragma once

#include "data/split.h"
#include "judge_trees.h"
#include "recipe.h"
#include "training_data.h"

/* How to make rows of data. */
struct training_task {
    const struct recipe *recipe;
    const char *split;
    uint64_t seed;
    size_t n_threads;
    recipe_progress *progress; /* of the judges */
};

/* Of measured rows, how many problems they name, and in how many groups the split keeps these; 0
   groups: it has none. */
struct training_part {
    size_t problems, groups;
};

struct training_rows {
    struct recipe_rows train, held_out;
    struct recipe_rows watched; /* of problems to train on, see lessons.h */
    struct training_part train_part, held_out_part;
    struct judge_trees *judges; /* that taught; NULL: none */
    struct judge_mix mix;       /* those who teach beside the networks, or none */
    size_t made_up;             /* problems that they were asked for as well */
    size_t copies;              /* rows that say the same as another */
    size_t illegal;             /* of the others, those whose optimum the rule rejects */
    size_t lost;                /* problems of timed data of which the model can return no option */
};

/* Makes the rows to learn from: optima as they are, but one of several rows that say the same; and
   for timed data the rows of time_targets.h, lessons.h and judge_nets.h. The model gets the legal
   tuples and the ranges of its data. 0, or -1 with a message; training_rows_free in both cases. */
int training_rows_make(const struct training_task *task, struct model *model,
                       const struct training_data *data, struct training_rows *out);
void training_rows_note_drops(const struct training_rows *rows, const char *model);
void training_rows_free(struct training_rows *rows);
