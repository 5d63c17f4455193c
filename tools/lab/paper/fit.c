/* fit.c - the training of a network of the paper: minibatches, Adam, dropout of words
   SPDX-License-Identifier: MIT */
#include "paper.h"

#include "base/numbers.h"
#include "base/util.h"
#include "train/additive_train.h"

#include <stdlib.h>

/* ---- rows, word after word ----------------------------------------------------------------- */

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

/* ---- loss of a set ------------------------------------------------------------------------- */

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

/* A row's, or 0 without rows */
static double loss_of(const struct paper_net *net, const struct fit_rows *rows)
{
    return rows && rows->n ? fit_loss(net, rows, NULL) / (double)rows->n : 0;
}

/* ---- training ------------------------------------------------------------------------------ */

struct trainer {
    struct paper_net *net;
    const struct fit_rows *rows;
    const struct paper_training *of;
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
    const struct recipe *r = tr->of->recipe;
    const size_t batch = (size_t)r->paper_batch, most = (batch + FIT_SHARDS - 1) / FIT_SHARDS;
    const float rate = (float)r->paper_rate;
    const struct adam_schedule s = {rate, rate / 100, 0.05f, (float)r->paper_average,
                                    (size_t)r->paper_epochs * ((tr->rows->n + batch - 1) / batch)};
    adam_new(&tr->adam, tr->net->w, tr->net->blocks.n_weights, FIT_SHARDS);
    for (size_t i = 0; i < FIT_SHARDS; i++)
        shard_new(&tr->shard[i], tr->net, most);
    tr->schedule = s;
    tr->panels = xmalloc(2 * tr->net->blocks.n_weights * sizeof *tr->panels);
    tr->turned = tr->panels + tr->net->blocks.n_weights;
    tr->order = xmalloc(tr->rows->n * sizeof *tr->order);
    tr->pool = pool_new(tr->of->n_threads);
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
    uint64_t seed = num_mix(tr->of->seed, 16 + tr->adam.step, index);
    struct paper_batch batch = {to - from, s->in, s->out, (float)tr->of->recipe->paper_drop, seed};
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
    const size_t batch = (size_t)tr->of->recipe->paper_batch;
    double loss = 0;
    num_shuffle(tr->order, tr->rows->n, num_mix(tr->of->seed, 5, epoch));
    for (tr->first = 0; tr->first < tr->rows->n; tr->first += tr->n) {
        tr->n = tr->rows->n - tr->first < batch ? tr->rows->n - tr->first : batch;
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
static void fit_report(const struct trainer *tr, const struct fit_rows *held_out, size_t epoch,
                       double loss)
{
    struct paper_net mean = *tr->net;
    mean.w = tr->adam.mean;
    if (tr->of->progress)
        tr->of->progress(paper_names[mean.dims.kind], epoch + 1,
                         (size_t)tr->of->recipe->paper_epochs, loss, loss_of(&mean, held_out));
}

void fit(struct paper_net *net, const struct fit_rows *rows, const struct fit_rows *held_out,
         const struct paper_training *t)
{
    struct trainer tr = {.net = net, .rows = rows, .of = t};
    trainer_new(&tr);
    for (size_t epoch = 0; epoch < (size_t)t->recipe->paper_epochs; epoch++)
        fit_report(&tr, held_out, epoch, train_epoch(&tr, epoch));
    memcpy(net->w, tr.adam.mean, net->blocks.n_weights * sizeof *net->w);
    trainer_free(&tr);
}

/* ---- a model's rows ------------------------------------------------------------------------ */

static struct fit_rows fit_rows_new(const struct paper *p, const struct recipe_rows *from)
{
    const struct spec *spec = p->spec;
    const size_t n_in = spec->n_fields, n_out = p->words.n_steps;
    const struct fit_rows rows = {from->n, xcalloc(from->n * n_in + 1, sizeof *rows.in),
                                  xcalloc(from->n * n_out + 1, sizeof *rows.out), NULL};
    for (size_t i = 0; i < from->n; i++) {
        words_of_problem(&p->words, spec, from->problem + i * n_in, rows.in + i * n_in);
        words_of_answer(&p->words, spec, from->target + i * spec->n_params, rows.out + i * n_out);
    }
    return rows;
}

static void fit_rows_free(struct fit_rows *rows)
{
    free(rows->in);
    free(rows->out);
    free(rows->unknown);
}

/* A word that occurs c times is shown as unknown with probability 1/4 / (1/4 + c), as Kiperwasser
   and Goldberg (2016) do, so that "unknown" comes to mean a rare word. */
static float *unknown_rates(const struct paper *p, const struct fit_rows *rows)
{
    float *rate = xcalloc(p->words.n, sizeof *rate);
    for (size_t i = 0; i < rows->n * p->spec->n_fields; i++)
        rate[rows->in[i]] += 1.0f;
    for (size_t i = 0; i < p->words.n; i++)
        rate[i] = 0.25f / (0.25f + rate[i]);
    return rate;
}

static struct paper_dims dimensions(const struct paper_training *t, const struct words *w)
{
    const struct recipe *r = t->recipe;
    return (struct paper_dims){.kind = t->kind,
                               .n_in = t->model->spec->n_fields,
                               .in_words = w->n,
                               .n_out = w->n_steps,
                               .out_words = w->n_answers,
                               .cells = (size_t)r->paper_cells,
                               .post = (size_t)r->paper_post,
                               .nodes = (size_t)r->paper_nodes,
                               .filters = (size_t)r->paper_filters,
                               .taps = (size_t)r->paper_taps,
                               .stride = (size_t)r->paper_stride};
}

static int is_finite(const struct paper_net *net)
{
    for (size_t i = 0; i < net->blocks.n_weights; i++)
        if (!(net->w[i] > -1e30f && net->w[i] < 1e30f))
            return 0;
    return 1;
}

static int train_net(struct paper *p, const struct paper_training *t)
{
    struct fit_rows rows = fit_rows_new(p, t->rows), held_out = fit_rows_new(p, t->held_out);
    rows.unknown = unknown_rates(p, &rows);
    blocks_init(&p->net.blocks, t->seed, p->net.w);
    fit(&p->net, &rows, &held_out, t);
    p->losses = (struct recipe_losses){.train = loss_of(&p->net, &rows),
                                       .held_out = loss_of(&p->net, &held_out)};
    fit_rows_free(&rows);
    fit_rows_free(&held_out);
    return is_finite(&p->net)
               ? 0
               : fail("%s: training diverged: a lower paper_rate may help", t->model->m.name);
}

int paper_train(const struct paper_training *t, struct paper *out)
{
    const struct model *model = t->model;
    *out = (struct paper){.spec = model->spec};
    if (words_new(&out->words, model->spec, t->rows->problem, t->rows->n))
        return -1;
    const struct paper_dims dims = dimensions(t, &out->words);
    if (!paper_build(out, model, &dims) && !train_net(out, t))
        return 0;
    paper_close(out);
    return -1;
}
