/* importer.h - files of other programs, which importers in Python make tables of
   SPDX-License-Identifier: MIT

   tools/python/kpred/convert/ has them, and its table.py says what they write. */
#pragma once

#include "base/csv_records.h"
#include "base/intern.h"

/* What an importer wrote: all zero at first, to be freed in any case */
struct imported {
    struct buf text; /* all of it, cut into texts; */
    struct buf csv;  /* of that the table: not owned, n is 0 where there is none */
    size_t n, cap;
    struct import_line { /* a line of a word and texts */
        const char *word;
        size_t n, text; /* the first of them */
    } * line;
    char **texts;
    size_t n_texts, texts_cap;
};

/* What an importer is told, its options: adds "--option=value", unless the value is NULL or empty.
   A flag is added as it is. */
void import_option(struct interned *options, const char *option, const char *value);
/* Adds a name to "a,b". */
void import_name(struct buf *names, const char *name);

/* Has its importer, which gets these options, read a file, or several: adds what it writes, with a
   NUL between two. 0, or -1 with a message, if something is missing. That one begins with `place`:
   the path, or why a table needs an importer, "t.csv:1: column ...". */
int importer_run(const char *const *paths, size_t n, const char *place,
                 const struct interned *options, struct buf *text);
/* Then takes `text`, which is of one file: 0, or -1 with the importer's message. */
int imported_take(struct imported *t);
void imported_free(struct imported *t);

/* The next line of that word behind `from`, NULL: the first. NULL: there is none. */
const struct import_line *imported_next(const struct imported *t, const struct import_line *from,
                                        const char *word);
/* Its i-th text; "": it has not as many */
const char *imported_text(const struct imported *t, const struct import_line *line, size_t i);
/* The first text of the first line of that word; NULL: there is none. */
const char *imported_said(const struct imported *t, const char *word);

/* Tells its notes. */
void imported_note(const struct imported *t);

/* ---- the table ---- */

#define NO_TABLE "%s: its importer made no table of it"

/* A column of an importer's own: the single times of a row, in microseconds, blanks between them */
#define IMPORT_RUNS "@runs"

/* In the place of a time: it was never run, as a condition forbids the tuple */
#define IMPORT_REJECTED "rejected"
