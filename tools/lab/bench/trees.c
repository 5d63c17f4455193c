/* trees.c - what peers of trees share: the features, the smoothing, the chain of boosted trees
   SPDX-License-Identifier: MIT */
#include "bench.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- features, as tools/lab/peers/classics.py has them ---- */

enum { N_FIELDS = 9 };
enum field { N = 3, C, H, W, K, STRIDE };

static float *trees_add(float *x, double value)
{
    *x = (float)value;
    return x + 1;
}

static float *add_remainders(float *x, int64_t size, const int *divisors)
{
    for (size_t i = 0; i < 7; i++)
        x = trees_add(x, (double)(size % divisors[i]));
    return x;
}

void tree_features(const int32_t *problem, float *x)
{
    static const int powers[] = {2, 3, 4, 8, 16, 32, 64}, sides[] = {2, 3, 4, 5, 7, 8, 16};
    const int32_t oh = (problem[H] - 1) / problem[STRIDE] + 1;
    const int32_t ow = (problem[W] - 1) / problem[STRIDE] + 1;
    const double n = problem[N], c = problem[C], k = problem[K], ohw = (double)oh * ow;
    const double products[] = {ohw * n, c * k, ohw * c, ohw * k, ohw * n * c * k};
    for (size_t f = 0; f < N_FIELDS; f++)
        x = trees_add(x, problem[f]);
    x = trees_add(trees_add(trees_add(x, oh), ow), ohw);
    for (size_t i = 0; i < sizeof products / sizeof *products; i++)
        x = trees_add(x, products[i]);
    x = add_remainders(x, problem[N], powers);
    x = add_remainders(x, problem[C], powers);
    x = add_remainders(x, problem[K], powers);
    x = add_remainders(x, (int64_t)oh * ow, powers);
    x = add_remainders(x, oh, sides);
    add_remainders(x, ow, sides);
}

/* ---- smoothing ---- */

#define SMOOTHING 1e-3
#define LEAST     1e-9

static int trees_read_line(struct smooth *s, const struct peer_task *task, FILE *f, size_t t,
                           size_t v)
{
    unsigned of_param, of_value;
    double frequency;
    if (fscanf(f, "%u,%u,%lf ", &of_param, &of_value, &frequency) != 3 || of_param != t
        || of_value != v)
        return -1;
    s->frequency[t][v] = frequency;
    s->n_classes[t] += frequency > 0;
    s->n_params = task->model->n_params;
    return 0;
}

int smooth_read(struct smooth *s, const struct peer_task *task, char why[PEER_WHY])
{
    char path[PEER_PATH];
    long line = 1;
    FILE *f = peer_file(task, "frequencies.csv", path, why) < 0 ? NULL : fopen(path, "r");
    if (!f)
        return -1;
    int bad = fscanf(f, "%*[^\n] ");
    for (size_t t = 0; t < task->model->n_params && !bad; t++)
        for (size_t v = 0; v < (size_t)task->model->params[t].n_values && !bad; v++, line++)
            bad = trees_read_line(s, task, f, t, v);
    fclose(f);
    if (bad)
        snprintf(why, PEER_WHY, "%.80s:%ld: expected parameter,value,frequency", path, line);
    return bad ? -1 : 0;
}

void smooth_logs(const struct smooth *s, size_t t, const float *probability, double *logs)
{
    size_t class = 0;
    for (size_t v = 0; v < KPRED_MAX_VALUES && class < s->n_classes[t]; v++) {
        const double frequency = s->frequency[t][v];
        const double known = frequency > 0 ? (double)probability[class ++] : 0;
        const double p = (1 - SMOOTHING) * known + SMOOTHING * frequency;
        logs[v] = log2(p > LEAST ? p : LEAST);
    }
}

/* ---- the chain ---- */

int chain_make(struct chain *c, chain_trees_of *trees_of, char why[PEER_WHY])
{
    const struct peer_task *task = &c->head.task;
    c->trees_of = trees_of;
    c->state = calloc(task->k * (TREE_FEATURES + KPRED_MAX_TUPLE), sizeof *c->state);
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
        p = c->trees_of(c, t, c->state, n);
    for (size_t i = 0; i < n; i++)
        smooth_logs(&c->smooth, t, classes > 1 ? p + i * classes : p, logs + i * KPRED_MAX_VALUES);
}

size_t chain_predict(void *chain, const int32_t *problem, kpred_tuple *out)
{
    struct chain *c = chain;
    tree_features(problem, c->x);
    return beam_search(&c->beam, problem, logs_of, c, out);
}
