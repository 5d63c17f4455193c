/* test_bench.c - what `bench` measures by: bare loops that compute the same, and counts of work
   SPDX-License-Identifier: MIT */
#include "cli/bench.h"
#include "harness/test.h"
#include "model/model.h"

#include <stdlib.h>

/* Each loop finds the sum of all products, by the bodies that this machine has. */
static void loops(void)
{
    static int32_t arena[1 << 14];
    const kpred_model *m = builtins[0].model;
    struct bare b;
    kpred_ctx ctx;
    int32_t want = 0, got = 0, n = 0;
    bare_open(&b);
    for (size_t i = 0; i < BARE_BYTES; i++)
        want += b.weights[i] * b.narrow[i % BARE_COLS];
    CHECK(want != 0);
    bare_plain(&b);
    for (size_t r = 0; r < BARE_ROWS; r++)
        got += b.sums[r];
    CHECK_EQ(got, want);
    REQUIRE(kpred_init(&ctx, KPRED_VERSION, m, 1, arena, COUNT(arena)) == KPRED_OK);
    for (int body = 0; body < KPRED_BODIES; body++)
        if (kpred_set_body(&ctx, (kpred_body)body) == KPRED_OK) {
            CHECK_EQ(bare_loop_of((kpred_body)body)(&b), want);
            n++;
        }
    CHECK(n > 0);
    bare_free(&b);
}

/* The counts beside the bounds that the header has for them */
static void check_work(const kpred_model *m, size_t beam)
{
    const struct model_cost cost = model_cost(m);
    const size_t words = kpred_arena_words(m, beam);
    int32_t *arena = calloc(words, sizeof *arena);
    int32_t problems[BENCH_PROBLEMS * KPRED_MAX_FIELDS];
    kpred_tuple one;
    kpred_ctx ctx;
    struct work w;
    REQUIRE(arena && kpred_init(&ctx, KPRED_VERSION, m, beam, arena, words) == KPRED_OK);
    const size_t n = bench_problems(&ctx, problems, &one);
    CHECK(n == BENCH_PROBLEMS);
    CHECK(work_count(&ctx, problems, n, &w) == 0);
    CHECK(w.multiply_adds <= (double)KPRED_MULTIPLY_ADDS(cost.start, cost.step, beam));
    CHECK(w.weight_bytes <= w.multiply_adds && w.weight_bytes > (double)cost.start);
    CHECK(w.values <= (double)(cost.values * beam) && w.kept <= (double)(m->n_params * beam));
    if (beam == 1) { /* every weight once */
        CHECK(w.weight_bytes == w.multiply_adds);
        CHECK(w.prefixes == m->n_params && w.values == (double)cost.values);
        CHECK(w.kept == m->n_params);
    } else {
        CHECK(m->n_params == 1 || w.weight_bytes < w.multiply_adds);
    }
    free(arena);
}

static void counts(void)
{
    for (const struct builtin *b = builtins; b->model; b++) {
        check_work(b->model, 1);
        check_work(b->model, 20);
    }
}

/* Nothing but time may change. */
static void emptying(void)
{
    struct caches c;
    char text[200];
    memset(text, 'x', sizeof text);
    caches_open(&c);
    caches_empty(&c);
    for (size_t n = 0; n < sizeof text; n++)
        caches_flush(text, n);
    caches_free(&c);
    CHECK(text[0] == 'x' && text[sizeof text - 1] == 'x');
}

int main(void)
{
    RUN_ALL(loops, counts, emptying);
    return test_end();
}
