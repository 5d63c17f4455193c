/* boost.h - boosted regression trees on histograms
   SPDX-License-Identifier: MIT

   A tree after the other learns what those before it leave (Friedman, 2001), cut at one of at most
   255 places a column (as LightGBM and XGBoost cut). Rows may stand in groups: only differences
   within a group count then, since what is left is taken from the group's mean each time. Several
   such sequences with different seeds, each with its own draws of rows and columns, have their mean
   as the answer.

   Sums are integers, so that the result is the same on every machine and for any number of
   threads. */
#pragma once

#include <stddef.h>
#include <stdint.h>

struct boost_rows {
    size_t n, n_columns;
    const float *x;        /* n x n_columns, finite */
    const float *target;   /* n, within -4096..4096 */
    const uint32_t *group; /* n, equal ones stand together; NULL: no groups */
};

struct boost_config {
    size_t members, trees, depth;  /* sequences; trees of each; cuts from the root to a leaf */
    size_t least_rows;             /* of a leaf */
    float rate;                    /* of what a tree says */
    float row_share, column_share; /* drawn for a tree */
    uint64_t seed;
    size_t n_threads;
};

struct boost;

struct boost *boost_fit(const struct boost_rows *rows, const struct boost_config *config);
void boost_free(struct boost *b);

/* The answers for n rows of x. */
void boost_ask(const struct boost *b, const float *x, size_t n, float *out);

/* Adds up how much each column's cuts explained; `gain` has room for n_columns. */
void boost_gains(const struct boost *b, double *gain);
