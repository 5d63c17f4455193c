/* table.h - results as an aligned table or as CSV (RFC 4180)
   SPDX-License-Identifier: MIT */
#ifndef KPRED_TOOLS_TABLE_H
#define KPRED_TOOLS_TABLE_H

#include "util.h"

struct table { /* all zero is the empty table */
    size_t columns, cells;
    char **cell; /* row by row, the first row being the heading */
};

/* The heading: names separated by commas. */
void table_heading(struct table *t, const char *names);
/* The next cell of the current row. */
void table_add(struct table *t, const char *fmt, ...) PRINTF_LIKE(2, 3);
/* Prints it and empties it. Numbers are set flush right in the aligned form. */
void table_print(struct table *t, FILE *f, int csv);

#endif
