/* timed.h - what the network learns of timed data
   SPDX-License-Identifier: MIT

   An option that is nearly as fast as the best one is nearly as good an answer. So an option with
   time t gets the odds (best / t)^sharpness, and the network learns probabilities in proportion to
   them: for each parameter, their distribution after the values before it. Where these odds are
   spread over more options than `perplexity`, they are taken with twice the sharpness, or four or
   eight times. A network can learn the odds well and still choose badly: a choice matters more
   where one option is ten times as slow as the best than where all are within a tenth. So `regret`
   adds to the loss what a choice by the network's probabilities costs on average, in octaves of
   time, among the options that were timed. */
#pragma once

#include "judges.h"
#include "recipe.h"

#include "model/gpus.h"

/* ---- rows of what was timed (time_targets.c) ---- */

/* Is an option of the data one that the model can return? */
int timed_can_return(const struct model *model, const struct dataset *d, size_t row);

/* The problems of the rows whose part is 0, n_fields each; how many */
size_t timed_problems(const struct dataset *d, const unsigned char *part, int32_t *out);

/* A row of a problem and a tuple of the data, for which there is room */
void timed_append(const struct dataset *d, const int32_t *problem, const unsigned char *target,
                  struct recipe_rows *to);

int compare_hashes(const void *a, const void *b); /* for qsort, of uint64_t */

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

/* How many rows each problem gets. A table may name hundreds of large problems for each small one,
   though the small ones matter as much. So the spec may put problems into groups, by a key
   (`balance` in [split]), and the recipe's `balance` is how much the size of a group counts: a
   problem gets rows in proportion to 1 / (problems of its group)^balance, rounded by chance, and
   `thinned` keeps a part of them. Then some problems of large groups have none. With a balance of
   0, all problems get as many.

   Of each problem, at its first row: the number of rows that it is to have, on average
   recipe->draws times recipe->thinned. A problem that does not train (part: split.h) has
   recipe->draws. The caller frees the n numbers. */
size_t *balance_rows(const struct recipe *recipe, const struct spec *spec, const struct dataset *d,
                     const unsigned char *part);

/* Writes made-up problems (data.h) behind n_known ones, `asked` at most and 12 for each known one:
   of a few problems little follows for others. One in six is of a name of `u`, and half of these
   are known but for it. A problem that is there already teaches nothing: where fields are few,
   few can be made up. How many there are then. */
size_t make_up_problems(const struct model *m, const struct unseen *u, int32_t *problem,
                        size_t n_known, size_t asked, uint64_t seed);

/* ---- networks that judge whole tuples, and what the student learns of them (judge_nets.c) ----

   Where every option of a few problems was timed, there are many times and few problems. A network
   can learn little about problems from them, but much about how options suit problems. If a spec
   has a section [judge], its model learns timed data in two steps.

   1. judges    the recipe's teachers see a problem and an option together, by the features of
                [judge], and learn its mark, (best / t)^judge_sharpness. They may learn from other
                tables as well, say those of the same kernels for transposed operands. The register
                `table` is 0 for the data of the model and 1, 2, ... for the others.
   2. opinions  they judge all the data's tuples for the problems to train on, and for `judged`
                others that are made up of them. What they make of a problem's options stands in for
                times, from which the student learns as from those that were measured.

   With judge_range, opinions get a part of what the judges miss in those problems to train on that
   are within some octaves. */

struct judge_nets_task {
    struct recipe_task train;        /* of a model with a section [judge] in its spec */
    const struct judge_task *judges; /* the data, the part to learn from, the tables beside */
};

/* Adds the student's rows to `to`, which has room for so many more as judge_nets_most() says. 0,
   or -1 with a message. */
int judge_nets_add(const struct judge_nets_task *task, struct recipe_rows *to);
size_t judge_nets_most(const struct recipe *recipe, const struct dataset *d);

/* ---- the judges' opinion of all legal tuples (lessons.c, problem_lesson.c) ----

   Who times some of a kernel's tuples on some problems knows little of the other tuples and
   problems. Boosted trees (judges.h) learn from a few rows what a network learns from many. So they
   judge, and the network learns from them:

   known     of each problem to train on all legal tuples, or of a great many a sample and
             what a search from the best of them finds; a tuple that was timed counts by its time
             for the most part;
   made up   the same of problems between those.

   A few problems of the table are no lesson: they tell when to stop (additive_train.h), though the
   judges know them. A table that a judge of the user's has made (`train --judge`) takes the judges'
   place: its problems are learnt as they are, and there are no others.

   Of a problem the fastest are kept and some others. What the judges say stands in for times. A
   name of [unseen] has the mean of the shares that the judges see on the GPUs, by their weights. */

enum { LESSONS_DRAWS = 48 }; /* rows of a problem, unless the spec says another number */

enum { LESSON_BEST = 200, LESSON_OTHERS = 56 }; /* tuples of a problem, by what the judges say */

struct lessons_task {
    const struct recipe *recipe;
    struct judge_task judges; /* of the data, the part to train on, the seed */
    const uint64_t *unit;     /* of each row of the data what stays together (split.h) */
    int is_judged; /* the times of the data are what a judge says: no judges are fitted */
};

/* Have two problems or more several timed options each, of different times? */
int lessons_possible(const struct dataset *d, const unsigned char *part);

/* Rows that lessons_add adds at most */
size_t lessons_most(const struct recipe *recipe, const struct dataset *d);

struct lessons_made {
    struct recipe_rows *train, *watched; /* rows are added to; is made */
    struct judge_trees *judges;          /* are fitted, unless it is judged */
    size_t made_up;                      /* problems that are in no table */
};

/* 0, or -1 with a message; the caller frees what was made in both cases. */
int lessons_add(const struct lessons_task *task, struct lessons_made *out);

/* While lessons are made */
struct teaching {
    const struct lessons_task *task;
    const struct dataset *data; /* this, the model and the seed are the task's */
    const struct model *model;
    uint64_t seed;
    const struct judge_trees *judges;
    struct unseen unseen;
    unsigned char *part;    /* of the data: 0 for lessons, as they are known */
    struct dataset *lesson; /* of each problem, its tuples with the judges' times */
    int32_t *problem;       /* n x n_fields: those of the table, then others */
    size_t n_known, n;
};

/* Makes lesson number `index`; user is a struct teaching. Several may run side by side. */
void lesson_make(void *user, size_t index);
