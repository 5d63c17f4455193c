/* full_spec.h - a full table as a spec or a model has it: which tuples are legal, and their order
   SPDX-License-Identifier: MIT */
#pragma once

#include "full_table.h"

#include "model/model.h"

/* Leaves the tuples that [restrict] allows and whose values the spec has. A GPU that the spec lacks
   is fine; conditions on fields that the table does not tell are passed over. -1 with a message if
   none is left. */
int full_table_keep_legal(struct full_table *t, const struct spec *spec);

/* The log2-probability of each tuple, by a model of that file. -1 with a message that names the
   field or the parameter of which the model does not know the table's value. */
int full_table_scores(const struct full_table *t, const char *path, const struct model *model,
                      double *score);
