/* table.h - results as an aligned table, as CSV or as JSON
   SPDX-License-Identifier: MIT

   CSV follows RFC 4180, except that lines end with LF, for the sake of Unix tools.
   JSON (RFC 8259) is an array of objects, one a line, with the columns as names in their order. */
#pragma once

#include "util.h"

struct table_form { /* the flags --csv and --json; neither: aligned; not both */
    int csv, json, all;
};

/* Their rows of a table of options, see opts.h; `as` stands behind "as CSV". */
#define FORM_OPTIONS(form, as)                     \
    OPT(FLAG, "[--csv", &(form).csv, "as CSV" as), \
        OPT(FLAG, "|--json]", &(form).json, "as JSON, an array of objects with the same names")

/* Of a table with columns that it can do without */
#define ALL_OPTION(form) \
    OPT(FLAG, "[--all]", &(form).all, "all columns, also on a terminal that is too narrow for them")

/* An aligned table fits the width of a terminal. If need be columns of `minor` are left out, the
   first ones first, long cells and names are broken, and columns go below each other, behind those
   of `keys`. A single row is a line for each column. Elsewhere, as in a pipe, lines are as long as
   they are. */
struct table { /* all zero is the empty table; to be freed */
    size_t columns;
    struct buf cells;  /* row by row, the first row being the heading; see table.c */
    const char *keys;  /* names, separated by commas; NULL: the first one */
    const char *minor; /* the same; NULL: none */
    const char *units; /* "tuple %": names with what people see behind them on a terminal */
};

/* The heading: names separated by commas. */
void table_heading(struct table *t, const char *names);

/* The next cell of the current row. */
void table_text(struct table *t, const char *s);
/* `fmt` makes one finite decimal number, such as JSON takes: no plus sign, no point at an end. In
   the aligned form columns of numbers are set flush right. */
void table_number(struct table *t, const char *fmt, ...) PRINTF_LIKE(2, 3);
/* Words separated by single blanks: in JSON an array of them. */
void table_words(struct table *t, const char *words);

/* Items, each ended by LF: in JSON an array of them, else joined by blanks, or by `, ` if there are
   blanks within. */
void table_items(struct table *t, const char *items);
/* Numbers separated by single blanks: in JSON an array of them. */
void table_numbers(struct table *t, const char *numbers);

/* Write errors are left to ferror(f). */
void table_print(const struct table *t, FILE *f, struct table_form form);
/* Adds n bytes as a string of JSON has them, with its quotes. */
void table_json_text(struct buf *b, const char *s, size_t n);
/* Adds a text as an element or an attribute of HTML in quotes has it. What is not UTF-8 becomes
   U+FFFD, and a control character a blank. */
void html_text(struct buf *to, const char *text);
/* Adds the pieces of a text that is built in (tools/release/texts.sh). */
void html_pieces(struct buf *to, const char *const *pieces);
/* Adds head and body of a table of HTML, numbers in cells of the class n. */
void table_html(const struct table *t, struct buf *to);
/* The aligned form, with all columns. Elsewhere than on a terminal the last one is broken between
   words so that lines have at most `width` characters, if no word is longer. */
void table_print_within(const struct table *t, FILE *f, size_t width);
/* The first row alone: each cell beside its name, if it is not empty, broken likewise; or as the
   members of an object of JSON, without its braces. */
void table_print_row(const struct table *t, FILE *f, size_t width);
void table_print_members(const struct table *t, FILE *f);
void table_free(struct table *t);
