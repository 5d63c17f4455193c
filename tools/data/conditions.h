/* conditions.h - from rows that failed and rows that did not to conditions that tell them apart
   SPDX-License-Identifier: MIT

   A condition is found in the words of [restrict] (model/clause.h). No success violates it, and
   chance would not leave a success out of what it forbids. It is a fact about the rows at hand:
   whether it is the kernel's own, a reader has to say. */
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

enum { CONDITIONS_MOST = 12 };

struct condition {
    char *text;
    size_t more, all; /* failures that it explains: those that none before it does, and in all */
};

struct conditions {
    size_t n, failed, explained; /* rows that failed and had no success elsewhere in the table */
    struct condition v[CONDITIONS_MOST];
};

/* The same table gives the same conditions, in whatever order its rows are. */
void conditions_find(const struct condition_table *t, struct conditions *out);
void conditions_free(struct conditions *c);
