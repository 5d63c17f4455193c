/* test_scores.c - scores of models whose scale is not one: the exact numbers, and what they mean
   SPDX-License-Identifier: MIT

   exact_score states the header's text a second time: 64 bits, division, tables from libm. In
   doubles, real_score states what a score is an approximation of. */
#define KPRED_IMPLEMENTATION
#include "kpred.h"

#include "toy.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))
/* A norm's powers are those at the step of the table above: 2^-6 of a bit too large at most. */
enum { MOST = 100, STEP = 65536 / 64 };

static uint64_t seed = 9;
static struct toy toy;
static kpred_tuple found[MOST], plain[MOST];
static struct naive expected[NAIVE_MOST];

static const uint32_t scales[] = {1,     99,    20000,  32768,          65535,
                                  65537, 80000, 110000, KPRED_MAX_SCALE};

static void set_scale(uint32_t scale)
{
    toy.model.scale = scale;
    toy_seal(&toy);
}

/* Prediction of the toy with this scale; how many */
static size_t predict(const int32_t *problem, uint32_t scale, size_t beam, kpred_tuple *out)
{
    kpred_ctx ctx;
    size_t n = 0;
    set_scale(scale);
    if (toy_predict(&toy.model, problem, beam, out, beam, &n, &ctx) != KPRED_OK)
        return 0;
    CHECK_EQ(toy_record.faults, 0);
    return n;
}

/* ---- the same scores by other means ---- */

/* To zero, as division rounds */
static int64_t scaled(int64_t x, uint32_t scale)
{
    return x * scale / 65536;
}

/* The norm that a prefix of length t has for its values */
static int64_t exact_part(const int32_t *problem, const struct naive *prefix, size_t t,
                          uint32_t scale)
{
    int64_t x[KPRED_MAX_VALUES] = {0}, sum = 0;
    const int32_t n = toy.net.n_values[t];
    toy_scores(&toy.model, problem, prefix->index, t, x);
    for (int32_t v = 0; v < n; v++) {
        const int64_t bits = -scaled(x[v], scale);
        sum += twin_exp2_neg(bits / 1024 * 1024); /* of the step, without interpolation */
    }
    return twin_log2(sum) - 24 * 65536;
}

/* first[t]: the first prefix of length t, of as many lengths as the beam search reached */
static int64_t exact_score(const int32_t *problem, const struct naive *first, size_t n_first,
                           int64_t sum, uint32_t scale)
{
    int64_t norm = 0;
    for (size_t t = 0; t < n_first && scale != KPRED_SCALE_ONE; t++)
        norm += exact_part(problem, &first[t], t, scale);
    return twin_clamp(scaled(sum, scale) - norm, -INT32_MAX, 0);
}

/* The same in bits, of the logits themselves */
static double real_part(const int32_t *problem, const struct naive *prefix, size_t t, double scale,
                        double *log2p)
{
    double sum = 0, part = 0, x[KPRED_MAX_VALUES];
    uint64_t h = toy_root(&toy.net, problem);
    for (size_t u = 0; u < t; u++)
        h = toy_mix(h, prefix->index[u]);
    for (int32_t v = 0; v < toy.net.n_values[t]; v++) {
        x[v] = toy_logit(&toy.net, h, v) / 65536.0;
        sum += exp2(x[v]);
    }
    for (int32_t v = 0; v < toy.net.n_values[t]; v++)
        part += exp2(scale * (x[v] - log2(sum)));
    *log2p += x[prefix->index[t]] - log2(sum);
    return log2(part);
}

static double real_score(const int32_t *problem, const struct naive *first,
                         const struct naive *tuple, double scale)
{
    double norm = 0, ignored = 0, sum = 0, score;
    for (size_t t = 0; t < toy.model.n_params; t++) {
        norm += real_part(problem, &first[t], t, scale, &ignored);
        (void)real_part(problem, tuple, t, scale, &sum);
    }
    score = scale * sum - norm;
    return score > 0 ? 0 : score;
}

/* ---- searches ---- */

static void random_toy(int i)
{
    static const struct {
        int32_t levels, spread;
    } shapes[] = {{1 << 20, 1 << 18}, {3, 1 << 17},      {2, 65536}, {1, 0},
                  {1 << 20, 1 << 19}, {1 << 20, 1 << 22}};
    int32_t n_values[KPRED_MAX_TUPLE];
    const uint32_t n_params = (uint32_t)test_between(&seed, 1, 6);
    for (uint32_t t = 0; t < n_params; t++)
        n_values[t] = test_between(&seed, 1, i % 5 ? 7 : 40);
    toy_make(&toy, test_random64(&seed), n_params, n_values, shapes[i % 6].levels,
             shapes[i % 6].spread, i % 2 ? 2 : 0);
    toy_law.kind = i % 3 == 0 ? TOY_ANY : i % 3 == 1 ? TOY_PREFIX : TOY_TUPLE;
    toy_law.density = i % 3 == 1 ? 4 : 2;
}

/* The same tuples as without a scale, and each score as its twins have it */
static void check_scores(const int32_t *problem, uint32_t scale, size_t beam, size_t n,
                         const struct naive *first)
{
    const double one = 65536,
                 tolerance = (double)toy.model.n_params * (0.002 * (1 + scale / one) + STEP / one);
    CHECK_EQ(predict(problem, scale, beam, found), n);
    for (size_t i = 0; i < n; i++) {
        CHECK(!memcmp(found[i].value, plain[i].value, toy.model.n_params * sizeof(int32_t)));
        CHECK_EQ(found[i].score,
                 exact_score(problem, first, toy.model.n_params, plain[i].score, scale));
        CHECK(found[i].score <= 0 && (i == 0 || found[i].score <= found[i - 1].score));
        const double real = real_score(problem, first, &expected[i], scale / one);
        CHECK(fabs(found[i].score / one - real) < tolerance);
    }
}

static void scores_are_those_of_the_twins(void)
{
    static const size_t beams[] = {1, 3, 10, MOST};
    static struct naive first[KPRED_MAX_TUPLE];
    for (int i = 0; i < 120; i++) {
        const int32_t problem[TOY_FIELDS] = {i, 4};
        const size_t beam = beams[i % 4];
        long calls;
        random_toy(i);
        const size_t n = naive_beam(&toy.model, problem, beam, expected, &calls);
        if (n == 0)
            continue;
        memcpy(first, naive_first, sizeof first);
        CHECK_EQ(predict(problem, KPRED_SCALE_ONE, beam, plain), n);
        for (size_t j = 0; j < n; j++)
            CHECK_EQ(plain[j].score, expected[j].score);
        for (size_t j = 0; j < COUNT(scales); j++)
            check_scores(problem, scales[j], beam, n, first);
    }
}

/* ---- the rescue ---- */

/* Its score has the norm of the parameters that the beam had come to when it died out. */
static void check_rescued(const int32_t *problem, const struct naive *tuple,
                          const struct naive *first, size_t n_first)
{
    for (size_t j = 0; j < COUNT(scales); j++) {
        CHECK_EQ(predict(problem, scales[j], 2, found), 1);
        CHECK_EQ(found[0].score, exact_score(problem, first, n_first, tuple->score, scales[j]));
        CHECK(found[0].score <= 0);
    }
    CHECK_EQ(predict(problem, KPRED_SCALE_ONE, 2, found), 1);
    naive_check_tuple(&toy.model, &found[0], tuple);
}

static void a_rescued_tuple_has_the_norm_of_the_beam(void)
{
    static const int32_t n_values[] = {7, 1, 5, 8, 6};
    static struct naive first[KPRED_MAX_TUPLE];
    int n = 0;
    for (int i = 0; i < 60; i++) {
        const int32_t problem[TOY_FIELDS] = {i, 2};
        struct naive tuple;
        long calls;
        toy_make(&toy, test_random64(&seed), 5, n_values, 1 << 20, 1 << 18, i % 3 ? 0 : 4);
        toy_law.kind = TOY_TUPLE;
        toy_law.density = 300;
        if (naive_beam(&toy.model, problem, 2, expected, &calls) != 0
            || naive_rescue(&toy.model, problem, &tuple, &calls) != KPRED_OK)
            continue;
        memcpy(first, naive_first, sizeof first);
        check_rescued(problem, &tuple, first, naive_reached);
        n++;
    }
    CHECK(n > 40);
}

/* ---- the ends ---- */

/* The least sum there is, nearly twice as low: the least score, and no overflow. */
static void the_least_score(void)
{
    const int32_t problem[TOY_FIELDS] = {7, 7};
    int32_t twos[KPRED_MAX_PARAMS];
    for (int t = 0; t < KPRED_MAX_PARAMS; t++)
        twos[t] = 2;
    toy_make(&toy, 4, KPRED_MAX_PARAMS, twos, 0, (1 << 29) - 1, 0);
    toy_law.kind = TOY_LAST;
    CHECK_EQ(predict(problem, KPRED_MAX_SCALE, 1, found), 1);
    CHECK_EQ(found[0].score, -2013265920); /* 2^30 * 1.875 */
    CHECK_EQ(predict(problem, KPRED_SCALE_ONE / 2, 1, found), 1);
    CHECK_EQ(found[0].score, -(1 << 29));
    CHECK_EQ(kpred_probability(found[0].score), 0);
}

/* The first prefix has level values, that of a later tuple one that is sure: the norm is lower than
   that tuple's sum, and its score is 0. In one of some 64 of these toys. */
static void no_score_is_above_zero(void)
{
    static const int32_t n_values[] = {2, 4};
    static struct naive first[KPRED_MAX_TUPLE];
    int n = 0;
    for (int32_t i = 0; i < 600; i++) {
        const int32_t problem[TOY_FIELDS] = {i, 4};
        long calls;
        toy_make(&toy, 23, 2, n_values, 2, 1 << 19, 0);
        CHECK_EQ(naive_beam(&toy.model, problem, 8, expected, &calls), 8);
        memcpy(first, naive_first, sizeof first);
        CHECK_EQ(predict(problem, KPRED_SCALE_ONE, 8, plain), 8);
        check_scores(problem, KPRED_MAX_SCALE, 8, 8, first);
        n += found[0].score == 0 && plain[0].score < -32768;
    }
    CHECK(n > 5);
}

int main(void)
{
    twin_make_tables();
    RUN(scores_are_those_of_the_twins);
    RUN(a_rescued_tuple_has_the_norm_of_the_beam);
    RUN(the_least_score);
    RUN(no_score_is_above_zero);
    return test_end();
}
