/* rule_slots.h - rules for models that keep a table of what is legal
   SPDX-License-Identifier: MIT

   The runtime calls a rule with no word of the model, so each such model in memory needs a function
   of its own, and only a few can be there at a time. */
#pragma once

#include "kpred.h"

enum { RULE_SLOTS = 32 };

/* What such a rule asks, as a kpred_rule does but for its first argument */
typedef int (*rule_ask)(const void *model, const int32_t *problem, const int32_t *values, size_t n);

/* A rule that asks this model; NULL: there are too many. rule_slots_release ends it, and does
   nothing where there is none. */
kpred_rule rule_slots_take(rule_ask ask, const void *model);
void rule_slots_release(const void *model);
