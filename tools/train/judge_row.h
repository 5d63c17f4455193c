/* judge_row.h - what judges learn from
   SPDX-License-Identifier: MIT */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* A tuple of a problem, and what is to be explained of it */
struct judge_row {
    const int32_t *problem;
    const unsigned char *target; /* indexes of values */
    uint32_t table;              /* 0 for the data of the model, 1, 2, ... for those beside it */
    uint32_t group;              /* of a problem's rows the same; they stand together */
    float mark;
};

struct judge_rows {
    size_t n;
    const struct judge_row *row;
    int in_groups; /* do only differences within a group count? */
};
