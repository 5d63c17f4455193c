/* full_rows.h - the readers of full_table.c
   SPDX-License-Identifier: MIT */
#pragma once

#include "full_table.h"

#include "base/util.h"

struct full_rows {
    struct full_table *table;
    const struct spec *spec; /* may be NULL */
    const char *gpu;         /* likewise */
    struct interned tuples;  /* all that were read, by their values */
    struct interned problem; /* its fields, as one text */
    struct interned gpus;    /* in rows that are of another one */
    size_t cap, time_cap;
};

int full_rows_tuner(struct full_rows *r, struct buf *bytes);
int full_rows_csv(struct full_rows *r, struct buf *bytes);
void full_rows_close(struct full_rows *r);
