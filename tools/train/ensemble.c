/* ensemble.c - see ensemble.h
   SPDX-License-Identifier: MIT */
#include "ensemble.h"

#include "base/numbers.h"
#include "base/util.h"
#include "matrix.h"

#include <stdlib.h>

enum { CHUNK = 64 };

struct ensemble {
    const struct net *nets;
    size_t n_nets, width;
    const struct net_rows *rows;
    uint8_t *y;
    const uint64_t *draws;
    float *targets;
    struct net_shard *shards; /* n_nets for each of the NET_SHARDS tasks */
};

/* The first value at which the running sum of p passes u of 0..1. */
static uint8_t draw_value(const float *p, size_t values, uint64_t seed)
{
    float u = num_unit(&seed), sum = 0;
    for (size_t v = 0; v + 1 < values; v++) {
        sum += p[v];
        if (u < sum)
            return (uint8_t)v;
    }
    return (uint8_t)(values - 1);
}

/* Adds one net's probabilities of parameter t to the chunk's targets. */
static void add_member(const struct ensemble *e, struct net_shard *s, size_t t, float *targets)
{
    size_t values = s->net->dims.n_values[t], cols = pad16(values);
    float weight = 1.0f / (float)e->n_nets, p[NET_MAX_VALUES];
    net_shard_logits(s, t, &NET_PLAIN);
    for (size_t i = 0; i < s->n; i++) {
        net_softmax2(s->logits + i * cols, values, p);
        for (size_t v = 0; v < values; v++)
            targets[i * e->width + v] += p[v] * weight;
    }
}

static void ensemble_chunk(const struct ensemble *e, struct net_shard *s, size_t first, size_t n)
{
    const struct net_dims *d = &e->nets->dims;
    uint8_t *y = e->y + first * d->n_params;
    float *targets = e->targets + first * e->width;
    memset(targets, 0, n * e->width * sizeof *targets);
    for (size_t m = 0; m < e->n_nets; m++)
        net_shard_start(&s[m], e->rows->x + first * d->n_features, y, n);
    for (size_t t = 0; t < d->n_params; targets += d->n_values[t++]) {
        for (size_t m = 0; m < e->n_nets && d->n_values[t] > 1; m++)
            add_member(e, &s[m], t, targets);
        for (size_t i = 0; i < n && e->draws; i++)
            y[i * d->n_params + t] = draw_value(targets + i * e->width, d->n_values[t],
                                                num_mix(e->draws[first + i], 6, t));
        for (size_t i = 0; i < n && d->n_values[t] == 1; i++)
            targets[i * e->width] = 1;
    }
}

static void task_ensemble(void *user, size_t index)
{
    const struct ensemble *e = user;
    size_t from = e->rows->n * index / NET_SHARDS, to = e->rows->n * (index + 1) / NET_SHARDS;
    for (size_t i = from; i < to; i += CHUNK)
        ensemble_chunk(e, e->shards + index * e->n_nets, i, to - i < CHUNK ? to - i : CHUNK);
}

void net_ensemble(const struct net *nets, size_t n_nets, const struct net_rows *rows, uint8_t *y,
                  const uint64_t *draws, size_t n_threads, float *targets)
{
    const size_t width = net_target_width(&nets->dims), n_shards = n_nets * NET_SHARDS;
    struct ensemble e = {nets, n_nets, width, rows, y, draws, targets, NULL};
    struct pool *pool = pool_new(n_threads);
    e.shards = xcalloc(n_shards, sizeof *e.shards);
    for (size_t i = 0; i < n_shards; i++)
        net_shard_new(&e.shards[i], &nets[i % n_nets], CHUNK);
    pool_run(pool, task_ensemble, &e, NET_SHARDS);
    pool_free(pool);
    for (size_t i = 0; i < n_shards; i++)
        net_shard_free(&e.shards[i]);
    free(e.shards);
}
