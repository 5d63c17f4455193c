/* shape.h - shapes of tensors, and how a tensor of one becomes one of another
   SPDX-License-Identifier: MIT */
#pragma once

#include "base/util.h"

enum { SHAPE_RANK = 6 };

struct shape {
    int rank;
    int64_t size[SHAPE_RANK];
};

int shape_equal(const struct shape *a, const struct shape *b);
int64_t shape_count(const struct shape *s);               /* its elements */
void shape_type(const struct shape *s, struct buf *out);  /* "tensor<2x3xf32>" */
void shape_words(const struct shape *s, struct buf *out); /* "2 x 3", "a number" */

/* A module with a function of a tensor of the one shape to one of the other. Its operations, the
   first rule that fits: broadcast along new dimensions; transpose; reshape, if there are as many
   elements; slice and pad each dimension from its beginning; the same of all elements in a row.
   What is padded is 0. `words` (may be NULL): ", sliced to 2 x 3, padded to 4 x 3". */
void shape_change(const struct shape *from, const struct shape *to, struct buf *text,
                  struct buf *words);
