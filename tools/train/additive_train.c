/* additive_train.c - training of the additive network, see additive_train.h
   SPDX-License-Identifier: MIT */
#include "additive_train.h"

#include "base/numbers.h"
#include "base/util.h"
#include "matrix.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { CHUNK = 64 }; /* rows that go through the network together where nothing is learnt */

/* ---- the optimiser ---- */

void adam_new(struct adam *a, float *w, size_t n, size_t n_shards)
{
    *a = (struct adam){.n = n, .n_shards = n_shards, .w = w};
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

/* ---- which epoch ships ---- */

const long watch_places[WATCH_PLACES] = {1, 4, 10};

struct watch {
    struct watch_rows rows;
    float *mark;        /* what the network thinks of each row: the more the better */
    double *now, *best; /* octaves that are lost in each problem: by this epoch, by the best one */
    float *weights;     /* of the best */
    size_t epochs, best_epoch, worse; /* epochs so far; how many in a row were worse */
};

struct watch *watch_new(const struct watch_rows *rows)
{
    struct watch *w = xcalloc(1, sizeof *w);
    w->rows = *rows;
    w->mark = xcalloc(rows->n, sizeof *w->mark);
    w->now = xcalloc(rows->n_problems, sizeof *w->now);
    w->best = xcalloc(rows->n_problems, sizeof *w->best);
    return w;
}

void watch_free(struct watch *w)
{
    if (!w)
        return;
    free(w->mark);
    free(w->now);
    free(w->best);
    free(w->weights);
    free(w);
}

/* The logarithm of the probability of each row's tuple */
static void mark_chunk(const struct watch *w, struct net_shard *s, size_t first, size_t n)
{
    const struct net_dims *d = &s->net->dims;
    const uint8_t *y = w->rows.y + first * d->n_params;
    float p[NET_MAX_VALUES];
    net_shard_start(s, w->rows.x + first * d->n_features, y, n);
    memset(w->mark + first, 0, n * sizeof *w->mark);
    for (size_t t = 0; t < d->n_params; t++) {
        if (d->n_values[t] == 1)
            continue;
        net_shard_logits(s, t, &NET_PLAIN);
        for (size_t i = 0; i < n; i++) {
            const float *logits = s->logits + i * pad16(d->n_values[t]);
            const double all = net_softmax2(logits, d->n_values[t], p);
            w->mark[first + i] += logits[y[i * d->n_params + t]] - (float)all;
        }
    }
}

static void mark_rows(const struct watch *w, const struct net *net)
{
    struct net_shard s;
    net_shard_new(&s, net, CHUNK);
    for (size_t i = 0; i < w->rows.n; i += CHUNK)
        mark_chunk(w, &s, i, w->rows.n - i < CHUNK ? w->rows.n - i : CHUNK);
    net_shard_free(&s);
}

/* The row that the network likes best, which then has lost its mark */
static size_t take_first(const struct watch *w, size_t first, size_t end)
{
    size_t at = first;
    for (size_t i = first + 1; i < end; i++)
        if (w->mark[i] > w->mark[at])
            at = i;
    w->mark[at] = -INFINITY;
    return at;
}

/* The mean over the places, in the problem of these rows */
static double lost_in(const struct watch *w, size_t first, size_t end)
{
    float least = INFINITY;
    double lost = 0;
    for (size_t place = 0, k = 0; place < WATCH_PLACES; place++) {
        for (; k < (size_t)watch_places[place]; k++) {
            const float octaves = w->rows.octaves[take_first(w, first, end)];
            least = octaves < least ? octaves : least;
        }
        lost += (double)least / WATCH_PLACES;
    }
    return lost;
}

/* The mean over the problems of how much more this epoch loses than the best one, and its standard
   error; where there is none yet, what it loses */
static double mean_behind(const struct watch *w, double *error)
{
    const size_t n = w->rows.n_problems;
    double mean = 0, squares = 0;
    for (size_t i = 0; i < n; i++)
        mean += (w->now[i] - w->best[i]) / (double)n;
    for (size_t i = 0; i < n; i++)
        squares += (w->now[i] - w->best[i] - mean) * (w->now[i] - w->best[i] - mean);
    *error = sqrt(squares) / (double)n;
    return mean;
}

static void keep(struct watch *w, const struct net *net)
{
    const size_t bytes = net->at.n_weights * sizeof *w->weights;
    w->weights = xrealloc(w->weights, bytes, 1);
    memcpy(w->weights, net->w, bytes);
    memcpy(w->best, w->now, w->rows.n_problems * sizeof *w->best);
    w->best_epoch = w->epochs;
}

double watch_epoch(struct watch *w, const struct net *net)
{
    double lost = 0, error;
    mark_rows(w, net);
    for (size_t i = 0, first = 0; i < w->rows.n_problems; first = w->rows.end[i++]) {
        w->now[i] = lost_in(w, first, w->rows.end[i]);
        lost += w->now[i] / (double)w->rows.n_problems;
    }
    const double behind = mean_behind(w, &error);
    w->worse = w->epochs && behind > w->rows.errors * error ? w->worse + 1 : 0;
    if (!w->epochs || !(behind > 0))
        keep(w, net);
    w->epochs++;
    return lost;
}

int watch_is_over(const struct watch *w)
{
    return w->worse >= WATCH_PATIENCE;
}

struct watch_result watch_choose(const struct watch *w, struct net *net)
{
    double error;
    const int is_behind = mean_behind(w, &error) > w->rows.errors * error;
    const double *lost = is_behind ? w->best : w->now;
    struct watch_result r = {w->rows.n_problems, w->epochs, w->epochs, 0};
    if (is_behind) {
        r.epoch = w->best_epoch + 1;
        memcpy(net->w, w->weights, net->at.n_weights * sizeof *net->w);
    }
    for (size_t i = 0; i < r.problems; i++)
        r.lost += lost[i] / (double)r.problems;
    return r;
}

/* ---- loss of a set ---- */

double net_loss(const struct net *net, const struct net_rows *rows, float temperature, float regret,
                int rounded, float *gradient)
{
    const size_t n_weights = net->at.n_weights;
    float *turned = xmalloc(n_weights * sizeof *turned);
    struct net_pass p = NET_PLAIN;
    struct net_shard s;
    double loss = 0;
    p.rounded = rounded;
    p.temperature = temperature;
    p.regret = regret;
    net_turn(net, turned);
    net_shard_new(&s, net, CHUNK);
    s.turned = turned;
    s.gradient = gradient;
    if (gradient)
        memset(gradient, 0, n_weights * sizeof *gradient);
    for (size_t i = 0; i < rows->n; i += CHUNK) {
        size_t n = rows->n - i < CHUNK ? rows->n - i : CHUNK, pick[CHUNK];
        for (size_t j = 0; j < n; j++)
            pick[j] = i + j;
        s.loss = 0;
        net_shard_run(&s, rows, pick, n, &p, 1.0f);
        loss += s.loss;
    }
    net_shard_free(&s);
    free(turned);
    return loss;
}

/* ---- training ---- */

struct trainer {
    struct net *net; /* the weights that Adam moves */
    struct net seen; /* what a step's forward pass sees: these weights, or rounded ones */
    struct net mean; /* the running average, Adam's */
    struct adam adam;
    struct adam_schedule schedule;
    struct adam_step move;
    const struct net_rows *rows;
    const struct net_train_config *config;
    struct net_exponents k;
    float *turned;
    struct net_shard shard[NET_SHARDS];
    size_t *order;
    size_t first, n; /* the minibatch: order[first .. first + n) */
    struct pool *pool;
    struct net_pass pass;
};

static void trainer_free(struct trainer *tr)
{
    pool_free(tr->pool);
    for (size_t i = 0; i < NET_SHARDS; i++)
        net_shard_free(&tr->shard[i]);
    free(tr->turned);
    free(tr->order);
    net_free(&tr->seen);
    adam_free(&tr->adam);
}

static struct net_pass pass_of(const struct net_train_config *c)
{
    struct net_pass p = {
        0, 0, c->drop_input, c->drop_encoder, c->drop_hidden, c->temperature, c->regret};
    return p;
}

static struct adam_schedule schedule_of(const struct net_train_config *c, size_t n_rows)
{
    struct adam_schedule s = {c->rate, c->rate_end, c->warm_up, c->average, 0};
    s.n_steps = c->epochs * ((n_rows + c->batch - 1) / c->batch);
    return s;
}

/* Nets of the same layout, with weights of their own. */
static void trainer_nets(struct trainer *tr, struct net *net)
{
    const size_t n = net->at.n_weights;
    tr->net = net;
    tr->mean = tr->seen = *net;
    tr->seen.w = xmalloc(n * sizeof *tr->seen.w);
    adam_new(&tr->adam, net->w, n, NET_SHARDS);
    tr->mean.w = tr->adam.mean;
    tr->turned = xmalloc(n * sizeof *tr->turned);
}

static void trainer_new(struct trainer *tr, struct net *net, const struct net_rows *rows,
                        const struct net_train_config *config)
{
    *tr = (struct trainer){.rows = rows,
                           .config = config,
                           .pass = pass_of(config),
                           .schedule = schedule_of(config, rows->n)};
    trainer_nets(tr, net);
    tr->order = xmalloc(rows->n * sizeof *tr->order);
    for (size_t i = 0; i < rows->n; i++)
        tr->order[i] = i;
    for (size_t i = 0; i < NET_SHARDS; i++) {
        net_shard_new(&tr->shard[i], &tr->seen, (config->batch + NET_SHARDS - 1) / NET_SHARDS);
        tr->shard[i].turned = tr->turned;
        tr->shard[i].gradient = tr->adam.gradients + i * net->at.n_weights;
    }
    tr->pool = pool_new(config->n_threads);
}

static void task_gradient(void *user, size_t index)
{
    struct trainer *tr = user;
    struct net_shard *s = &tr->shard[index];
    size_t from = tr->n * index / NET_SHARDS, to = tr->n * (index + 1) / NET_SHARDS;
    struct net_pass p = tr->pass;
    p.seed = num_mix(tr->config->seed, 16 + tr->adam.step, index);
    memset(s->gradient, 0, tr->net->at.n_weights * sizeof(float));
    s->loss = 0;
    if (to > from)
        net_shard_run(s, tr->rows, tr->order + tr->first + from, to - from, &p,
                      1.0f / (float)tr->n);
}

static void task_update(void *user, size_t index)
{
    struct trainer *tr = user;
    const struct net_layout *at = &tr->net->at;
    for (size_t i = 0; i < at->n_blocks; i++) {
        const struct net_block *b = &at->block[i];
        size_t n = b->rows * b->cols;
        adam_move(&tr->adam, &tr->move, b->kind == NET_MATRIX ? tr->config->weight_decay : 0.0f,
                  b->at + n * index / NET_SHARDS, b->at + n * (index + 1) / NET_SHARDS);
    }
}

static void train_step(struct trainer *tr)
{
    if (tr->pass.rounded)
        net_round(tr->net, &tr->k, &tr->seen);
    else
        memcpy(tr->seen.w, tr->net->w, tr->net->at.n_weights * sizeof(float));
    net_turn(&tr->seen, tr->turned);
    pool_run(tr->pool, task_gradient, tr, NET_SHARDS);
    tr->move = adam_next(&tr->adam, &tr->schedule);
    pool_run(tr->pool, task_update, tr, NET_SHARDS);
}

static double train_epoch(struct trainer *tr, size_t epoch)
{
    const struct net_train_config *c = tr->config;
    double loss = 0;
    if (!tr->pass.rounded && epoch + c->rounded_epochs >= c->epochs) {
        net_choose_exponents(&tr->mean, &tr->k);
        tr->pass.rounded = 1;
    }
    num_shuffle(tr->order, tr->rows->n, num_mix(c->seed, 5, epoch));
    for (tr->first = 0; tr->first < tr->rows->n; tr->first += tr->n) {
        tr->n = tr->rows->n - tr->first < c->batch ? tr->rows->n - tr->first : c->batch;
        train_step(tr);
        for (size_t i = 0; i < NET_SHARDS; i++)
            loss += tr->shard[i].loss;
    }
    return loss / (double)tr->rows->n;
}

/* Loss of the running average, rounded as the steps see it; 0 without such rows. */
static double validate(struct trainer *tr, const struct net_rows *validation)
{
    const struct net *net = &tr->mean;
    if (!validation || !validation->n)
        return 0;
    if (tr->pass.rounded) {
        net_round(&tr->mean, &tr->k, &tr->seen);
        net = &tr->seen;
    }
    return net_loss(net, validation, 1, 0, tr->pass.rounded, NULL) / (double)validation->n;
}

void net_train(struct net *net, const struct net_rows *rows, const struct net_rows *validation,
               const struct net_train_config *config, net_progress *progress, void *user)
{
    struct trainer tr;
    trainer_new(&tr, net, rows, config);
    struct watch *watch = config->watch;
    for (size_t epoch = 0; epoch < config->epochs && !(watch && watch_is_over(watch)); epoch++) {
        const double loss = train_epoch(&tr, epoch);
        const double lost = watch ? watch_epoch(watch, &tr.mean) : 0;
        if (progress)
            progress(user, epoch, loss, watch ? lost : validate(&tr, validation));
    }
    memcpy(net->w, tr.mean.w, net->at.n_weights * sizeof(float));
    trainer_free(&tr);
}
