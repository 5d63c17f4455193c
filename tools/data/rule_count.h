/* rule_count.h - how many tuples a rule allows, and how many of these were measured
   SPDX-License-Identifier: MIT */
#pragma once

#include "survey.h"

#include "model/clause.h"

struct rule_count {
    int is_counted; /* are the legal ones? They are not if there are too many to try. */
    uint64_t legal, measured, unmeasured, illegal;
    size_t culprit; /* with no legal one: of the clauses, the first that leaves the first problem
                       none, beside those before it */
};

enum { RULE_MOST_TRIED = 50000000 };

/* The values of a row of the survey (of `rows`, or of `rejected`) as the spec has them. A value of
   a parameter that the spec does not have lies below -SPEC_MAX_VALUE. */
void rule_row(const struct spec *spec, const struct survey *s, const struct interned_text *row,
              int32_t problem[KPRED_MAX_FIELDS], int32_t values[KPRED_MAX_TUPLE]);
/* Do all conditions hold for them? */
int rule_allows(const struct clauses *all, const int32_t *problem, const int32_t *values,
                size_t n_values);

/* Counts distinct tuples. Where the rule depends on the problem, it counts problem by problem, and
   adds. `spec` has the survey's columns, by their names; `clauses` is its section [restrict]. */
void rule_count(const struct spec *spec, const struct clauses *clauses, const struct survey *s,
                struct rule_count *out);
