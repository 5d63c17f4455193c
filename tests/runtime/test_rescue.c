/* test_rescue.c - what follows when the beam dies out: found, infeasible, out of budget
   SPDX-License-Identifier: MIT */
#define KPRED_IMPLEMENTATION
#include "kpred.h"

#include "toy.h"

static uint64_t seed = 3;
static const int32_t problem[TOY_FIELDS] = {5, 6};
static struct toy toy;
static kpred_ctx ctx;

/* Logits of `levels` numbers; a law of whole tuples, which no beam foresees. */
static void make(uint32_t n_params, const int32_t *n_values, int32_t levels, uint32_t state_words)
{
    toy_make(&toy, test_random64(&seed), n_params, n_values, levels, 1 << 18, state_words);
    toy_law.kind = TOY_TUPLE;
}

/* One prediction of a beam that dies out, against the naive rescue. */
static kpred_status check_rescue(size_t beam)
{
    kpred_tuple out[4];
    struct naive only;
    size_t n = 99;
    long calls;
    const kpred_status want = naive_rescue(&toy.model, problem, &only, &calls);
    const kpred_status got = toy_predict(&toy, problem, beam, out, beam < 4 ? beam : 4, &n, &ctx);
    CHECK_EQ(got, want);
    CHECK_EQ(toy_record.starts, beam == 1 ? 1 : 2); /* a beam of one is this search */
    CHECK_EQ(toy_record.rules_since_start, calls);
    CHECK_EQ(toy_record.faults, 0);
    CHECK_EQ(n, got == KPRED_OK ? 1 : 99);
    if (got == KPRED_OK)
        naive_check_tuple(&toy.model, &out[0], &only);
    return got;
}

static int beam_dies(size_t beam)
{
    static struct naive list[NAIVE_MOST];
    long calls;
    return naive_beam(&toy.model, problem, beam, list, &calls) == 0;
}

static void check_detail(int32_t value, int32_t limit)
{
    CHECK_EQ(ctx.detail.index, -1);
    CHECK_EQ(ctx.detail.value, value);
    CHECK_EQ(ctx.detail.limit, limit);
}

/* One tuple in 300 is legal: the beam is full of others, the rescue finds the naive one's tuple. */
static void found(void)
{
    static const int32_t n_values[] = {7, 1, 5, 8, 6};
    int n_found = 0;
    for (int i = 0; i < 200; i++) {
        make(5, n_values, i % 2 ? 1 << 20 : 3, i % 3 ? 0 : 4);
        toy_law.density = 300;
        if (beam_dies(1 + (size_t)(i % 3)))
            n_found += check_rescue(1 + (size_t)(i % 3)) == KPRED_OK;
    }
    CHECK(n_found > 150);
}

/* Dead ends at every depth. */
static void found_behind_dead_ends(void)
{
    static const int32_t n_values[] = {4, 4, 4, 4, 4, 4};
    int n_found = 0;
    for (int i = 0; i < 3000; i++) {
        make(6, n_values, 1 << 20, i % 2 ? 2 : 0);
        toy_law.kind = TOY_PREFIX;
        toy_law.density = 2;
        toy.model.rule = toy_rule;
        if (beam_dies(1))
            n_found += check_rescue(1) == KPRED_OK;
    }
    CHECK(n_found > 500);
}

static void infeasible(void)
{
    static const int32_t n_values[] = {3, 4, 5};
    make(3, n_values, 1 << 20, 0);
    toy_law.density = UINT64_MAX;
    CHECK_EQ(check_rescue(2), KPRED_ERR_INFEASIBLE);
    check_detail(3 + 3 * 4 + 3 * 4 * 5, -1);
}

/* Infeasible at once: no first value is legal. */
static void infeasible_from_the_start(void)
{
    static const int32_t n_values[] = {3, 4, 5};
    make(3, n_values, 1 << 20, 0);
    toy_law.kind = TOY_PREFIX;
    toy_law.density = 1;
    CHECK_EQ(check_rescue(2), KPRED_ERR_INFEASIBLE);
    check_detail(3, -1);
}

static void out_of_budget(void)
{
    static const int32_t n_values[] = {64, 64, 64};
    make(3, n_values, 1 << 20, 2);
    toy_law.density = UINT64_MAX;
    CHECK_EQ(check_rescue(4), KPRED_ERR_BUDGET);
    CHECK_EQ(toy_record.rules_since_start, KPRED_RESCUE_CALLS);
    check_detail(KPRED_RESCUE_CALLS, KPRED_RESCUE_CALLS);
}

/* 64 (1 + 33 (1 + 30)) = 65536: the budget just lasts for the whole space. */
static const int32_t whole_budget[] = {64, 33, 30};

static void infeasible_with_the_last_call(void)
{
    make(3, whole_budget, 1, 0);
    toy_law.density = UINT64_MAX;
    CHECK_EQ(check_rescue(1), KPRED_ERR_INFEASIBLE);
    check_detail(KPRED_RESCUE_CALLS, -1);
}

static void found_with_the_last_call(void)
{
    make(3, whole_budget, 1, 0);
    toy_law.kind = TOY_END;
    CHECK_EQ(check_rescue(1), KPRED_OK);
    CHECK_EQ(toy_record.rules_since_start, KPRED_RESCUE_CALLS);
}

/* 1 + 64 (1 + 33 (1 + 30)): one call more than there is. */
static void one_call_short(void)
{
    static const int32_t n_values[] = {1, 64, 33, 30};
    make(4, n_values, 1, 0);
    toy_law.kind = TOY_END;
    CHECK_EQ(check_rescue(1), KPRED_ERR_BUDGET);
    check_detail(KPRED_RESCUE_CALLS, KPRED_RESCUE_CALLS);
    toy_law.kind = TOY_TUPLE;
    toy_law.density = UINT64_MAX;
    CHECK_EQ(check_rescue(1), KPRED_ERR_BUDGET);
    check_detail(KPRED_RESCUE_CALLS, KPRED_RESCUE_CALLS);
}

/* That the kernel does not apply is said before anything is searched. */
static void not_applicable_is_another_thing(void)
{
    static const int32_t n_values[] = {3, 4};
    kpred_tuple out[1];
    size_t n = 99;
    make(2, n_values, 1, 0);
    toy_law.density = UINT64_MAX;
    toy_law.refuses_problem = 1;
    CHECK_EQ(toy_predict(&toy, problem, 1, out, 1, &n, &ctx), KPRED_ERR_NOT_APPLICABLE);
    CHECK(toy_record.starts == 0 && toy_record.rules == 1 && n == 99);
    check_detail(-1, -1);
    CHECK(!kpred_legal(&toy.model, problem, toy.values[0]));
}

/* A context goes on as if nothing had been. */
static void a_context_survives(void)
{
    static const int32_t n_values[] = {6, 6, 6};
    static struct naive list[NAIVE_MOST];
    kpred_tuple out[5];
    size_t n;
    long calls;
    make(3, n_values, 1 << 20, 0);
    toy_law.density = UINT64_MAX;
    CHECK_EQ(toy_predict(&toy, problem, 5, out, 5, &n, &ctx), KPRED_ERR_INFEASIBLE);
    toy_law.density = 2;
    toy_begin(problem);
    CHECK_EQ(kpred_predict(&ctx, problem, TOY_FIELDS, out, 5, &n), KPRED_OK);
    CHECK_EQ(n, naive_beam(&toy.model, problem, 5, list, &calls));
    for (size_t i = 0; i < n; i++)
        naive_check_tuple(&toy.model, &out[i], &list[i]);
}

int main(void)
{
    twin_make_tables();
    RUN(found);
    RUN(found_behind_dead_ends);
    RUN(infeasible);
    RUN(infeasible_from_the_start);
    RUN(out_of_budget);
    RUN(infeasible_with_the_last_call);
    RUN(found_with_the_last_call);
    RUN(one_call_short);
    RUN(not_applicable_is_another_thing);
    RUN(a_context_survives);
    return test_end();
}
