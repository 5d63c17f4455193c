/* compiled_peer.c - the same chain as C, compiled: the trees are code
   SPDX-License-Identifier: MIT */
#include "bench.h"

#include <math.h>
#include <stdlib.h>

#define BASE_SCORE 0.5f /* of every class, as XGBoost begins */

/* Adds the trees of a parameter to the margins of its classes; bench_models.py writes them. */
typedef void (*chain_trees)(const float *x, float *margin);
extern const chain_trees chain_tables[];

struct state {
    struct chain chain;
    float *probability; /* k rows of classes */
};

/* The softmax of XGBoost, in its order */
static void softmax(float *x, size_t n)
{
    float most = x[0];
    double sum = 0;
    for (size_t i = 1; i < n; i++)
        most = fmaxf(most, x[i]);
    for (size_t i = 0; i < n; i++)
        sum += (double)(x[i] = expf(x[i] - most));
    for (size_t i = 0; i < n; i++)
        x[i] /= (float)sum;
}

static const float *compiled_trees_of(struct chain *c, size_t t, const float *rows, size_t n)
{
    struct state *s = (struct state *)c;
    const size_t classes = c->smooth.n_classes[t];
    for (size_t i = 0; i < n; i++) {
        float *margin = s->probability + i * classes;
        for (size_t j = 0; j < classes; j++)
            margin[j] = BASE_SCORE;
        chain_tables[t](rows + i * (TREE_FEATURES + t), margin);
        softmax(margin, classes);
    }
    return s->probability;
}

/* It is all code: the model has no bytes of its own. */
static int compiled_peer_open(void *state, char why[PEER_WHY])
{
    struct state *s = state;
    s->probability = calloc(s->chain.head.task.k * KPRED_MAX_VALUES, sizeof *s->probability);
    return s->probability ? chain_make(&s->chain, compiled_trees_of, why) : -1;
}

static void compiled_peer_close(void *state)
{
    struct state *s = state;
    chain_free(&s->chain);
    free(s->probability);
}

const struct peer the_peer = {sizeof(struct state), compiled_peer_open, chain_predict,
                              compiled_peer_close, 1};
