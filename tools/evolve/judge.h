/* judge.h - what is believed of a child, and what its outputs and times make of its list
   SPDX-License-Identifier: MIT */
#pragma once

#include "attempt.h"

struct result judge_result(struct trial *t, enum sandbox_end end);

/* ---- the parts of it ---- */

/* Copies what the child reported: 0 if that is not whole. */
int judge_take_report(struct trial *t);
/* The error of case i by the outputs that the child left, and whether the oracle allows it */
double judge_case(const struct trial *t, size_t i, int *allowed);
/* Can the times of case i be? They are all more than nothing, and no more than what is *left* of
   the seconds that passed outside; and the baseline is not faster by far than it was. */
int judge_times_can_be(const struct trial *t, size_t i, double *left);
