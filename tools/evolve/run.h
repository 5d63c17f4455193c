/* run.h - what the methods of search share: the budget, the replay, new lists, populations
   SPDX-License-Identifier: MIT

   A run remembers what it has met itself, apart from the archive: a search that goes on from a log
   takes each result from there as if it came now, counts it, and so decides as it did before. */
#pragma once

#include "search.h"

/* The edits that are tried in their order, as struct task has them; each once in a run */
struct queue {
    struct edit *v;
    size_t n, at;
};

struct run {
    const struct search_plan *plan;
    const struct task *task;
    struct archive *archive; /* with the log */
    struct archive *met;     /* what this run has asked for so far */
    struct queue *queue;
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

struct candidate {
    struct edits list;
    struct result result;
    struct point point; /* of one in a population */
};

/* The results of n lists, evaluated where they are not known: 0, RUN_OVER when the budget is spent
   or somebody wants an end, or -1 after a message. Lists may be the same. */
int run_evaluate(struct run *r, struct candidate *const *c, size_t n, enum effort effort);
/* The same of one */
int run_one(struct run *r, const struct edits *list, enum effort effort, struct result *result);
/* Has this run met that list? */
int run_met(const struct run *r, const struct edits *list);

/* Evaluates with EFFORT_CONFIRM those of n valid ones that look better than all that is confirmed:
   at most `most`, the fastest first. Their results are replaced. As run_evaluate. */
int run_confirm(struct run *r, struct candidate *const *c, size_t n, size_t most);

/* Confirms the best that are not yet, when the budget is spent but for what was kept for it:
   without this a search that ends early would have nothing to show. As run_evaluate. */
int run_end(struct run *r);

/* ---- random numbers ---- */

size_t run_below(uint64_t *random, size_t n); /* 0..n-1; n > 0 */
int run_chance(uint64_t *random, double p);

/* ---- noise ---- */

/* Is `a` faster by more than z standard deviations of their difference? `b` may be one that is not
   valid. */
int noise_is_faster(const struct result *a, const struct result *b, double z);

/* The time that several lists share which are as fast as each other: the mean of their times, each
   weighed by its variance. The list that a search found best is best also by luck: its own time is
   too low to be compared with, while the mean comes to what is true. If single steps that are each
   within the noise lead away from it, the mean lags behind, and that ends them. */
struct level {
    double sum, weights;
    double error; /* of the latest */
};

void level_begin(struct level *l, const struct result *result);
void level_add(struct level *l, const struct result *result);
struct result level_result(const struct level *l);

/* ---- new lists out of those that are there ---- */

/* `child`, which may hold another list or be the parent, becomes the parent's with one more edit,
   the next of the queue or a random one, such as this run has not met: 0, or -1 if none was found;
   then it is as the parent. */
int breed_longer(const struct run *r, const struct edits *parent, uint64_t *random,
                 struct edits *child);
/* ... the parent's without a random edit */
int breed_shorter(const struct run *r, const struct edits *parent, uint64_t *random,
                  struct edits *child);
/* ... what two parents share and a random part of the rest. It applies, and is neither parent. */
int breed_crossed(const struct run *r, const struct edits *a, const struct edits *b,
                  uint64_t *random, struct edits *child);

/* ---- populations ---- */

struct population { /* all zero: nobody; to be emptied */
    size_t n, cap;
    struct candidate **v;
};

/* A copy of it. One that is not valid, or is there already, is of no use and left out. */
void population_add(struct population *p, const struct candidate *c);
void population_sort(struct population *p); /* the best first, by rank and crowding */
/* All of `more` come to p, which has been sorted; the first `elite` of p stay, and of the others
   the best, `most` in all. `more` is empty then. */
void population_merge(struct population *p, struct population *more, size_t elite, size_t most);
/* Of two random ones of a sorted population, the better. */
const struct candidate *population_pick(const struct population *p, uint64_t *random);
void population_empty(struct population *p);

/* ---- the first population ---- */

/* Lists of plan->first_edits edits, each valid alone and together, or fewer where so many are not
   found; and the empty list. As run_evaluate. */
int founders_find(struct run *r, struct population *p);
