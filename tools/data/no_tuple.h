/* no_tuple.h - rows of problems for which [restrict] leaves no tuple at all
   SPDX-License-Identifier: MIT */
#pragma once

#include "data.h"

#include "model/model.h"

/* A problem to which no tuple is legal was measured all the same: its fields or the conditions are
   wrong. 0, or -1 with a message that names the first such row. If `lenient`, these rows are
   dropped and counted, and it is an error if none is left. */
int no_tuple_check(const struct model *model, struct dataset *d, int lenient);
