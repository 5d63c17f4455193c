/* operators.h - what each edit does to a function
   SPDX-License-Identifier: MIT */
#pragma once

#include "body.h"
#include "evolve/edit.h"

enum operators_op { OP_DELETE, OP_COPY, OP_MOVE, OP_REPLACE, OP_SWAP, OP_OPERAND, N_OPERATORS };

/* Does the edit apply to the function as it is? Barriers are touched only if `barriers` is set. */
int operators_fit(const struct body *b, const struct edit *e, int barriers);
/* Applies one that fits. */
void operators_do(struct body *b, const struct edit *e);
/* Applies a list up to the first edit that does not fit: is there none? */
int operators_do_all(struct body *b, const struct edits *list, int barriers);
