/* rule_rows.h - how many tuples a rule allows, and what explains the failures that it leaves
   SPDX-License-Identifier: MIT */
#pragma once

#include "conditions.h"
#include "data/data.h"
#include "survey.h"

#include "model/clause.h"
#include "model/model.h"

struct rule_count {
    int is_counted; /* are the legal ones? They are not if there are too many to try. */
    uint64_t legal, measured, unmeasured, illegal;
    size_t culprit; /* with no legal one: of the clauses, the first that leaves the first problem
                       none, beside those before it */
};

/* Counts distinct tuples. Where the rule depends on the problem, it counts problem by problem, and
   adds. `spec` has the survey's columns, by their names; `clauses` is its section [restrict]. */
void rule_count(const struct spec *spec, const struct clauses *clauses, const struct survey *s,
                struct rule_count *out);

struct failed_rows {
    size_t n, failed;        /* rows, and those that failed; */
    size_t allowed;          /* of these, those that the rule allows */
    struct conditions found; /* of the allowed ones */
};

/* Rows of a survey, those that a check rejected among the failures. `spec` has its columns. */
void failed_rows_of_survey(const struct spec *spec, const struct clauses *clauses,
                           const struct survey *s, struct failed_rows *out);
/* Rows of timed data */
void failed_rows_of_data(const struct model *model, const struct dataset *d,
                         struct failed_rows *out);
void failed_rows_free(struct failed_rows *f);

/* Tells it, if any row failed, in at most `most` lines, each of which begins with `where`. */
void failed_rows_note(const struct failed_rows *f, const char *where, size_t most);

/* "explains 20 of 50 failures", "explains 3 more of 50 failures (12 in all)" */
void failed_rows_count_text(const struct failed_rows *f, size_t i, struct buf *out);
