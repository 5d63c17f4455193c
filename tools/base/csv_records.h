/* csv_records.h - the records of a CSV text (RFC 4180), one at a time
   SPDX-License-Identifier: MIT

   A line ends with LF or CRLF; the last one may end with neither. Empty lines are skipped, and so
   are lines before the header that begin with #: comments on where the table comes from. Between
   cells stands a comma, or else what the header has: a semicolon, a tab or a vertical bar. Bars may
   stand around a line as well, and a line of - below the header. */
#pragma once

#include "util.h"

struct csv_records {
    const char *path; /* for messages */
    char separator;   /* found in the header and the line behind it */
    int is_boxed;     /* bars stand around the header */
    char *next, *end; /* what is still to be read; *end is a NUL */
    long line;        /* that `next` is in */
    char *line_at;    /* and where it begins */
    long at;          /* in which the record began */
    size_t n, cap;
    char **cell; /* of the record, in place */
    size_t n_header;
    char **header; /* the cells of the first record */
};

/* Reads from the text, which it changes. 0, or -1 with a message; then csv_records_close. */
int csv_records_open(struct csv_records *c, const char *path, struct buf *text);
/* 1: a record was read, 0: there is none, -1: a message was printed */
int csv_records_next(struct csv_records *c);
/* The records behind the one at hand once more, of a copy of their text, which `copy` takes; to be
   closed before `c` is. */
void csv_records_again(const struct csv_records *c, struct buf *copy, struct csv_records *out);
/* The record at hand names columns: 0, or -1 with a message if two of them have one name. */
int csv_records_check_header(const struct csv_records *c);
/* What is wrong with a record of another length than the header: "has 3 cells, the header has 2:
   more follow ..."; added to `b` */
const char *csv_records_ragged(const struct csv_records *c, struct buf *b);
/* Has the record at hand that length? 0, or -1 with that message. */
int csv_records_check_row(const struct csv_records *c);
/* The first cell of that text, or -1. */
int csv_records_find(const struct csv_records *c, const char *name);
void csv_records_close(struct csv_records *c);
/* Adds the first n cells of the record at hand as a row without an end. */
void csv_records_print(const struct csv_records *c, size_t n, struct buf *b);

/* Adds a cell, in quotes if it needs them. */
void csv_add_cell(struct buf *b, const char *cell);
