/* train_run.h - the pieces of the command `train`: its options, what it writes, what it tells
   SPDX-License-Identifier: MIT */
#pragma once

#include "commands.h"

#include "lab/paper/paper.h"
#include "train/train.h"

struct train_options {
    const char *spec, *split, *float_out, *include_dir, *output, *problems;
    struct opt_texts data, judge, beside;
    struct data_options how;
    int net, force;
    long epochs, seed, threads;
};

/* Lines for the header's opening comment: what makes it again, and of which files. */
void train_story(struct buf *b, const struct train_options *o, const struct model *model,
                 const struct training_data *d, const struct training_rows *rows,
                 const struct recipe *r);

/* Tells the commands that a user would type next. */
void train_tell_next(const struct train_options *o, const struct model *model,
                     const struct training_rows *rows);

/* Tells how good the network is on the problems that the split keeps, beside simpler ways; judges:
   what taught it, or NULL. 0, or -1 with a message. */
int train_report(const struct model *model, const struct dataset *d,
                 const struct judge_trees *judges);
