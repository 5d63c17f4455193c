/* forest_peer.c - a random forest for each parameter, as arrays of nodes
   SPDX-License-Identifier: MIT */
#include "bench.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct node {
    int32_t feature; /* -1: a leaf, whose probabilities have the number `left` */
    float threshold; /* not above: to the left */
    int32_t left, right;
};

struct forest { /* of one parameter */
    struct {
        int32_t classes, trees, nodes, leaves;
    } n; /* as the file begins; all 0: one value */
    int32_t *root;
    struct node *node;
    float *leaf;
};

struct state {
    struct peer_state head;
    struct beam beam;
    struct smooth smooth;
    struct forest forest[KPRED_MAX_TUPLE];
    float x[TREE_FEATURES];
    double *logs; /* of the problem: no parameter depends on those before */
};

/* n items of the file, or NULL */
static void *read_items(struct state *s, FILE *f, size_t n, size_t size)
{
    void *items = malloc(n * size + 1);
    if (items && fread(items, size, n, f) != n) {
        free(items);
        return NULL;
    }
    s->head.model_bytes += n * size;
    return items;
}

static int read_forest(struct state *s, FILE *f, size_t t)
{
    struct forest *forest = &s->forest[t];
    if (fread(&forest->n, sizeof forest->n, 1, f) != 1)
        return -1;
    const size_t classes = (size_t)forest->n.classes;
    if (s->smooth.n_classes[t] != (classes ? classes : 1))
        return -1;
    forest->root = read_items(s, f, (size_t)forest->n.trees, sizeof *forest->root);
    forest->node = read_items(s, f, (size_t)forest->n.nodes, sizeof *forest->node);
    forest->leaf = read_items(s, f, (size_t)forest->n.leaves * classes, sizeof *forest->leaf);
    return forest->root && forest->node && forest->leaf ? 0 : -1;
}

static int forest_peer_read(struct state *s, char why[PEER_WHY])
{
    char path[PEER_PATH];
    FILE *f = peer_file(&s->head.task, "forest.bin", path, why) < 0 ? NULL : fopen(path, "rb");
    int bad = !f;
    for (size_t t = 0; t < s->head.task.model->n_params && !bad; t++)
        bad = read_forest(s, f, t);
    if (f && bad)
        snprintf(why, PEER_WHY, "%.80s: is cut short or not of these rows", path);
    if (f)
        fclose(f);
    return bad;
}

static int forest_peer_open(void *state, char why[PEER_WHY])
{
    struct state *s = state;
    const struct peer_task *task = &s->head.task;
    s->logs = calloc(KPRED_MAX_TUPLE * KPRED_MAX_VALUES, sizeof *s->logs);
    return s->logs && beam_make(&s->beam, task->model, task->k) == 0
                   && smooth_read(&s->smooth, task, why) == 0 && forest_peer_read(s, why) == 0
               ? 0
               : -1;
}

static void forest_peer_close(void *state)
{
    struct state *s = state;
    for (size_t t = 0; t < KPRED_MAX_TUPLE; t++) {
        free(s->forest[t].root);
        free(s->forest[t].node);
        free(s->forest[t].leaf);
    }
    beam_free(&s->beam);
    free(s->logs);
}

/* Where a tree has its probabilities for the features */
static const float *leaf_of(const struct forest *forest, int32_t root, const float *x)
{
    const struct node *node = forest->node + root;
    while (node->feature >= 0)
        node = forest->node + (x[node->feature] <= node->threshold ? node->left : node->right);
    return forest->leaf + (size_t)node->left * (size_t)forest->n.classes;
}

/* The mean of the trees' probabilities */
static void vote(const struct forest *forest, const float *x, float *mean)
{
    const size_t classes = (size_t)forest->n.classes;
    double sum[KPRED_MAX_VALUES] = {0};
    for (int32_t i = 0; i < forest->n.trees; i++) {
        const float *leaf = leaf_of(forest, forest->root[i], x);
        for (size_t c = 0; c < classes; c++)
            sum[c] += (double)leaf[c];
    }
    for (size_t c = 0; c < classes; c++)
        mean[c] = (float)(sum[c] / forest->n.trees);
}

static void logs_of(void *state, size_t t, const struct beam_prefix *prefix, size_t n, double *logs)
{
    const struct state *s = state;
    (void)prefix;
    for (size_t i = 0; i < n; i++)
        memcpy(logs + i * KPRED_MAX_VALUES, s->logs + t * KPRED_MAX_VALUES,
               KPRED_MAX_VALUES * sizeof *logs);
}

static size_t forest_peer_predict(void *state, const int32_t *problem, kpred_tuple *out)
{
    struct state *s = state;
    float probability[KPRED_MAX_VALUES];
    tree_features(problem, s->x);
    for (size_t t = 0; t < s->smooth.n_params; t++) {
        probability[0] = 1;
        if (s->forest[t].n.classes)
            vote(&s->forest[t], s->x, probability);
        smooth_logs(&s->smooth, t, probability, s->logs + t * KPRED_MAX_VALUES);
    }
    return beam_search(&s->beam, problem, logs_of, s, out);
}

const struct peer the_peer = {sizeof(struct state), forest_peer_open, forest_peer_predict,
                              forest_peer_close, 0};
