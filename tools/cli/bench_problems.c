/* bench_problems.c - see bench_problems.h
   SPDX-License-Identifier: MIT */
#include "bench_problems.h"

/* 31 bits of a 64-bit linear congruential generator (Knuth's MMIX constants) */
static uint32_t draw(uint64_t *seed)
{
    *seed = *seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(*seed >> 33);
}

/* Sizes log-uniform over the range trained on, rounded to few significant bits as real ones are. */
static void draw_problem(const kpred_model *m, uint64_t *seed, int32_t *problem)
{
    for (uint32_t f = 0; f < m->n_fields; f++) {
        const kpred_field *field = m->fields + f;
        int32_t x = field->trained_max, bits;
        if (field->tokens) {
            problem[f] = (int32_t)(draw(seed) % (uint32_t)field->n_tokens);
            continue;
        }
        for (bits = 0; x >> bits; bits++)
            ;
        bits = (int32_t)(draw(seed) % (uint32_t)bits);
        x = ((1 << bits) | (int32_t)(draw(seed) & ((1u << bits) - 1))) & ~((1 << bits) >> 3);
        x &= ~(((1 << bits) >> 2) - 1) | (bits < 2 ? -1 : 0);
        problem[f] = x < field->trained_min   ? field->trained_min
                     : x > field->trained_max ? field->trained_max
                                              : x;
    }
}

/* Does the kernel apply to the problem, and is there a legal tuple? */
static int can_predict(kpred_ctx *ctx, const int32_t *p, kpred_tuple *tuples)
{
    size_t n_out;
    return (!ctx->model->rule || ctx->model->rule(p, p, 0))
           && kpred_predict(ctx, p, ctx->model->n_fields, tuples, 1, &n_out)
                  != KPRED_ERR_INFEASIBLE;
}

size_t bench_problems(kpred_ctx *ctx, int32_t *problems, kpred_tuple *tuples)
{
    uint64_t seed = 1;
    size_t n = 0;
    for (long tries = 0; tries < 1000000 && n < BENCH_PROBLEMS; tries++) {
        int32_t *p = problems + n * ctx->model->n_fields;
        draw_problem(ctx->model, &seed, p);
        n += (size_t)can_predict(ctx, p, tuples);
    }
    return n;
}
