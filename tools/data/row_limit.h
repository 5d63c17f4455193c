/* row_limit.h - rows of data while they are read, and a sample of them where they are too many
   SPDX-License-Identifier: MIT

   A row beyond the most that may be kept makes room: half of the problems leave, with all of their
   rows, and those that come later as well. Where problems have many rows, half of their tuples
   leave instead. Hashes decide, so that the order of the rows does not. */
#pragma once

#include "data.h"

/* What `train` and `eval` keep; judges learn from a part even of these (judge_trees.c). */
enum { ROW_LIMIT = 1000000 };

struct load_row {
    int32_t problem[KPRED_MAX_FIELDS]; /* those that the spec lacks: 0 */
    unsigned char target[KPRED_MAX_TUPLE];
    double time; /* microseconds; 0: not timed */
    uint32_t unknown, file;
    int64_t row;
    uint32_t run;         /* of format = aiter: what was tuned together, while its file is read */
    unsigned char narrow; /* see data.h */
};

struct row_limit {
    size_t most, n_fields, n_params; /* most is 0: any number */
    unsigned halvings;
    int by_tuple;
    size_t left; /* rows that are gone */
};

/* Rows, and those that are failures */
struct row_lists {
    struct load_row *rows, *failed;
    size_t *n, *n_failed;
};

/* Looks at a row that was just added at the end of a list. */
void row_limit_check(struct row_limit *t, const struct row_lists *all, int is_failed);
/* Tells how many of them are left, if any have gone. */
void row_limit_note(const struct row_limit *t, size_t kept);
