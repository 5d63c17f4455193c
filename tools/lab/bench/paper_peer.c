/* paper_peer.c - a network of the paper, as tools/lab/paper computes it, in kpred's beam search
   SPDX-License-Identifier: MIT

   A network that `make paper` has trained is taken from BUILD/paper/config. Else BUILD/peers has
   one of so few steps that it is good for timing alone. */
#include "bench.h"

#include "lab/paper/paper.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

struct state {
    struct model model;
    struct paper paper;
    kpred_model run;
    kpred_ctx ctx;
    int32_t *arena;
    int is_brief;
};

static int is_brief(const void *state)
{
    return ((const struct state *)state)->is_brief;
}

/* The header to read */
static void path_of(struct state *s, const struct peer_task *task, char *path, size_t size)
{
    snprintf(path, size, "%s/../paper/config/%s-%s.h", task->folder, task->model->name,
             task->variant);
    s->is_brief = access(path, R_OK) != 0;
    if (s->is_brief)
        snprintf(path, size, "%s/%s.h", task->folder, task->variant);
}

static void close_paper(void *state)
{
    struct state *s = state;
    free(s->arena);
    paper_close(&s->paper);
    model_free(&s->model);
    free(s);
}

static int paper_peer_start(struct state *s, size_t k)
{
    paper_attach(&s->model, &s->paper, &s->run);
    const size_t words = kpred_arena_words(&s->run, k);
    s->arena = calloc(words, sizeof *s->arena);
    return s->arena && kpred_init(&s->ctx, KPRED_VERSION, &s->run, k, s->arena, words) == KPRED_OK
               ? 0
               : -1;
}

static void *open_paper(const struct peer_task *task, char why[PEER_WHY])
{
    char path[1024];
    struct state *s = calloc(1, sizeof *s);
    if (!s)
        return NULL;
    path_of(s, task, path, sizeof path);
    snprintf(why, PEER_WHY, "%.100s: cannot be read", path);
    if (paper_read(path, &s->model, &s->paper)) {
        free(s);
        return NULL;
    }
    if (paper_peer_start(s, task->k) == 0)
        return s;
    close_paper(s);
    return NULL;
}

static size_t paper_peer_predict(void *state, const int32_t *problem, kpred_tuple *out)
{
    struct state *s = state;
    size_t n = 0;
    return kpred_predict(&s->ctx, problem, s->run.n_fields, out, s->ctx.beam, &n) ? 0 : n;
}

static size_t model_bytes(const void *state)
{
    return ((const struct state *)state)->paper.net.blocks.n_weights * sizeof(float);
}

const struct peer the_peer = {open_paper, paper_peer_predict, close_paper, model_bytes, 0,
                              is_brief};
