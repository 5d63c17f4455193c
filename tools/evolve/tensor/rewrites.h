/* rewrites.h - what each edit does to a function of tensors
   SPDX-License-Identifier: MIT */
#pragma once

#include "evolve/task.h"
#include "graph.h"

/* May the edit fit? Where it names what is not there, it does not. */
int rewrites_may_fit(const struct graph *g, const struct edit *e);
/* Applies one that may fit: 0, or -1 if it does not, and then the function is of no more use. */
int rewrites_do(struct graph *g, const struct edit *e);
/* Applies a list; -1 with the first edit that does not fit */
int rewrites_do_all(struct graph *g, const struct edits *list);
/* May the operation of a node be edited, and is it a constant that OP_CONSTANT changes? */
int rewrites_may_touch(const struct graph *g, uint32_t node);
int rewrites_is_number(const struct graph *g, uint32_t node);
