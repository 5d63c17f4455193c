/* condition_table.h - rows that failed and rows that did not, as a search for conditions takes them
   SPDX-License-Identifier: MIT */
#pragma once

#include "kpred.h"

#include <stddef.h>
#include <stdint.h>

enum { CONDITIONS_MOST_COLUMNS = KPRED_MAX_FIELDS + KPRED_MAX_TUPLE };

struct condition_column {
    const char *name;
    const int32_t *v;         /* a number a row, or of names an index */
    const char *const *names; /* NULL: it has numbers */
    size_t n_names;
    int is_field;
    int64_t most; /* the greatest number that a spec allows */
};

struct condition_table {
    size_t n, n_columns;
    struct condition_column column[CONDITIONS_MOST_COLUMNS];
    const unsigned char *is_failed; /* of each row */
};
