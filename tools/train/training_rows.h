/* training_rows.h - from files of tuning results to the rows that a network learns from
   SPDX-License-Identifier: MIT */
#pragma once

#include "data/formats.h"
#include "data/held_out.h"
#include "recipe.h"

/* Files of the model's own data and, for [judge], others beside them, each a table of its own. */
struct training_files {
    const struct data_format *formats;
    const char *const *own, *const *beside;
    size_t n_own, n_beside;
};

struct training_data {
    struct dataset own, *beside;
    size_t n_beside;
};

/* Loads them, with notes of what was dropped. 0, or -1 with a message and nothing to close. */
int training_data_open(const struct model *model, const struct training_files *files,
                       const struct data_options *how, struct training_data *out);
void training_data_close(struct training_data *d);

/* How to make rows of them. */
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
    struct training_part train_part, held_out_part;
    size_t copies;  /* rows that say the same as another */
    size_t illegal; /* of the others, those whose optimum the rule rejects */
    size_t lost;    /* problems of timed data of which the model can return no option */
};

/* Makes the rows to learn from: optima as they are, but one of several rows that say the same; and
   for timed data the rows of time_targets.h and judge.h. The model gets the legal tuples and the
   ranges of its data. 0, or -1 with a message; training_rows_free in both cases. */
int training_rows_make(const struct training_task *task, struct model *model,
                       const struct training_data *data, struct training_rows *out);
void training_rows_note_drops(const struct training_rows *rows, const char *model);
void training_rows_free(struct training_rows *rows);
