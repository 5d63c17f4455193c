/* slots.h - what a trial has for each child: memory, a task, and the way into the sandbox
   SPDX-License-Identifier: MIT */
#pragma once

#include "child.h"
#include "trial.h"

struct slot { /* for a child */
    struct trial *trial;
    struct case_room room;
    struct guarded block;
    struct child_task task;
    const struct edits *list; /* NULL: the task's kernel is there */
    size_t i;                 /* of the list among those that are evaluated */
    enum effort effort;
    double started, run_seconds; /* run_seconds: see struct sandbox_job */
    int is_busy;
};

struct trial {
    const struct ev_harness *harness;
    const char *path;
    struct trial_code code;
    struct trial_plan plan;
    struct cases *cases;
    struct sandbox *sandbox;
    struct slot *slots;
    struct report *report; /* a copy, which no child can change while it is read */
    uint64_t random;
    uint64_t calls[TASK_CASES]; /* in a sample of each case */
    double sample_ns[TASK_CASES];
    double whole_s[TASK_CASES]; /* what a child took to call and time the baseline on it */
};

double slots_now(void); /* seconds */
int slots_make(struct trial *t);
void slots_free(struct trial *t);
struct slot *slot_free(struct trial *t); /* one that is not busy; there has to be one */
/* A task of that slot that calls no case yet */
struct child_task slot_task(const struct trial *t, const struct slot *s);
/* The task of an evaluation with that effort; the list is the caller's. */
void slot_set_task(struct trial *t, struct slot *s, enum effort effort);
int slot_start(struct trial *t, struct slot *s); /* -1 after a message */
/* Starts the task with the kernel it has, and waits for its end. */
int slot_run_alone(struct trial *t, struct slot *s, enum sandbox_end *end, int *code);
/* Are the margins of all that a child may write to as they were? Mends them. */
int slot_margins_hold(struct slot *s);
