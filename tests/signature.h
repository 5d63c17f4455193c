/* signature.h - a hash of what a model predicts, for a fixed stream of problems and beams
   SPDX-License-Identifier: MIT

   It is the same on every compiler, option and machine, or kpred.h's first guarantee is broken. Of
   each answer the status, the number of tuples, their scores and values, the detail and the
   extrapolated fields are hashed, four bytes each, least significant first. Nothing here needs a C
   library. */
#pragma once

#include "kpred.h"

#include <stdint.h>

enum { N_PROBLEMS = 96, MOST_BEAM = 100, ARENA_WORDS = 1 << 15 };

static const uint32_t beams[] = {1, 2, 5, 10, 37, MOST_BEAM};

enum { N_BEAMS = sizeof beams / sizeof *beams };

/* ---- the stream ---- */

/* A linear congruential generator; its upper bits, below n */
static uint32_t draw(uint64_t *seed, uint32_t n)
{
    *seed = *seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(*seed >> 33) % n;
}

/* Mostly like the sizes of real networks, 2^i times 1, 3, 5 or 7; some are any number of up to 12
   bits, a few of up to 24. (One draw a statement: the order of two in one is the compiler's.) */
static int32_t draw_size(uint64_t *seed)
{
    const uint32_t kind = draw(seed, 16);
    const uint32_t bits = draw(seed, kind < 11 ? 9 : kind < 15 ? 12 : 24);
    if (kind < 11)
        return (int32_t)((1 + 2 * draw(seed, 4)) << bits);
    return 1 + (int32_t)draw(seed, (uint32_t)2 << bits);
}

/* A rare one: with sizes of the range trained on. */
static void draw_problem(const kpred_model *m, int is_rare, uint64_t *seed, int32_t *problem)
{
    for (uint32_t f = 0; f < m->n_fields; f++) {
        const kpred_field *field = m->fields + f;
        const int32_t x = draw_size(seed);
        if (field->tokens)
            problem[f] = (int32_t)draw(seed, (uint32_t)field->n_tokens);
        else if (is_rare)
            problem[f] = field->trained_min + x % (field->trained_max - field->trained_min + 1);
        else
            problem[f] = x < field->least ? field->least : x > field->most ? field->most : x;
    }
}

/* Does the kernel apply to so few problems that chance finds none? */
static int applies_rarely(const kpred_model *m)
{
    uint64_t seed = 1;
    int32_t problem[KPRED_MAX_FIELDS];
    for (int tries = 0; m->rule && tries < 10000; tries++) {
        draw_problem(m, 0, &seed, problem);
        if (m->rule(problem, problem, 0))
            return 0;
    }
    return m->rule != NULL;
}

/* Seven of eight are problems that the kernel applies to; of the others half have a field that is
   out of range, the rest is left to chance. */
static void draw_next(const kpred_model *m, int is_rare, uint64_t *seed, int32_t *problem)
{
    static const int32_t wrong[] = {-1, KPRED_MAX_SIZE + 1, INT32_MIN, INT32_MAX};
    const uint32_t kind = draw(seed, 16);
    const uint32_t field = draw(seed, m->n_fields);
    int tries = 0;
    do
        draw_problem(m, is_rare, seed, problem);
    while (kind >= 2 && m->rule && !m->rule(problem, problem, 0) && ++tries < 10000);
    if (kind == 0)
        problem[field] = wrong[draw(seed, 4)];
}

/* ---- the hash: FNV-1a, 64 bits ---- */

static void add_word(uint64_t *hash, uint32_t x)
{
    for (int shift = 0; shift < 32; shift += 8)
        *hash = (*hash ^ (x >> shift & 255)) * UINT64_C(0x100000001b3);
}

static void add_answer(uint64_t *hash, const kpred_ctx *ctx, kpred_status status,
                       const kpred_tuple *tuples, size_t n)
{
    add_word(hash, (uint32_t)status);
    add_word(hash, (uint32_t)n);
    for (size_t i = 0; i < n; i++) {
        add_word(hash, (uint32_t)tuples[i].score);
        for (uint32_t t = 0; t < ctx->model->n_params; t++)
            add_word(hash, (uint32_t)tuples[i].value[t]);
    }
    add_word(hash, (uint32_t)ctx->detail.index);
    add_word(hash, (uint32_t)ctx->detail.value);
    add_word(hash, (uint32_t)ctx->detail.limit);
    add_word(hash, ctx->extrapolated);
}

/* Every problem of the stream with one beam; k is the beam, or any number up to one too many.
   0 if the model could not be run at all. */
static int run_beam(const kpred_model *m, int body, uint32_t beam, int is_rare, uint64_t *hash)
{
    static int32_t arena[ARENA_WORDS];
    static kpred_tuple tuples[MOST_BEAM];
    uint64_t seed = beam;
    int32_t problem[KPRED_MAX_FIELDS];
    kpred_ctx ctx;
    if (kpred_init(&ctx, KPRED_VERSION, m, beam, arena, ARENA_WORDS) != KPRED_OK)
        return 0;
    if (body >= 0 && kpred_set_body(&ctx, (kpred_body)body) != KPRED_OK)
        return 0;
    for (int i = 0; i < N_PROBLEMS; i++) {
        const uint32_t k = draw(&seed, 2) ? beam : draw(&seed, beam + 2);
        size_t n = 0;
        kpred_status status;
        draw_next(m, is_rare, &seed, problem);
        status = kpred_predict(&ctx, problem, m->n_fields, tuples, k, &n);
        add_answer(hash, &ctx, status, tuples, n);
    }
    return 1;
}

/* The signature of one model into *hash, by that body, or if it is negative by the one that
   kpred_init takes. 0 if the model could not be run, or there is no such body. */
static int signature_of(const kpred_model *m, int body, uint64_t *hash)
{
    const int is_rare = applies_rarely(m);
    *hash = UINT64_C(0xcbf29ce484222325);
    for (int j = 0; j < N_BEAMS; j++)
        if (!run_beam(m, body, beams[j], is_rare, hash))
            return 0;
    return 1;
}
