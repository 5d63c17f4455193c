/* operators.h - what each edit does to a function
   SPDX-License-Identifier: MIT */
#pragma once

#include "body.h"
#include "evolve/task.h"

enum { N_OPERATORS = OP_CONSTANT }; /* those before it */

/* Does the edit apply to the function as it is? Barriers are touched only if `barriers` is set. */
int operators_fit(const struct body *b, const struct edit *e, int barriers);
/* Applies one that fits. */
void operators_do(struct body *b, const struct edit *e);
/* Applies a list up to the first edit that does not fit: is there none? */
int operators_do_all(struct body *b, const struct edits *list, int barriers);
