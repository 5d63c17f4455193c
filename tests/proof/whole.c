/* whole.c - kpred_init and kpred_predict of a model, or its rule alone, for Frama-C's Eva (whole.h)
   SPDX-License-Identifier: MIT

   Each field of the problem, their number, k and each word of the arena is any number of its type.
     -DAPART      the parts of the arena are arrays of exactly the size that they need, so that Eva
                  sees an access that runs from one into another; with a beam of one that is the
                  whole call, in which the scores of a rescue take the place of the links, too, and
                  with others it is the beam search
     -DANY_SCALE  in place of the model's own scale of scores
     -DSEARCH     Eva takes the network by the contracts of network.h, and does not run kpred_init,
                  but begins with what INIT shows that it leaves
     -DINIT       kpred_init alone
     -DRULE       the rule alone: of all fields in their ranges, all values, and with those behind
                  the decided ones not initialised */
#ifdef SEARCH
#include "network.h"
#else
#include "whole.h"
#endif

#ifdef RULE

static void rule(size_t n)
{
    int32_t values[KPRED_MAX_TUPLE];
    size_t t;
    int answer;
    /*@ loop unroll 32; */
    for (t = 0; t < n; t++)
        values[t] = MODEL.params[t].values[Frama_C_interval(0, MODEL.params[t].n_values - 1)];
    answer = MODEL.rule(problem, values, n);
    holds(answer == 0 || answer == 1);
}

int main(void)
{
    size_t n;
    fields_in_range();
    /*@ loop unroll 33; */
    for (n = 0; MODEL.rule && n <= MODEL.n_params; n++)
        rule(n);
    return 0;
}

#else

static int32_t arena[WORDS];
static kpred_model model;

static void any(int32_t *x, size_t n)
{
    size_t i;
    /*@ loop unroll 200000; */
    for (i = 0; i < n; i++)
        x[i] = Frama_C_interval(INT32_MIN, INT32_MAX);
}

/* What a search needs of kpred_init */
static void as_initialised(kpred_ctx *ctx, uint32_t beam)
{
    ctx->model = &model;
    ctx->arena = arena;
    ctx->beam = beam;
    ctx->n_slots = (uint32_t)kpri_slots(&model, beam);
    ctx->body = kpri_fastest_body();
    ctx->extrapolated = 0;
}

#if defined(INIT)

/* Eva does not know how the arena is aligned. */
static void init(uint32_t beam)
{
    kpred_ctx ctx, same;
    kpred_status status;
    //@ slevel 50;
    status = kpred_init(&ctx, KPRED_VERSION, &model, beam, arena, WORDS);
    holds(status == KPRED_OK || status == KPRED_ERR_ALIGN);
    if (status != KPRED_OK)
        return;
    as_initialised(&same, beam);
    holds(ctx.model == same.model && ctx.arena == same.arena && ctx.beam == same.beam);
    holds(ctx.n_slots == same.n_slots && ctx.body == same.body && !ctx.extrapolated);
}

int main(void)
{
    model = MODEL;
    init(BEAM);
    init(1);
    holds(kpri_slots(&model, BEAM) == SLOTS && kpred_arena_words(&model, BEAM) == WORDS);
    return 0;
}

#else

#if defined(APART)

#ifndef SEEN
#define SEEN WORK
#endif
static kpred_tuple out[BEAM];
static int32_t work[SEEN], records[RECORDS], bucket[KPRI_BUCKETS], next[SLOTS];
static int32_t score[BEAM > 1 ? SLOTS : 2 * SLOTS];
static uint32_t used[KPRI_USED_WORDS];

/* The parts of the arena follow each other, and the last one ends where it does. */
static void holds_of_parts(const kpri_search *s)
{
    holds(s->work == arena && s->records - s->work == WORK && s->score - s->records == RECORDS);
    holds(s->next - s->score == SLOTS && (int32_t *)s->used - s->next == SLOTS);
    holds(s->bucket - (int32_t *)s->used == KPRI_USED_WORDS);
    holds(arena + WORDS - s->bucket == KPRI_BUCKETS);
}

/* kpri_open with these arrays */
static void open_apart(kpri_search *s, const kpred_ctx *ctx)
{
    kpri_open(s, ctx, problem);
    holds_of_parts(s);
    s->work = work;
    s->records = records;
    s->score = score;
    s->next = BEAM > 1 ? next : score + SLOTS;
    s->used = used;
    s->bucket = bucket;
}

static kpred_status predict(kpred_ctx *ctx, size_t *n)
{
    kpri_search s;
    int32_t *tuples;
    uint32_t outside;
    kpred_status status;
    //@ slevel 50;
    status = kpri_check_problem(ctx, problem, &outside);
    if (status != KPRED_OK || (model.rule && !model.rule(problem, problem, 0)))
        return status;
    holds_of_fields();
    any(work, SEEN);
    any(records, RECORDS);
    any(score, sizeof score / sizeof *score);
    any(next, SLOTS);
    any(bucket, KPRI_BUCKETS);
    any((int32_t *)used, KPRI_USED_WORDS);
    open_apart(&s, ctx);
    if (BEAM == 1)
        return kpri_run(ctx, &s, out, 1, n);
    kpri_start(&s, records);
    *n = kpri_beam_search(&s, &tuples);
    return KPRED_OK;
}

#else

static kpred_tuple out[BEAM];

static kpred_status predict(kpred_ctx *ctx, size_t *n)
{
    const size_t k = (size_t)Frama_C_unsigned_long_interval(0, SIZE_MAX);
    const size_t n_fields = (size_t)Frama_C_unsigned_long_interval(0, SIZE_MAX);
    kpred_status status;
    //@ slevel 50;
    status = kpred_predict(ctx, problem, n_fields, out, k, n);
    if (status == KPRED_OK) {
        holds_of_fields();
        holds(*n >= 1 && *n <= BEAM);
    }
    return status;
}

#endif

int main(void)
{
    kpred_ctx ctx;
    kpred_status status;
    size_t n;
    model = MODEL;
#ifdef ANY_SCALE
    model.scale = (uint32_t)Frama_C_interval(1, KPRED_MAX_SCALE);
    model.id = kpred_model_id(&model);
#endif
    any_fields();
    any(arena, WORDS);
#ifdef SEARCH
    kpri_find_rows(&model, &found);
    as_initialised(&ctx, BEAM);
    status = KPRED_OK;
#else
    status = kpred_init(&ctx, KPRED_VERSION, &model, BEAM, arena, WORDS);
#endif
    return status != KPRED_OK ? status : predict(&ctx, &n);
}

#endif
#endif
