/* coverage.h - the convolutions that a log calls for, and the best tuples of the kernels for them
   SPDX-License-Identifier: MIT */
#pragma once

#include "driver.h"
#include "user_db.h"

/* Of the kernels with a model for the GPU, what the one that comes nearest does not take */
struct gap {
    const char *solver; /* of that kernel, where the condition is its own; else NULL */
    struct reason why;  /* its kind may be a call_kind's; of a broken call, its option and form */
};

/* A distinct problem: a convolution in one direction. */
struct problem {
    char *key;
    char *entries;  /* of a perf-db, "Solver:1,2;Solver:3"; NULL: no model covers it */
    struct gap gap; /* where one does not */
};

/* The calls that are not covered for the same reason */
struct gap_count {
    struct gap gap;     /* of the first */
    char *log, *broken; /* broken: why the first is, or NULL */
    size_t line, calls;
};

struct coverage {
    size_t n_models;
    struct coverage_model **models; /* in the order of their solvers' names */
    size_t n, cap;
    struct problem *problems;
    size_t n_slots, *slots; /* hash table of indices into problems, + 1; 0: free */
    struct buf key, entries;
    size_t lines, calls, covered, n_entries, extrapolated, broken;
    size_t n_gaps, gaps_cap;
    struct gap_count *gaps; /* sorted by coverage_note */
};

/* A kernel's model, for the GPU asked for */
struct coverage_model {
    struct model model;
    int field[CONV_N_SOURCES];
    int32_t gpu;    /* -1: the model has not seen it */
    int is_near;    /* it is the nearest in place of the one asked for */
    int runs_there; /* the kernel, on the GPU asked for */
    int32_t *arena;
    kpred_ctx ctx;
};

/* Opens the built-in models for a GPU. 0, or -1 with a message; coverage_close in both cases. */
int coverage_open(struct coverage *c, const char *gpu, int nearest, size_t beam);
/* One call, which stands in that line of a log: its problems are looked up or predicted. 0, or -1
   with a message. */
int coverage_add(struct coverage *c, const char *log, size_t line, enum driver_kind kind,
                 const struct driver_call *call);
/* Takes from the problem with that key, if there is one, the entries of solvers that stand in
   `entries` too; returns how many. */
size_t coverage_leave_out(struct coverage *c, const char *key, const char *entries);
/* The entries of the problem with that key; NULL: there is none */
const char *coverage_entries(const struct coverage *c, const char *key);
void coverage_close(struct coverage *c);

/* Lines on standard error: what was covered, and how many calls were not, by reason. */
void coverage_note(struct coverage *c);

/* ---- illegal entries of a user perf-db ---- */

/* A line on standard error for each such entry that stays in the file `u`, up to a number; with
   `force` those stay for which the run has no entry of its own. Kernels without a model, and those
   whose model does not know the GPU or the problem, are passed over. */
void kept_note(const struct coverage *c, const struct user_db *u, int force);
