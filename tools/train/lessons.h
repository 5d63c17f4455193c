/* lessons.h - what the network learns of a table of times: the judges' opinion of all legal tuples
   SPDX-License-Identifier: MIT

   Who times some of a kernel's tuples on some problems knows little of the other tuples and
   problems. Boosted trees (judge_trees.h) learn from a few rows what a network learns from many. So
   they judge, and the network learns from them:

   known     of each problem to train on all legal tuples, or of a great many a sample and
             what a search from the best of them finds; a tuple that was timed counts by its time
             for the most part;
   made up   the same of problems between those (made_up.h).

   A few problems of the table are no lesson: they tell when to stop (watch.h), though the judges
   know them.

   Of a problem the fastest are kept and some others. What the judges say stands in for times, from
   which the network learns as time_targets.h says. A name of [unseen] has the mean of the shares
   that the judges see on the GPUs, by their weights. */
#pragma once

#include "problem_lesson.h"

enum {
    LESSONS_DRAWS = 48,     /* rows of a problem, unless the spec says another number; */
    LESSONS_ROWS = 1 << 16, /* of all of them, at most, */
    LESSONS_FEW = 1 << 15,  /* and at least, */
    LESSONS_LEAST = 8       /* but so many of each */
};

/* Have two problems or more several timed options each, of different times? */
int lessons_possible(const struct dataset *d, const unsigned char *part);

/* Rows that lessons_add adds at most */
size_t lessons_most(const struct recipe *recipe, const struct dataset *d);
struct lessons_made {
    struct recipe_rows *train, *watched; /* rows are added to; is made */
    struct judge_trees *judges;          /* are fitted */
    size_t made_up;                      /* problems that are in no table */
};

/* 0, or -1 with a message; the caller frees what was made in both cases. */
int lessons_add(const struct lessons_task *task, struct lessons_made *out);
