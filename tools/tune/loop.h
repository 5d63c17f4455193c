/* loop.h - measures tuple after tuple: of which problems, within which budget, and what is told
   SPDX-License-Identifier: MIT */
#pragma once

#include "results.h"
#include "strategy.h"

#include "data/formats.h"

/* ---- the problems to tune for, from a CSV file ---- */

struct problems {
    size_t n, n_fields;
    int32_t *v;    /* n x n_fields, in the spec's order; no two are the same */
    long *line;    /* n: where each stands first */
    double *count; /* n: how often each runs; 1 where there is no such column */
};

/* Reads a column for each field of the spec, in any order, and if `counts` a column "count" that is
   no field: of lines that are one problem it is summed up. 0, or -1 with a message. */
int problems_read(const char *path, const struct spec *spec, int counts, struct problems *out);
void problems_free(struct problems *p);

/* ---- how much may be measured: launches, or time ---- */

struct budget {     /* all zero: no bound */
    long launches;  /* of each problem, those of earlier runs included; 0: no bound */
    double seconds; /* of the whole run; 0: no bound */
};

/* A number of launches, or a duration. NULL: no bound. 0, or -1 with a message. */
int budget_read(const char *text, struct budget *out);

/* "2%": a share of what there is to gain, 0.001 to 0.5. NULL: 0. 0, or -1 with a message. */
int stop_at_read(const char *text, double *share);

/* "1:05:09" or "5:09", of a duration. In `text`. */
const char *duration_text(double seconds, char text[32]);

/* ---- what a tuning knows beforehand: a model, and tables of other GPUs and problems ---- */

struct known {          /* all zero: nothing */
    struct model model; /* a struct known must not be copied */
    struct dataset data;
    int has_model, has_data;
    size_t n_strange; /* problems of which the model does not know a token */
};

/* `model` is a header, or a built-in model; NULL: none. 0, or -1 with a message. */
int known_open(struct known *k, const struct spec *spec, const char *model,
               const struct opt_texts *data, const struct data_format *readers);
void known_close(struct known *k);

/* How much times on another GPU count: 1, or a tenth on one of another vendor, whose architectures
   are built in other ways. Names as gpus.h has them; NULL, like those of no known vendor: 1. */
double known_weight(const char *gpu, const char *other);

struct known_near {
    double distance;
    size_t at; /* its number, or its first row */
};
int known_nearer(const void *a, const void *b); /* of two of these: for qsort */

/* The shortest time of each legal tuple in the rows of a problem, from row `first` on; HUGE_VAL: it
   has failed each time; NAN: it is not there. Returns the shortest one of all. */
double known_table(const struct dataset *d, size_t first, const struct legal *l, double *times);

/* Tells the strategy of a problem. */
void known_tell(struct known *k, const struct spec *spec, const int32_t *problem,
                const struct legal *l, struct strategy *s);

/* ---- progress ---- */

/* What is told while a tuning runs, and at its end. On a terminal one line is written again and
   again: the best so far, and the time left. Elsewhere only failures and the sum at the end are
   told. */

struct progress {
    int is_terminal;
    double start, shown; /* by clock_seconds */
    double deadline;     /* HUGE_VAL: none */
    size_t problem, n_problems;
    size_t launches;    /* of this run */
    size_t done, to_do; /* launches of this problem; those of earlier runs count */
    size_t later;       /* launches of the problems that follow, about */
    size_t measured, failed;
    size_t resumed, resumed_failed; /* of earlier runs */
    size_t told[OUTCOME_STOP];      /* failures that were told, by kind */
    double best;                    /* of the problem; HUGE_VAL: none */
    struct buf best_text;
    struct table ends; /* a row for each problem, added when it ends */
};

void progress_begin(struct progress *p, size_t n_problems, double deadline);
void progress_end(struct progress *p);

/* A problem begins, with so many launches to do. */
void progress_problem(struct progress *p, size_t to_do, size_t later);
void progress_time(struct progress *p, const struct assign *a, double us);
/* Tells of a failure, but of many of one kind only the first. */
void progress_failure(struct progress *p, const struct assign *a, const struct answer *why);
void progress_show(struct progress *p);
/* So many of what was measured do not count. */
void progress_less(struct progress *p, size_t n);

/* The end of a run: a table of the problems on standard output, and a line of what was measured.
   Not 0: the table is lost; there is a message if none has told yet why the run failed. */
int progress_sum(struct progress *p, const char *path, int is_told);

/* ---- measures tuple after tuple of each problem ---- */

struct loop { /* of a kernel */
    struct spec spec;
    struct model model; /* the rule of the spec */
    struct problems problems;
    struct known known;
    size_t shard, n_shards; /* every n_shards-th problem, from number `shard` on */
    struct budget budget;
    double stop_at; /* the share that a problem has to have to gain, to go on; 0: none */
    size_t repeat;
    uint64_t seed;
    struct results *results;
    struct results_mark start, sure; /* of this run; behind what is certain */
    struct runner runner;
    struct progress *progress;
    double deadline; /* HUGE_VAL: none */
};

/* The problems of one kernel, one after another, or as a library those of one or several kernels
   together: together_next says which one is next. The budget and all else but the kernel are those
   of the first one. 0, or -1 if it came to no good end: there was a message, or talk_die_of_signal
   ends it. */
int loop_run(struct loop *const *l, size_t n, int is_library);

/* ---- problems together ---- */

/* Which problem to measure next, and which of its tuples, for a whole library. Problems take turns
   of a few launches. The next one is that of which the most time is expected to be saved: how often
   it runs, times its best time, times the share that a launch is likely to save. What was measured
   for the other problems of its kernel is told to its strategy. docs/tuning.md says how. The order
   follows from what was told alone. */

struct together;

struct together *together_new(uint64_t seed, double stop_at);
/* A problem, by the order in which they are added: those of a spec share what they learn. `legal`
   and the rest have to outlive it. `count`: how often it runs. */
void together_add(struct together *t, const struct spec *spec, const int32_t *problem,
                  const struct legal *legal, double count);
/* A result of an earlier run, before the first together_next */
void together_resume(struct together *t, size_t problem, size_t tuple, double time);

/* What to measure next: 1, and then together_tell is due; or 0: there is nothing left. */
int together_next(struct together *t, size_t *problem, size_t *tuple);
/* Of the tuple that was given last; HUGE_VAL: it failed. Returns 1 if the problem ends with it. */
int together_tell(struct together *t, double time);
/* Of a problem so far; HUGE_VAL: none */
double together_best(const struct together *t, size_t problem);
void together_free(struct together *t);
