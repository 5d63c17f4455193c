/* row_limit.h - keeps a sample of the rows where files have too many
   SPDX-License-Identifier: MIT

   With data_options.most, a new row beyond so many makes room: half of the problems leave, with all
   of their rows, and those that come later as well. Where problems have many rows, half of their
   tuples leave instead. Hashes decide, so that the order of the rows does not. */
#pragma once

#include "load.h"

/* Looks at a row that was just added to l->rows or l->failed. */
void row_limit_check(struct loader *l, struct load_row *rows, size_t *n);
/* Tells how many rows are left, if any left. */
void row_limit_note(const struct loader *l);
