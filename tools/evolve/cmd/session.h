/* session.h - a kernel with its harness, ready to be searched
   SPDX-License-Identifier: MIT */
#pragma once

#include "evolve/archive.h"
#include "evolve/ir/ir.h"
#include "evolve/trial.h"

struct session_options { /* of the command line, or of a log */
    const char *kernel, *harness, *function;
    const char *cflags;   /* separated by blanks, NULL: none */
    const char *oracle;   /* see oracle_parse; NULL: exact */
    const char *baseline; /* its name; NULL: the fastest */
    long jobs;            /* children at a time; 0: one for each processor */
    long timeout_ms;      /* of one candidate */
    long memory_mb;
    long seed;
};

struct session {
    struct session_options options;
    struct host *host;
    struct ir *ir; /* behind the passes of the baseline */
    const struct ir_passes *passes;
    struct trial *trial;
    struct trial_plan plan;
    struct trial_code code;
    struct task task;
    char **flags;
    double us[IR_BASELINES][TASK_CASES]; /* of all baselines by case, if they were compared */
    size_t sizes[IR_BASELINES];          /* their instructions */
};

/* `exact`; `REL,FLOOR`: |got - want| / max(|want|, FLOOR) is at most REL; `harness,MOST`: what
   the harness's function returns is at most MOST. 0, or -1 with a message. */
int oracle_parse(const char *text, struct oracle *out);

/* The passes of that baseline, or NULL */
const struct ir_passes *baseline_of(const char *name);

/* The words of a text (NULL: none), NULL at their end; one block, to be freed */
char **words_of(const char *text);

/* What these options say of a trial; its oracle is exact. jobs 0: one for each processor */
struct trial_plan session_plan(long jobs, long timeout_ms, long memory_mb, long seed);

/* Reads and compiles kernel and harness, chooses the baseline and tries the unmodified kernel: 0,
   or -1 after a message. */
int session_open(struct session *s, const struct session_options *options);
void session_close(struct session *s);
