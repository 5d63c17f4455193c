/* condition_search.h - what a search for conditions has at hand, for the two files that share it
   SPDX-License-Identifier: MIT */
#pragma once

#include "condition_live.h"

struct found {
    struct term t;
    size_t cost;
    unsigned char *explains; /* of each failure */
    int64_t near;            /* of a bound: the nearest of these */
    int is_out;
};

/* Rows that are the same but for one column form a group. */
struct sibling {
    uint64_t group;
    uint32_t row; /* of those that failed; UINT32_MAX: it worked */
};

struct siblings {
    size_t n, cap;
    struct sibling *v; /* sorted by group */
};

struct search {
    struct term_columns columns;
    struct condition_rows rows;
    struct condition_lives lives;
    unsigned char *is_explained; /* of each failure */
    uint64_t *left;              /* of the sample */
    size_t n_left, n_sample_left, n_verified, n;
    struct found v[CONDITIONS_MOST];
    uint32_t *seen, stamp; /* units */
    struct siblings siblings[CONDITIONS_MOST_COLUMNS];
    unsigned char *worked_places, *failed_places; /* of the samples' values, column by column */
};

static inline size_t search_block(size_t at, size_t n)
{
    return n - at < TERM_BLOCK ? n - at : TERM_BLOCK;
}

/* ---- condition_chance.c ---- */

enum { CONDITION_FEWEST = 5 }; /* failures that a condition explains, in units */
#define CONDITION_CHANCE 1e-4  /* that any of the tests that were tried explains so much */

/* Of the sample at hand: before search_is_chance, and when it is given back */
void search_open_chance(struct search *s);
void search_close_chance(struct search *s);

/* The kind of units that a test is about */
int search_unit(const struct search *s, const struct term *t);
/* May what the test explains, beyond what is explained already, be without a success by chance? */
int search_is_chance(struct search *s, const struct found *f);

/* ---- condition_siblings.c ---- */

/* Of all rows, for search_count_apart */
void search_open_siblings(struct search *s);
void search_close_siblings(struct search *s);

/* How many rows of the sample the test explains that differ in more than what makes no difference:
   a column that is none of the test's, and in which rows may differ while all of them fail. */
size_t search_count_apart(const struct search *s, const struct found *f);
