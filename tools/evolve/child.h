/* child.h - what runs in a child that is locked in: calls that are checked, calls that are timed
   SPDX-License-Identifier: MIT

   Nothing here may call the system, so nothing here allocates. */
#pragma once

#include "cases.h"
#include "timing.h"

enum {
    CHILD_CASES = EV_MAX_SHAPES,
    CHILD_PAIRS = 128,      /* most for a case */
    CHILD_CALLS = 1 << 16,  /* most in a sample */
    CHILD_STAY = 5,         /* pairs in a room, before the next one is entered */
    CHILD_SAMPLE_NS = 10000 /* least of a sample, where it may have several calls */
};

enum child_word { CHILD_SILENT, CHILD_DONE, CHILD_WRONG };

struct report {   /* what a child has to say; the parent believes none of it unseen */
    uint64_t sum; /* of all that follows, mixed with the job's number */
    uint64_t word;
    uint64_t calls[CHILD_CASES];
    uint64_t n_pairs[CHILD_CASES];
    uint64_t ns[CHILD_CASES][CHILD_PAIRS][2]; /* of samples: candidate, baseline */
};

uint64_t report_sum(const struct report *r, uint64_t number);

struct child_task {
    const struct cases *cases;
    const struct case_room *rooms; /* times come from all of them */
    size_t n_rooms;
    const struct guarded *block; /* a shared area for the report */
    const struct oracle *oracle; /* NULL: outputs are not compared */
    ev_kernel *kernel, *baseline;
    int poison;
    unsigned chosen;     /* bits: the cases that are called */
    struct child_pairs { /* how many are taken */
        unsigned first;  /* no more of a candidate that is slower by then */
        unsigned usual;  /* no more of one that does not look faster by then */
        unsigned most;   /* 0: the case is not timed */
    } pairs[CHILD_CASES];
    uint64_t most_ns;            /* of a case's pairs; one is taken in any case */
    uint64_t calls[CHILD_CASES]; /* in a sample; 0: to be found out */
    uint64_t number;
    struct report *report; /* the child's own, zero; it is copied to the block at the very end */
};

/* Calls the candidate for each case on the side BEFORE, with `poison`, and ends with CHILD_WRONG at
   the first wrong output; times it and the baseline there; calls it once more for each case on the
   side BEHIND, and for each that was timed in each room, with the other poison, and leaves these
   outputs to the parent: a kernel must not be right here and fast there. */
void child_run(struct child_task *t);

/* ---- samples ---- */

struct child_timer {
    const struct cases *cases;
    const struct case_room *room;
    size_t i;
    int poison;
    struct ev_case c;
};

void child_timer(struct child_timer *t, const struct cases *cases, const struct case_room *room,
                 size_t i, int poison);
/* Of so many calls, in nanoseconds. What is written is filled anew before each, which takes no part
   of the time. */
uint64_t child_sample(const struct child_timer *t, ev_kernel *kernel, uint64_t calls);
/* How many calls a sample has */
uint64_t child_calls(const struct child_timer *t, ev_kernel *kernel);
