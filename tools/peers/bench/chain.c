/* chain.c - the chain of boosted trees, whoever computes them: features, beam, smoothing
   SPDX-License-Identifier: MIT */
#include "chain.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int chain_make(struct chain *c, const struct peer_task *task, chain_trees_of *trees_of, void *trees,
               char why[PEER_WHY])
{
    memset(c, 0, sizeof *c);
    c->trees_of = trees_of;
    c->trees = trees;
    c->state = calloc(task->k * (TREE_FEATURES + KPRED_MAX_TUPLE), sizeof *c->state);
    snprintf(why, PEER_WHY, "no memory");
    if (!c->state || beam_make(&c->beam, task->model, task->k))
        return -1;
    return smooth_read(&c->smooth, task, why);
}

void chain_free(struct chain *c)
{
    beam_free(&c->beam);
    free(c->state);
}

static void write_state(const struct chain *c, const struct beam_prefix *prefix, size_t t,
                        float *state)
{
    memcpy(state, c->x, sizeof c->x);
    for (size_t u = 0; u < t; u++)
        state[TREE_FEATURES + u] = prefix->index[u];
}

static void logs_of(void *state, size_t t, const struct beam_prefix *prefix, size_t n, double *logs)
{
    static const float certain = 1;
    struct chain *c = state;
    const size_t classes = c->smooth.n_classes[t];
    const float *p = &certain;
    for (size_t i = 0; i < n; i++)
        write_state(c, &prefix[i], t, c->state + i * (TREE_FEATURES + t));
    if (classes > 1)
        p = c->trees_of(c->trees, t, c->state, n);
    for (size_t i = 0; i < n; i++)
        smooth_logs(&c->smooth, t, classes > 1 ? p + i * classes : p, logs + i * KPRED_MAX_VALUES);
}

size_t chain_predict(struct chain *c, const int32_t *problem, kpred_tuple *out)
{
    tree_features(problem, c->x);
    return beam_search(&c->beam, problem, logs_of, c, out);
}
