/* additive_train.c - see additive_train.h
   SPDX-License-Identifier: MIT */
#include "additive_train.h"

#include "adam.h"
#include "base/numbers.h"
#include "base/util.h"
#include "matrix.h"
#include "quantise.h"

#include <stdlib.h>

/* ---- loss of a set ---- */

enum { CHUNK = 64 };

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
    memset(tr, 0, sizeof *tr);
    tr->rows = rows;
    tr->config = config;
    tr->pass = pass_of(config);
    tr->schedule = schedule_of(config, rows->n);
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
