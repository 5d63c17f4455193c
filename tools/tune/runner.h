/* runner.h - measures a tuple by a command of the user's: what it is asked, how it runs, its answer
   SPDX-License-Identifier: MIT */
#pragma once

#include "base/talk.h"
#include "model/spec.h"

#include <sys/types.h>

/* ---- a problem and a tuple as NAME=value, for arguments, environment and messages ---- */

struct assign { /* all zero is empty; to be freed */
    const struct spec *spec;
    size_t n;                                       /* fields, then parameters */
    char *word[KPRED_MAX_FIELDS + KPRED_MAX_TUPLE]; /* NAME=value */
    char **environment; /* that of this process, and KPRED_NAME=value; NULL behind the last */
    size_t n_other;     /* entries before these */
};

void assign_open(struct assign *a, const struct spec *spec);
void assign_problem(struct assign *a, const int32_t *problem);
/* by the numbers of the values */
void assign_tuple(struct assign *a, const uint16_t *value);
void assign_free(struct assign *a);

/* "rows=16 cols=16", of a problem; added to `b` */
const char *assign_problem_text(const struct spec *spec, const int32_t *problem, struct buf *b);
/* From the first word on: 0, or n_fields of the spec for the tuple alone; added to `b` */
const char *assign_text(const struct assign *a, size_t first, struct buf *b);
/* A field's value as text; `number` is overwritten if it is a size. */
const char *assign_field_text(const struct spec_field *f, int32_t value, char number[12]);
/* Back: 0, or -1 if the field cannot have that value. */
int assign_field_read(const struct spec_field *f, const char *text, int32_t *out);

/* ---- what became of a measurement, and the time in the last line of an output ---- */

enum outcome {
    OUTCOME_TIME,
    OUTCOME_FAILED, /* the command said so, by its status, a signal, or by dying */
    OUTCOME_TIMEOUT,
    OUTCOME_INVALID, /* what it printed is not a time */
    OUTCOME_STOP     /* nothing more can be measured: there was a message, or a signal */
};

struct answer {
    enum outcome outcome;
    double us;     /* of OUTCOME_TIME */
    char why[256]; /* of a failure, in words */
    int is_stray;  /* of OUTCOME_INVALID: the line is none that could be an answer */
};

enum { TAIL_BYTES = 512 };

/* The end of an output, however long that is; all zero: nothing was written */
struct tail {
    char s[TAIL_BYTES + 1];
    size_t n;
    int is_cut; /* more stood before it */
};

void tail_add(struct tail *t, const char *bytes, size_t n);
#define ANSWER_TAG "answer:"
/* What stands behind the tag; NULL if the line does not begin with it */
const char *answer_tagged(const char *line);
/* The answer in the last line that is not blank; the tail is changed. */
void tail_answer(struct tail *t, struct answer *a);

/* A failure of a kind, with its reason. */
#if defined(__GNUC__)
__attribute__((format(printf, 3, 4)))
#endif
void answer_set(struct answer *a, enum outcome outcome, const char *fmt, ...);

/* ---- a command runs for each measurement or, as a server, for many ---- */

/* What a server writes for a question is its answer if it is one line, and the server has read on
   since: behind each answer it is sent the beginning of the next question. A line with a tag
   is an answer whatever stands around it, and once there was one, no other line is. */

struct runner {
    const char *command;
    int is_server;
    double timeout; /* seconds */
    /* of servers */
    struct talk server;
    int is_tagged, is_plain; /* the form of the answers so far */
    size_t n_answers;        /* since the last start */
    double longest;          /* of those, in seconds, the first one aside */
    int silent;              /* servers in a row that ended without an answer */
    int distrusted;          /* and that wrote what is no answer */
    int reads_ahead;         /* who reads is not who answers: reading is no sign */
    int is_out_of_step;      /* all answers are in doubt */
};

/* The answer for the problem and tuple of `a`. */
void runner_measure(struct runner *r, const struct assign *a, struct answer *out);
/* Ends the server. 0, or -1 after a message if it is out of step. */
int runner_end(struct runner *r);
