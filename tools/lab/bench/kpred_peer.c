/* kpred_peer.c - kpred itself, by one of its bodies
   SPDX-License-Identifier: MIT */
#define KPRED_STATIC
#include "weights/conv_asm_1x1u.h"

#include "bench.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct state {
    kpred_ctx ctx;
    size_t bytes;
    int32_t arena[]; /* kpred_arena_words */
};

static kpred_status set_body(kpred_ctx *ctx, const char *name)
{
    int body = 0;
    while (body < KPRED_BODIES && strcmp(name, kpred_body_name((kpred_body)body)) != 0)
        body++;
    return kpred_set_body(ctx, (kpred_body)body);
}

static void *open_kpred(const struct peer_task *task, char why[PEER_WHY])
{
    const kpred_model *model = &kpred_model_conv_asm_1x1u;
    const size_t words = kpred_arena_words(model, task->k);
    struct state *s = calloc(1, sizeof *s + words * sizeof *s->arena);
    if (s && kpred_init(&s->ctx, KPRED_VERSION, model, task->k, s->arena, words) == KPRED_OK
        && set_body(&s->ctx, task->variant) == KPRED_OK) {
        s->bytes = task->model_bytes;
        return s;
    }
    snprintf(why, PEER_WHY, "this build or this machine lacks the body");
    free(s);
    return NULL;
}

static size_t kpred_peer_predict(void *state, const int32_t *problem, kpred_tuple *out)
{
    struct state *s = state;
    size_t n = 0;
    return kpred_predict(&s->ctx, problem, s->ctx.model->n_fields, out, s->ctx.beam, &n) ? 0 : n;
}

static size_t model_bytes(const void *state)
{
    return ((const struct state *)state)->bytes;
}

const struct peer the_peer = {open_kpred, kpred_peer_predict, free, model_bytes, 1, NULL};
