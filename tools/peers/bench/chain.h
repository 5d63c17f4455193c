/* chain.h - the chain of boosted trees, whoever computes them: features, beam, smoothing
   SPDX-License-Identifier: MIT */
#pragma once

#include "beam.h"
#include "peer.h"
#include "smooth.h"
#include "tree_features.h"

/* The classes' probabilities of parameter t for n states, row by row: the features, and the t
   values before, by index.
   They stay until the next call. */
typedef const float *chain_trees_of(void *trees, size_t t, const float *state, size_t n);

struct chain {
    struct beam beam;
    struct smooth smooth;
    chain_trees_of *trees_of;
    void *trees;
    float x[TREE_FEATURES]; /* of the problem */
    float *state;           /* k rows */
};

/* 0, or -1 with the reason in `why`; chain_free in either case. */
int chain_make(struct chain *c, const struct peer_task *task, chain_trees_of *trees_of, void *trees,
               char why[PEER_WHY]);
void chain_free(struct chain *c);

size_t chain_predict(struct chain *c, const int32_t *problem, kpred_tuple *out);
