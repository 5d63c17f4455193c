/* records.h - the records of a CSV text (RFC 4180), one at a time
   SPDX-License-Identifier: MIT

   A line ends with LF or CRLF, the last one with nothing if it likes; empty lines are skipped. */
#ifndef KPRED_TOOLS_RECORDS_H
#define KPRED_TOOLS_RECORDS_H

#include "util.h"

struct records {
    const char *path; /* for messages */
    char *next, *end; /* what is still to be read; *end is a NUL */
    long line;        /* that `next` is in */
    long at;          /* in which the record began */
    size_t n, cap;
    char **cell; /* of the record, in place */
};

/* Reads from the text, which it changes. 0, or -1 with a message; records_close in both cases. */
int records_open(struct records *c, const char *path, struct buf *text);
/* 1: a record was read, 0: there is none, -1: a message was printed */
int records_next(struct records *c);
/* The first cell of that text, or -1. */
int records_find(const struct records *c, const char *name);
void records_close(struct records *c);

#endif
