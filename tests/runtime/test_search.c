/* test_search.c - the search against naive ones: exhaustive, beam, depth first
   SPDX-License-Identifier: MIT

   COUNT=N: N times as many random models of the two tests that draw most. */
#define KPRED_IMPLEMENTATION
#include "kpred.h"

#include "toy.h"

static uint64_t seed = 2;
static int times = 1; /* COUNT */
static kpred_tuple found[KPRED_MAX_BEAM];
static struct naive expected[NAIVE_MOST];
static long n_died, n_found_again; /* beams that died out; of them, those the rescue completed */

static long all_values(const struct toy *toy)
{
    long n = 0;
    for (uint32_t t = 0; t < toy->model.n_params; t++)
        n += toy->net.n_values[t];
    return n;
}

/* What holds whatever the model: sorted, legal, none twice. */
static void check_promises(const struct toy *toy, const int32_t *problem, size_t n)
{
    const size_t bytes = toy->model.n_params * sizeof *found->value;
    for (size_t i = 0; i < n; i++) {
        CHECK(kpred_legal(&toy->model, problem, found[i].value));
        CHECK(found[i].score <= 0);
        CHECK(i == 0 || found[i - 1].score >= found[i].score);
        for (size_t j = i; j-- > 0 && found[j].score == found[i].score;)
            CHECK(memcmp(found[i].value, found[j].value, bytes) != 0);
    }
}

/* The protocol: no faults, the bounds on calls, one start. */
static void check_costs(const struct toy *toy, size_t beam, long calls)
{
    CHECK_EQ(toy_record.faults, 0);
    CHECK_EQ(toy_record.starts, 1);
    CHECK(toy_record.logits <= (long)KPRED_MULTIPLY_ADDS(0, toy->model.n_params, beam));
    if (!toy->model.rule)
        return;
    CHECK_EQ(toy_record.rules, 1 + calls);
    CHECK(toy_record.rules <= KPRED_RULE_CALLS(all_values(toy), (long)beam));
}

static void check_rescued(const struct toy *toy, const int32_t *problem, size_t beam,
                          kpred_status status, size_t n)
{
    struct naive only;
    long calls;
    n_died++;
    CHECK_EQ(status, naive_rescue(&toy->model, problem, &only, &calls));
    CHECK_EQ(toy_record.starts, beam == 1 ? 1 : 2);
    CHECK_EQ(toy_record.faults, 0);
    if (status != KPRED_OK)
        return;
    n_found_again++;
    CHECK_EQ(n, 1);
    naive_check_tuple(&toy->model, &found[0], &only);
    check_promises(toy, problem, 1);
}

/* One prediction against the naive beam search, and the naive rescue where that one dies. */
static void check_case(const struct toy *toy, const int32_t *problem, size_t beam, size_t k)
{
    kpred_ctx ctx;
    long calls;
    size_t n = 0;
    const size_t n_expected = naive_beam(&toy->model, problem, beam, expected, &calls);
    const kpred_status status = toy_predict(toy, problem, beam, found, k, &n, &ctx);
    if (n_expected == 0) {
        check_rescued(toy, problem, beam, status, n);
        return;
    }
    CHECK_EQ(status, KPRED_OK);
    CHECK_EQ(n, n_expected < k ? n_expected : k);
    for (size_t i = 0; i < n; i++)
        naive_check_tuple(&toy->model, &found[i], &expected[i]);
    check_costs(toy, beam, calls);
    check_promises(toy, problem, n);
}

/* Logits of all kinds: all equal, many ties, few, none; flat, peaked, at the limits. */
static const struct {
    int32_t levels, spread;
} shapes[] = {{1, 0},
              {2, 65536},
              {3, 1 << 20},
              {5, 3000},
              {1 << 20, 1 << 18},
              {1 << 20, 1 << 22},
              {1 << 30, (1 << 29) - 1},
              {2, (1 << 29) - 1}};
enum { N_SHAPES = sizeof shapes / sizeof *shapes };

/* A random space of at most `most` tuples. */
static size_t random_space(size_t most, int32_t *n_values, uint32_t *n_params)
{
    size_t space = 1;
    *n_params = (uint32_t)test_between(&seed, 1, 6);
    for (uint32_t t = 0; t < *n_params; t++) {
        const size_t room = most / space < 9 ? most / space : 9;
        n_values[t] = test_between(&seed, 1, (int32_t)(t == 0 && most > 99 ? room + 40 : room));
        space *= (size_t)n_values[t];
    }
    return space;
}

static size_t random_toy(struct toy *toy, size_t most, int shape)
{
    int32_t n_values[KPRED_MAX_TUPLE];
    uint32_t n_params;
    const size_t space = random_space(most, n_values, &n_params);
    toy_make(toy, test_random64(&seed), n_params, n_values, shapes[shape].levels,
             shapes[shape].spread, test_between(&seed, 0, 1) ? 0 : 2 + (uint32_t)(seed % 4));
    return space;
}

static void set_law(struct toy *toy, enum toy_kind kind, uint64_t density)
{
    toy_law.kind = kind;
    toy_law.density = density;
    toy->model.rule = kind == TOY_ANY && density == 1 ? KPRED_UNCONSTRAINED : toy_rule;
}

static void random_problem(int32_t *problem)
{
    problem[0] = test_between(&seed, 0, KPRED_MAX_SIZE);
    problem[1] = test_between(&seed, 0, 3);
}

static const struct {
    enum toy_kind kind;
    uint64_t density;
} laws[] = {{TOY_ANY, 1},   {TOY_ANY, 2},    {TOY_PREFIX, 2}, {TOY_PREFIX, 5}, {TOY_PREFIX, 40},
            {TOY_TUPLE, 2}, {TOY_TUPLE, 30}, {TOY_AHEAD, 3},  {TOY_AHEAD, 30}};
enum { N_LAWS = sizeof laws / sizeof *laws };

/* Every legal tuple of the space, in order. */
static void check_whole_space(const struct toy *toy, const int32_t *problem, size_t beam)
{
    kpred_ctx ctx;
    size_t n = 0;
    const size_t n_legal = naive_exhaust(&toy->model, problem, expected);
    const kpred_status status = toy_predict(toy, problem, beam, found, beam, &n, &ctx);
    CHECK_EQ(status, n_legal ? KPRED_OK : KPRED_ERR_INFEASIBLE);
    CHECK_EQ(n, n_legal);
    for (size_t i = 0; i < n; i++)
        naive_check_tuple(&toy->model, &found[i], &expected[i]);
    check_promises(toy, problem, n);
}

static void a_beam_as_wide_as_the_space_is_exhaustive(void)
{
    struct toy toy;
    int32_t problem[TOY_FIELDS];
    for (int i = 0; i < 4 * times; i++)
        for (int shape = 0; shape < N_SHAPES; shape++)
            for (int law = 0; law < N_LAWS; law++) {
                const size_t space = random_toy(&toy, i % 4 ? 60 : 1000, shape);
                const size_t beam = space < KPRED_MAX_BEAM ? space : KPRED_MAX_BEAM;
                set_law(&toy, laws[law].kind, laws[law].density);
                random_problem(problem);
                if (space <= KPRED_MAX_BEAM)
                    check_whole_space(&toy, problem, beam);
            }
}

static void a_narrow_beam_is_the_naive_one(void)
{
    static const size_t beams[] = {1, 2, 3, 5, 17, 64, 100};
    struct toy toy;
    int32_t problem[TOY_FIELDS];
    n_died = n_found_again = 0;
    for (int i = 0; i < 42 * times; i++)
        for (int shape = 0; shape < N_SHAPES; shape++)
            for (int law = 0; law < N_LAWS; law++) {
                const size_t beam = beams[i % 7];
                (void)random_toy(&toy, laws[law].kind == TOY_AHEAD ? 1000 : 30000, shape);
                set_law(&toy, laws[law].kind, laws[law].density);
                random_problem(problem);
                check_case(&toy, problem, beam, (size_t)test_between(&seed, 1, (int32_t)beam));
            }
    CHECK(n_died > 50 && n_found_again > 20 && n_died > n_found_again);
}

/* Where something is legal something comes; where nothing is, that is said. */
static void never_nothing_where_something_is_legal(void)
{
    struct toy toy;
    kpred_ctx ctx;
    int32_t problem[TOY_FIELDS];
    size_t n;
    for (size_t i = 0; i < 400; i++) {
        const int shape = (int)(i % N_SHAPES);
        kpred_status status;
        (void)random_toy(&toy, 200, shape);
        set_law(&toy, i % 2 ? TOY_TUPLE : TOY_PREFIX, i % 2 ? 150 : 2);
        random_problem(problem);
        n = 0;
        status = toy_predict(&toy, problem, 1 + i % 3, found, 1, &n, &ctx);
        if (naive_exhaust(&toy.model, problem, expected))
            CHECK(status == KPRED_OK && n == 1);
        else
            CHECK(status == KPRED_ERR_INFEASIBLE && n == 0);
        check_promises(&toy, problem, n);
    }
}

/* The scorer's state goes with its prefix: with state and without, the same tuples. */
static void state_travels_with_its_prefix(void)
{
    static const int32_t n_values[] = {5, 3, 7, 1, 4, 6};
    static kpred_tuple without[50], with[50];
    const int32_t problem[TOY_FIELDS] = {12, 34};
    struct toy toy;
    kpred_ctx ctx;
    size_t n = 0;
    for (uint32_t words = 0; words <= 8; words += 2) {
        toy_make(&toy, 99, 6, n_values, 1 << 20, 1 << 17, words);
        CHECK_EQ(toy_predict(&toy, problem, 50, words ? with : without, 50, &n, &ctx), KPRED_OK);
        CHECK_EQ(n, 50);
        CHECK_EQ(toy_record.faults, 0);
        for (size_t i = 0; words && i < n; i++)
            CHECK(with[i].score == without[i].score
                  && memcmp(with[i].value, without[i].value, sizeof(int32_t[6])) == 0);
    }
}

static void check_dimensions(uint32_t n_params, const int32_t *n_values, size_t beam)
{
    static const enum toy_kind kinds[] = {TOY_ANY, TOY_PREFIX};
    struct toy toy;
    int32_t problem[TOY_FIELDS];
    for (int i = 0; i < 2; i++)
        for (int shape = 0; shape < N_SHAPES; shape++) {
            toy_make(&toy, test_random64(&seed), n_params, n_values, shapes[shape].levels,
                     shapes[shape].spread, shape % 2 ? 2 : 0);
            set_law(&toy, kinds[i], i ? 6 : 1);
            random_problem(problem);
            check_case(&toy, problem, beam, beam);
        }
}

static void one_parameter(void)
{
    for (int32_t n = 1; n <= KPRED_MAX_VALUES; n += n < 5 ? 1 : 41) {
        check_dimensions(1, &n, 1);
        check_dimensions(1, &n, 10);
        check_dimensions(1, &n, 1024);
    }
}

static void single_values(void)
{
    static const int32_t some[16] = {1, 3, 1, 1, 4, 1, 2, 1, 1, 1, 5, 1, 1, 1, 1, 1};
    int32_t ones[KPRED_MAX_TUPLE], more[KPRED_MAX_TUPLE];
    for (uint32_t n = 1; n <= KPRED_MAX_TUPLE; n++) {
        ones[n - 1] = 1;
        more[n - 1] = some[n % 16];
        check_dimensions(n, ones, n);
        check_dimensions(n, more, 20);
    }
}

/* As many parameters as a tuple has room for; sixteen have a choice, the first or the last. */
static void thirty_two_parameters(void)
{
    int32_t first[KPRED_MAX_TUPLE], last[KPRED_MAX_TUPLE], mixed[KPRED_MAX_TUPLE];
    for (uint32_t t = 0; t < KPRED_MAX_TUPLE; t++) {
        first[t] = t < KPRED_MAX_PARAMS ? 2 : 1;
        last[t] = t < KPRED_MAX_TUPLE - KPRED_MAX_PARAMS ? 1 : 3;
        mixed[t] = t % 2 ? 1 : 2 + (int32_t)t % 5;
    }
    check_dimensions(KPRED_MAX_TUPLE, first, 100);
    check_dimensions(KPRED_MAX_TUPLE, last, 7);
    check_dimensions(KPRED_MAX_TUPLE, mixed, 33);
}

static void sixteen_parameters(void)
{
    static const int32_t twos[16] = {2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2};
    static const int32_t many[16] = {9, 2, 4, 5, 3, 1, 6, 2, 2, 3, 64, 2, 7, 1, 2, 3};
    check_dimensions(16, twos, 1);
    check_dimensions(16, twos, 100);
    check_dimensions(16, many, 33);
}

static void as_many_values_as_fit(void)
{
    static const int32_t wide[3] = {128, 64, 128};
    check_dimensions(3, wide, 1);
    check_dimensions(3, wide, 2);
    check_dimensions(3, wide, 129);
}

static void widest_beams(void)
{
    static const int32_t n_values[4] = {40, 64, 7, 33};
    check_dimensions(4, n_values, 1023);
    check_dimensions(4, n_values, 1024);
}

/* 2^17 extensions in one step, all of one score: the longest list that is ever sorted. */
static void as_many_ties_as_fit(void)
{
    static const int32_t n_values[3] = {64, 128, 128};
    const int32_t problem[TOY_FIELDS] = {1, 2};
    struct toy toy;
    toy_make(&toy, 5, 3, n_values, 1, 0, 0);
    check_case(&toy, problem, 1024, 1024);
    set_law(&toy, TOY_PREFIX, 3);
    check_case(&toy, problem, 1024, 1024);
}

/* The least score there is: every parameter at its floor of -2^26. */
static void the_least_score(void)
{
    static const int32_t twos[16] = {2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2};
    const int32_t problem[TOY_FIELDS] = {7, 7};
    struct toy toy;
    toy_make(&toy, 4, 16, twos, 0, (1 << 29) - 1, 0);
    set_law(&toy, TOY_LAST, 1);
    check_case(&toy, problem, 1, 1);
    CHECK_EQ(found[0].score, -(1 << 30));
    set_law(&toy, TOY_ANY, 1);
    check_case(&toy, problem, 1024, 1024);
}

/* k tuples are the first k of more. */
static void fewer_tuples_are_the_first(void)
{
    static const int32_t n_values[4] = {8, 8, 8, 8};
    const int32_t problem[TOY_FIELDS] = {7, 7};
    kpred_tuple few[40];
    struct toy toy;
    kpred_ctx ctx;
    size_t n;
    toy_make(&toy, 3, 4, n_values, 4, 1 << 16, 0);
    CHECK_EQ(toy_predict(&toy, problem, 40, found, 40, &n, &ctx), KPRED_OK);
    for (size_t k = 1; k <= 40; k++) {
        CHECK_EQ(toy_predict(&toy, problem, 40, few, k, &n, &ctx), KPRED_OK);
        CHECK_EQ(n, k);
        for (size_t i = 0; i < k; i++)
            CHECK(memcmp(few[i].value, found[i].value, sizeof(int32_t[4])) == 0
                  && few[i].score == found[i].score);
    }
}

int main(void)
{
    const char *text = getenv("COUNT");
    if (text && atoi(text) > 0)
        times = atoi(text);
    twin_make_tables();
    RUN(a_beam_as_wide_as_the_space_is_exhaustive);
    RUN(a_narrow_beam_is_the_naive_one);
    RUN(never_nothing_where_something_is_legal);
    RUN(state_travels_with_its_prefix);
    RUN(one_parameter);
    RUN(single_values);
    RUN(sixteen_parameters);
    RUN(thirty_two_parameters);
    RUN(as_many_values_as_fit);
    RUN(widest_beams);
    RUN(as_many_ties_as_fit);
    RUN(the_least_score);
    RUN(fewer_tuples_are_the_first);
    return test_end();
}
