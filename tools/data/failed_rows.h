/* failed_rows.h - what explains the rows of data that failed, beyond the conditions of a spec
   SPDX-License-Identifier: MIT */
#pragma once

#include "conditions.h"
#include "data.h"
#include "rule_count.h"

#include "model/model.h"

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
