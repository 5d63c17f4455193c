/* condition_live.h - the tests that no success of a sample violates, while a search runs
   SPDX-License-Identifier: MIT */
#pragma once

#include "condition_rows.h"

enum { CONDITION_SAMPLE = 4096 }; /* of failures, and of successes */

/* A test with, of an expression, the bound that the successes give */
struct condition_live {
    struct term t;
    size_t cost;    /* also of its bound, as far as the sample tells */
    size_t n;       /* failures of the sample that it explains and that are left */
    uint64_t *bits; /* all that it explains */
    size_t number;  /* in the order in which they came */
    int is_dead;
};

struct condition_lives {
    const struct term_columns *columns;
    struct condition_sample worked, failed;
    size_t n, cap, words, n_kept;
    struct condition_live *v;
    size_t least;                   /* explained failures, of those that are kept */
    size_t n_tried[TERM_MOST_COST]; /* tests up to this cost: see condition_lives_tried */
    /* while they are made: */
    const struct term *guard;
    const struct condition_sample *some_worked, *some_failed;
};

/* Screens all tests on samples; of failures, those that are not `is_explained`. */
void condition_lives_open(const struct condition_rows *rows, const struct term_columns *columns,
                          const unsigned char *is_explained, size_t least,
                          struct condition_lives *out);
void condition_lives_close(struct condition_lives *l);

/* How many tests are as simple as this one, or simpler */
size_t condition_lives_tried(const struct condition_lives *l, size_t cost);

/* Takes back what this success contradicts: bounds give way, other tests are dead. */
void condition_lives_contradict(struct condition_lives *l, const struct term_rows *worked,
                                size_t row);
/* Of a bound that was changed: computes what it explains. */
void condition_live_explain(const struct condition_lives *l, struct condition_live *v);

size_t condition_bits_count(const uint64_t *a, const uint64_t *b, size_t words); /* in both */
