/* founders.h - the first population
   SPDX-License-Identifier: MIT */
#pragma once

#include "population.h"

/* Lists of plan->first_edits edits, each valid alone and together, or fewer where so many are not
   found; and the empty list. As run_evaluate. */
int founders_find(struct run *r, struct population *p);
