/* trees.h - trees: boosted ones, which judge, and a forest, which teaches
   SPDX-License-Identifier: MIT

   The result is the same for any number of threads and, as boosted trees add integers, that
   of these on every machine. */
#pragma once

#include "additive_net.h"

#include "base/intern.h"
#include "model/program.h"

/* ---- boosted regression trees on histograms ----

   A tree after the other learns what those before it leave (Friedman, 2001), cut at one of at most
   255 places a column (as LightGBM and XGBoost cut). Rows may stand in groups: only differences
   within a group count then, since what is left is taken from the group's mean each time. Several
   such sequences with different seeds, each with its own draws of rows and columns, have their mean
   as the answer. */

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

/* ---- a random forest that teaches beside the networks ----

   On a few thousand rows trees make fewer mistakes than networks, and the two make different ones:
   a student of both is better than one of either. A tree grows on problems drawn with replacement,
   each with its rows, and splits by the activation, of some drawn at each node, that leaves the
   purest halves (Gini). Whole tuples are its classes. Of a problem that it learns from, only trees
   are asked that have not seen it: the others would but repeat its label. Narrow rows (data.h) are
   an input of their own: asked, the forest answers as for rows that are not. */

struct forest;

/* What trees see of n problems: for each the n_features activations x and, as a byte each, the
   ranks of the program's registers among those of the first n_known problems. A tree cuts a size
   where the network's activations have no edge. n x *width bytes, to be freed. */
struct tree_problems {
    const struct program *program;
    const int32_t *problem;
    size_t n_fields, n, n_known;
    const uint8_t *x;
    size_t n_features;
};
uint8_t *tree_inputs(const struct tree_problems *of, size_t *width);

/* What it learns: rows->x and rows->y, of `dims`; narrow: a flag a row, or NULL. */
struct forest *forest_new(const struct net_dims *dims, const struct net_rows *rows,
                          const uint8_t *narrow, size_t n_trees, uint64_t seed, size_t n_threads);
void forest_free(struct forest *f);

/* Moves the rows' targets by this share towards the forest's opinion: of each parameter, given the
   values y before it. Where no tuple of the forest begins with them, they stay. The first n_known
   rows are those that it learned from, once or several times over. */
void forest_mix(const struct forest *f, const struct net_rows *rows, size_t n_known, float share,
                size_t n_threads, float *targets);

/* ---- a chain of boosted trees that teaches as well ----

   Value by value of each parameter, trees learn from the known rows whether a row has it, by what
   trees see of the problem and the values before. They have their say on rows that they did not
   learn from. */

struct chain {
    const struct net_dims *dims;
    struct net_rows known, asked; /* x: tree_inputs; y: of those asked, the values before each */
    size_t rounds;                /* trees of a value */
    float share;
    uint64_t seed;
};

/* Moves the targets of the rows asked by this share towards the chain's opinion. */
void chain_mix(const struct chain *c, size_t n_threads, float *targets);
