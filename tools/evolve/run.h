/* run.h - what all methods of search share: the budget, the replay, what has to be confirmed
   SPDX-License-Identifier: MIT

   A run remembers what it has met itself, apart from the archive: a search that goes on from a log
   takes each result from there as if it came now, counts it, and so decides as it did before. */
#pragma once

#include "search.h"

struct run {
    const struct search_plan *plan;
    const struct task *task;
    struct archive *archive; /* with the log */
    struct archive *met;     /* what this run has asked for so far */
    const volatile int *stop;
    const struct search_news *news;
    long evaluations; /* candidates that ran, as this run has met them */
    long generation;
    long kept;      /* of the budget, for run_end */
    int is_closing; /* run_end is at work */
    int idle;       /* calls of run_evaluate, one after another, that met nothing new */
    double begin;
};

enum { RUN_OVER = 1 };

/* Without a plan the budget has no limit. */
void run_open(struct run *r, const struct search_plan *plan, const struct task *task,
              struct archive *archive);
void run_close(struct run *r);

/* The results of n lists, evaluated where they are not known: 0, RUN_OVER when the budget is spent
   or somebody wants an end, or -1 after a message. Lists may be the same. */
int run_evaluate(struct run *r, const struct edits *lists, size_t n, enum effort effort,
                 struct result *results);
/* Has this run met that list? */
int run_met(const struct run *r, const struct edits *list);

/* Evaluates with EFFORT_CONFIRM those of n valid lists that look better than all that is confirmed:
   at most `most`, the fastest first. Their results are replaced. As run_evaluate. */
int run_confirm(struct run *r, const struct edits *lists, struct result *results, size_t n,
                size_t most);

/* Confirms the best that are not yet, when the budget is spent but for what was kept for it:
   without this a search that ends early would have nothing to show. As run_evaluate. */
int run_end(struct run *r);

/* ---- random numbers ---- */

size_t run_below(uint64_t *random, size_t n); /* 0..n-1; n > 0 */
int run_chance(uint64_t *random, double p);
