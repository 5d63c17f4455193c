/* attempt.h - a trial, and what it has for one child: memory, a task, the way into the sandbox
   SPDX-License-Identifier: MIT */
#pragma once

#include "child.h"
#include "crew.h"
#include "trial.h"

enum { ATTEMPT_ROOMS = 8 };

/* The processes of a trial's crew have copies of it, each with memory and a sandbox of its own. */
struct trial {
    const struct ev_harness *harness;
    const char *path;
    struct trial_code code;
    struct trial_plan plan;
    struct cases *cases;
    struct crew *crew;
    uint64_t random;
    uint64_t calls[TASK_CASES]; /* in a sample of each case */
    double sample_ns[TASK_CASES];
    double whole_s[TASK_CASES]; /* what a child took to call and time the baseline on it */
    const struct edits *with;   /* in the parent: see trial_time_with */
    /* for a child */
    struct edits rival; /* a member has compiled it to be timed with */
    ev_kernel *rival_code;
    struct sandbox *sandbox;
    struct case_room rooms[ATTEMPT_ROOMS];
    size_t n_rooms;
    struct guarded block;
    struct child_task task;
    struct report *report; /* a copy, which no child can change while it is read */
    enum effort effort;
    int is_glance; /* nothing is timed */
    double started;
};

int attempt_open(struct trial *t); /* memory and sandbox; -1 after a message */
void attempt_close(struct trial *t);
/* The task becomes one that calls no case yet, */
void attempt_clear_task(struct trial *t);
/* or that of an evaluation with that effort, for which it may run so many seconds, */
double attempt_set_task(struct trial *t, enum effort effort);
/* or the same without timings. */
double attempt_set_glance(struct trial *t, enum effort effort);
/* Runs the task for at most so many seconds of processor time (0: what the limits leave). -1 after
   a message if there can be no child */
int attempt_run(struct trial *t, double seconds, enum sandbox_end *end, int *code);
/* Are the margins of all that a child may write to as they were? Mends them. */
int attempt_margins_hold(struct trial *t);
