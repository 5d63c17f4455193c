/* rules.h - the rules of kpred_constraints.h by name, and the vocabulary each expects
   SPDX-License-Identifier: MIT */
#pragma once

#include "spec.h"

/* The rule that the spec names, after checking that the spec's fields, tokens and parameters are
   those it was written for. Unconstrained, listed: no rule, name "". 0, or -1 with a message. */
int rules_find(const struct spec *spec, kpred_rule *rule, const char **name);
