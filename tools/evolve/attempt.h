/* attempt.h - what a trial has for one child, and what is believed of it
   SPDX-License-Identifier: MIT */
#pragma once

#include "trial.h"

/* ---- a harness's cases ---- */

/* Inputs are there once for all children, sealed. What a kernel writes has a room for each child.
   Both are there twice: one ends where its pages end, one begins where they begin, so that a kernel
   cannot leave a buffer on either side unseen. On the side BEFORE, what is written lies below the
   inputs, on the side BEHIND above them: so a kernel cannot make anything of the order. */

enum { SIDES = 2, POISONS = 2 };

struct case_buffer {
    size_t root, offset; /* the buffer it lies in, by bytes; its own index if it lies in none */
    size_t area;         /* of a root: its index among all inputs, or among all that is written */
};

struct one_case {
    struct ev_case c;
    const struct ev_shape *shape;
    char *label; /* "n=4096", with more behind it where several would be the same */
    struct case_buffer place[EV_MAX_BUFFERS];
};

struct written {       /* a buffer that is an output or scratch */
    size_t of, buffer; /* case, and its index there */
    size_t bytes;
    size_t at; /* within the areas of `image` and `want` */
};

struct cases {
    const struct ev_harness *harness;
    const char *path; /* of the harness, for messages */
    size_t n, n_written;
    struct one_case *v;
    struct written *written;
    struct guarded inputs[SIDES];
    struct guarded image[POISONS]; /* all written buffers before a call */
    struct guarded want[POISONS];  /* and after it; the caller fills it and seals it */
};

/* Calls the harness's set_up for each case; -1 after a message that names the case. */
int cases_open(struct cases **cases, const struct ev_harness *harness, const char *path,
               uint64_t seed);
void cases_close(struct cases *c);
/* Calls set_up for case i alone and forgets it again: in a child, to see whether it comes to its
   end. */
void cases_try(const struct ev_harness *harness, size_t i);

struct case_room { /* for the written buffers of all cases, in one child */
    struct guarded sides[SIDES];
};

int case_room_make(struct case_room *room, const struct cases *c);
/* Without guards between its buffers, and the side BEFORE alone */
int case_room_pack(struct case_room *room, const struct cases *c);
void case_room_free(struct case_room *room);

/* Lets the buffers of case i point into the room. */
void cases_point(const struct cases *c, size_t i, const struct case_room *room,
                 enum guarded_side side, void *at[EV_MAX_BUFFERS]);
/* Writes into the room what is in the written buffers of case i before a call. */
void cases_fill(const struct cases *c, size_t i, const struct case_room *room,
                enum guarded_side side, int poison);
/* Written buffer w as the oracle wants it */
struct oracle_region cases_region(const struct cases *c, size_t w, const struct case_room *room,
                                  enum guarded_side side, int poison);

/* ---- in a child that is locked in ---- */

/* Nothing here may call the system, so nothing here allocates. */

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

/* ---- a trial ---- */

enum { ATTEMPT_ROOMS = 8 };

/* The processes of a trial's crew have copies of it, each with memory and a sandbox of its own. */
struct trial {
    const struct ev_harness *harness;
    const char *path;
    struct trial_code code;
    struct trial_plan plan;
    struct cases *cases;
    struct known_cases known;
    struct crew *crew;
    uint64_t random;
    uint64_t calls[TASK_CASES]; /* in a sample of each case */
    double sample_ns[TASK_CASES];
    double whole_s[TASK_CASES]; /* what a child took to call and time the baseline on it */
    const struct edits
        *with; /* in the parent: candidates are timed with it, not with the baseline */
    /* for a child */
    struct edits rival; /* a member has compiled it to be timed with */
    ev_kernel *rival_code;
    double usual_ns[2][TASK_CASES]; /* of a call of the baseline, of the rival */
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
/* or that of an evaluation with that effort, at a glance without timings, for which it may run so
   many seconds. */
double attempt_set_task(struct trial *t, enum effort effort, int is_glance);
/* Runs the task for at most so many seconds of processor time (0: what the limits leave). -1 after
   a message if there can be no child */
int attempt_run(struct trial *t, double seconds, enum sandbox_end *end, int *code);
/* Are the margins of all that a child may write to as they were? Mends them. */
int attempt_margins_hold(struct trial *t);

/* ---- what is believed of a child, and what it makes of its list ---- */

struct result judge_result(struct trial *t, enum sandbox_end end);

/* ---- the parts of it ---- */

/* Copies what the child reported: 0 if that is not whole. */
int judge_take_report(struct trial *t);
/* The error of case i by the outputs that the child left, and whether the oracle allows it */
double judge_case(const struct trial *t, size_t i, int *allowed);
/* Can the times of case i be? They are all more than nothing, and no more than what is *left* of
   the seconds that passed outside; and the baseline is not faster by far than it was. */
int judge_times_can_be(const struct trial *t, size_t i, double *left);

/* ---- does a harness work with the unmodified kernel, and with the baseline? ---- */

/* Does set_up come to its end, for each case? To be asked before the cases are opened; -1 after a
   message. */
int proof_set_up(struct trial *t);
/* Calls the reference for all outputs that are wanted, twice each and with other contents before,
   then the baseline, for how long it takes; -1 after a message that names the case. */
int proof_harness(struct trial *t);
