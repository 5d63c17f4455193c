/* xgboost_peer.c - the chain of boosted trees by XGBoost's C API, without a matrix of its own
   SPDX-License-Identifier: MIT */
#include "bench.h"

#include <stdio.h>
#include <stdlib.h>
#include <xgboost/c_api.h>

static const char config[] = "{\"type\": 0, \"training\": false, \"iteration_begin\": 0, "
                             "\"iteration_end\": 0, \"strict_shape\": false, \"cache_id\": 0, "
                             "\"missing\": NaN}";

struct state {
    struct chain chain;
    BoosterHandle booster[KPRED_MAX_TUPLE]; /* NULL: the parameter has one value */
};

/* XGBoost reads the rows where they are. */
static const float *xgboost_trees_of(struct chain *c, size_t t, const float *rows, size_t n)
{
    struct state *s = (struct state *)c;
    char array[160];
    bst_ulong dims;
    const bst_ulong *shape;
    const float *out;
    snprintf(array, sizeof array,
             "{\"data\": [%zu, true], \"shape\": [%zu, %zu], \"typestr\": \"<f4\", \"version\": 3}",
             (size_t)rows, n, TREE_FEATURES + t);
    if (XGBoosterPredictFromDense(s->booster[t], array, config, NULL, &shape, &dims, &out)) {
        fprintf(stderr, "xgboost: %s\n", XGBGetLastError());
        exit(1);
    }
    return out;
}

static int xgboost_peer_load(struct state *s, size_t t, char why[PEER_WHY])
{
    char path[PEER_PATH], name[32];
    snprintf(name, sizeof name, "chain-%zu.ubj", t);
    const long bytes = peer_file(&s->chain.head.task, name, path, why);
    if (bytes < 0)
        return -1;
    s->chain.head.model_bytes += (size_t)bytes;
    if (XGBoosterCreate(NULL, 0, &s->booster[t]) == 0
        && XGBoosterLoadModel(s->booster[t], path) == 0
        && XGBoosterSetParam(s->booster[t], "nthread", "1") == 0)
        return 0;
    snprintf(why, PEER_WHY, "%.150s", XGBGetLastError());
    return -1;
}

static int xgboost_peer_open(void *state, char why[PEER_WHY])
{
    struct state *s = state;
    int bad = chain_make(&s->chain, xgboost_trees_of, why);
    for (size_t t = 0; t < s->chain.head.task.model->n_params && !bad; t++)
        if (s->chain.smooth.n_classes[t] > 1)
            bad = xgboost_peer_load(s, t, why);
    return bad;
}

static void xgboost_peer_close(void *state)
{
    struct state *s = state;
    for (size_t t = 0; t < KPRED_MAX_TUPLE; t++)
        if (s->booster[t])
            XGBoosterFree(s->booster[t]);
    chain_free(&s->chain);
}

const struct peer the_peer = {sizeof(struct state), xgboost_peer_open, chain_predict,
                              xgboost_peer_close, 0};
