/* xgboost_peer.c - the chain of boosted trees by XGBoost's C API, without a matrix of its own
   SPDX-License-Identifier: MIT */
#include "bench.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <xgboost/c_api.h>

static const char config[] = "{\"type\": 0, \"training\": false, \"iteration_begin\": 0, "
                             "\"iteration_end\": 0, \"strict_shape\": false, \"cache_id\": 0, "
                             "\"missing\": NaN}";

struct state {
    struct chain chain;
    size_t bytes;
    BoosterHandle booster[KPRED_MAX_TUPLE]; /* NULL: the parameter has one value */
};

/* XGBoost reads the rows where they are. */
static const float *trees_of(void *trees, size_t t, const float *rows, size_t n)
{
    struct state *s = trees;
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

static int xgboost_peer_load(struct state *s, const struct peer_task *task, size_t t,
                             char why[PEER_WHY])
{
    char path[1024];
    struct stat found;
    snprintf(path, sizeof path, "%s/chain-%zu.ubj", task->folder, t);
    if (stat(path, &found)) {
        snprintf(why, PEER_WHY, "there is no %.80s: bench_models.py writes it", path);
        return -1;
    }
    s->bytes += (size_t)found.st_size;
    if (XGBoosterCreate(NULL, 0, &s->booster[t]) == 0
        && XGBoosterLoadModel(s->booster[t], path) == 0
        && XGBoosterSetParam(s->booster[t], "nthread", "1") == 0)
        return 0;
    snprintf(why, PEER_WHY, "%.150s", XGBGetLastError());
    return -1;
}

static void close_xgboost(void *state)
{
    struct state *s = state;
    for (size_t t = 0; t < KPRED_MAX_TUPLE; t++)
        if (s->booster[t])
            XGBoosterFree(s->booster[t]);
    chain_free(&s->chain);
    free(s);
}

static void *open_xgboost(const struct peer_task *task, char why[PEER_WHY])
{
    struct state *s = calloc(1, sizeof *s);
    if (!s)
        return NULL;
    int bad = chain_make(&s->chain, task, trees_of, s, why);
    for (size_t t = 0; t < task->model->n_params && !bad; t++)
        if (s->chain.smooth.n_classes[t] > 1)
            bad = xgboost_peer_load(s, task, t, why);
    if (!bad)
        return s;
    close_xgboost(s);
    return NULL;
}

static size_t xgboost_peer_predict(void *state, const int32_t *problem, kpred_tuple *out)
{
    struct state *s = state;
    return chain_predict(&s->chain, problem, out);
}

static size_t model_bytes(const void *state)
{
    return ((const struct state *)state)->bytes;
}

const struct peer the_peer = {open_xgboost, xgboost_peer_predict, close_xgboost, model_bytes, 0,
                              NULL};
