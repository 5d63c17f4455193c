/* test_whole.c - whole predictions of random networks and rules, against naive searches
   SPDX-License-Identifier: MIT

   Nothing of kpred.h takes part in what is expected: features and network come from twin_model.h,
   the searches from naive.h, the rules from law.h. The bodies of the build take turns. COUNT=N: N
   times the 6,000 models. */
#define KPRED_STATIC
#include "kpred.h"

#include "runtime/law.h"
#include "runtime/naive.h"
#include "runtime/net.h"
#include "runtime/twin_model.h"

enum { N_MODELS = 3000, MOST_WHOLE = 300, MOST_NARROW = 5000 };

static uint64_t seed = 6;
static long times = 1;
static kpred_tuple found[KPRED_MAX_BEAM];
static struct naive expected[NAIVE_MOST];
static int64_t base[KPRED_MAX_PARAMS * KPRED_MAX_HIDDEN]; /* of the problem at hand */
static struct {
    long cases, tuples, rescued, infeasible;
} count;

static void net_scores(const kpred_model *m, const int32_t *problem, const unsigned char *index,
                       size_t n, int64_t *out)
{
    (void)problem;
    twin_log2p(m, base, index, (uint32_t)n, out);
}

/* ---- random models and rules ---- */

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
    static const struct {
        enum toy_kind kind;
        uint64_t density;
    } laws[] = {{TOY_ANY, 1},   {TOY_PREFIX, 2}, {TOY_PREFIX, 5}, {TOY_PREFIX, 40},
                {TOY_TUPLE, 2}, {TOY_TUPLE, 90}, {TOY_AHEAD, 3},  {TOY_AHEAD, 30}};
    const int law = test_between(&seed, 0, sizeof laws / sizeof *laws - 1);
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

/* ---- one prediction ---- */

static kpred_body next_body(void)
{
    static int body;
    do
        body = (body + 1) % KPRED_BODIES;
    while (!(kpri_bodies(1) >> body & 1));
    return (kpred_body)body;
}

static kpred_status predict(const struct net *net, const int32_t *problem, size_t beam, size_t k,
                            size_t *n)
{
    const size_t words = kpred_arena_words(&net->model, beam);
    int32_t *arena = (int32_t *)malloc(words * sizeof *arena);
    kpred_status status;
    kpred_ctx ctx;
    if (!arena || kpred_init(&ctx, KPRED_VERSION, &net->model, beam, arena, words) != KPRED_OK
        || kpred_set_body(&ctx, next_body()) != KPRED_OK)
        abort();
    toy_begin(problem);
    status = kpred_predict(&ctx, problem, NET_FIELDS, found, k, n);
    CHECK_EQ(toy_record.faults, 0);
    free(arena);
    return status;
}

static void check_tuples(const struct net *net, size_t n, size_t n_expected)
{
    CHECK_EQ(n, n_expected);
    for (size_t i = 0; i < n && i < n_expected; i++)
        naive_check_tuple(&net->model, &found[i], &expected[i]);
    count.cases++;
    count.tuples += (long)n;
}

/* The first k of all legal tuples, by a beam that has room for the space */
static void check_whole(const struct net *net, const int32_t *problem)
{
    const size_t beam = MOST_WHOLE, k = (size_t)test_between(&seed, 1, MOST_WHOLE);
    const size_t n_legal = naive_exhaust(&net->model, problem, expected);
    size_t n = 0;
    CHECK_EQ(predict(net, problem, beam, k, &n), n_legal ? KPRED_OK : KPRED_ERR_INFEASIBLE);
    check_tuples(net, n, n_legal < k ? n_legal : k);
    count.infeasible += !n_legal;
}

static void check_rescued(const struct net *net, const int32_t *problem, kpred_status status,
                          size_t n)
{
    long calls;
    CHECK_EQ(status, naive_rescue(&net->model, problem, expected, &calls));
    check_tuples(net, n, status == KPRED_OK);
    count.rescued += status == KPRED_OK;
    count.infeasible += status == KPRED_ERR_INFEASIBLE;
}

static void check_narrow(const struct net *net, const int32_t *problem)
{
    static const size_t beams[] = {1, 2, 3, 7, 20, 64};
    const size_t beam = beams[test_between(&seed, 0, 5)];
    size_t n = 0;
    long calls;
    const size_t n_expected = naive_beam(&net->model, problem, beam, expected, &calls);
    const kpred_status status = predict(net, problem, beam, beam, &n);
    if (n_expected == 0) {
        check_rescued(net, problem, status, n);
        return;
    }
    CHECK_EQ(status, KPRED_OK);
    CHECK(!net->model.rule || toy_record.rules == 1 + calls);
    check_tuples(net, n, n_expected);
}

/* ---- the tests ---- */

static void for_models(int32_t most, void (*check)(const struct net *, const int32_t *))
{
    memset(&count, 0, sizeof count);
    for (long i = 0; i < N_MODELS * times; i++) {
        struct net net;
        int32_t problem[NET_FIELDS];
        random_model(&net, most);
        net_random_problem(&seed, problem);
        twin_start(&net.model, problem, base);
        check(&net, problem);
        net_free(&net);
    }
    printf("%ld models, %ld tuples; %ld rescued, %ld without a legal tuple\n", count.cases,
           count.tuples, count.rescued, count.infeasible);
    CHECK(count.tuples > 3 * count.cases && count.infeasible > 0);
}

static void a_wide_beam_returns_the_first_of_all_legal_tuples(void)
{
    for_models(MOST_WHOLE, check_whole);
}

static void a_narrow_beam_is_the_naive_one(void)
{
    for_models(MOST_NARROW, check_narrow);
    CHECK(count.rescued > 0);
}

int main(void)
{
    const char *text = getenv("COUNT");
    if (text && atol(text) > 0)
        times = atol(text);
    twin_make_tables();
    naive_by.scores = net_scores;
    naive_by.allows = toy_allows;
    RUN(a_wide_beam_returns_the_first_of_all_legal_tuples);
    RUN(a_narrow_beam_is_the_naive_one);
    return test_end();
}
