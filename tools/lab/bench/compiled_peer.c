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

static const float *trees_of(void *trees, size_t t, const float *rows, size_t n)
{
    struct state *s = trees;
    const size_t classes = s->chain.smooth.n_classes[t];
    for (size_t i = 0; i < n; i++) {
        float *margin = s->probability + i * classes;
        for (size_t c = 0; c < classes; c++)
            margin[c] = BASE_SCORE;
        chain_tables[t](rows + i * (TREE_FEATURES + t), margin);
        softmax(margin, classes);
    }
    return s->probability;
}

static void close_compiled(void *state)
{
    struct state *s = state;
    chain_free(&s->chain);
    free(s->probability);
    free(s);
}

static void *open_compiled(const struct peer_task *task, char why[PEER_WHY])
{
    struct state *s = calloc(1, sizeof *s);
    if (!s)
        return NULL;
    s->probability = calloc(task->k * KPRED_MAX_VALUES, sizeof *s->probability);
    if (s->probability && chain_make(&s->chain, task, trees_of, s, why) == 0)
        return s;
    close_compiled(s);
    return NULL;
}

static size_t compiled_peer_predict(void *state, const int32_t *problem, kpred_tuple *out)
{
    struct state *s = state;
    return chain_predict(&s->chain, problem, out);
}

/* It is all code. */
static size_t model_bytes(const void *state)
{
    (void)state;
    return 0;
}

const struct peer the_peer = {open_compiled, compiled_peer_predict, close_compiled, model_bytes, 1,
                              NULL};
