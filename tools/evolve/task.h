/* task.h - what a search works on: lists of edits of a program, and how good one is
   SPDX-License-Identifier: MIT */
#pragma once

#include "base/util.h"

/* ---- lists of edits ---- */

/* An edit names its operator, the instruction it acts on and its place by ids that stay the same
   whatever the other edits do, and carries a seed. All that has to be chosen where it is applied,
   such as a value for an operand that its new place does not see, follows from this seed: a list
   means one program. The search knows no more of edits than this; what they do is the task's. */

enum edit_op {
    OP_DELETE,
    OP_COPY,
    OP_MOVE,
    OP_REPLACE,
    OP_SWAP,
    OP_OPERAND,
    OP_CONSTANT, /* of tensors alone: another number */
    OP_ALL
};

struct edit {
    uint16_t op;          /* the number of an operator; the task has the names */
    uint16_t index;       /* of an operand, or 0 */
    uint32_t what, where; /* ids */
    uint32_t seed;        /* of what is chosen when it is applied */
};

struct edits { /* all zero is the empty list, which is the program as it was; to be freed */
    struct edit *v;
    size_t n, cap;
};

struct edit_names { /* of a task's operators */
    const char *const *v;
    size_t n;
};
extern const struct edit_names edit_operators; /* "delete", ...: all of edit_op */

void edits_add(struct edits *list, const struct edit *e);
void edits_drop(struct edits *list, size_t i); /* the order of the others stays */
void edits_copy(struct edits *to, const struct edits *from);
void edits_free(struct edits *list);
int edit_equal(const struct edit *a, const struct edit *b);
int edits_equal(const struct edits *a, const struct edits *b);
int edits_hold(const struct edits *list, const struct edit *e);
uint64_t edits_hash(const struct edits *list);

/* `move 12 30 0 9f31c2aa; delete 7 0 0 00000000`: operator, what, where, index, seed in
   hexadecimal; `-` for the empty list. */
void edits_print(const struct edits *list, struct edit_names names, struct buf *out);
/* Of a text without a line's end, into an empty list: 0, or -1 without a message. */
int edits_parse(const char *text, struct edit_names names, struct edits *out);

/* ---- results, and tasks ---- */

enum { TASK_CASES = 16 }; /* most of a harness, held-out ones included */

enum outcome {
    OUTCOME_VALID,
    OUTCOME_INAPPLICABLE, /* an edit of the list names what is not there */
    OUTCOME_REJECTED,     /* by the verifier */
    OUTCOME_UNCOMPILED,   /* the compiler gave up, or died of it */
    OUTCOME_CRASHED, /* a signal, the filter of system calls, an exit with another status than 0 */
    OUTCOME_TIMED_OUT,
    OUTCOME_WRONG,   /* outputs beyond the allowed error, or a cell that had to stay as it was */
    OUTCOME_GARBLED, /* what came back cannot be: a time or a count out of range */
    N_OUTCOMES
};
extern const char *const outcome_names[N_OUTCOMES]; /* "valid", ... */

/* Of one list. Times are ratios to the baseline, which ran in the same child by turns. */
struct result {
    enum outcome outcome;
    double time;   /* the mean over the timed cases; the baseline is 1. HUGE_VAL unless valid */
    double spread; /* standard error of `time` */
    double error;  /* the largest over the cases; 0: equal bit for bit */
    int n_cases;   /* of which there are times */
    double ratio[TASK_CASES]; /* of each case */
    double ns[TASK_CASES][2]; /* candidate, baseline; a log does not have them */
};

/* What keeps results as they come, in an array that `user` is */
void result_keep(void *user, size_t i, const struct result *result);

enum effort {
    EFFORT_SEARCH,  /* the search's cases, timed briefly; slow ones are given up early */
    EFFORT_CONFIRM, /* the same with many more timings: of those that look like the best */
    EFFORT_JUDGE,   /* all cases, held-out ones too, timed as those */
    N_EFFORTS
};
extern const char *const effort_names[N_EFFORTS]; /* "search", ... */

struct task {
    struct edit_names names;
    void *program; /* the first argument of those that edit */
    /* One more random edit that applies behind the list: 0, or -1 if none was found. */
    int (*propose)(void *program, const struct edits *list, uint64_t *random, struct edit *out);
    /* Does the whole list apply? Cheap: nothing is compiled. */
    int (*applies)(void *program, const struct edits *list);
    /* An edit that says more plainly what this one may come to, such as to delete what is moved: 0,
       or -1 if there is none. NULL: there never is. */
    int (*simpler)(void *program, const struct edit *e, struct edit *out);
    void *trial; /* the first argument of those that evaluate */
    /* Evaluates n lists, several at a time; tells `done` each result as it comes, in any order. */
    void (*evaluate)(void *trial, const struct edits *lists, size_t n, enum effort effort,
                     void (*done)(void *user, size_t i, const struct result *result), void *user);
    /* The list, timed by turns with another valid one in place of the baseline: what disturbs the
       one disturbs the other, so that a small difference is seen. As with EFFORT_CONFIRM. */
    struct result (*compare)(void *trial, const struct edits *list, const struct edits *with);
};
