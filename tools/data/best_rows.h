/* best_rows.h - does a CSV table hold the best tuple of each problem, or was something else meant?
   SPDX-License-Identifier: MIT

   A spec whose data have no times takes each row as an optimum. A table of all that was timed reads
   just as well, and a network trained on it has learnt nothing. Two things tell: a column of times,
   and two tuples for one problem. */
#pragma once

#include "load.h"

struct best_rows {
    size_t n;
    struct best_column *column; /* those of the header that the spec does not name */
    size_t start;               /* the file's first row of the loader's rows */
    uint64_t *gpu;              /* of each row from there on, what its GPU was called, as a hash */
    size_t cap;
};

/* The header is the record at hand; `is_known` has a flag for each of its cells. */
void best_rows_open(struct best_rows *b, const struct loader *l, const struct csv_records *header,
                    const unsigned char *is_known);

/* The record at hand, which has as many cells as the header. */
void best_rows_see(struct best_rows *b, const struct csv_records *r);

/* The row that the loader has taken last; `gpu` is the text of its GPU, or NULL. */
void best_rows_keep(struct best_rows *b, const struct loader *l, const char *gpu);

/* At the file's end: 0, or -1 with a message. Columns that are ignored are told. */
int best_rows_check(struct best_rows *b, struct loader *l);

void best_rows_close(struct best_rows *b);
