/* test_arena.c - the arena: its size three ways, its ends guarded, its contents of no account
   SPDX-License-Identifier: MIT */
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS */
#ifndef MODELS_APART    /* else the tools have the definitions */
#define KPRED_IMPLEMENTATION
#endif
#include "kpred.h"

#include "net.h"
#include "toy.h"

#include <sys/mman.h>
#include <unistd.h>

static uint64_t seed = 5;

/* ---- guarded memory ---- */

/* Words between two pages that must not be touched; `at_end` chooses the page they border on. */
struct guarded {
    unsigned char *map;
    size_t bytes, page;
    int32_t *words;
};

static struct guarded guard(size_t words, int at_end)
{
    struct guarded g;
    size_t inner = words * sizeof(int32_t);
    g.page = (size_t)sysconf(_SC_PAGESIZE);
    inner = (inner + g.page - 1) / g.page * g.page;
    g.bytes = inner + 2 * g.page;
    g.map = (unsigned char *)mmap(0, g.bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
                                  -1, 0);
    if (g.map == MAP_FAILED || mprotect(g.map, g.page, PROT_NONE)
        || mprotect(g.map + g.page + inner, g.page, PROT_NONE))
        abort();
    g.words = (int32_t *)(void *)(at_end ? g.map + g.page + inner - words * sizeof(int32_t)
                                         : g.map + g.page);
    return g;
}

/* All of it out of bounds, for calls that must not look. */
static void close_off(const struct guarded *g)
{
    if (mprotect(g->map, g->bytes, PROT_NONE))
        abort();
}

static void release(const struct guarded *g)
{
    munmap(g->map, g->bytes);
}

/* ---- models of all kinds ---- */

static struct toy toy;
static struct net net;

/* Numbers of values, at most KPRED_MAX_PARAMS of them above 1; returns how many. */
static uint32_t random_values(int i, int32_t *n_values)
{
    const int most = i % 2 ? 6 : i % 6 ? KPRED_MAX_PARAMS : KPRED_MAX_TUPLE;
    const uint32_t n_params = (uint32_t)test_between(&seed, 1, most);
    uint32_t n_free = 0;
    for (uint32_t t = 0; t < n_params; t++) {
        n_values[t] = n_free == KPRED_MAX_PARAMS
                          ? 1
                          : test_between(&seed, 1, i % 7 == 0 ? KPRED_MAX_VALUES : 7);
        n_free += n_values[t] > 1;
    }
    return n_params;
}

/* Toys with state and without, with every law; returns the model and sets its problem. */
static const kpred_model *random_toy(int i, int32_t *problem)
{
    static const enum toy_kind kinds[] = {TOY_ANY, TOY_PREFIX, TOY_TUPLE};
    int32_t n_values[KPRED_MAX_TUPLE];
    const uint32_t n_params = random_values(i, n_values);
    toy_make(&toy, test_random64(&seed), n_params, n_values, i % 3 ? 1 << 20 : 2, 1 << 19,
             i % 4 ? 1 + (uint32_t)(i % 4) * 2 : 0);
    toy_law.kind = kinds[i % 3];
    toy_law.density = i % 3 == 1 ? 4 : 2;
    problem[0] = i;
    problem[1] = 3;
    toy_begin(problem);
    return &toy.model;
}

static const kpred_model *random_net(int32_t *problem)
{
    struct net_shape shape;
    net_random_shape(&seed, &shape);
    net_make(&net, test_random64(&seed), &shape);
    net_random_problem(&seed, problem);
    return &net.model;
}

struct answer {
    kpred_status status;
    size_t n;
    kpred_tuple tuple[4];
};

static struct answer ask(kpred_ctx *ctx, const int32_t *problem, size_t n_fields, size_t beam)
{
    struct answer a;
    memset(&a, 0, sizeof a);
    a.status = kpred_predict(ctx, problem, n_fields, a.tuple, beam < 4 ? beam : 4, &a.n);
    return a;
}

static int same_answer(const struct answer *a, const struct answer *b)
{
    return a->status == b->status && a->n == b->n
           && memcmp(a->tuple, b->tuple, sizeof a->tuple) == 0;
}

/* One prediction in an arena of exactly the words it takes, filled with `garbage`. */
static struct answer in_guarded(const kpred_model *m, const int32_t *problem, size_t beam,
                                int at_end, int garbage)
{
    const size_t words = kpred_arena_words(m, beam);
    const struct guarded g = guard(words, at_end);
    kpred_ctx ctx;
    memset(g.words, garbage, words * sizeof *g.words);
    CHECK_EQ(kpred_init(&ctx, KPRED_VERSION, m, beam, g.words, words), KPRED_OK);
    struct answer a = ask(&ctx, problem, m->n_fields, beam);
    release(&g);
    return a;
}

/* ---- tests ---- */

static void check_guarded(const kpred_model *m, const int32_t *problem, size_t beam)
{
    const struct answer zeroed = in_guarded(m, problem, beam, 0, 0);
    for (int i = 0; i < 4; i++) {
        const struct answer a = in_guarded(m, problem, beam, i % 2, i < 2 ? 0xff : 0x7f);
        CHECK(same_answer(&a, &zeroed));
    }
}

static const size_t beams[] = {1, 2, 3, 8, 17, 100, 1024};

static void toys_stay_inside(void)
{
    int32_t problem[TOY_FIELDS];
    for (int i = 0; i < 300; i++) {
        const kpred_model *m = random_toy(i, problem);
        check_guarded(m, problem, beams[i % (i % 9 ? 5 : 7)]);
    }
}

static void nets_stay_inside(void)
{
    int32_t problem[NET_FIELDS];
    for (int i = 0; i < 40; i++) {
        const kpred_model *m = random_net(problem);
        check_guarded(m, problem, beams[i % 6]);
        net_free(&net);
    }
}

/* A rescue from a beam of 1 has more prefixes than the beam has records. Lanes of all sizes,
   constants between them: in the rescue they lie one behind the other, and what
   the tuple's norm needs lies where they were. */
static void rescues_stay_inside(void)
{
    static const int32_t sizes[] = {1, 2, 128, 1, 3, 5, 1, 40, 2, 9};
    int32_t problem[TOY_FIELDS] = {1, 1}, n_values[KPRED_MAX_TUPLE];
    for (uint32_t n = 1; n <= KPRED_MAX_TUPLE; n++) {
        for (uint32_t t = 0; t < n; t++)
            n_values[t] = t < 22 ? sizes[(t + n) % COUNT(sizes)] : 1;
        for (int i = 0; i < 4; i++) {
            toy_make(&toy, n, n, n_values, 1 << 20, 1 << 17, n % 2 * 2);
            toy.model.scale = i % 2 ? KPRED_SCALE_ONE : 40000;
            toy_seal(&toy);
            toy_law.kind = TOY_TUPLE;
            toy_law.density = i / 2 ? 300 : 7;
            toy_begin(problem);
            check_guarded(&toy.model, problem, 1);
        }
    }
}

static void what_does_not_fit_is_refused_untouched(void)
{
    int32_t problem[TOY_FIELDS];
    for (int i = 0; i < 200; i++) {
        const kpred_model *m = random_toy(i, problem);
        const size_t beam = beams[i % 7], words = kpred_arena_words(m, beam);
        const struct guarded g = guard(words, i % 2);
        kpred_ctx ctx;
        close_off(&g);
        CHECK_EQ(kpred_init(&ctx, KPRED_VERSION, m, beam, g.words, words - 1), KPRED_ERR_ARENA);
        CHECK(ctx.detail.value == (int32_t)words - 1 && ctx.detail.limit == (int32_t)words);
        CHECK_EQ(kpred_init(&ctx, KPRED_VERSION, m, beam, g.words, 0), KPRED_ERR_ARENA);
        CHECK_EQ(kpred_init(&ctx, KPRED_VERSION, m, beam,
                            (int32_t *)((uintptr_t)g.words + 1 + (uintptr_t)i % 3), words),
                 KPRED_ERR_ALIGN);
        CHECK_EQ(kpred_init(&ctx, KPRED_VERSION, m, beam, g.words, words), KPRED_OK);
        CHECK_EQ(kpred_init(&ctx, KPRED_VERSION, m, beam, g.words, SIZE_MAX), KPRED_OK);
        release(&g);
    }
}

/* The size as an integer constant expression: array bounds, an enumerator, a case label. The lanes
   are 16, 4, 4, 8 and 4; the last but one comes after at most 9 * 2 * 2 prefixes. */
#define WORDS(beam)                                                                            \
    KPRED_ARENA_WORDS(7, 3, 5,                                                                 \
                      KPRED_LARGER(KPRED_SLOTS(1, 16, beam),                                   \
                                   KPRED_LARGER(KPRED_SLOTS(36, 8, beam),                      \
                                                KPRED_LARGER(KPRED_SLOTS(252, 4, beam), 18))), \
                      beam)
static int32_t as_bound[WORDS(1)], as_other_bound[WORDS(1024)];
enum { AS_ENUMERATOR = WORDS(33) };

static size_t as_label(size_t words)
{
    switch (words) {
    case WORDS(2): return 2;
    case WORDS(1000): return 1000;
    default: return 0;
    }
}

static void the_size_is_a_constant(void)
{
    static const int32_t n_values[] = {9, 2, 2, 7, 2};
    int32_t inner[WORDS(4)];
    kpred_ctx ctx;
    toy_make(&toy, 1, 5, n_values, 1, 0, 3);
    toy.model.work_words = 7;
    toy_seal(&toy);
    CHECK_EQ(kpred_init(&ctx, KPRED_VERSION, &toy.model, 1, as_bound, COUNT(as_bound)), KPRED_OK);
    CHECK_EQ(
        kpred_init(&ctx, KPRED_VERSION, &toy.model, 1024, as_other_bound, COUNT(as_other_bound)),
        KPRED_OK);
    CHECK_EQ(COUNT(as_bound), kpred_arena_words(&toy.model, 1));
    CHECK_EQ(COUNT(as_other_bound), kpred_arena_words(&toy.model, 1024));
    CHECK_EQ(AS_ENUMERATOR, kpred_arena_words(&toy.model, 33));
    CHECK_EQ(COUNT(inner), kpred_arena_words(&toy.model, 4));
    CHECK_EQ(as_label(kpred_arena_words(&toy.model, 2)), 2);
    CHECK_EQ(as_label(kpred_arena_words(&toy.model, 1000)), 1000);
}

/* The slots, counted by hand: the most that wait side by side in the search, and in the rescue half
   of what its lanes take one after the other, as they lie over both arrays of slots. */
static size_t counted_slots(size_t beam)
{
    size_t most = 0, lanes = 0;
    double prefixes = 1;
    for (uint32_t t = 0; t < toy.model.n_params; t++) {
        const size_t lane = (size_t)toy_lane(toy.net.n_values[t]);
        const size_t side_by_side = prefixes < (double)beam ? (size_t)prefixes : beam;
        most = side_by_side * lane > most ? side_by_side * lane : most;
        lanes += lane;
        prefixes *= toy.net.n_values[t];
    }
    return 2 * most > lanes ? most : (lanes + 1) / 2;
}

/* Constant, query and demand of init agree; they grow with the beam and never wrap. */
static void check_size(size_t beam)
{
    static int32_t arena[1];
    const kpred_model *m = &toy.model;
    const size_t words = kpred_arena_words(m, beam), slots = counted_slots(beam);
    kpred_ctx ctx;
    CHECK_EQ(words, KPRED_ARENA_WORDS(m->work_words, m->state_words, m->n_params, (uint32_t)slots,
                                      (uint32_t)beam));
    CHECK_EQ(words, KPRED_ARENA_WORDS((size_t)m->work_words, (size_t)m->state_words,
                                      (size_t)m->n_params, slots, beam));
    CHECK_EQ(kpred_init(&ctx, KPRED_VERSION, m, beam, arena, 1), KPRED_ERR_ARENA);
    CHECK_EQ(ctx.detail.limit, words);
    CHECK(beam == 1 || words >= kpred_arena_words(m, beam - 1));
}

static void check_sizes(uint32_t n_params, const int32_t *n_values)
{
    static const uint32_t works[] = {0, 1, 5, 1000, 100000}, states[] = {0, 1, 7, 300};
    toy_make(&toy, 1, n_params, n_values, 1, 0, 0);
    toy.model.work_words = works[test_between(&seed, 0, COUNT(works) - 1)];
    toy.model.state_words = states[test_between(&seed, 0, COUNT(states) - 1)];
    toy_seal(&toy);
    for (uint32_t b = 0; b < COUNT(beams); b++)
        check_size(beams[b]);
    check_size((size_t)test_between(&seed, 1, KPRED_MAX_BEAM));
}

static void three_sizes_agree(void)
{
    int32_t n_values[KPRED_MAX_TUPLE];
    for (int i = 0; i < 1500; i++)
        check_sizes(random_values(i, n_values), n_values);
    for (uint32_t t = 0; t < KPRED_MAX_TUPLE; t++) {
        n_values[t] = t < KPRED_MAX_PARAMS ? KPRED_MAX_VALUES : 1;
        check_sizes(t + 1, n_values);
    }
    for (uint32_t t = 0; t < KPRED_MAX_PARAMS; t++) /* 11 of them have 2^66 prefixes */
        n_values[t] = t < 11 ? 64 : 128;
    check_sizes(KPRED_MAX_PARAMS, n_values);
}

/* Contexts that take turns, of one model and of two, answer as each one alone. */
static void take_turns(int32_t *const *arenas)
{
    enum { WORDS = 1 << 16 };
    static const int32_t n_values[] = {5, 1, 8, 4};
    static const size_t beams_of[] = {4, 9, 5};
    const struct net_shape shape = {3, {6, 7, 8}, 48, 32, 64, 0};
    const kpred_model *const models[] = {&toy.model, &toy.model, &net.model};
    int32_t problem[3][NET_FIELDS] = {{0, 1}, {0, 2}, {0, 2, 3}};
    kpred_ctx ctx[3];
    toy_make(&toy, 77, 4, n_values, 50, 1 << 18, 2);
    toy.model.rule = KPRED_UNCONSTRAINED;
    net_make(&net, 6, &shape);
    for (int c = 0; c < 3; c++)
        CHECK_EQ(kpred_init(&ctx[c], KPRED_VERSION, models[c], beams_of[c], arenas[c], WORDS),
                 KPRED_OK);
    for (int i = 0; i < 100; i++) {
        struct answer turns[3];
        for (int c = 0; c < 3; c++) {
            problem[c][0] = i + 1;
            turns[c] = ask(&ctx[c], problem[c], models[c]->n_fields, beams_of[c]);
        }
        for (int c = 0; c < 3; c++) {
            const struct answer alone = in_guarded(models[c], problem[c], beams_of[c], 0, 0);
            CHECK(same_answer(&turns[c], &alone));
        }
    }
    net_free(&net);
}

/* In arenas of their own, and in one that keeps nothing from one prediction to the next */
static void contexts_take_turns(void)
{
    static int32_t arenas[3][1 << 16];
    take_turns((int32_t *const[]){arenas[0], arenas[1], arenas[2]});
    take_turns((int32_t *const[]){arenas[0], arenas[0], arenas[0]});
}

int main(void)
{
    twin_make_tables();
    RUN_ALL(toys_stay_inside, nets_stay_inside, rescues_stay_inside,
            what_does_not_fit_is_refused_untouched, the_size_is_a_constant, three_sizes_agree,
            contexts_take_turns);
    return test_end();
}
