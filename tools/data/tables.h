/* tables.h - tables of times: the plain one is read here, and an importer makes one of any other
   SPDX-License-Identifier: MIT

   A plain table has a header, a column for each field and parameter, and one of the times, time_us
   or time_ms; a row is a measurement, and a word in the place of a time is a failure. */
#pragma once

#include "importer.h"

#include "base/csv_records.h"
#include "base/intern.h"
#include "model/spec.h"

/* What is known of a table beforehand */
struct table_asked {
    const struct spec *spec;        /* NULL: there is none yet, but */
    const struct interned *fields;  /* what the user says of columns; */
    const struct interned *ignored; /* these two may be NULL */
    const char *const *set;         /* fields that the table need not have */
    size_t n_set;
    const char *const *success; /* words of `success`; of a spec, if there is one, its own */
    size_t n_success;
    int is_only;        /* there is no other table, and no spec */
    int is_lenient;     /* rows that are wrong are dropped */
    int is_best;        /* the spec's data have no times */
    const char *metric; /* the column of times or rates; NULL: it is to be found */
};

/* Words of `success` in [data] of a spec, and of `init --success`, say which rows worked: those
   with COLUMN=VALUE of one of the values, whatever their case, or COLUMN<=NUMBER or COLUMN>=NUMBER,
   for each of the columns. COLUMN=* says that it does not tell. Of columns without such words
   names, values, times and how often a value comes decide, or the user is asked. The test in such a
   word, "=ok"; NULL: it is of another column. */
const char *table_success_test(const char *word, const char *name);

/* Words for units of time, but for "s" */
#define TABLE_UNITS                                                                        \
    " ns nsec nsecs nanosecond nanoseconds us usec usecs microsecond microseconds ms msec" \
    " msecs millisecond milliseconds milisecond miliseconds sec secs second seconds "

/* ---- which tables are plain: plain_table.c ---- */

struct plain_table {
    int time;      /* the column of times; -1: there is none */
    char mark;     /* the decimal mark there */
    long line;     /* of what is odd; 0: the table is plain */
    char odd[200]; /* and what it is */
};

/* Looks at the table whose header is the record at hand. What might be odd is: then an importer
   looks closer. 0, or -1 with a message. */
int plain_table_see(const struct csv_records *header, const struct table_asked *asked,
                    struct plain_table *out);

/* ---- tables ---- */

struct table_rows {
    struct csv_records *r; /* the header, and then the row at hand */
    int time;              /* the column of times; -1: it has none */
    double us;             /* of one in that column */
    long column;           /* of the row at hand where it begins in its line; 0: with that */
    const char *runs;      /* of which its time was made, in microseconds, if has_runs */
    const char *failure;   /* what it failed by, beside the time: "": nothing */
    struct plain_table plain;
    struct imported from; /* what else the importer says; nothing of a plain table */
    int is_imported, is_best, has_runs;
    size_t n_cells; /* of a row, as the importer wrote it */
    struct csv_records own;
    char *name; /* of its times */
};

/* The header is the record at hand of `raw`; that and `asked` outlive the table. Checks it, and
   takes blanks off its names. 0, or -1 with a message; then table_close in any case. */
int table_header(struct table_rows *t, struct csv_records *raw, const struct table_asked *asked);
/* Then opens the table. Rows of another length than the header, of a table that an importer reads,
   get the verdict of `ragged`. */
int table_open(struct table_rows *t, const struct table_asked *asked,
               int (*ragged)(void *to, const struct csv_records *r), void *to);
/* Instead, opens the table that an importer wrote, t->from. */
int table_take(struct table_rows *t, const char *path);
/* Takes the blanks around cells off. */
void table_trim(struct csv_records *r);
/* The next row of these records, which are t->r or a copy: as csv_records_next. One with more or
   fewer cells than the header comes as it is. */
int table_next(struct table_rows *t, struct csv_records *r);
void table_close(struct table_rows *t);
