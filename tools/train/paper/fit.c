/* fit.c - see fit.h
   SPDX-License-Identifier: MIT */
#include "fit.h"

#include "base/numbers.h"
#include "base/util.h"
#include "train/additive_train.h"

#include <stdlib.h>

/* ---- rows, word after word ---------------------------------------------------------------- */

struct shard {
    struct paper_tape tape;
    uint16_t *in, *out; /* [step][row] */
    double loss;
};

static void shard_new(struct shard *s, const struct paper_net *net, size_t most)
{
    s->loss = 0;
    s->in = xmalloc(most * net->dims.n_in * sizeof *s->in);
    s->out = xmalloc(most * net->dims.n_out * sizeof *s->out);
    paper_tape_new(&s->tape, net, most);
}

static void shard_free(struct shard *s)
{
    paper_tape_free(&s->tape);
    free(s->in);
    free(s->out);
}

/* The i-th of n picked rows. */
static void load_row(struct shard *s, const struct paper_dims *d, const struct fit_rows *rows,
                     size_t pick, size_t i, size_t n, uint64_t *seed)
{
    for (size_t t = 0; t < d->n_in; t++) {
        const uint16_t word = rows->in[pick * d->n_in + t];
        const float u = num_unit(seed);
        s->in[t * n + i] = rows->unknown && u < rows->unknown[word] ? 0 : word;
    }
    for (size_t t = 0; t < d->n_out; t++)
        s->out[t * n + i] = rows->out[pick * d->n_out + t];
}

/* ---- loss of a set ------------------------------------------------------------------------ */

enum { CHUNK = 32 };

static double loss_of_chunks(const struct paper_net *net, const struct fit_rows *rows,
                             const struct arrays *a, struct shard *s)
{
    struct fit_rows known = *rows;
    uint64_t seed = 0;
    double loss = 0;
    known.unknown = NULL;
    for (size_t at = 0; at < rows->n; at += CHUNK) {
        const size_t n = rows->n - at < CHUNK ? rows->n - at : CHUNK;
        const struct paper_batch batch = {n, s->in, s->out, 0, 0};
        for (size_t i = 0; i < n; i++)
            load_row(s, &net->dims, &known, at + i, i, n, &seed);
        loss += paper_run(net, &s->tape, a, &batch, 1.0f);
    }
    return loss;
}

/* Panels of all matrices, and behind them those of their transposes. */
static void pack_all(const struct paper_net *net, float *panels)
{
    for (size_t i = 0; i < net->blocks.n; i++)
        blocks_pack(&net->blocks, i, net->w, panels, panels + net->blocks.n_weights);
}

double fit_loss(const struct paper_net *net, const struct fit_rows *rows, float *gradient)
{
    const size_t n = net->blocks.n_weights;
    float *panels = xmalloc(2 * n * sizeof *panels);
    const struct arrays a = {net->w, panels, panels + n, gradient};
    struct shard s;
    shard_new(&s, net, CHUNK);
    pack_all(net, panels);
    if (gradient)
        memset(gradient, 0, n * sizeof *gradient);
    double loss = loss_of_chunks(net, rows, &a, &s);
    shard_free(&s);
    free(panels);
    return loss;
}

/* ---- training ----------------------------------------------------------------------------- */

struct trainer {
    struct paper_net *net;
    const struct fit_rows *rows;
    const struct fit_config *config;
    struct adam adam;
    struct adam_schedule schedule;
    struct adam_step move;
    struct shard shard[FIT_SHARDS];
    float *panels, *turned;  /* of the weights */
    size_t *order, first, n; /* the minibatch: order[first .. first + n) */
    struct pool *pool;
};

static void trainer_new(struct trainer *tr)
{
    const struct fit_config *c = tr->config;
    const size_t most = (c->batch + FIT_SHARDS - 1) / FIT_SHARDS;
    const struct adam_schedule s = {c->rate, c->rate / 100, 0.05f, c->average,
                                    c->epochs * ((tr->rows->n + c->batch - 1) / c->batch)};
    adam_new(&tr->adam, tr->net->w, tr->net->blocks.n_weights, FIT_SHARDS);
    for (size_t i = 0; i < FIT_SHARDS; i++)
        shard_new(&tr->shard[i], tr->net, most);
    tr->schedule = s;
    tr->panels = xmalloc(2 * tr->net->blocks.n_weights * sizeof *tr->panels);
    tr->turned = tr->panels + tr->net->blocks.n_weights;
    tr->order = xmalloc(tr->rows->n * sizeof *tr->order);
    tr->pool = pool_new(c->n_threads);
    for (size_t i = 0; i < tr->rows->n; i++)
        tr->order[i] = i;
}

static void trainer_free(struct trainer *tr)
{
    pool_free(tr->pool);
    adam_free(&tr->adam);
    for (size_t i = 0; i < FIT_SHARDS; i++)
        shard_free(&tr->shard[i]);
    free(tr->panels);
    free(tr->order);
}

static void task_pack(void *user, size_t index)
{
    const struct trainer *tr = user;
    blocks_pack(&tr->net->blocks, index, tr->net->w, tr->panels, tr->turned);
}

static void task_gradient(void *user, size_t index)
{
    struct trainer *tr = user;
    struct shard *s = &tr->shard[index];
    const size_t from = tr->n * index / FIT_SHARDS, to = tr->n * (index + 1) / FIT_SHARDS;
    const size_t n_weights = tr->net->blocks.n_weights;
    const struct arrays a = {tr->net->w, tr->panels, tr->turned,
                             tr->adam.gradients + index * n_weights};
    uint64_t seed = num_mix(tr->config->seed, 16 + tr->adam.step, index);
    struct paper_batch batch = {to - from, s->in, s->out, tr->config->drop, seed};
    memset(a.g, 0, n_weights * sizeof *a.g);
    s->loss = 0;
    if (to == from)
        return;
    for (size_t i = from; i < to; i++)
        load_row(s, &tr->net->dims, tr->rows, tr->order[tr->first + i], i - from, to - from, &seed);
    s->loss = paper_run(tr->net, &s->tape, &a, &batch, 1.0f / (float)tr->n);
}

static void task_update(void *user, size_t index)
{
    const struct trainer *tr = user;
    const size_t n = tr->net->blocks.n_weights;
    adam_move(&tr->adam, &tr->move, 0, n * index / FIT_SHARDS, n * (index + 1) / FIT_SHARDS);
}

static double train_epoch(struct trainer *tr, size_t epoch)
{
    const struct fit_config *c = tr->config;
    double loss = 0;
    num_shuffle(tr->order, tr->rows->n, num_mix(c->seed, 5, epoch));
    for (tr->first = 0; tr->first < tr->rows->n; tr->first += tr->n) {
        tr->n = tr->rows->n - tr->first < c->batch ? tr->rows->n - tr->first : c->batch;
        pool_run(tr->pool, task_pack, tr, tr->net->blocks.n);
        pool_run(tr->pool, task_gradient, tr, FIT_SHARDS);
        tr->move = adam_next(&tr->adam, &tr->schedule);
        pool_run(tr->pool, task_update, tr, FIT_SHARDS);
        for (size_t i = 0; i < FIT_SHARDS; i++)
            loss += tr->shard[i].loss;
    }
    return loss / (double)tr->rows->n;
}

/* The held-out loss is that of the running mean of the weights. */
static void report(const struct trainer *tr, const struct fit_rows *held_out, size_t epoch,
                   double loss, fit_progress *progress, void *user)
{
    struct paper_net mean = *tr->net;
    double sum = 0;
    mean.w = tr->adam.mean;
    if (!progress)
        return;
    if (held_out && held_out->n)
        sum = fit_loss(&mean, held_out, NULL) / (double)held_out->n;
    progress(user, epoch, loss, sum);
}

void fit(struct paper_net *net, const struct fit_rows *rows, const struct fit_rows *held_out,
         const struct fit_config *config, fit_progress *progress, void *user)
{
    struct trainer tr;
    memset(&tr, 0, sizeof tr);
    tr.net = net;
    tr.rows = rows;
    tr.config = config;
    trainer_new(&tr);
    for (size_t epoch = 0; epoch < config->epochs; epoch++)
        report(&tr, held_out, epoch, train_epoch(&tr, epoch), progress, user);
    memcpy(net->w, tr.adam.mean, net->blocks.n_weights * sizeof *net->w);
    trainer_free(&tr);
}
