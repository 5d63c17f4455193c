/* trial.h - a harness's cases, and how right and how fast a candidate is on them
   SPDX-License-Identifier: MIT

   Candidate and baseline are called by turns in one child, on the same buffers. What the outputs
   have to be comes from the unmodified kernel. */
#pragma once

#include "harness.h"
#include "oracle.h"
#include "sandbox.h"
#include "task.h"

struct trial_plan {
    struct oracle oracle;
    struct sandbox_limits limits;
    int jobs;
    uint64_t seed; /* of poison */
};

/* How a list becomes machine code: in a process of its own, which may die of it. */
struct trial_code {
    void *self;
    ev_kernel *(*compile)(void *self, const struct edits *list, enum outcome *why); /* NULL: why */
    /* The same, sooner and slower: most candidates are wrong, and this shows it for less. May be
       NULL. */
    ev_kernel *(*compile_soon)(void *self, const struct edits *list, enum outcome *why);
    void (*forget)(void *self); /* frees the code that was compiled last; NULL: nothing is freed */
    ev_kernel *baseline;        /* compiled by the parent: the times are compared with its */
    ev_kernel *reference; /* what the outputs are compared with: the kernel as its author has it */
};

/* ---- the harness ---- */

struct host; /* a harness, compiled and loaded */

/* Compiles `path` with clang-16 (`compiler`) into a temporary folder and loads it; `flags` are
   more of its options, NULL ends them. -1 after a message. */
int host_open(struct host **h, const char *path, const char *compiler, const char *const *flags);
/* One that is part of this program, and about a file */
int host_own(struct host **h, const struct ev_harness *harness, const char *path);
const struct ev_harness *host_harness(const struct host *h);
const char *host_path(const struct host *h);
void host_close(struct host *h);

/* ---- trials ---- */

struct trial;

/* Sets all cases up and checks the harness with the unmodified kernel: it has to run, in the
   limits, to touch no guard, to give the same outputs twice whatever was in them before, and to
   have outputs at all. Each that fails is a message that names the case. */
int trial_open(struct trial **t, const struct host *h, const struct trial_code *code,
               const struct trial_plan *plan);
/* The `evaluate` of a task, with a trial as its first argument */
void trial_evaluate(void *trial, const struct edits *lists, size_t n, enum effort effort,
                    void (*done)(void *user, size_t i, const struct result *result), void *user);
/* From now on candidates are timed with this valid list, which has to stay, and not with the
   baseline; NULL: with the baseline again. */
void trial_time_with(struct trial *t, const struct edits *list);
void trial_close(struct trial *t);

struct trial_case {    /* what is to be told of a case */
    const char *label; /* "n=4096" */
    int held_out, timed;
    const int64_t *size;
    double microseconds; /* the baseline's time, where trial_open measured it; else 0 */
};
size_t trial_cases(const struct trial *t);
struct trial_case trial_case(const struct trial *t, size_t i);

/* The cases that have times at that effort, in the order of a result's ratios: their number */
size_t trial_timed(const struct trial *t, enum effort effort, size_t cases[TASK_CASES]);

/* The quiet times of several codes over all timed cases, by turns in one child for each case, in
   microseconds: us[code * cases + case], 0 for a case without times. For the choice of a baseline,
   and for tables of variants. -1 after a message. */
int trial_compare(const struct host *h, ev_kernel *const *codes, size_t n,
                  const struct trial_plan *plan, double *us);
