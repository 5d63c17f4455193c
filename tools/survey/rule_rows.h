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

/* A survey as a spec sees it, which has its columns, by their names */
struct survey_view {
    const struct spec *spec;
    const struct survey *survey;
    int column[CONDITIONS_MOST_COLUMNS]; /* of the survey, for each field, then each parameter */
    /* What the values there are for the spec; the first one, where a row does not say it, is the
       least of a field, the first of a parameter. One that the spec does not have lies below
       -SPEC_MAX_VALUE. */
    int32_t *number[CONDITIONS_MOST_COLUMNS];
};

void survey_view_open(struct survey_view *v, const struct spec *spec, const struct survey *s);
/* The fields of a problem of that number */
void survey_view_problem(const struct survey_view *v, size_t number, int32_t *out);
void survey_view_close(struct survey_view *v);

struct failed_rows {
    size_t n, failed;        /* rows, and those that failed; */
    size_t allowed;          /* of these, those that the rule allows */
    struct conditions found; /* of the allowed ones */
};

/* Counts distinct tuples. Where the rule depends on the problem, it counts problem by problem, and
   adds. `clauses` is the spec's section [restrict]. Among the failures are rows that a check
   rejected. */
void rule_count(const struct survey_view *v, const struct clauses *clauses,
                struct rule_count *count, struct failed_rows *failed);
/* Rows of timed data */
void failed_rows_of_data(const struct model *model, const struct dataset *d,
                         struct failed_rows *out);
void failed_rows_free(struct failed_rows *f);

/* Tells it, if any row failed, in at most `most` lines, each of which begins with `where`. */
void failed_rows_note(const struct failed_rows *f, const char *where, size_t most);

/* "explains 20 of 50 failures", "explains 3 more of 50 failures (12 in all)" */
void failed_rows_count_text(const struct failed_rows *f, size_t i, struct buf *out);
