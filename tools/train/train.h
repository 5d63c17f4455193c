/* train.h - all that the command `train` needs of this room: data, rows, networks, what is told
   SPDX-License-Identifier: MIT */
#pragma once

#include "judges.h"
#include "recipe.h"

#include "data/formats.h"
#include "data/split.h"

/* ---- the files that a network learns from (training_rows.c) ---- */

/* Files of the model's own data and, for [judge], others beside them, each a table of its own. */
struct training_files {
    const struct data_format *formats;
    const char *const *own, *const *beside;
    size_t n_own, n_beside;
};

struct training_data {
    struct dataset own, *beside;
    size_t n_beside;
    int is_judged; /* are the own what a judge of the user's says? */
};

/* Loads them, with notes of what was dropped; the model's own get the rows of [unseen]
   (data.h). 0, or -1 with a message and nothing to close. */
int training_data_open(const struct model *model, const struct training_files *files,
                       const struct data_options *how, struct training_data *out);
void training_data_close(struct training_data *d);

/* ---- and the rows that are made of them ---- */

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
    struct recipe_rows watched; /* of problems to train on, see timed.h */
    struct training_part train_part, held_out_part;
    int are_judged;             /* are they what judges say? These stand here, or are the user's: */
    struct judge_trees *judges; /* NULL */
    struct judge_mix mix;       /* those who teach beside the networks, or none */
    size_t made_up;             /* problems that they were asked for as well */
    size_t copies;              /* rows that say the same as another */
    size_t illegal;             /* of the others, those whose optimum the rule rejects */
    size_t lost;                /* problems of timed data of which the model can return no option */
};

/* Makes the rows to learn from: optima as they are, but one of several rows that say the same; and
   for timed data those of timed.h. The model gets the legal tuples and the ranges of its data. 0,
   or -1 with a message; training_rows_free in both cases. */
int training_rows_make(const struct training_task *task, struct model *model,
                       const struct training_data *data, struct training_rows *out);
void training_rows_note_drops(const struct training_rows *rows, const char *model);
void training_rows_free(struct training_rows *rows);

/* ---- what is told on standard error of rows and losses, and of what is wrong (advice.c) ---- */

/* How many rows, problems and groups the split gives, and a warning where they are few. */
void advice_rows(const struct model *model, const char *split, const struct training_rows *rows);

/* Warnings of lines of [features] whose inputs cannot vary: one of all that are the same for all of
   the rows, and one for each with steps of octaves over a number that is not a logarithm. */
void advice_features(const struct model *model, const struct recipe_rows *rows);

void advice_losses(const struct model *model, const struct recipe_losses *losses);
/* Of [restrict]: for each clause that some tuple of the data breaks, how many do, and for how many
   it is false because of a division or a quotient. Rows made for [unseen] do not count. */
void advice_clauses(const struct model *model, const struct dataset *d);
