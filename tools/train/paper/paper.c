/* paper.c - see paper.h: from rows to a trained network
   SPDX-License-Identifier: MIT */
#include "paper.h"

#include "fit.h"

#include <stdlib.h>
#include <string.h>

int paper_build(struct paper *p, const struct model *model, const struct paper_dims *dims)
{
    p->spec = model->spec;
    if (paper_new(&p->net, dims, model->m.name))
        return -1;
    size_t floats = paper_memory(&p->net) + 2 * paper_state(&p->net) + paper_width(&p->net);
    p->scratch = xcalloc(floats, sizeof *p->scratch);
    p->tape = xcalloc(1, sizeof *p->tape);
    paper_tape_new(p->tape, &p->net, 1);
    return 0;
}

void paper_close(struct paper *p)
{
    words_free(&p->words);
    paper_free(&p->net);
    if (p->tape)
        paper_tape_free(p->tape);
    free(p->tape);
    free(p->scratch);
}

/* ---- rows --------------------------------------------------------------------------------- */

/* Sentences of problems and answers */
struct sentences {
    uint16_t *in, *out;
};

static struct fit_rows make_rows(const struct paper *p, const struct recipe_rows *from,
                                 struct sentences *s)
{
    const struct spec *spec = p->spec;
    const size_t n_in = spec->n_fields, n_out = p->words.n_steps;
    s->in = xcalloc(from->n * n_in + 1, sizeof *s->in);
    s->out = xcalloc(from->n * n_out + 1, sizeof *s->out);
    for (size_t i = 0; i < from->n; i++) {
        words_of_problem(&p->words, spec, from->problem + i * n_in, s->in + i * n_in);
        words_of_answer(&p->words, spec, from->target + i * spec->n_params, s->out + i * n_out);
    }
    const struct fit_rows rows = {from->n, s->in, s->out, NULL};
    return rows;
}

static void free_rows(struct sentences *s)
{
    free(s->in);
    free(s->out);
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

/* ---- training ----------------------------------------------------------------------------- */

struct news {
    recipe_progress *progress;
    char what[40];
    size_t epochs;
};

static void report(void *user, size_t epoch, double loss, double held_out)
{
    const struct news *n = user;
    n->progress(n->what, epoch + 1, n->epochs, loss, held_out);
}

static struct paper_dims dimensions(enum paper_kind kind, const struct recipe *r,
                                    const struct paper *p)
{
    struct paper_dims d = {
        kind, p->spec->n_fields, p->words.n, p->words.n_steps, p->words.n_answers, 0, 0, 0, 0, 0,
        0};
    d.cells = (size_t)r->paper_cells;
    d.post = (size_t)r->paper_post;
    d.nodes = (size_t)r->paper_nodes;
    d.filters = (size_t)r->paper_filters;
    d.taps = (size_t)r->paper_taps;
    d.stride = (size_t)r->paper_stride;
    return d;
}

static struct fit_config configuration(const struct recipe *r, uint64_t seed, size_t n_threads)
{
    struct fit_config c = {seed,
                           (size_t)r->paper_epochs,
                           (size_t)r->paper_batch,
                           n_threads,
                           (float)r->paper_rate,
                           (float)r->paper_drop,
                           (float)r->paper_average};
    return c;
}

static int is_finite(const struct paper_net *net)
{
    for (size_t i = 0; i < net->blocks.n_weights; i++)
        if (!(net->w[i] > -1e30f && net->w[i] < 1e30f))
            return 0;
    return 1;
}

static double loss_of(const struct paper_net *net, const struct fit_rows *rows)
{
    return rows->n ? fit_loss(net, rows, NULL) / (double)rows->n : 0;
}

static int train_net(struct paper *p, const struct model *model, const struct fit_rows *rows,
                     const struct fit_rows *held_out, const struct fit_config *c,
                     recipe_progress *progress)
{
    struct news news = {progress, "", c->epochs};
    snprintf(news.what, sizeof news.what, "%s", paper_names[p->net.dims.kind]);
    blocks_init(&p->net.blocks, c->seed, p->net.w);
    fit(&p->net, rows, held_out, c, progress ? report : NULL, &news);
    p->losses = (struct recipe_losses){.train = loss_of(&p->net, rows),
                                       .held_out = loss_of(&p->net, held_out)};
    return is_finite(&p->net)
               ? 0
               : fail("%s: training diverged: a lower paper_rate may help", model->m.name);
}

static int train_rows(struct paper *p, const struct model *model, const struct recipe_rows *rows,
                      const struct recipe_rows *held_out, const struct fit_config *c,
                      recipe_progress *progress)
{
    struct sentences train, held;
    struct fit_rows train_rows = make_rows(p, rows, &train);
    const struct fit_rows held_rows = make_rows(p, held_out, &held);
    float *rate = unknown_rates(p, &train_rows);
    train_rows.unknown = rate;
    const int bad = train_net(p, model, &train_rows, &held_rows, c, progress);
    free(rate);
    free_rows(&train);
    free_rows(&held);
    return bad;
}

int paper_train(enum paper_kind kind, const struct recipe *recipe, const struct model *model,
                const struct recipe_rows *rows, const struct recipe_rows *held_out, uint64_t seed,
                size_t n_threads, recipe_progress *progress, struct paper *out)
{
    const struct fit_config c = configuration(recipe, seed, n_threads);
    memset(out, 0, sizeof *out);
    out->spec = model->spec;
    if (words_new(&out->words, model->spec, rows->problem, rows->n))
        return -1;
    const struct paper_dims dims = dimensions(kind, recipe, out);
    if (!paper_build(out, model, &dims) && !train_rows(out, model, rows, held_out, &c, progress))
        return 0;
    paper_close(out);
    return -1;
}
