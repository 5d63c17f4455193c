/* kpred_peer.c - kpred itself, by one of its bodies
   SPDX-License-Identifier: MIT */
#define KPRED_STATIC
#include "weights/conv_asm_1x1u.h"

#include "bench.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct state {
    struct peer_state head;
    kpred_ctx ctx;
    int32_t *arena; /* kpred_arena_words */
};

static kpred_status kpred_peer_set_body(kpred_ctx *ctx, const char *name)
{
    int body = 0;
    while (body < KPRED_BODIES && strcmp(name, kpred_body_name((kpred_body)body)) != 0)
        body++;
    return kpred_set_body(ctx, (kpred_body)body);
}

static int kpred_peer_open(void *state, char why[PEER_WHY])
{
    const kpred_model *model = &kpred_model_conv_asm_1x1u;
    struct state *s = state;
    const size_t k = s->head.task.k, words = kpred_arena_words(model, k);
    s->head.model_bytes = s->head.task.model_bytes;
    s->arena = calloc(words, sizeof *s->arena);
    if (s->arena && kpred_init(&s->ctx, KPRED_VERSION, model, k, s->arena, words) == KPRED_OK
        && kpred_peer_set_body(&s->ctx, s->head.task.variant) == KPRED_OK)
        return 0;
    snprintf(why, PEER_WHY, "this build or this machine lacks the body");
    return -1;
}

static size_t kpred_peer_predict(void *state, const int32_t *problem, kpred_tuple *out)
{
    struct state *s = state;
    size_t n = 0;
    return kpred_predict(&s->ctx, problem, s->ctx.model->n_fields, out, s->ctx.beam, &n) ? 0 : n;
}

static void kpred_peer_close(void *state)
{
    free(((struct state *)state)->arena);
}

const struct peer the_peer = {sizeof(struct state), kpred_peer_open, kpred_peer_predict,
                              kpred_peer_close, 1};
