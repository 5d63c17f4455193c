/* evaluator.h - a program of the user's that runs candidates where they belong, such as on a GPU
   SPDX-License-Identifier: MIT

   It is asked by lines and answers by lines; tools/evolve/examples/evaluator.h describes them, and
   is what such a program includes. */
#pragma once

#include "evolve/ir/ir.h"
#include "evolve/trial.h"

struct evaluator;

/* What files the evaluator takes are made of: in a process of its own, which may die */
struct evaluator_code {
    struct ir *ir; /* NULL: a file is the source as it is, for a compiler of the device's own */
    const struct ir_source *source;
    enum ir_form form;
};

struct evaluator_plan {
    const char *command; /* a line of the shell */
    double seconds;      /* most for a list to become a file, and for an answer */
    int is_given;        /* else the latter follows from what the unedited kernel takes */
    size_t memory_bytes; /* beyond what this process has, for the latter */
};

/* Starts the command and asks for its cases; -1 after a message */
int evaluator_open(struct evaluator **e, const struct evaluator_plan *plan);
void evaluator_close(struct evaluator *e);

/* Their labels are their sizes, "n=4096,m=3", the same names in each; their times are known when
   the baseline is there. */
const struct known_cases *evaluator_cases(const struct evaluator *e);
void evaluator_tell(const struct evaluator *e, struct buf *out); /* all, as a log names them */

/* From now on candidates come from there, and are timed with what it makes of the empty list. That
   is tried on all cases: -1 after a message if it is not right. */
int evaluator_take(struct evaluator *e, const struct evaluator_code *code);
/* Set after a message, once no more can be evaluated */
const int *evaluator_gave_up(const struct evaluator *e);

/* The same for what they are timed with alone: candidates come from where they came */
int evaluator_take_baseline(struct evaluator *e, const struct evaluator_code *code);

/* The time of that code by that of the baseline, over the cases of a search, and those of each in
   microseconds: HUGE_VAL if it is not right, *why then. -1 after a message */
int evaluator_race(struct evaluator *e, const struct evaluator_code *code, double *ratio,
                   double us[TASK_CASES], const char **why);

/* The times of a list on all timed cases, in microseconds; the others stay. -1 after a message */
int evaluator_times(struct evaluator *e, const struct edits *list, double us[TASK_CASES]);

/* As a task's `evaluate` and `compare`, with an evaluator as the first argument */
void evaluator_evaluate(void *evaluator, const struct edits *lists, size_t n, enum effort effort,
                        result_taker *done, void *user);
struct result evaluator_compare(void *evaluator, const struct edits *list,
                                const struct edits *with);
