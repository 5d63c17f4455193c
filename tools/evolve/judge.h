/* judge.h - what is believed of a child, and what its outputs and times make of its list
   SPDX-License-Identifier: MIT */
#pragma once

#include "slots.h"

struct result judge_result(struct trial *t, struct slot *s, enum sandbox_end end, int code);

/* ---- the parts of it ---- */

/* Copies what the child reported: 0 if that is not whole. */
int judge_take_report(struct trial *t, const struct slot *s);
/* The error of case i by the outputs that the child left, and whether the oracle allows it */
double judge_case(const struct trial *t, const struct slot *s, size_t i, int *allowed);
/* Can the times of case i be? They are all more than nothing, and no more than what is *left* of
   the seconds that passed outside; and the baseline is not faster by far than it was. */
int judge_times_can_be(const struct trial *t, const struct slot *s, size_t i, double *left);
