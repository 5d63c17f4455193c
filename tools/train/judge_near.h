/* judge_near.h - what a tuple was marked with in the nearest other problems
   SPDX-License-Identifier: MIT

   Trees cut numbers one at a time, and a kernel's options may be names of which no number tells
   more. What the same tuple did in problems nearby tells a lot then. (Where options are numbers it
   misleads: with few tuples a problem, the nearest one that had the tuple is far.) Near is by the
   logarithms of the sizes; another name is as far as some octaves. */
#pragma once

#include "judge_row.h"

#include "model/model.h"

enum {
    JUDGE_NEAR = 3
}; /* numbers: the nearest problem's mark, the mean of near ones, and how far */

struct judge_near {
    const struct model *model;
    struct judge_row *row; /* n, by their tuples */
    size_t n;
    float *place; /* n_fields of each row: logarithms, or names */
};

void judge_near_open(struct judge_near *near, const struct model *model,
                     const struct judge_rows *rows);
void judge_near_close(struct judge_near *near);

/* The numbers of a problem and a tuple; the problem's own rows do not count. */
void judge_near_ask(const struct judge_near *near, const struct judge_row *row, double *out);
