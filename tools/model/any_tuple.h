/* any_tuple.h - does [restrict] leave a problem any tuple?
   SPDX-License-Identifier: MIT

   The rule answers for a prefix, by bounds: it may allow one that no legal tuple begins with. So
   this is a search, whose steps are counted. */
#pragma once

#include "clause.h"

/* 1: there is a legal tuple, 0: there is none, -1: *steps were not enough to know. Takes the steps
   that it needs from *steps.
   pre: each value of the problem lies in its field's least..most */
int any_tuple(const struct clauses *c, const struct spec *spec, const int32_t *problem,
              size_t *steps);

/* The first clause that is false for all tuples, whatever the others say. NULL: no such clause is
   known, it takes several of them. */
const struct clause *any_tuple_culprit(const struct clauses *c, const struct spec *spec,
                                       const int32_t *problem, size_t *steps);
