/* bench.h - what times predictions: the command's own parts, and what they are measured by
   SPDX-License-Identifier: MIT */
#pragma once

#include "model/model.h"

/* ---- bench.c: the command, the problems, and what is computed ---- */

enum { BENCH_PROBLEMS = 32 };

/* Fills problems[BENCH_PROBLEMS][n_fields] with ones that it can predict, the same each time; how
   many there were within the tries. `tuples` has room for one. */
size_t bench_problems(kpred_ctx *ctx, int32_t *problems, kpred_tuple *tuples);

struct work {                /* of a prediction, the mean over the problems */
    double prefixes, values; /* scored: prefixes, and values that may follow them */
    double kept;             /* prefixes that the search kept, the tuples among them */
    double multiply_adds;    /* an addition of a row of an embedding counts as one, too */
    double weight_bytes;     /* different ones: those that several prefixes read count once */
};

/* pre: the model has the built-in network. 0, or -1: a problem cannot be predicted. */
int work_count(const kpred_ctx *ctx, const int32_t *problems, size_t n_problems, struct work *work);

/* ---- bare.c: bare loops of int8 multiply-adds, what a core does at best ---- */

/* The weights are a matrix with rows of 64, in memory once. They are as many as a model has, more
   or less: more than most first caches hold. */
enum { BARE_ROWS = 1536, BARE_COLS = 64, BARE_BYTES = BARE_ROWS * BARE_COLS };

struct bare {
    int8_t *weights;         /* [BARE_ROWS][BARE_COLS] */
    int32_t *sums;           /* [BARE_ROWS], what bare_plain finds */
    int16_t wide[BARE_COLS]; /* activations of 0 and 1, so that no loop overflows */
    uint8_t narrow[BARE_COLS];
};

void bare_open(struct bare *b);
void bare_free(struct bare *b);

/* The yardstick: a dot product a row, as one writes it first with SSE2; elsewhere in C. */
void bare_plain(const struct bare *b);

/* All of the weights by the fastest instructions of a body, into one sum: its time is a limit, as
   a network does more than this loop. pre: the machine has the body */
typedef int32_t (*bare_loop)(const struct bare *b);
bare_loop bare_loop_of(kpred_body body);

/* ---- bench_time.c: the clock, and caches that are emptied for what is timed cold ---- */

struct caches {
    unsigned char *walk; /* several times the largest cache */
    size_t bytes;
};

void caches_open(struct caches *c);
void caches_free(struct caches *c);

/* Writes one word of each line of `walk`, which drives out data, the tables of pages and, where the
   second cache holds what the first ones hold, code; on x86-64 it also flushes the program's image,
   code and built-in models, from all caches, which is certain. */
void caches_empty(const struct caches *c);

/* Flushes those bytes from all caches on x86-64; elsewhere the walk has to do. */
void caches_flush(const void *p, size_t bytes);

struct bench_tools {
    struct bare bare;
    struct caches caches; /* open if is_cold */
    int is_cold, rounds;
};

struct bench_times {        /* nanoseconds */
    double ns, least, p95;  /* of predictions; ns: the median */
    double plain;           /* the median of bare_plain */
    double loop, warm_loop; /* that of the body's loop; the latter with warm caches at any rate */
};

/* The problems in turn, round by round; 0, or -1: one cannot be predicted. `tuples` has room for
   the beam. Hot: the mean of some repeats is a sample, in CPU time, and a round before the others
   warms up. Cold: each is timed alone after the caches have been emptied. */
int bench_time(const struct bench_tools *tools, kpred_ctx *ctx, const int32_t *problems,
               size_t n_problems, kpred_tuple *tuples, struct bench_times *times);
