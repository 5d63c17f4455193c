/* test_search.c - whole predictions against naive searches: exhaustive, beam, depth first
   SPDX-License-Identifier: MIT

   Of toys, and of random networks: there nothing of kpred.h takes part in what is expected, as
   features and network come from twin.h, the searches and the rules from toy.h. Half of the models
   have a scale, whose scores are stated here a second time. COUNT=N: N times as many random models
   of the tests that draw most. */
#ifndef MODELS_APART /* else the tools have the definitions */
#define KPRED_IMPLEMENTATION
#endif
#include "kpred.h"

#include "net.h"
#include "toy.h"

static uint64_t seed = 2;
static int times = 1; /* COUNT */
static kpred_ctx ctx;
static kpred_tuple found[KPRED_MAX_BEAM];
static size_t n_found;
static struct naive expected[NAIVE_MOST]; /* with sums before the scale */
static int64_t norm;                      /* of the answer that is expected */
static struct {
    long died, rescued, infeasible; /* beams that died out; of them, those the rescue completed */
} count;

static long all_values(const kpred_model *m)
{
    long n = 0;
    for (uint32_t t = 0; t < m->n_params; t++)
        n += m->params[t].n_values;
    return n;
}

/* What holds whatever the model: sorted, legal, none twice. */
static void check_promises(const kpred_model *m, const int32_t *problem, size_t n)
{
    const size_t bytes = m->n_params * sizeof *found->value;
    for (size_t i = 0; i < n; i++) {
        CHECK(kpred_legal(m, problem, found[i].value));
        CHECK(found[i].score <= 0);
        CHECK(i == 0 || found[i - 1].score >= found[i].score);
        for (size_t j = i; j-- > 0 && found[j].score == found[i].score;)
            CHECK(memcmp(found[i].value, found[j].value, bytes) != 0);
    }
}

/* ---- scores ---- */

/* A norm's powers are those at the step of the table above: 2^-6 of a bit too large at most. */
enum { STEP = 65536 / 64 };

static const uint32_t scales[] = {1,     99,    20000,  32768,          65535,
                                  65537, 80000, 110000, KPRED_MAX_SCALE};

static void set_scale(kpred_model *m, uint32_t scale)
{
    m->scale = scale;
    m->id = kpred_model_id(m);
}

/* One, or another scale */
static uint32_t any_scale(void)
{
    return test_between(&seed, 0, 1) ? KPRED_SCALE_ONE
                                     : scales[test_between(&seed, 0, COUNT(scales) - 1)];
}

/* To zero, as division rounds */
static int64_t scaled(const kpred_model *m, int64_t x)
{
    return x * m->scale / 65536;
}

/* The norm that a prefix of length t has for its values */
static int64_t norm_part(const kpred_model *m, const int32_t *problem, const struct naive *prefix,
                         size_t t)
{
    int64_t x[KPRED_MAX_VALUES] = {0}, sum = 0;
    naive_by.scores(m, problem, prefix->index, t, x);
    for (int32_t v = 0; v < m->params[t].n_values; v++)
        sum += twin_exp2_neg(-scaled(m, x[v]) / STEP * STEP); /* without interpolation */
    return twin_log2(sum) - 24 * 65536;
}

/* Of the first prefixes of the lengths that the last naive beam came to */
static void find_norm(const kpred_model *m, const int32_t *problem)
{
    norm = 0;
    for (size_t t = 0; t < naive_reached && m->scale != KPRED_SCALE_ONE; t++)
        norm += norm_part(m, problem, &naive_first[t], t);
}

static void check_tuple(const kpred_model *m, const kpred_tuple *got, const struct naive *want)
{
    int32_t values[KPRED_MAX_TUPLE] = {0};
    naive_values(m, want, values);
    CHECK_EQ(got->score, twin_clamp(scaled(m, want->score) - norm, -INT32_MAX, 0));
    CHECK(memcmp(got->value, values, m->n_params * sizeof *values) == 0);
}

/* n tuples are the first of those expected. */
static void check_tuples(const kpred_model *m, const int32_t *problem, size_t n, size_t n_expected)
{
    CHECK_EQ(n, n_expected);
    CHECK_EQ(toy_record.faults, 0);
    for (size_t i = 0; i < n && i < n_expected; i++)
        check_tuple(m, &found[i], &expected[i]);
    check_promises(m, problem, n);
}

/* Toys count how often they are begun. */
static void check_starts(const kpred_model *m, long n)
{
    CHECK(m->scorer == &kpred_additive_scorer || toy_record.starts == n);
}

/* What follows when the beam has died out: the naive rescue. A beam of one is this search. */
static void check_rescued(const kpred_model *m, const int32_t *problem, size_t beam,
                          kpred_status status, size_t n)
{
    long calls;
    CHECK_EQ(status, naive_rescue(m, problem, expected, &calls));
    CHECK(m->scorer == &kpred_additive_scorer || toy_record.rules_since_start == calls);
    check_starts(m, beam == 1 ? 1 : 2);
    check_tuples(m, problem, n, status == KPRED_OK);
    count.died++;
    count.rescued += status == KPRED_OK;
    count.infeasible += status == KPRED_ERR_INFEASIBLE;
}

/* One prediction against the naive beam search, and the naive rescue where that one dies. */
static kpred_status check_case(const kpred_model *m, const int32_t *problem, size_t beam, size_t k)
{
    long calls;
    const size_t n_expected = naive_beam(m, problem, beam, expected, &calls);
    n_found = 0;
    const kpred_status status = toy_predict(m, problem, beam, found, k, &n_found, &ctx);
    find_norm(m, problem);
    if (n_expected == 0) {
        check_rescued(m, problem, beam, status, n_found);
        return status;
    }
    CHECK_EQ(status, KPRED_OK);
    CHECK(!m->rule || toy_record.rules == 1 + calls);
    CHECK(!m->rule || toy_record.rules <= KPRED_RULE_CALLS(all_values(m), (long)beam));
    CHECK(toy_record.logits <= (long)KPRED_MULTIPLY_ADDS(0, m->n_params, beam));
    check_starts(m, 1);
    check_tuples(m, problem, n_found, n_expected < k ? n_expected : k);
    return status;
}

/* The first k of all legal tuples of the space, by a beam that has room for it */
static void check_whole_space(const kpred_model *m, const int32_t *problem, size_t beam, size_t k)
{
    size_t n = 0;
    const size_t n_legal = naive_exhaust(m, problem, expected);
    const kpred_status status = toy_predict(m, problem, beam, found, k, &n, &ctx);
    norm = 0;
    CHECK_EQ(status, n_legal ? KPRED_OK : KPRED_ERR_INFEASIBLE);
    check_tuples(m, problem, n, n_legal < k ? n_legal : k);
    count.infeasible += !n_legal;
}

/* ---- toys ---- */

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
enum { N_SHAPES = COUNT(shapes) };

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
enum { N_LAWS = COUNT(laws) };

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
                    check_whole_space(&toy.model, problem, beam, beam);
            }
}

static void a_narrow_beam_is_the_naive_one(void)
{
    static const size_t beams[] = {1, 2, 3, 5, 17, 64, 100};
    struct toy toy;
    int32_t problem[TOY_FIELDS];
    memset(&count, 0, sizeof count);
    for (int i = 0; i < 42 * times; i++)
        for (int shape = 0; shape < N_SHAPES; shape++)
            for (int law = 0; law < N_LAWS; law++) {
                const size_t beam = beams[i % 7];
                (void)random_toy(&toy, laws[law].kind == TOY_AHEAD ? 1000 : 30000, shape);
                set_law(&toy, laws[law].kind, laws[law].density);
                set_scale(&toy.model, any_scale());
                random_problem(problem);
                check_case(&toy.model, problem, beam,
                           (size_t)test_between(&seed, 1, (int32_t)beam));
            }
    CHECK(count.died > 50 && count.rescued > 20 && count.died > count.rescued);
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
            check_case(&toy.model, problem, beam, beam);
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

/* As many parameters as a tuple has room for, of which sixteen have a choice, the first, the last
   or some between; as many values as fit, the widest beams */
static void at_the_limits(void)
{
    static const struct {
        uint32_t n_params;
        size_t beams[3];
        int32_t n_values[KPRED_MAX_TUPLE]; /* those that are not given: 1 */
    } rows[] = {
        {16, {1, 100, 100}, {2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2}},
        {32, {33, 100, 100}, {2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2}},
        {16, {33, 33, 33}, {9, 2, 4, 5, 3, 1, 6, 2, 2, 3, 64, 2, 7, 1, 2, 3}},
        {32, {7, 33, 33}, {0, 3, 0, 4, 0, 5, 0, 6, 0, 2, 0, 3, 0, 4, 0, 5,
                           0, 6, 0, 2, 0, 3, 0, 4, 0, 5, 0, 6, 0, 2, 0, 3}},
        {32, {7, 7, 7}, {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
                         3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3}},
        {3, {1, 2, 129}, {128, 64, 128}},
        {4, {1023, 1024, 1024}, {40, 64, 7, 33}},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        int32_t n_values[KPRED_MAX_TUPLE];
        for (size_t t = 0; t < KPRED_MAX_TUPLE; t++)
            n_values[t] = rows[i].n_values[t] ? rows[i].n_values[t] : 1;
        for (size_t j = 0; j < 3; j++)
            check_dimensions(rows[i].n_params, n_values, rows[i].beams[j]);
    }
}

/* 2^17 extensions in one step, all of one score: the longest list that is ever sorted. */
static void as_many_ties_as_fit(void)
{
    static const int32_t n_values[3] = {64, 128, 128};
    const int32_t problem[TOY_FIELDS] = {1, 2};
    struct toy toy;
    toy_make(&toy, 5, 3, n_values, 1, 0, 0);
    check_case(&toy.model, problem, 1024, 1024);
    set_law(&toy, TOY_PREFIX, 3);
    check_case(&toy.model, problem, 1024, 1024);
}

/* The least score there is: every parameter at its floor of -2^26. */
static void the_least_score(void)
{
    static const int32_t twos[16] = {2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2};
    const int32_t problem[TOY_FIELDS] = {7, 7};
    struct toy toy;
    toy_make(&toy, 4, 16, twos, 0, (1 << 29) - 1, 0);
    set_law(&toy, TOY_LAST, 1);
    check_case(&toy.model, problem, 1, 1);
    CHECK_EQ(found[0].score, -(1 << 30));
    set_scale(&toy.model, KPRED_MAX_SCALE);
    check_case(&toy.model, problem, 1, 1);
    CHECK_EQ(found[0].score, -2013265920); /* 2^30 * 1.875 */
    set_scale(&toy.model, KPRED_SCALE_ONE / 2);
    check_case(&toy.model, problem, 1, 1);
    CHECK_EQ(found[0].score, -(1 << 29));
    set_scale(&toy.model, KPRED_SCALE_ONE);
    set_law(&toy, TOY_ANY, 1);
    check_case(&toy.model, problem, 1024, 1024);
}

/* The first prefix has level values, that of a later tuple one that is sure: the norm is lower than
   that tuple's sum, and its score is 0. In one of some 64 of these toys. */
static void no_score_is_above_zero(void)
{
    static const int32_t n_values[] = {2, 4};
    struct toy toy;
    int n = 0;
    toy_make(&toy, 23, 2, n_values, 2, 1 << 19, 0);
    set_scale(&toy.model, KPRED_MAX_SCALE);
    for (int32_t i = 0; i < 600; i++) {
        const int32_t problem[TOY_FIELDS] = {i, 4};
        check_case(&toy.model, problem, 8, 8);
        n += found[0].score == 0 && expected[0].score < -32768;
    }
    CHECK(n > 5);
}

/* ---- what scores are an approximation of, in bits, of the logits themselves ---- */

static double real_part(const struct toy *toy, const int32_t *problem, const struct naive *prefix,
                        size_t t, double scale, double *log2p)
{
    double sum = 0, part = 0, x[KPRED_MAX_VALUES];
    uint64_t h = toy_root(&toy->net, problem);
    for (size_t u = 0; u < t; u++)
        h = toy_mix(h, prefix->index[u]);
    for (int32_t v = 0; v < toy->net.n_values[t]; v++) {
        x[v] = toy_logit(&toy->net, h, v) / 65536.0;
        sum += exp2(x[v]);
    }
    for (int32_t v = 0; v < toy->net.n_values[t]; v++)
        part += exp2(scale * (x[v] - log2(sum)));
    *log2p += x[prefix->index[t]] - log2(sum);
    return log2(part);
}

static double real_score(const struct toy *toy, const int32_t *problem, const struct naive *tuple)
{
    const double scale = toy->model.scale / 65536.0;
    double real_norm = 0, ignored = 0, sum = 0;
    for (size_t t = 0; t < toy->model.n_params; t++) {
        real_norm += real_part(toy, problem, &naive_first[t], t, scale, &ignored);
        (void)real_part(toy, problem, tuple, t, scale, &sum);
    }
    return fmin(scale * sum - (toy->model.scale == KPRED_SCALE_ONE ? 0 : real_norm), 0);
}

static void scores_are_near_the_real_ones(void)
{
    static const size_t beams[] = {1, 3, 10, 100};
    struct toy toy;
    int32_t problem[TOY_FIELDS];
    for (int i = 0; i < 1000; i++) {
        const size_t beam = beams[i % 4];
        (void)random_toy(&toy, 30000, i % 6); /* none that is at the limits */
        set_law(&toy, laws[i % 7].kind, laws[i % 7].density);
        set_scale(&toy.model, any_scale());
        random_problem(problem);
        const double one = 65536, each = 0.002 * (1 + toy.model.scale / one) + STEP / one;
        const long died = count.died;
        check_case(&toy.model, problem, beam, beam);
        for (size_t j = 0; died == count.died && j < n_found; j++)
            CHECK(fabs(found[j].score / one - real_score(&toy, problem, &expected[j]))
                  < toy.model.n_params * each);
    }
}

/* ---- networks ---- */

enum { N_NETS = 3000, MOST_WHOLE = 300, MOST_NARROW = 5000 };

static int64_t base[KPRED_MAX_PARAMS * KPRED_MAX_HIDDEN]; /* of the problem at hand */

static void net_scores(const kpred_model *m, const int32_t *problem, const unsigned char *index,
                       size_t n, int64_t *out)
{
    (void)problem;
    twin_log2p(m, base, index, (uint32_t)n, out);
}

/* A space of at most so many tuples; some parameters have a single value. */
static void random_shape(int32_t most, struct net_shape *shape)
{
    memset(shape, 0, sizeof *shape);
    shape->n_params = (uint32_t)test_between(&seed, 1, 6);
    for (uint32_t t = 0; t < shape->n_params; t++) {
        const int32_t room = most < 12 ? most : 12;
        shape->n_values[t] = test_between(&seed, 1, t == 0 && most > 99 ? 40 : room);
        most /= shape->n_values[t];
    }
    shape->wide1 = (uint16_t)(16 * test_between(&seed, 1, 3));
    shape->wide2 = (uint16_t)(16 * test_between(&seed, 1, 3));
    shape->hidden = (uint16_t)(16 * test_between(&seed, 1, 2));
    shape->extreme = test_between(&seed, 0, 3) == 0;
}

static void random_law(struct net *net)
{
    const int law = test_between(&seed, 0, N_LAWS - 1);
    memset(&toy_law, 0, sizeof toy_law);
    toy_law.kind = laws[law].kind;
    toy_law.density = laws[law].density;
    toy_law.seed = test_random64(&seed);
    toy_law.model = &net->model;
    net->model.rule = laws[law].kind == TOY_ANY ? KPRED_UNCONSTRAINED : toy_rule;
    net->model.rule_name = "toy_rule";
    net->model.id = kpred_model_id(&net->model);
}

/* Outputs of four values that do not depend on the hidden units: many tuples are equally likely. */
static void flatten(struct net *net)
{
    for (uint32_t t = 0; t < net->model.n_params; t++) {
        const size_t rows = ((size_t)net->params[t].n_values + 3) / 4 * 4;
        kpred_head *head = &net->heads[t];
        if (!head->weight)
            continue;
        memset((void *)(uintptr_t)head->weight, 0, rows * net->net.hidden);
        for (size_t i = 0; i < rows; i++)
            ((int32_t *)(uintptr_t)head->bias)[i] &= 3 << 14;
    }
}

static void random_model(struct net *net, int32_t most)
{
    struct net_shape shape;
    random_shape(most, &shape);
    net_make(net, test_random64(&seed), &shape);
    if (test_between(&seed, 0, 3) == 0)
        flatten(net);
    random_law(net);
}

static void check_whole_net(const kpred_model *m, const int32_t *problem)
{
    check_whole_space(m, problem, MOST_WHOLE, (size_t)test_between(&seed, 1, MOST_WHOLE));
}

static void check_narrow_net(const kpred_model *m, const int32_t *problem)
{
    static const size_t beams[] = {1, 2, 3, 7, 20, 64};
    const size_t beam = beams[test_between(&seed, 0, 5)];
    kpred_model with_scale = *m;
    set_scale(&with_scale, any_scale());
    (void)check_case(&with_scale, problem, beam, beam);
}

static void for_nets(int32_t most, void (*check)(const kpred_model *, const int32_t *))
{
    memset(&count, 0, sizeof count);
    naive_by.scores = net_scores;
    for (long i = 0; i < N_NETS * times; i++) {
        struct net net;
        int32_t problem[NET_FIELDS];
        random_model(&net, most);
        net_random_problem(&seed, problem);
        twin_start(&net.model, problem, base);
        check(&net.model, problem);
        net_free(&net);
    }
    CHECK(count.infeasible > 0);
}

static void nets_by_wide_beams(void)
{
    for_nets(MOST_WHOLE, check_whole_net);
}

static void nets_by_narrow_beams(void)
{
    for_nets(MOST_NARROW, check_narrow_net);
    CHECK(count.rescued > 0);
}

/* ---- the rescue ---- */

/* One tuple in 300 is legal, which no beam foresees; and dead ends at every depth. */
static void found_behind_dead_ends(void)
{
    static const int32_t many[] = {7, 1, 5, 8, 6}, fours[] = {4, 4, 4, 4, 4, 4};
    const int32_t problem[TOY_FIELDS] = {5, 6};
    struct toy toy;
    memset(&count, 0, sizeof count);
    for (int i = 0; i < 3000; i++) {
        const int is_tuple = i % 15 == 0;
        toy_make(&toy, test_random64(&seed), is_tuple ? 5 : 6, is_tuple ? many : fours,
                 i % 2 ? 1 << 20 : 3, 1 << 18, i % 4 ? 0 : 4);
        set_law(&toy, is_tuple ? TOY_TUPLE : TOY_PREFIX, is_tuple ? 300 : 2);
        set_scale(&toy.model, any_scale());
        (void)check_case(&toy.model, problem, is_tuple ? 1 + (size_t)i % 3 : 1, 1);
    }
    CHECK(count.rescued > 500);
}

/* 64 (1 + 33 (1 + 30)) = 65536: the budget just lasts for the whole space, and 1 + that is one call
   more than there is. */
static void the_ends_of_the_rescue(void)
{
    enum { MOST = KPRED_RESCUE_CALLS };
    static const struct {
        uint32_t n_params;
        int32_t n_values[4];
        enum toy_kind kind;
        uint64_t density;
        size_t beam;
        kpred_status want;
        int32_t calls, limit;
    } rows[] = {
        {3, {3, 4, 5}, TOY_TUPLE, UINT64_MAX, 2, KPRED_ERR_INFEASIBLE, 3 + 3 * 4 + 3 * 4 * 5, -1},
        {3, {3, 4, 5}, TOY_PREFIX, 1, 2, KPRED_ERR_INFEASIBLE, 3, -1}, /* at once */
        {3, {64, 64, 64}, TOY_TUPLE, UINT64_MAX, 4, KPRED_ERR_BUDGET, MOST, MOST},
        {3, {64, 33, 30}, TOY_TUPLE, UINT64_MAX, 1, KPRED_ERR_INFEASIBLE, MOST, -1},
        {3, {64, 33, 30}, TOY_END, 2, 1, KPRED_OK, MOST, -1},
        {4, {1, 64, 33, 30}, TOY_END, 2, 1, KPRED_ERR_BUDGET, MOST, MOST},
        {4, {1, 64, 33, 30}, TOY_TUPLE, UINT64_MAX, 1, KPRED_ERR_BUDGET, MOST, MOST},
    };
    const int32_t problem[TOY_FIELDS] = {5, 6};
    struct toy toy;
    for (size_t i = 0; i < COUNT(rows); i++) {
        toy_make(&toy, i, rows[i].n_params, rows[i].n_values, 1, 1 << 18, i % 2 ? 2 : 0);
        set_law(&toy, rows[i].kind, rows[i].density);
        CHECK_EQ(check_case(&toy.model, problem, rows[i].beam, 1), rows[i].want);
        if (rows[i].want != KPRED_OK)
            CHECK(ctx.detail.index == -1 && ctx.detail.value == rows[i].calls
                  && ctx.detail.limit == rows[i].limit);
    }
}

int main(int argc, char **argv)
{
    const char *text = getenv("COUNT");
    if (text && atoi(text) > 0)
        times = atoi(text);
    twin_make_tables();
    RUN_ALL(a_beam_as_wide_as_the_space_is_exhaustive, a_narrow_beam_is_the_naive_one,
            one_parameter, single_values, at_the_limits, as_many_ties_as_fit, the_least_score,
            no_score_is_above_zero, scores_are_near_the_real_ones, found_behind_dead_ends,
            the_ends_of_the_rescue);
    if (argc > 1 && strcmp(argv[1], "toys") == 0) /* which takes half the time */
        return test_end();
    RUN(nets_by_wide_beams);
    RUN(nets_by_narrow_beams);
    return test_end();
}
