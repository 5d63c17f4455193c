/* user_db.h - MIOpen's user perf-db, and the problems of a log whose best tuples go into it
   SPDX-License-Identifier: MIT

   The perf-db has for each problem a line KEY=SOLVER:PARAMETERS;SOLVER:... Lines of an existing
   file and new ones are collected, then written in the order of their keys, the lines of one key
   joined. What the file holds stays: an entry of a solver is replaced by a new
   one only on demand, and a line that cannot be read is kept as it is, behind the others. */
#pragma once

#include "conv.h"

#include "base/intern.h"

struct user_db_line {
    char *key, *entries; /* entries: what follows the `=`; NULL: a broken line, in `key` */
    size_t order;
    size_t number; /* of the file's line, or of SQLite the id in perf_db */
    int is_new;
};

struct user_db { /* all zero is the empty one */
    size_t n, cap, n_broken;
    struct user_db_line *lines;
    const char *path; /* of the file whose broken lines are told; NULL: none are */
    int is_sqlite;
};

struct user_db_counts {
    size_t added, replaced, kept; /* new entries; kept: the file had one of that solver */
    size_t before;                /* lines that the file had */
};

/* The lines of a file, which need not be there unless it must exist; broken ones are told. -1 with
   a message if the file cannot be read or is not a perf-db. */
int user_db_read(struct user_db *u, const char *path, int must_exist);
/* A new line; the texts are copied. */
void user_db_add(struct user_db *u, const char *key, const char *entries);
/* Sorts, joins and writes; write errors are left to ferror(f). */
void user_db_write(struct user_db *u, int force, FILE *f, struct user_db_counts *counts);
/* Writes new lines and those that the file holds at this moment: who else merges into it waits, and
   what any program wrote before is kept. Broken lines are kept without a word. 0, or -1 with a
   message, the file then being as it was. */
int user_db_merge(const struct user_db *lines, const char *path, int force,
                  struct user_db_counts *counts);
void user_db_free(struct user_db *u);

/* The lengths of the next entry's solver and parameters. Returns where the parameters begin, NULL
   if there is no entry left; *at moves behind the entry. pre: the entries are no broken ones */
const char *user_db_next_entry(const char **at, size_t *n_solver, size_t *n_params);
/* The first entry of the solver of exactly that name: where its parameters begin, and their length;
   NULL if there is none. pre: as above */
const char *user_db_find_entry(const char *entries, const char *solver, size_t n_solver,
                               size_t *n_params);

/* The same for a SQLite perf-db, made if it is not there: one transaction. `all`, which is to be
   freed, takes what the file holds then: a line a row. -1 with a message, the file then being as it
   was; so in a build without SQLite. */
int user_db_write_sqlite(const struct user_db *u, const char *path, int force,
                         struct user_db_counts *counts, struct user_db *all);

/* ---- coverage.c: the convolutions that a log calls for, and the best tuples for them ---- */

/* Of the kernels with a model for the GPU, what the one that comes nearest does not take */
struct gap {
    const char *solver; /* of that kernel, where the condition is its own; else NULL */
    struct reason why;  /* its kind may be a call_kind's; of a broken call, its option and form */
};

/* A distinct problem: a convolution in one direction. */
struct problem {
    const char *key;
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
    struct interned keys; /* their numbers are those of problems */
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

/* The built-in models of convolutions, for no GPU and without a beam: 0, or -1 with a message;
   coverage_close in both cases. */
int coverage_models(struct coverage *c);
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
