/* paper_peer.c - a network of the paper, as tools/lab/paper computes it, in kpred's beam search
   SPDX-License-Identifier: MIT

   A network that `make paper` has trained is taken from BUILD/paper/config. Else BUILD/peers has
   one of so few steps that it is good for timing alone. */
#include "bench.h"

#include "lab/paper/paper.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct state {
    struct peer_state head;
    struct model model;
    struct paper paper;
    kpred_model run;
    kpred_ctx ctx;
    int32_t *arena;
};

/* The header to read */
static void paper_peer_path(struct peer_state *head, char path[PEER_PATH])
{
    const struct peer_task *task = &head->task;
    snprintf(path, PEER_PATH, "%s/../paper/config/%s-%s.h", task->folder, task->model->name,
             task->variant);
    head->is_brief = access(path, R_OK) != 0;
    if (head->is_brief)
        snprintf(path, PEER_PATH, "%s/%s.h", task->folder, task->variant);
}

static int paper_peer_open(void *state, char why[PEER_WHY])
{
    char path[PEER_PATH];
    struct state *s = state;
    const size_t k = s->head.task.k;
    paper_peer_path(&s->head, path);
    snprintf(why, PEER_WHY, "%.100s: cannot be read", path);
    if (paper_read(path, &s->model, &s->paper)) {
        memset(&s->model, 0, sizeof s->model);
        memset(&s->paper, 0, sizeof s->paper);
        return -1;
    }
    s->head.model_bytes = s->paper.net.blocks.n_weights * sizeof(float);
    paper_attach(&s->model, &s->paper, &s->run);
    const size_t words = kpred_arena_words(&s->run, k);
    s->arena = calloc(words, sizeof *s->arena);
    return s->arena && kpred_init(&s->ctx, KPRED_VERSION, &s->run, k, s->arena, words) == KPRED_OK
               ? 0
               : -1;
}

static size_t paper_peer_predict(void *state, const int32_t *problem, kpred_tuple *out)
{
    struct state *s = state;
    size_t n = 0;
    return kpred_predict(&s->ctx, problem, s->run.n_fields, out, s->ctx.beam, &n) ? 0 : n;
}

static void paper_peer_close(void *state)
{
    struct state *s = state;
    free(s->arena);
    paper_close(&s->paper);
    model_free(&s->model);
}

const struct peer the_peer = {sizeof(struct state), paper_peer_open, paper_peer_predict,
                              paper_peer_close, 0};
