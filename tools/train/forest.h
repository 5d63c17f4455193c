/* forest.h - a random forest that teaches beside the networks
   SPDX-License-Identifier: MIT

   On a few thousand rows trees make fewer mistakes than networks, and the two make different ones:
   a student of both is better than one of either. A tree grows on problems drawn with replacement,
   each with its rows, and splits by the activation, of some drawn at each node, that leaves the
   purest halves (Gini). Whole tuples are its classes. Of a problem that it learns from, only trees
   are asked that have not seen it: the others would but repeat its label. Narrow rows (data.h) are
   an input of their own: asked, the forest answers as for rows that are not.

   The result is the same for any number of threads. */
#pragma once

#include "additive_rows.h"

struct forest;

/* What it learns: rows->x and rows->y, of `dims`; narrow: a flag a row, or NULL. */
struct forest *forest_new(const struct net_dims *dims, const struct net_rows *rows,
                          const uint8_t *narrow, size_t n_trees, uint64_t seed, size_t n_threads);
void forest_free(struct forest *f);

/* Moves the rows' targets by this share towards the forest's opinion: of each parameter, given the
   values y before it. Where no tuple of the forest begins with them, they stay. The first n_known
   rows are those that it learned from, once or several times over. */
void forest_mix(const struct forest *f, const struct net_rows *rows, size_t n_known, float share,
                size_t n_threads, float *targets);
