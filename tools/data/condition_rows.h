/* condition_rows.h - rows that failed and rows that worked, for a search for conditions
   SPDX-License-Identifier: MIT

   A unit is what is independent of the others: by parameters a tuple, by fields a problem, else a
   row. A row that failed is left out if the same one worked elsewhere in the table. */
#pragma once

#include "condition_terms.h"

enum { BY_PARAMS, BY_FIELDS, BY_ROW, N_UNITS };

struct condition_rows {
    struct term_rows worked, failed;
    uint64_t *worked_hash, *failed_hash;
    uint32_t *unit[N_UNITS]; /* of rows that failed: those below n_worked have worked elsewhere */
    size_t n_units[N_UNITS], n_worked[N_UNITS];
    uint32_t *n_failed[N_UNITS]; /* rows of each unit; not of BY_ROW */
};

/* A part of the rows, in the order of their hashes, and their numbers among all */
struct condition_sample {
    struct term_rows rows;
    uint32_t *at;
};

void condition_rows_open(const struct condition_table *t, struct condition_rows *out);
void condition_rows_close(struct condition_rows *r);

/* Some `most` of the rows, or all if there are fewer; `is_out` (may be NULL) leaves rows out. */
void condition_sample_take(const struct term_rows *from, const uint64_t *hash,
                           const unsigned char *is_out, size_t n_columns, size_t most,
                           struct condition_sample *out);
/* Those of them for which the guard is such that a test counts */
void condition_sample_guard(const struct condition_sample *from, const struct term *guard,
                            size_t n_columns, struct condition_sample *out);
void condition_sample_free(struct condition_sample *s, size_t n_columns);
