/* test_cache.c - examples/cache.c: a hit is the prediction, and no key answers for another one
   SPDX-License-Identifier: MIT */
static int cache_main(void);
#define main cache_main
#include "examples/cache.c"
#undef main

#include "harness/test.h"

enum { WIDE = 10, DRAWN = 200, FIELDS = KPRED_CONV_ASM_1X1U_FIELDS };

static const kpred_model *const shipped = &kpred_model_conv_asm_1x1u;
static int32_t memory[KPRED_CONV_ASM_1X1U_ARENA(WIDE)];
static struct cache_entry places[1 << 10];

static kpred_ctx open_context(const kpred_model *m, size_t beam)
{
    kpred_ctx ctx;
    CHECK(kpred_init(&ctx, KPRED_VERSION, m, beam, memory, COUNT(memory)) == KPRED_OK);
    return ctx;
}

static void draw(uint64_t *seed, int32_t *p)
{
    for (uint32_t f = 0; f < FIELDS; f++) {
        const kpred_field *field = shipped->fields + f;
        const int32_t most = field->tokens ? field->most : 1 << test_between(seed, 2, 9);
        p[f] = test_between(seed, field->least, most);
    }
    p[KPRED_CONV_ASM_1X1U_FIELD_STRIDE] = test_between(seed, 1, 2);
}

/* Does the cache say what the model says, from an entry if `is_hit`? */
static int agrees(struct cache *c, kpred_ctx *ctx, const int32_t *p, int is_hit)
{
    const uint32_t hits = c->hits;
    const struct cache_entry *e = 0;
    kpred_tuple best[CACHE_TUPLES];
    kpred_status status, plain;
    size_t n = 0;
    status = cache_predict(c, ctx, p, &e);
    plain = kpred_predict(ctx, p, ctx->model->n_fields, best, CACHE_TUPLES, &n);
    if (status != plain || (c->hits > hits) != is_hit || (status == KPRED_OK) != (e != 0))
        return 0;
    if (!e)
        return 1;
    return e->n == n && e->extrapolated == ctx->extrapolated && best[0].score == e->tuples[0].score
           && memcmp(best[0].value, e->tuples[0].value, ctx->model->n_params * sizeof(int32_t))
                  == 0;
}

/* Over problems with tuples and without, the second call for each is a hit. */
static void hits(void)
{
    kpred_ctx ctx = open_context(shipped, 4);
    struct cache c;
    uint64_t seed = 1;
    int32_t p[FIELDS];
    int with = 0;
    cache_clear(&c, places, 10);
    for (int i = 0; i < DRAWN; i++) {
        const struct cache_entry *e = 0;
        draw(&seed, p);
        CHECK(agrees(&c, &ctx, p, 0));
        CHECK(agrees(&c, &ctx, p, 1));
        with += cache_predict(&c, &ctx, p, &e) == KPRED_OK;
    }
    CHECK(with > 10);
    CHECK(with < DRAWN - 10);
}

/* Where all problems share one place, each drives out the one before and none answers for it. */
static void collisions(void)
{
    kpred_ctx ctx = open_context(shipped, 4);
    struct cache c;
    problem p[2];
    cache_clear(&c, places, 0);
    make_problem(p[0], 5);
    for (uint32_t f = 0; f < FIELDS; f++) {
        memcpy(p[1], p[0], sizeof p[0]);
        p[1][f] =
            shipped->fields[f].tokens ? (p[0][f] + 1) % shipped->fields[f].n_tokens : p[0][f] + 1;
        CHECK(agrees(&c, &ctx, p[0], 0));
        CHECK(agrees(&c, &ctx, p[1], 0));
    }
    CHECK_EQ(c.hits, 0);
}

/* Models that differ in their ids alone, and beams, in one place */
static void other_models_and_beams(void)
{
    kpred_model free = *shipped; /* of rules */
    kpred_ctx strict = open_context(shipped, 4), loose, wide = open_context(shipped, WIDE);
    struct cache c;
    problem p;
    free.rule = KPRED_UNCONSTRAINED;
    free.rule_name = "";
    free.id = kpred_model_id(&free);
    loose = open_context(&free, 4);
    cache_clear(&c, places, 0);
    make_problem(p, 0);
    p[KPRED_CONV_ASM_1X1U_FIELD_C] = 63; /* so that the rule has a say */
    CHECK(agrees(&c, &strict, p, 0));
    CHECK(agrees(&c, &loose, p, 0));
    CHECK(agrees(&c, &strict, p, 0));
    CHECK(agrees(&c, &wide, p, 0));
    CHECK(agrees(&c, &wide, p, 1));
}

/* A mistake of the caller is said each time, and the entry it would have taken still answers. */
static void mistakes(void)
{
    const struct cache_entry *e = 0;
    kpred_ctx ctx = open_context(shipped, 4), none = ctx;
    struct cache c;
    problem good, bad;
    cache_clear(&c, places, 0);
    make_problem(good, 0);
    make_problem(bad, 0);
    bad[KPRED_CONV_ASM_1X1U_FIELD_C] = 0;
    none.model = 0;
    CHECK(agrees(&c, &ctx, good, 0));
    CHECK_EQ(cache_predict(&c, &ctx, bad, &e), KPRED_ERR_SIZE);
    CHECK_EQ(ctx.detail.index, KPRED_CONV_ASM_1X1U_FIELD_C);
    CHECK_EQ(cache_predict(&c, &none, good, &e), KPRED_ERR_CONTEXT);
    CHECK(e == 0);
    CHECK(agrees(&c, &ctx, good, 1));
}

/* The hash spreads problems that differ in few bits: n in m places share one seldom. */
static void spread(void)
{
    const kpred_ctx ctx = open_context(shipped, 4);
    static unsigned char is_taken[1 << 10];
    struct cache c;
    int shared = 0;
    cache_clear(&c, places, 10);
    for (int i = 0; i < 256; i++) {
        problem p;
        make_problem(p, 0);
        p[i % 2 ? FIELDS - 1 : FIELDS - 2] = 1 << i / 2 % 16; /* powers of two in either half */
        p[3 + i / 32 % 4] = 1 << i / 32;
        const size_t at = (size_t)(cache_place(&c, &ctx, p) - places);
        shared += is_taken[at];
        is_taken[at] = 1;
    }
    CASE(shared < 64, "%d of 256 problems found their place taken among 1024", shared);
}

static void program(void)
{
    CHECK_EQ(cache_main(), 0);
}

int main(void)
{
    RUN_ALL(hits, collisions, other_models_and_beams, mistakes);
    spread();
    RUN(program);
    return test_end();
}
