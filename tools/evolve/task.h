/* task.h - what a search works on: lists of edits of a program, how good they are
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

extern const struct edits edits_none;

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
/* Is the list one of n? */
int edits_are_among(const struct edits *list, const struct edits *lists, size_t n);
int edits_hold(const struct edits *list, const struct edit *e);
uint64_t edits_hash(const struct edits *list);
/* Its edits as bytes, for another process, and n of them as a list, to be freed */
void edits_pack(const struct edits *list, struct buf *out);
struct edits edits_unpack(const void *bytes, size_t n);
/* Of an edit: the id of what it copies, which is none of those that a program begins with */
uint32_t edit_copy_id(const struct edit *e);
/* The `simpler` of a task: something that moves away, or becomes another thing, may as well go. */
int edit_simpler(void *program, const struct edit *e, struct edit *out);

/* `move 12 30 0 9f31c2aa; delete 7 0 0 00000000`: operator, what, where, index, seed in
   hexadecimal; `-` for the empty list. */
void edits_print(const struct edits *list, struct edit_names names, struct buf *out);
/* The edit in words: its operator, and what `tell` says of the ids that it names; `by` stands
   between what is replaced and what replaces it. */
typedef void edit_teller(const void *of, uint32_t id, struct buf *out);
void edit_describe(const struct edit *e, const char *by, edit_teller *tell, const void *of,
                   struct buf *out);
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
int outcome_ran(enum outcome o);                    /* of a candidate that there was code of? */

/* Of one list. Times are ratios to the baseline, which ran in the same child by turns. */
struct result {
    enum outcome outcome;
    double time;   /* the mean over the timed cases; the baseline is 1. HUGE_VAL unless valid */
    double spread; /* standard error of `time` */
    double error;  /* the largest over the cases; 0: equal bit for bit */
    int n_cases;   /* of which there are times */
    double ratio[TASK_CASES]; /* of each case */
    double ns[TASK_CASES][2]; /* candidate, baseline; a log does not have them */
    const char *why;          /* for the log alone: a reason in words, or NULL */
};

/* Of a candidate that ran to no valid end: no time and no error of the outputs */
struct result result_without(enum outcome outcome);
/* Takes the result of list i as it comes */
typedef void result_taker(void *user, size_t i, const struct result *result);
result_taker result_keep; /* in an array that `user` is */

enum effort {
    EFFORT_SEARCH,  /* the search's cases, timed briefly; slow ones are given up early */
    EFFORT_CONFIRM, /* the same with many more timings: of those that look like the best */
    EFFORT_JUDGE,   /* all cases, held-out ones too, timed as those */
    N_EFFORTS
};
extern const char *const effort_names[N_EFFORTS]; /* "search", ... */

struct edit_step {        /* what an edit did, in words; to be freed */
    char *what;           /* a line without an end */
    char *before, *after; /* lines of what it touched; NULL: not told */
    int line;             /* in the source; 0: not known */
};
void edit_steps_free(struct edit_step *steps, size_t n); /* what is in them */

struct task {
    struct edit_names names;
    void *program; /* the first argument of those that edit */
    /* One more random edit that applies behind the list: 0, or -1 if none was found. */
    int (*propose)(void *program, const struct edits *list, uint64_t *random, struct edit *out);
    /* Edits of the program as it is that are to be tried one by one, the most promising first: how
       many; *out is to be freed. NULL: there are none. */
    size_t (*ordered)(void *program, struct edit **out);
    /* Does the whole list apply? Cheap: nothing is compiled. */
    int (*applies)(void *program, const struct edits *list);
    /* An edit that says more plainly what this one may come to, such as to delete what is moved: 0,
       or -1 if there is none. NULL: there never is. */
    int (*simpler)(void *program, const struct edit *e, struct edit *out);
    /* What each edit of a list did; -1 if the list does not apply. */
    int (*steps)(void *program, const struct edits *list, struct edit_step *steps);
    void *trial; /* the first argument of those that evaluate */
    /* Evaluates n lists, several at a time; tells `done` each result as it comes, in any order. */
    void (*evaluate)(void *trial, const struct edits *lists, size_t n, enum effort effort,
                     result_taker *done, void *user);
    /* The list, timed by turns with another valid one in place of the baseline: what disturbs the
       one disturbs the other, so that a small difference is seen. As with EFFORT_CONFIRM. */
    struct result (*compare)(void *trial, const struct edits *list, const struct edits *with);
    size_t batch;       /* most lists at a time, where evaluations are slow; 0: no matter */
    const int *gave_up; /* set by evaluate, after a message, if no more can be; NULL: never */
};

/* ---- archive.c: every list that was evaluated, with its result, and the log of a search ---- */

/* The log is text. Its first lines say what was searched and how (`# key value`), then there is a
   line for each evaluation, appended by one write, with a checksum at its end. A search that goes
   on from a log starts anew with the same seed and finds in the archive what it would evaluate: so
   it comes to the same point, and a kill loses no more than what was being evaluated. */

struct archive;

/* What a log begins with: "key value" lines that have to be the same for a search that goes on. A
   key NULL ends several. */
struct log_pair {
    const char *key, *value;
};

/* Opens the log at `path`, NULL for none. A log that is there is read if `resume` is set, and
   refused otherwise; one of another story, or damaged before its last line, is refused with
   FILE:LINE. A last line without an end, as a kill leaves it, is cut off, which is told. The story
   ends with a key NULL. */
int archive_open(struct archive **a, const char *path, int resume, const struct log_pair *story,
                 struct edit_names names);
/* Reads a log that stays as it is, for reports: the value of a key of its story, or NULL */
int archive_read(struct archive **a, const char *path, struct edit_names names);
const char *archive_value(const struct archive *a, const char *key);
void archive_close(struct archive *a);

struct entry {
    struct edits list;
    enum effort effort; /* of the latest evaluation */
    struct result result;
};

/* The result of that list with at least that effort, or NULL */
const struct entry *archive_find(const struct archive *a, const struct edits *list,
                                 enum effort effort);
/* The result of exactly that effort, or NULL: a search that goes on has to see what it saw then,
   though the list was evaluated with more effort later. */
const struct result *archive_exact(const struct archive *a, const struct edits *list,
                                   enum effort effort);
/* A result; one of greater effort replaces the one before. -1 with a message if the log takes no
   more. */
int archive_add(struct archive *a, const struct edits *list, enum effort effort,
                const struct result *result);
size_t archive_size(const struct archive *a);                         /* lists in it */
const struct entry *archive_entry(const struct archive *a, size_t i); /* in the order they came */
/* Evaluations so far, those of a log that was read included, by outcome */
void archive_counts(const struct archive *a, size_t counts[N_OUTCOMES]);
/* The valid lists that none is better than in time and error, fastest first; the caller frees. Of
   those that were confirmed, if any was: of many brief timings the least is a lucky one. Of lists
   that are as good as each other, the one with the fewest edits. */
size_t archive_front(const struct archive *a, const struct entry ***front);

/* ---- log.c: the file behind it ---- */

/* `# key value` lines, the first of which says what the file is and the last of which, `# end`,
   has a checksum; then lines of text with ` #checksum` behind. A checksum is over all that stands
   before it in the file, checksums of lines aside: so a line that was changed, taken out, doubled
   or put elsewhere is found. Ends of lines do not count: an editor may make them CRLF. */

struct log;

#define LOG_TOLD "told_" /* keys that begin so may be missing where a log goes on */

enum log_mode {
    LOG_NEW,    /* there must be no such file yet, or an empty one */
    LOG_RESUME, /* the same heading, or a new file */
    LOG_READ    /* a heading with at least that; nothing is written */
};

struct log_lines { /* what takes each line, as it is read: 0, or -1 where it is none of a log */
    int (*take)(void *user, char *text);
    void *user;
};

int log_open(struct log **l, const char *path, enum log_mode mode, const struct log_pair *heading,
             const struct log_lines *lines);
/* The value of a key of the heading, or NULL */
const char *log_value(const struct log *l, const char *key);
int log_append(struct log *l, const char *text); /* without LF; -1 after a message */
void log_close(struct log *l);
