/* condition_terms.h - the conditions that a search tries: their forms, values and text
   SPDX-License-Identifier: MIT */
#pragma once

#include "condition_table.h"

#include "base/util.h"

enum term_test {
    TERM_AT_MOST,  /* an expression and the number k */
    TERM_AT_LEAST, /* the same, as the next two, which have one of n_a columns multiplied */
    TERM_MULTIPLE_OF,
    TERM_NO_MULTIPLE_OF,
    TERM_IS,       /* a column and k */
    TERM_IS_NOT,   /* as well */
    TERM_MULTIPLE, /* a product of n_a columns and one of n_b, as the others */
    TERM_NO_MORE,
    TERM_LESS,
    TERM_SAME,
    TERM_OTHER
};

enum term_form {
    TERM_PRODUCT,      /* of n_a columns */
    TERM_SUM,          /* of n_a columns */
    TERM_PRODUCT_PLUS, /* c0 * c1 + c2 */
    TERM_SHARED,       /* c0 * c1 + c1 * c2 */
    TERM_TWO_PRODUCTS, /* c0 * c1 + c2 * c3 */
    TERM_SHARED_TIMES  /* (c0 + c1) * c2 * c3 */
};

enum { TERM_NO_GUARD = 255, TERM_BLOCK = 256, TERM_MOST_COST = 128, TERM_FEW = 8 };

struct term {
    unsigned char test, form, n_a, n_b, c[8];
    unsigned char guard;    /* a column, or TERM_NO_GUARD: the test is for rows where it is, */
    unsigned char is_other; /* or is not, */
    int32_t value;          /* this */
    int64_t k;
};

/* Rows, column by column */
struct term_rows {
    size_t n;
    int32_t *v[CONDITIONS_MOST_COLUMNS];
};

/* What the columns are, over all rows */
struct term_columns {
    const struct condition_table *table;
    int is_number[CONDITIONS_MOST_COLUMNS]; /* at least 0, and with more than 0 and 1 */
    int64_t most[CONDITIONS_MOST_COLUMNS];
    size_t n_values[CONDITIONS_MOST_COLUMNS]; /* 0: they are many */
    int32_t values[CONDITIONS_MOST_COLUMNS][2 * TERM_FEW];
};

/* Calls `see` with each test that is to be tried, without a guard: with `full` all, else those that
   may stand behind a guard, which is column `guard`. A test of an expression comes as TERM_AT_MOST,
   its k is not set. */
void terms_each(const struct term_columns *c, int full, size_t guard,
                void (*see)(void *to, const struct term *t), void *to);

/* Calls it with each guard, as a term that has nothing else. */
void terms_each_guard(const struct term_columns *c, void (*see)(void *to, const struct term *t),
                      void *to);

/* Does the test have an expression and a bound? */
static inline int term_has_bound(const struct term *t)
{
    return t->test == TERM_AT_MOST || t->test == TERM_AT_LEAST;
}

/* The expressions of rows from..from+n-1, at most TERM_BLOCK */
void term_values(const struct term *t, const struct term_rows *r, size_t from, size_t n,
                 int64_t *out);
/* Which of these rows violate the test, whatever the guard is */
void term_violations(const struct term *t, const struct term_rows *r, size_t from, size_t n,
                     unsigned char *out);
/* For which rows the guard is such that the test counts */
void term_guarded(const struct term *t, const struct term_rows *r, size_t from, size_t n,
                  unsigned char *out);

/* How much there is to read: simple ones first. Below TERM_MOST_COST */
size_t term_cost(const struct term *t, const struct term_columns *c);

/* A bound from least..most that is a round number, on the side of the successes. `*roughness` is 0
   for a power of two. */
int64_t term_round(const struct term *t, int64_t least, int64_t most, size_t *roughness);

void term_text(const struct term *t, const struct term_columns *c, struct buf *out);

/* Bits 0 and 1: it has parameters, it has fields. */
unsigned term_kinds(const struct term *t, const struct term_columns *c);
