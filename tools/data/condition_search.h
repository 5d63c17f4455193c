/* condition_search.h - what a search for conditions has at hand, for the two files that share it
   SPDX-License-Identifier: MIT */
#pragma once

#include "condition_live.h"

struct found {
    struct term t;
    size_t cost, tries;
    unsigned char *explains; /* of each failure */
    int64_t near;            /* of a bound: the nearest of these */
    int is_out;              /* it was found, and then taken back */
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

enum { SEARCH_MOST = 32 };

struct search {
    struct term_columns columns;
    struct condition_rows rows;
    size_t n;
    struct found v[SEARCH_MOST];
    unsigned char *is_explained; /* of each failure */
    size_t n_left;               /* others */
    /* to find them: */
    struct condition_lives lives;
    uint64_t *left; /* of the sample there */
    size_t n_verified;
    /* to judge them: samples of all, how many rows stand for one of theirs, places of values */
    struct condition_sample worked, failed;
    double of_worked, of_failed;
    unsigned char *worked_places, *failed_places;
    uint32_t *seen, stamp; /* units */
    struct siblings siblings[CONDITIONS_MOST_COLUMNS];
};

static inline size_t search_block(size_t at, size_t n)
{
    return n - at < TERM_BLOCK ? n - at : TERM_BLOCK;
}

/* ---- condition_chance.c ---- */

enum { CONDITION_FEWEST = 5 }; /* failures that a condition explains, in units */
#define CONDITION_CHANCE 1e-4  /* that any of the tests that were tried explains so much */

/* The kind of units that a test is about */
int search_unit(const struct search *s, const struct term *t);

/* A first look: is what the test explains, beyond what is explained already, too much for chance if
   failures strike units at random? */
int search_may_be(struct search *s, const struct found *f);
/* The whole of it: the logarithm of the probability, at most, that one of the tests tried explains
   so much though it has nothing to do with it. Failures need not be equally frequent everywhere,
   nor independent of each other: what counts is how often rows fail beside those of the test. */
double search_chance(struct search *s, const struct found *f);

/* Of all rows, for search_chance */
void search_open_chance(struct search *s);
void search_close_chance(struct search *s);

/* ---- condition_siblings.c ---- */

/* Of all rows, for search_count_apart */
void search_open_siblings(struct search *s);
void search_close_siblings(struct search *s);

/* How many of these rows, which the test explains, differ in more than what makes no difference: a
   column that is none of the test's, and in which other rows may differ while all of them fail. */
size_t search_count_apart(const struct search *s, const struct found *f,
                          const struct condition_sample *explained);
