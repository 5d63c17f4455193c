/* conditions.h - from rows that failed and rows that did not to conditions that tell them apart
   SPDX-License-Identifier: MIT

   A condition is found in the words of [restrict] (model/clause.h). No success violates it, and
   chance would not leave a success out of what it forbids. It is a fact about the rows at hand:
   whether it is the kernel's own, a reader has to say. */
#pragma once

#include "base/util.h"
#include "kpred.h"

#include <stddef.h>
#include <stdint.h>

enum { CONDITIONS_MOST_COLUMNS = KPRED_MAX_FIELDS + KPRED_MAX_TUPLE };

struct condition_column {
    const char *name;
    int32_t *v;               /* a number a row, or of names an index */
    const char *const *names; /* NULL: it has numbers */
    size_t n_names;
    int is_field;
    int64_t most; /* the greatest number that a spec allows */
};

struct condition_table {
    size_t n, n_columns;
    struct condition_column column[CONDITIONS_MOST_COLUMNS];
    unsigned char *is_failed; /* of each row */
};

enum { CONDITIONS_MOST = 12 };

struct condition {
    char *text;
    size_t more, all; /* failures that it explains: those that none before it does, and in all */
};

struct conditions {
    size_t n, failed; /* rows that failed and had no success elsewhere in the table */
    struct condition v[CONDITIONS_MOST];
};

/* The same table gives the same conditions, in whatever order its rows are. */
void conditions_find(const struct condition_table *t, struct conditions *out);
void conditions_free(struct conditions *c);

/* What follows is what a search has at hand, for the files that share it. */

/* ---- condition_terms.c: the tests that are tried: their forms, values and text ---- */

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
    size_t n, n_columns;
    int32_t *v[CONDITIONS_MOST_COLUMNS];
    uint64_t *hash; /* of each; NULL in a sample */
    uint32_t *at;   /* of a sample, their numbers among all */
};

/* What the columns are, over all rows */
struct term_columns {
    const struct condition_table *table;
    int is_number[CONDITIONS_MOST_COLUMNS]; /* at least 0, and with more than 0 and 1 */
    int64_t most[CONDITIONS_MOST_COLUMNS];
    size_t n_values[CONDITIONS_MOST_COLUMNS]; /* 0: they are many */
    int32_t values[CONDITIONS_MOST_COLUMNS][2 * TERM_FEW];
};

/* Calls `see` with each test that is to be tried: without a guard all, else those that may stand
   behind this one. A test of an expression comes as TERM_AT_MOST, its k is not set. */
void terms_each(const struct term_columns *c, const struct term *guard,
                void (*see)(void *to, const struct term *t), void *to);

/* Calls it with each guard, as a term that has nothing else. */
void terms_each_guard(const struct term_columns *c, void (*see)(void *to, const struct term *t),
                      void *to);

/* Does the test have an expression and a bound? */
static inline int term_has_bound(const struct term *t)
{
    return t->test == TERM_AT_MOST || t->test == TERM_AT_LEAST;
}

/* How many rows from `at` on are looked at together */
static inline size_t term_block(size_t at, size_t n)
{
    return n - at < TERM_BLOCK ? n - at : TERM_BLOCK;
}

/* The expressions of rows from..from+n-1 */
void term_values(const struct term *t, const struct term_rows *r, size_t from, size_t n,
                 int64_t *out);
/* For which of these rows the guard is such that the test counts */
void term_guarded(const struct term *t, const struct term_rows *r, size_t from, size_t n,
                  unsigned char *out);
/* Which of these rows, at most TERM_BLOCK, the test forbids */
void term_violations(const struct term *t, const struct term_rows *r, size_t from, size_t n,
                     unsigned char *out);

/* How much there is to read: simple ones first. Below TERM_MOST_COST */
size_t term_cost(const struct term *t, const struct term_columns *c);

/* A bound from least..most that is a round number, on the side of the successes. `*roughness` is 0
   for a power of two. */
int64_t term_round(const struct term *t, int64_t least, int64_t most, size_t *roughness);

void term_text(const struct term *t, const struct term_columns *c, struct buf *out);

/* Bits 0 and 1: it has parameters, it has fields. */
unsigned term_kinds(const struct term *t, const struct term_columns *c);

/* A unit is what is independent of the others: by parameters a tuple, by fields a problem, else a
   row. A row that failed is left out if the same one worked elsewhere in the table. */

/* ---- condition_rows.c: rows that failed and rows that worked ---- */

enum { BY_PARAMS, BY_FIELDS, BY_ROW, N_UNITS };

struct condition_rows {
    struct term_rows worked, failed;
    uint32_t *unit[N_UNITS]; /* of rows that failed: those below n_worked have worked elsewhere */
    size_t n_units[N_UNITS], n_worked[N_UNITS];
    uint32_t *n_failed[N_UNITS]; /* rows of each unit */
};

void condition_rows_open(const struct condition_table *t, struct condition_rows *out);
void condition_rows_close(struct condition_rows *r);

enum { CONDITION_SAMPLE = 4096 };

/* Some so many of the rows, or all if there are fewer, in the order of their hashes; `is_out` (may
   be NULL) leaves rows out. */
void term_rows_sample(const struct term_rows *from, const unsigned char *is_out,
                      struct term_rows *out);
void term_rows_free(struct term_rows *r);

/* ---- condition_rows.c: tests that no success of a sample violates, while a search runs ---- */

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
    struct term_rows worked, failed;
    size_t n, cap, words, n_kept;
    struct condition_live *v;
    size_t least;                   /* explained failures, of those that are kept */
    size_t n_tried[TERM_MOST_COST]; /* tests up to this cost: see condition_lives_tried */
    const struct term_rows *some_worked, *some_failed; /* of them, for the guard at hand */
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

size_t condition_bits_count(const uint64_t *a, const uint64_t *b, size_t words); /* in both */

/* ---- the search ---- */

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
    struct term_rows worked, failed;
    double of_worked, of_failed;
    unsigned char *worked_places, *failed_places;
    uint32_t *seen, stamp; /* units */
    struct siblings siblings[CONDITIONS_MOST_COLUMNS];
};

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

/* Takes of all rows what search_chance needs. */
void search_open_chance(struct search *s);
void search_close_chance(struct search *s);
