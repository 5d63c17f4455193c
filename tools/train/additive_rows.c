/* additive_rows.c - many rows through additive networks: forward, loss, backward, a mean opinion
   SPDX-License-Identifier: MIT */
#include "additive_net.h"

#include "base/numbers.h"
#include "base/util.h"
#include "matrix.h"

#include <stdlib.h>

const struct net_pass NET_PLAIN = {0, 0, 0, 0, 0, 1, 0};

/* ---- shards ---- */

static float *additive_rows_take(float **room, size_t n)
{
    float *at = *room;
    *room += n;
    return at;
}

void net_shard_new(struct net_shard *s, const struct net *net, size_t capacity)
{
    const struct net_dims *d = &net->dims;
    const size_t contexts = net->at.n_active * d->hidden;
    const size_t row =
        d->n_features + 2 * d->enc1 + 2 * d->enc2 + 3 * contexts + 2 * NET_MAX_VALUES;
    float *room = xmalloc(capacity * row * sizeof *room);
    memset(s, 0, sizeof *s);
    s->net = net;
    s->capacity = capacity;
    s->own_y = xmalloc(capacity * d->n_params);
    s->x = additive_rows_take(&room, capacity * d->n_features);
    s->a1 = additive_rows_take(&room, capacity * d->enc1);
    s->d_1 = additive_rows_take(&room, capacity * d->enc1);
    s->a2 = additive_rows_take(&room, capacity * d->enc2);
    s->d_c = additive_rows_take(&room, capacity * d->enc2);
    s->a = additive_rows_take(&room, capacity * contexts);
    s->h = additive_rows_take(&room, capacity * contexts);
    s->d_a = additive_rows_take(&room, capacity * contexts);
    s->logits = additive_rows_take(&room, capacity * NET_MAX_VALUES);
    s->d_logits = additive_rows_take(&room, capacity * NET_MAX_VALUES);
}

void net_shard_free(struct net_shard *s)
{
    free(s->x); /* and all behind it */
    free(s->own_y);
}

static void turn_block(const struct net *net, size_t block, float *turned)
{
    const struct net_block *b = &net->at.block[block];
    matrix_transpose(b->rows, b->cols, net->w + b->at, turned + b->at);
}

void net_turn(const struct net *net, float *turned)
{
    turn_block(net, NET_W2, turned);
    turn_block(net, NET_WC, turned);
    for (size_t t = 0; t < net->dims.n_params; t++)
        if (net->dims.n_values[t] > 1)
            turn_block(net, net->at.out[t], turned);
}

/* ---- dropout ---- */

/* Sets values to zero at that rate and scales the others up, so that the mean sum stays. */
static void additive_rows_drop(float *v, size_t n, float rate, uint64_t seed)
{
    if (rate <= 0.0f)
        return;
    uint32_t limit = (uint32_t)(rate * 65536.0f);
    float scale = 1.0f / (1.0f - rate);
    for (size_t i = 0; i < n; i += 4) {
        uint64_t bits = num_draw(&seed);
        for (size_t j = i; j < n && j < i + 4; j++, bits >>= 16)
            v[j] = (bits & 0xffff) < limit ? 0.0f : v[j] * scale;
    }
}

/* d *= the slope of net_activate and drop at the output a */
WIDE_VECTORS
static void slope(const float *a, size_t n, float rate, float *d)
{
    float scale = 1.0f / (1.0f - rate), top = net_activation(NET_TOP) * scale;
    for (size_t i = 0; i < n; i++)
        d[i] = a[i] > 0.0f && a[i] < top ? d[i] * scale : 0.0f;
}

/* ---- forward ---- */

static void encode(struct net_shard *s, const struct net_pass *p)
{
    const struct net_dims *d = &s->net->dims;
    additive_rows_drop(s->x, s->n * d->n_features, p->drop_input, num_mix(p->seed, 1, 0));
    net_dense(s->net, NET_W1, s->x, s->n, s->a1);
    net_activate(s->a1, s->n * d->enc1, p->rounded, s->a1);
    additive_rows_drop(s->a1, s->n * d->enc1, p->drop_encoder, num_mix(p->seed, 2, 0));
    net_dense(s->net, NET_W2, s->a1, s->n, s->a2);
    net_activate(s->a2, s->n * d->enc2, p->rounded, s->a2);
    additive_rows_drop(s->a2, s->n * d->enc2, p->drop_encoder, num_mix(p->seed, 3, 0));
    net_dense(s->net, NET_WC, s->a2, s->n, s->a);
}

static void load_input(const struct net_shard *s, size_t i, const uint8_t *x)
{
    const size_t n = s->net->dims.n_features;
    for (size_t j = 0; j < n; j++)
        s->x[i * n + j] = net_activation(x[j]);
}

void net_shard_start(struct net_shard *s, const uint8_t *x, const uint8_t *y, size_t n)
{
    s->n = n;
    s->y = y;
    for (size_t i = 0; i < n; i++)
        load_input(s, i, x + i * s->net->dims.n_features);
    encode(s, &NET_PLAIN);
}

/* h_t of all rows, [n][hidden], at s->h + slot * capacity * hidden */
static float *hidden_of(const struct net_shard *s, size_t t)
{
    return s->h + s->net->at.slot[t] * s->capacity * s->net->dims.hidden;
}

void net_shard_logits(struct net_shard *s, size_t t, const struct net_pass *p)
{
    const struct net *net = s->net;
    size_t hidden = net->dims.hidden, all = net->at.n_active * hidden;
    float *h = hidden_of(s, t);
    for (size_t i = 0; i < s->n; i++) {
        float *a = s->a + i * all + net->at.slot[t] * hidden;
        net_add_prefix(net, t, s->y + i * net->dims.n_params, a);
        net_activate(a, hidden, p->rounded, h + i * hidden);
    }
    additive_rows_drop(h, s->n * hidden, p->drop_hidden, num_mix(p->seed, 4, t));
    net_dense(net, net->at.out[t], h, s->n, s->logits);
}

/* ---- loss ---- */

/* What to learn for one choice: a target's row, or y. */
static void fill_target(const struct net_rows *rows, size_t i, size_t t, const struct net_dims *d,
                        size_t at, float *target)
{
    size_t values = d->n_values[t];
    if (rows->target) {
        memcpy(target, rows->target + i * net_target_width(d) + at, values * sizeof *target);
    } else {
        memset(target, 0, values * sizeof *target);
        target[rows->y[i * d->n_params + t]] = 1.0f;
    }
}

WIDE_VECTORS
static double softmax2(const float *logits, size_t values, float *p)
{
    float top = -1e30f, sum = 0;
    for (size_t v = 0; v < values; v++)
        if (logits[v] > top)
            top = logits[v];
    for (size_t v = 0; v < pad16(values); v++)
        p[v] = num_exp2(logits[v] < top ? logits[v] - top : 0.0f);
    for (size_t v = values; v < pad16(values); v++)
        p[v] = 0.0f;
    for (size_t v = 0; v < values; v++)
        sum += p[v];
    float scale = 1.0f / sum;
    for (size_t v = 0; v < values; v++)
        p[v] *= scale;
    return top + num_log2((double)sum);
}

double net_softmax2(const float *logits, size_t values, float *p)
{
    return softmax2(logits, values, p);
}

/* cost[v] = how many octaves what was timed of v is below the greatest, q[v] = p among the values
   that were timed, both 0 for the others; the result is the mean of cost by q. */
static float mean_cost(const float *timed, const float *p, size_t values, float *q, float *cost)
{
    float best = 0, sum = 0, mean = 0;
    for (size_t v = 0; v < values; v++) {
        best = timed[v] > best ? timed[v] : best;
        q[v] = timed[v] > 0.0f ? p[v] + 1e-12f : 0.0f; /* not all of them 0 */
        sum += q[v];
    }
    for (size_t v = 0; v < values; v++) {
        q[v] /= sum;
        cost[v] = timed[v] > 0.0f ? (float)-num_log2((double)(timed[v] / best)) : 0.0f;
        mean += q[v] * cost[v];
    }
    return mean;
}

static const float LN2 = 0.693147180559945f;

/* Adds the regret's part of the loss to the result, and its derivatives by the logits to g. */
static double add_regret(const float *timed, const float *p, size_t values, float regret, float *g)
{
    float q[NET_MAX_VALUES], cost[NET_MAX_VALUES], mean = mean_cost(timed, p, values, q, cost);
    for (size_t v = 0; v < values; v++)
        g[v] += regret * LN2 * q[v] * (cost[v] - mean);
    return (double)(regret * mean);
}

/* Values that were not tried (net_rows) leave the choice. */
static void leave_untried(const float *target, size_t values, float *logits)
{
    for (size_t v = 0; v < values; v++)
        if (target[v] < 0.0f)
            logits[v] = -1e30f;
}

/* Loss of one choice, g = its derivatives by the logits. timed: null, or for the regret. */
static double loss_choice(const float *target, const float *timed, const float *logits,
                          size_t values, float regret, float *g)
{
    float p[NET_MAX_VALUES];
    double lse = net_softmax2(logits, values, p), loss = 0;
    for (size_t v = 0; v < values; v++) {
        if (target[v] > 0.0f)
            loss += (double)target[v] * (lse - (double)logits[v]);
        g[v] = target[v] < 0.0f ? 0.0f : p[v] - target[v];
    }
    for (size_t v = values; v < pad16(values); v++)
        g[v] = 0.0f;
    return timed ? loss + add_regret(timed, p, values, regret, g) : loss;
}

/* Loss of the choice t of every row of the shard, derivatives into d_logits. pick: the rows. */
static void loss_param(struct net_shard *s, size_t t, const struct net_rows *rows,
                       const size_t *pick, const struct net_pass *p, float scale)
{
    const struct net_dims *d = &s->net->dims;
    size_t values = d->n_values[t], cols = pad16(values), width = net_target_width(d), at = 0;
    for (size_t u = 0; u < t; u++)
        at += d->n_values[u];
    for (size_t i = 0; i < s->n; i++) {
        float target[NET_MAX_VALUES], *g = s->d_logits + i * cols, *l = s->logits + i * cols;
        float weight = rows->weight ? rows->weight[pick[i]] : 1.0f;
        const float *timed =
            p->regret > 0.0f && pick[i] < rows->n_timed ? rows->timed + pick[i] * width + at : NULL;
        fill_target(rows, pick[i], t, d, at, target);
        for (size_t v = 0; v < cols; v++)
            l[v] *= p->temperature;
        leave_untried(target, values, l);
        s->loss += (double)weight * loss_choice(target, timed, l, values, p->regret, g);
        for (size_t v = 0; v < values; v++)
            g[v] *= weight * scale * p->temperature;
    }
}

/* ---- backward ---- */

/* Gradient of one dense layer: of its matrix and bias, from its input and the output's d. */
static void backward_dense(struct net_shard *s, size_t block, const float *in, const float *d)
{
    const struct net_block *b = &s->net->at.block[block], *bias = b + 1;
    const struct matrix_product p = {
        b->rows, b->cols, s->n, by_cols(in, b->rows), d, b->cols, s->gradient + b->at, b->cols, 1};
    matrix_mul(&p);
    add_columns(d, s->n, b->cols, s->gradient + bias->at);
}

/* From the output's d to the input's, whose rows are ld apart. */
static void backward_in(struct net_shard *s, size_t block, const float *d, float *d_in, size_t ld)
{
    const struct net_block *b = &s->net->at.block[block];
    const struct matrix_product p = {
        s->n, b->rows, b->cols, by_rows(d, b->cols), s->turned + b->at, b->rows, d_in, ld, 0};
    matrix_mul(&p);
}

/* From d_logits back to d_a[.., t, ..] and the gradients of U_t, o_t and E_t. */
static void backward_param(struct net_shard *s, size_t t, const struct net_pass *p)
{
    const struct net *net = s->net;
    const struct net_layout *at = &net->at;
    size_t hidden = net->dims.hidden, all = at->n_active * hidden;
    float *h = hidden_of(s, t), *d_a = s->d_a + at->slot[t] * hidden;
    float *g_emb = s->gradient + at->block[at->emb[t]].at;
    backward_dense(s, at->out[t], h, s->d_logits);
    backward_in(s, at->out[t], s->d_logits, d_a, all);
    for (size_t i = 0; i < s->n; i++) {
        const uint8_t *y = s->y + i * net->dims.n_params;
        slope(h + i * hidden, hidden, p->drop_hidden, d_a + i * all);
        for (size_t u = 0; u < t; u++)
            if (net->dims.n_values[u] > 1)
                add_to(d_a + i * all, hidden, g_emb + (at->first_row[u] + y[u]) * hidden);
    }
}

static void backward_encoder(struct net_shard *s, const struct net_pass *p)
{
    const struct net_dims *d = &s->net->dims;
    backward_dense(s, NET_WC, s->a2, s->d_a);
    backward_in(s, NET_WC, s->d_a, s->d_c, d->enc2);
    slope(s->a2, s->n * d->enc2, p->drop_encoder, s->d_c);
    backward_dense(s, NET_W2, s->a1, s->d_c);
    backward_in(s, NET_W2, s->d_c, s->d_1, d->enc1);
    slope(s->a1, s->n * d->enc1, p->drop_encoder, s->d_1);
    backward_dense(s, NET_W1, s->x, s->d_1);
}

/* ---- all of it ---- */

static void load_rows(struct net_shard *s, const struct net_rows *rows, const size_t *pick)
{
    const struct net_dims *d = &s->net->dims;
    for (size_t i = 0; i < s->n; i++) {
        load_input(s, i, rows->x + pick[i] * d->n_features);
        memcpy(s->own_y + i * d->n_params, rows->y + pick[i] * d->n_params, d->n_params);
    }
    s->y = s->own_y;
}

void net_shard_run(struct net_shard *s, const struct net_rows *rows, const size_t *pick, size_t n,
                   const struct net_pass *p, float scale)
{
    const struct net_dims *d = &s->net->dims;
    s->n = n;
    load_rows(s, rows, pick);
    encode(s, p);
    for (size_t t = 0; t < d->n_params; t++)
        if (d->n_values[t] > 1) {
            net_shard_logits(s, t, p);
            loss_param(s, t, rows, pick, p, scale);
            if (s->gradient)
                backward_param(s, t, p);
        }
    if (s->gradient)
        backward_encoder(s, p);
}

/* ---- the mean opinion of several networks ---- */

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
