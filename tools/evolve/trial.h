/* trial.h - a harness's cases, and how right and how fast a candidate is on them
   SPDX-License-Identifier: MIT

   Candidate and baseline are called by turns in one child, on the same buffers. What the outputs
   have to be comes from the unmodified kernel. */
#pragma once

#include "harness.h"
#include "process.h"
#include "task.h"

/* ---- how far outputs are from what they have to be ---- */

enum oracle_kind {
    ORACLE_EXACT,    /* bit for bit; any NaN is as good as another */
    ORACLE_RELATIVE, /* |got - want| / max(|want|, floor) is the error; `most` of it is allowed */
    ORACLE_HARNESS   /* what the harness's own function returns */
};

struct oracle {
    enum oracle_kind kind;
    double most, floor;
};

/* A buffer after a call. The reference was called twice, with other contents of the outputs: an
   element of an output that kept both of them is one that no code may touch. */
struct oracle_region {
    enum ev_type type;
    enum ev_role role;
    size_t n;
    const unsigned char *got;
    const unsigned char *want[2], *before[2];
    int poison; /* which of the two `got` began with */
};

/* The largest error of an element: 0 if all are equal bit for bit, less than any other number if
   just their bits differ, HUGE_VAL for one that had to stay untouched, and for a NaN or an infinity
   in place of something else. With ORACLE_HARNESS only the former of these is looked for. */
double oracle_error(const struct oracle *o, const struct oracle_region *r);
/* Is the error allowed? */
int oracle_accepts(const struct oracle *o, double error);
/* The first element in which two calls of the reference differ, SIZE_MAX if none does. `a` and `b`
   began with the same contents. */
size_t oracle_differs(enum ev_type type, size_t n, const void *a, const void *b);
/* The first element that the reference made of what was in the buffer before, SIZE_MAX if none */
size_t oracle_depends(const struct oracle_region *r);

/* ---- what many times of two codes say about them ---- */

enum { TIMING_MOST = 256 }; /* values that can be dealt with at once */

struct timing {
    double ratio; /* of the first code's time to the second's */
    double error; /* its standard error, as far as the pairs tell */
    double ns[2]; /* the times of both, as timing_quiet has them */
};

/* The lower quartile of n times, 1 or more, which are sorted. What disturbs only adds to a time,
   for a while: a neighbour on the same core slows one code by a third and another one not at all.
   So the shorter ones tell more of a code than the mean. Calls nothing: a child can use it. */
double timing_quiet(double *v, size_t n);
/* Of pairs that were measured by turns, 1 to TIMING_MOST of them, none 0 */
struct timing timing_of(const uint64_t (*pairs)[2], size_t n);

/* ---- plans ---- */

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

struct host { /* a harness, compiled and loaded */
    char *path;
    void *library;
    const struct ev_harness *harness;
};

/* Compiles `path` with clang-16 (`compiler`) into a temporary folder and loads it; `flags` are
   more of its options, NULL ends them. -1 after a message. */
int host_open(struct host **h, const char *path, const char *compiler, const char *const *flags);
/* One that is part of this program, and about a file */
int host_own(struct host **h, const struct ev_harness *harness, const char *path);
void host_close(struct host *h);

/* ---- trials ---- */

struct trial;

/* Sets all cases up and checks the harness with the unmodified kernel: it has to run, in the
   limits, to touch no guard, to give the same outputs twice whatever was in them before, and to
   have outputs at all. Each that fails is a message that names the case. */
int trial_open(struct trial **t, const struct host *h, const struct trial_code *code,
               const struct trial_plan *plan);
/* As a task's `evaluate`, each list in one child */
void trial_evaluate(void *trial, const struct edits *lists, size_t n, enum effort effort,
                    result_taker *done, void *user);
void trial_close(struct trial *t);

/* Calls a code of the kernel for each case, whatever becomes of that. -1 after a message if there
   can be no child */
int trial_call(struct trial *t, ev_kernel *code);

struct known_cases { /* what is to be told of them */
    size_t n;
    struct known_case {
        char *label; /* "n=4096" */
        int held_out, timed;
        int64_t size[EV_MAX_SIZES];
        double us; /* the baseline's time in microseconds, where it was measured; else 0 */
    } v[TASK_CASES];
    char *sizes; /* their names, with blanks between */
};
const struct known_cases *trial_cases(const struct trial *t);

/* The cases that have times at that effort, in the order of a result's ratios: their number */
size_t trial_timed(const struct trial *t, enum effort effort, size_t cases[TASK_CASES]);

/* The quiet times of several codes over all timed cases, by turns in one child for each case, in
   microseconds: us[code][case], 0 for a case without times. For the choice of a baseline, and for
   tables of variants. -1 after a message. */
int trial_compare(const struct host *h, ev_kernel *const *codes, size_t n,
                  const struct trial_plan *plan, double (*us)[TASK_CASES]);

/* ---- a list evaluated in several children, as these differ by more than one of them tells ---- */

enum { REPEAT_MOST = 21 };

/* Of n results of one list, REPEAT_MOST at most: the time is the ratio of the lower quartiles of
   their times, and `spread` is the standard error of that by resampling. One that is not valid
   decides. */
struct result repeat_combine(const struct result *of, size_t n);

/* The `evaluate` of a task, with a trial as its first argument. With EFFORT_SEARCH each list has
   one child, with more effort 21. */
void repeat_evaluate(void *trial, const struct edits *lists, size_t n, enum effort effort,
                     result_taker *done, void *user);
/* The `compare` of a task */
struct result repeat_compare(void *trial, const struct edits *list, const struct edits *with);
