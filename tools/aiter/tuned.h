/* tuned.h - reads AITER's tuned tables, of every form that there was
   SPDX-License-Identifier: MIT

   Columns are found by their names. Without gfx, the number of compute units tells it; what else an
   older table lacks nobody needs here. */
#pragma once

#include "families.h"
#include "model/products.h"

#include <stddef.h>
#include <stdint.h>

struct tuned_row {
    const char *path;
    long line;
    char gfx[GPU_NAME];
    const char *kernel, *us, *libtype; /* libtype "": the table has no such column */
    int64_t cu_num;                    /* 0: the table does not say */
    int32_t m, n, k;
};

/* Calls `row` for each; what that returns, if it is not 0, ends the reading and is returned. Else
   0, or -1 with a message: the file is no such table. */
int tuned_read(const char *path, enum family_id family,
               int (*row)(void *to, const struct tuned_row *row), void *to);

/* Is the time one that stands for a prediction? */
int tuned_is_predicted(const char *us);
