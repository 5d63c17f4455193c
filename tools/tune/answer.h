/* answer.h - what became of a measurement, and the time in the last line of an output
   SPDX-License-Identifier: MIT */
#pragma once

#include <stddef.h>

enum outcome {
    OUTCOME_TIME,
    OUTCOME_FAILED, /* the command said so, by its status, a signal, or by dying */
    OUTCOME_TIMEOUT,
    OUTCOME_INVALID, /* what it printed is no time */
    OUTCOME_STOP     /* nothing more can be measured: there was a message, or a signal */
};

struct answer {
    enum outcome outcome;
    double us;     /* of OUTCOME_TIME */
    char why[256]; /* of a failure, in words */
};

enum { TAIL_BYTES = 512 };

/* The end of an output, however long that is; all zero: nothing was written */
struct tail {
    char s[TAIL_BYTES + 1];
    size_t n;
    int is_cut; /* more stood before it */
};

void tail_add(struct tail *t, const char *bytes, size_t n);
/* The answer in the last line that is not blank; the tail is changed. */
void tail_answer(struct tail *t, struct answer *a);
/* The answer in a line of its own */
void line_answer(const char *line, struct answer *a);

/* A failure of a kind, with its reason. */
#if defined(__GNUC__)
__attribute__((format(printf, 3, 4)))
#endif
void answer_set(struct answer *a, enum outcome outcome, const char *fmt, ...);
