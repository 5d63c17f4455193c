/* progress.h - what is told while a tuning runs, and at its end
   SPDX-License-Identifier: MIT

   On a terminal one line is written again and again: the best so far, and the time left. Elsewhere
   only failures and the sum at the end are told. */
#pragma once

#include "answer.h"
#include "assign.h"

struct progress {
    int is_terminal;
    double start, shown; /* by the clock of budget.h */
    double deadline;     /* HUGE_VAL: none */
    size_t problem, n_problems;
    size_t launches;    /* of this run */
    size_t done, to_do; /* launches of this problem; those of earlier runs count */
    size_t later;       /* launches of the problems that follow, about */
    size_t measured, failed, resumed;
    size_t told[OUTCOME_STOP]; /* failures that were told, by kind */
    double best;               /* of the problem; HUGE_VAL: none */
    struct buf best_text;
};

void progress_begin(struct progress *p, size_t n_problems, double deadline);
void progress_end(struct progress *p);

/* A problem begins, with so many launches to do. */
void progress_problem(struct progress *p, size_t to_do, size_t later);
void progress_time(struct progress *p, const struct assign *a, double us);
/* Tells of a failure, but of many of one kind only the first. */
void progress_failure(struct progress *p, const struct assign *a, const struct answer *why);
/* Takes the line away, before another text. */
void progress_clear(const struct progress *p);
void progress_show(struct progress *p);

/* The last line of a run */
void progress_sum(struct progress *p, const char *path);
