/* test_models.c - the shipped models: sizes, texts, and what they predict
   SPDX-License-Identifier: MIT

   Linked with the programs' objects, whose builtins[] it looks at. The arithmetic of kpred.h comes
   a second time, from twin.h. That no sum overflows is shown by tests/proof/bounds.py. */
#include "kpred.h"

#include "harness/specs.h"
#include "model/header.h"
#include "model/model.h"
#include "model/rules.h"
#include "runtime/twin.h"
#include "shipped.h"

/* A list of kernels takes as much again. The words are those at beams of 10 and of 100: 8 and 32
   KB, with hundreds of kernels 14 and 115 KB, and 4 KB at 10 where the first parameter has more
   than 64 values and few follow. */
enum {
    MOST_BYTES = 128 * 1024,
    MOST_LISTED = 256 * 1024,
    MOST_WORDS = 2048,
    MOST_WORDS_OF_100 = 8192,
    MANY_KERNELS = 200,
    MOST_KERNEL_WORDS = 3584,
    MOST_KERNEL_WORDS_OF_100 = 28800,
    MOST_WIDE_WORDS = 1024,
    MOST_BEAM = 100,
    N_PROBLEMS = 100
};

/* The macros of a header, for a beam of 10 */
static const struct macros {
    const kpred_model *model;
    size_t fields, params, arena, rule_calls, multiply_adds;
} macros[] = {
#define MACROS(name, NAME)                                                           \
    {&kpred_model_##name,      KPRED_##NAME##_FIELDS,         KPRED_##NAME##_PARAMS, \
     KPRED_##NAME##_ARENA(10), KPRED_##NAME##_RULE_CALLS(10), KPRED_##NAME##_MULTIPLY_ADDS(10)},
    SHIPPED(MACROS)
#undef MACROS
};

static void header_macros(void)
{
    const size_t n = COUNT(macros);
    for (size_t i = 0; i < n; i++) {
        const struct macros *h = macros + i;
        const struct model_cost cost = model_cost(h->model);
        CHECK(builtins[i].model == h->model);
        CHECK_EQ(h->fields, h->model->n_fields);
        CHECK_EQ(h->params, h->model->n_params);
        CHECK_EQ(h->arena, kpred_arena_words(h->model, 10));
        CHECK_EQ(h->rule_calls, KPRED_RULE_CALLS(cost.values, 10));
        CHECK_EQ(h->multiply_adds, KPRED_MULTIPLY_ADDS(cost.start, cost.step, 10));
    }
    CHECK(!builtins[n].model);
}

/* ---- dimensions and texts ---- */

/* What ships is of the split that the spec says; with few shapes, or with a list of kernels, it has
   learnt all. */
static void check_split(const kpred_model *m)
{
    struct model own;
    REQUIRE(model_open(m->name, &own) == 0);
    CHECK(strcmp(m->split, own.spec->shipped) == 0);
    CHECK(strcmp(m->split, "none") == 0 || (listed_bytes_of(m) == 0 && m->names == NULL));
    model_free(&own);
}

static void sizes(void)
{
    for (const struct builtin *b = builtins; b->model; b++) {
        const int has_many = b->model->names != NULL && b->model->names->n > MANY_KERNELS;
        const size_t most = listed_bytes_of(b->model) || has_many ? MOST_LISTED : MOST_BYTES;
        CHECK(model_cost(b->model).bytes <= most);
        check_split(b->model);
        CHECK(kpred_arena_words(b->model, 10) <= (b->model->params[0].n_values > 64
                                                      ? MOST_WIDE_WORDS
                                                  : has_many ? MOST_KERNEL_WORDS
                                                             : MOST_WORDS));
        CHECK(kpred_arena_words(b->model, 100)
              <= (has_many ? MOST_KERNEL_WORDS_OF_100 : MOST_WORDS_OF_100));
    }
}

static void values_ascend(void)
{
    for (const struct builtin *b = builtins; b->model; b++)
        for (uint32_t t = 0; t < b->model->n_params; t++) {
            const kpred_param *p = b->model->params + t;
            CHECK(p->n_values >= 1 && p->n_values <= KPRED_MAX_VALUES);
            for (int32_t v = 1; v < p->n_values; v++)
                CHECK(p->values[v - 1] < p->values[v]);
            CHECK((twin_net(b->model)->heads[t].weight == NULL) == (p->n_values == 1));
        }
}

/* The header beside it is taken, whose code is therefore what its spec and weights give. It is the
   model's, by its id and its program; and the spec in its comment is the very file beside it. */
static void specs(void)
{
    for (const struct builtin *b = builtins; b->model; b++) {
        struct buf *text = new_text();
        struct model model, own;
        char path[128];
        for (const char *const *line = b->spec; *line; line++)
            buf_puts(text, *line);
        snprintf(path, sizeof path, "weights/%s.spec", b->model->name);
        CHECK(!strcmp(text->s, text_of(path)));
        snprintf(path, sizeof path, "weights/%s.h", b->model->name);
        CHECK(!header_read(path, &model) && model.m.id == b->model->id);
        CHECK(!model_open(b->model->name, &own)
              && !memcmp(&own.program, &model.program, sizeof own.program));
        model_free(&own);
        model_free(&model);
    }
}

/* ---- the arithmetic a second time ---- */

static int64_t twin_score(const kpred_model *m, const int32_t *problem, const unsigned char *index)
{
    int64_t base[KPRED_MAX_PARAMS * KPRED_MAX_HIDDEN] = {0}, x[KPRED_MAX_VALUES] = {0}, score = 0;
    twin_start(m, problem, base);
    for (uint32_t t = 0; t < m->n_params; t++) {
        twin_log2p(m, base, index, t, x);
        score += x[index[t]];
    }
    return score;
}

/* ---- random problems ---- */

/* Any size, or one of the range trained on: of some kernels' fields most are only ever 1 or 2. */
static int32_t draw_size(uint64_t *seed, const kpred_field *f, int is_usual)
{
    const int32_t bits = test_between(seed, 0, test_between(seed, 0, 9) ? 10 : 24);
    int32_t x = test_between(seed, 0, 1) ? test_between(seed, 1, 1 << bits)
                                         : (2 * test_between(seed, 0, 4) + 1) << bits / 2;
    if (is_usual)
        return f->trained_min + x % (f->trained_max - f->trained_min + 1);
    x = x < f->least ? f->least : x;
    return x > f->most ? f->most : x;
}

static void draw_problem(uint64_t *seed, const kpred_model *m, int32_t *problem)
{
    const int is_usual = test_between(seed, 0, 1);
    for (uint32_t f = 0; f < m->n_fields; f++)
        problem[f] = m->fields[f].tokens ? test_between(seed, 0, m->fields[f].n_tokens - 1)
                                         : draw_size(seed, m->fields + f, is_usual);
}

/* What a prediction asked for: its rule and scorer are the model's own, with counters. */
static struct {
    const kpred_model *model;
    size_t starts, rules, multiply_adds;
} count;

static int allows(const kpred_model *m, const int32_t *problem, const int32_t *values, size_t n)
{
    return m->rule == NULL || m->rule(problem, values, n);
}

static int counting_rule(const int32_t *problem, const int32_t *values, size_t n)
{
    count.rules++;
    return allows(count.model, problem, values, n);
}

static void counting_start(const kpred_model *m, const int32_t *problem, int32_t *work,
                           int32_t *state)
{
    const kpred_layer *l = twin_net(m)->layer;
    for (int i = 0; i < 3; i++)
        count.multiply_adds += (size_t)l[i].rows * l[i].cols;
    count.starts++;
    kpred_additive_scorer.start(m, problem, work, state);
}

static void counting_logits(const kpred_model *m, int32_t *work, const int32_t *state,
                            const unsigned char *prefix, size_t t, int32_t *logits)
{
    const size_t n = (size_t)m->params[t].n_values;
    if (n > 1)
        count.multiply_adds += ((n + 3) / 4 * 4 + t) * twin_net(m)->hidden;
    kpred_additive_scorer.logits(m, work, state, prefix, t, logits);
}

static const kpred_scorer counting_scorer = {counting_start, counting_logits, NULL};

struct run {
    kpred_model model; /* the counting copy */
    const kpred_model *own;
    int32_t *arena, problem[KPRED_MAX_FIELDS];
    kpred_ctx ctx;
    kpred_tuple best[MOST_BEAM];
    size_t beam, n;
};

static void run_begin(struct run *r, const kpred_model *m, size_t beam)
{
    const size_t words = kpred_arena_words(m, beam);
    memset(r, 0, sizeof *r);
    r->own = m;
    r->beam = beam;
    r->model = *m;
    r->model.rule = counting_rule;
    r->model.scorer = &counting_scorer;
    r->model.id = kpred_model_id(&r->model);
    r->arena = xcalloc(words, sizeof *r->arena);
    CHECK_EQ(kpred_init(&r->ctx, KPRED_VERSION, &r->model, beam, r->arena, words), KPRED_OK);
}

/* A prediction for the next random problem that the kernel applies to. */
static void run_next(struct run *r, uint64_t *seed)
{
    do
        draw_problem(seed, r->own, r->problem);
    while (!allows(r->own, r->problem, r->problem, 0));
    memset(&count, 0, sizeof count);
    count.model = r->own;
    r->n = 0;
    CHECK_EQ(kpred_predict(&r->ctx, r->problem, r->own->n_fields, r->best, r->beam, &r->n),
             KPRED_OK);
    CHECK(r->n >= 1 && r->n <= r->beam);
}

/* Calls `check` with each model, beam and random problem. */
static void for_problems(size_t n_problems, void (*check)(const struct run *))
{
    static const size_t beams[] = {1, 10, MOST_BEAM};
    uint64_t seed = 1;
    for (const struct builtin *b = builtins; b->model; b++)
        for (size_t j = 0; j < COUNT(beams); j++) {
            struct run r;
            run_begin(&r, b->model, beams[j]);
            for (size_t i = 0; i < n_problems; i++) {
                run_next(&r, &seed);
                check(&r);
            }
            free(r.arena);
        }
}

/* ---- what is returned ---- */

static void indexes_of(const kpred_model *m, const int32_t *values, unsigned char *index)
{
    int32_t v;
    for (uint32_t t = 0; t < m->n_params; t++) {
        for (v = 0; v < m->params[t].n_values && m->params[t].values[v] != values[t]; v++)
            ;
        CHECK(v < m->params[t].n_values);
        index[t] = (unsigned char)(v < m->params[t].n_values ? v : 0);
    }
}

/* Before the model's scale, which may make two sums one score */
static int64_t sum_of(const struct run *r, const kpred_tuple *tuple)
{
    unsigned char index[KPRED_MAX_TUPLE];
    indexes_of(r->own, tuple->value, index);
    return twin_score(r->own, r->problem, index);
}

static int same_values(const struct run *r, const kpred_tuple *a, const kpred_tuple *b)
{
    return !memcmp(a->value, b->value, r->own->n_params * sizeof *a->value);
}

static void check_tuples(const struct run *r)
{
    for (size_t i = 0; i < r->n; i++) {
        CHECK(kpred_legal(r->own, r->problem, r->best[i].value));
        CHECK(r->best[i].score <= 0);
        CHECK(i == 0 || r->best[i - 1].score >= r->best[i].score); /* of ties: test_search.c */
        for (size_t j = 0; j < i; j++)
            CHECK(!same_values(r, &r->best[i], &r->best[j]));
    }
}

static void tuples_are_legal_and_in_order(void)
{
    for_problems(N_PROBLEMS, check_tuples);
}

static void check_costs(const struct run *r)
{
    static struct model_cost cost;
    static const kpred_model *of;
    if (of != r->own)
        cost = model_cost(of = r->own);
    CHECK_EQ(count.starts, 1); /* no rescue: the rules see every dead end coming */
    CHECK(count.rules <= KPRED_RULE_CALLS(cost.values, r->beam));
    CHECK(count.multiply_adds <= KPRED_MULTIPLY_ADDS(cost.start, cost.step, r->beam));
}

static void costs_stay_within_the_macros(void)
{
    for_problems(N_PROBLEMS, check_costs);
}

/* A tuple's sum times the model's scale, rounded to zero */
static int64_t scaled_sum(const struct run *r, const kpred_tuple *tuple)
{
    return sum_of(r, tuple) * r->own->scale / KPRED_SCALE_ONE;
}

/* All scores of an answer are less than that by the same norm (test_search.c), which is 0 where the
   scale is 1; one that would be above 0 is 0. */
static void check_scores(const struct run *r)
{
    int64_t norm = 0;
    for (size_t i = 0; i < r->n && r->own->scale != KPRED_SCALE_ONE; i++)
        if (r->best[i].score < 0)
            norm = scaled_sum(r, &r->best[i]) - r->best[i].score;
    for (size_t i = 0; i < r->n; i += 1 + r->n / 3) {
        const int64_t score = scaled_sum(r, &r->best[i]) - norm;
        CHECK_EQ(r->best[i].score, score > 0 ? 0 : score);
    }
}

static void scores_equal_the_twin(void)
{
    for_problems(N_PROBLEMS / 5, check_scores);
}

/* Legal tuples that begin with the first n values, but not more than `most` of them. */
static size_t count_legal(const struct run *r, int32_t *values, uint32_t n, size_t most)
{
    const kpred_param *p = r->own->params + n;
    size_t found = 0;
    if (n == r->own->n_params)
        return 1;
    for (int32_t v = 0; v < p->n_values && found < most; v++) {
        values[n] = p->values[v];
        if (allows(r->own, r->problem, values, n + 1))
            found += count_legal(r, values, n + 1, most - found);
    }
    return found;
}

/* Their rules accept no prefix without a legal tuple, so a beam that has room for all of them
   returns them all. */
static void check_completeness(const struct run *r)
{
    int32_t values[KPRED_MAX_TUPLE];
    CHECK_EQ(r->n, count_legal(r, values, 0, r->beam));
}

static void a_wide_beam_returns_every_legal_tuple(void)
{
    for_problems(N_PROBLEMS, check_completeness);
}

/* Of a spec without conditions every tuple is legal. */
static void a_model_without_a_rule(void)
{
    kpred_model m = kpred_model_conv_asm_1x1u;
    uint64_t seed = 1;
    struct run r;
    m.rule = NULL;
    run_begin(&r, &m, 10);
    run_next(&r, &seed);
    check_completeness(&r);
    free(r.arena);
}

/* ---- several models at a time, as the tools open them ---- */

/* Built-in ones take none of the places of rules with a table, of which there are few. (The refusal
   says so on standard error.) */
static void listed_models_at_a_time(void)
{
    enum { N_BUILT_IN = 3, N_OPEN = N_BUILT_IN + RULE_SLOTS };
    static const char *const names[] = {"gemm_mi100_nn", "gemm_mi100_nt", "gemm_mi100_tn"};
    const int32_t none[] = {512, 512, 32, 2, 4, 15, 0, 0, 128, 1}; /* no kernel's values */
    static struct model model[N_OPEN], more;
    for (size_t i = 0; i < N_OPEN; i++) {
        CHECK(!model_open(i < N_BUILT_IN ? names[i] : "weights/gemm_mi100_tn.h", &model[i]));
        CHECK(model[i].m.rule(none, none, 0) && model[i].m.rule(none, none, 1));
        CHECK(!model[i].m.rule(none, none, model[i].m.n_params));
    }
    CHECK(model_open("weights/gemm_mi100_nn.h", &more));
    model_free(&model[N_BUILT_IN]);
    CHECK(!model_open("weights/gemm_mi100_nn.h", &model[N_BUILT_IN]));
    CHECK_EQ(model[N_BUILT_IN].m.id, model[0].m.id);
    for (size_t i = 0; i < N_OPEN; i++)
        model_free(&model[i]);
}

/* What the tools make of the names in a spec decides as the table in the header does. */
static void check_table(const struct model *made, const kpred_model *m)
{
    uint64_t seed = 1;
    for (size_t i = 0; i < 20 * N_PROBLEMS; i++) {
        int32_t problem[KPRED_MAX_FIELDS];
        draw_problem(&seed, m, problem);
        CHECK_EQ(made->m.rule(problem, NULL, 0), m->rule(problem, NULL, 0));
        for (int32_t v = -1; v <= m->params->n_values && m->rule(problem, NULL, 0); v++)
            CHECK_EQ(made->m.rule(problem, &v, 1), m->rule(problem, &v, 1));
    }
}

static void tables_are_those_of_the_names(void)
{
    size_t n = 0;
    for (const struct builtin *b = builtins; b->model; b++) {
        char path[128];
        snprintf(path, sizeof path, "weights/%s.spec", b->model->name);
        struct model *made = model_of(text_of(path), "config");
        if (made->kernels.words || made->solvers) {
            check_table(made, b->model);
            n++;
        }
        model_free(made);
    }
    CHECK(n >= 4);
}

int main(void)
{
    twin_make_tables();
    RUN_ALL(header_macros, sizes, values_ascend, specs, tuples_are_legal_and_in_order,
            costs_stay_within_the_macros, scores_equal_the_twin,
            a_wide_beam_returns_every_legal_tuple, a_model_without_a_rule,
            tables_are_those_of_the_names, listed_models_at_a_time);
    return test_end();
}
