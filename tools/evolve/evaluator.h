/* evaluator.h - a program of the user's that runs candidates where they belong, such as on a GPU
   SPDX-License-Identifier: MIT

   It is asked by lines and answers by lines; tools/evolve/examples/evaluator.h describes them, and
   is what such a program includes. */
#pragma once

#include "trial.h"

struct evaluator;

/* How a list becomes a file that the evaluator takes: in a process of its own, which may die. */
struct evaluator_code {
    void *self;
    /* VALID, or why there is none */
    enum outcome (*write)(void *self, const struct edits *list, const char *path);
    const char *(*why)(void *self); /* what the compiler said then; NULL: nothing is known */
    const char *extension;          /* of these files, such as ".ll" */
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

/* Their labels are their sizes, "n=4096,m=3", the same names in each. */
size_t evaluator_cases(const struct evaluator *e);
struct trial_case evaluator_case(const struct evaluator *e, size_t i);
const char *evaluator_sizes(const struct evaluator *e); /* their names, with blanks between */
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

/* The times of several lists on all timed cases, in microseconds: us[list * cases + case], 0 for a
   case without times; -1 after a message */
int evaluator_times(struct evaluator *e, const struct edits *lists, size_t n, double *us);

/* As a task's `evaluate` and `compare`, with an evaluator as the first argument */
void evaluator_evaluate(void *evaluator, const struct edits *lists, size_t n, enum effort effort,
                        void (*done)(void *user, size_t i, const struct result *result),
                        void *user);
struct result evaluator_compare(void *evaluator, const struct edits *list,
                                const struct edits *with);
