/* adam.c - see adam.h
   SPDX-License-Identifier: MIT */
#include "adam.h"

#include "base/util.h"
#include "matrix.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void adam_new(struct adam *a, float *w, size_t n, size_t n_shards)
{
    memset(a, 0, sizeof *a);
    a->n = n;
    a->n_shards = n_shards;
    a->w = w;
    a->decay1 = a->decay2 = 1;
    a->gradients = xcalloc(n * n_shards, sizeof(float));
    a->moment = xcalloc(n, sizeof(float));
    a->square = xcalloc(n, sizeof(float));
    a->mean = xmalloc(n * sizeof(float));
    memcpy(a->mean, w, n * sizeof(float));
}

void adam_free(struct adam *a)
{
    free(a->gradients);
    free(a->moment);
    free(a->square);
    free(a->mean);
}

/* Rises linearly, then falls along the smooth step 1 - (3 - 2 x) x^2. */
static float rate_at(const struct adam_schedule *c, size_t step)
{
    float x = ((float)step + 0.5f) / (float)c->n_steps;
    if (x < c->warm_up)
        return c->rate * x / c->warm_up;
    x = (x - c->warm_up) / (1.0f - c->warm_up);
    return c->rate_end + (c->rate - c->rate_end) * (1.0f - x * x * (3.0f - 2.0f * x));
}

struct adam_step adam_next(struct adam *a, const struct adam_schedule *schedule)
{
    struct adam_step s;
    float early = (float)(a->step + 1) / (float)(a->step + 10);
    s.keep = early < schedule->average ? early : schedule->average;
    s.rate = rate_at(schedule, a->step);
    a->decay1 *= 0.9;
    a->decay2 *= 0.999;
    s.scale1 = (float)(1 / (1 - a->decay1));
    s.scale2 = (float)(1 / (1 - a->decay2));
    a->step++;
    return s;
}

enum { SOME = 256 };

/* The gradients of all shards, added in their order. */
static void add_shards(const struct adam *a, size_t from, size_t n, float *restrict sum)
{
    memcpy(sum, a->gradients + from, n * sizeof *sum);
    for (size_t shard = 1; shard < a->n_shards; shard++) {
        const float *g = a->gradients + shard * a->n + from;
        for (size_t i = 0; i < n; i++)
            sum[i] += g[i];
    }
}

WIDE_VECTORS
static void move_some(const struct adam *a, struct adam_step c, float weight_decay, size_t from,
                      size_t n)
{
    float *restrict w = a->w + from, *restrict m = a->moment + from;
    float *restrict v = a->square + from, *restrict mean = a->mean + from, d[SOME];
    add_shards(a, from, n, d);
    for (size_t i = 0; i < n; i++) {
        m[i] = m[i] * 0.9f + d[i] * 0.1f;
        v[i] = v[i] * 0.999f + d[i] * d[i] * 0.001f;
        float move = m[i] * c.scale1 / (sqrtf(v[i] * c.scale2) + 1e-8f) + w[i] * weight_decay;
        w[i] -= c.rate * move;
        mean[i] += (w[i] - mean[i]) * (1.0f - c.keep);
    }
}

void adam_move(const struct adam *a, const struct adam_step *s, float weight_decay, size_t from,
               size_t to)
{
    for (; from < to; from += SOME)
        move_some(a, *s, weight_decay, from, to - from < SOME ? to - from : SOME);
}
