/* toy.h - models of any dimensions, random rules, and naive searches of both
   SPDX-License-Identifier: MIT

   Include it after kpred.h. A toy has a scorer that hashes, and a rule that records what it was
   asked. The naive searches know the header's text only and share no line with its search: all is
   expanded, sorted and cut. They work for other models, too: scores and law come from naive_by. */
#pragma once

#include "harness/test.h"
#include "twin.h"

#include <stdlib.h>

/* ---- random rules ---- */

enum { TOY_SET = 1 << 19 };

/* What the rule says. Values are hashed, so that every kernel differs from every other. */
enum toy_kind {
    TOY_ANY,    /* all is legal */
    TOY_PREFIX, /* each prefix is refused with a chance of 1 in `density` */
    TOY_TUPLE,  /* whole tuples only: 1 in `density` is legal */
    TOY_AHEAD,  /* the same, and a prefix is legal if it leads to a legal tuple */
    TOY_LAST,   /* the last value of each parameter alone */
    TOY_END     /* whole tuples only: the one of the last values */
};

static struct toy_law {
    enum toy_kind kind;
    uint64_t seed, density;
    const kpred_model *model;
    int refuses_problem;
} toy_law;

/* What the model was asked since toy_begin. */
static struct toy_record {
    const int32_t *problem;
    long starts, logits, rules, rules_since_start, faults; /* faults: calls that break a promise */
} toy_record;

static inline uint64_t toy_mix(uint64_t h, uint64_t x)
{
    h ^= x + UINT64_C(0x9e3779b97f4a7c15);
    return test_random64(&h);
}

static inline uint64_t toy_hash_values(const int32_t *values, size_t n)
{
    uint64_t h = toy_law.seed;
    for (size_t i = 0; i < n; i++)
        h = toy_mix(h, (uint64_t)(int64_t)values[i]);
    return h;
}

static inline int toy_all_last(const int32_t *values, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (values[i] != toy_law.model->params[i].values[toy_law.model->params[i].n_values - 1])
            return 0;
    return 1;
}

static inline int toy_legal_tuple(const int32_t *values)
{
    const size_t n = toy_law.model->n_params;
    return toy_law.kind == TOY_END ? toy_all_last(values, n)
                                   : toy_hash_values(values, n) % toy_law.density == 0;
}

static inline int toy_completable(const int32_t *values, size_t n)
{
    int32_t longer[KPRED_MAX_TUPLE];
    if (n == toy_law.model->n_params)
        return toy_legal_tuple(values);
    memcpy(longer, values, n * sizeof *values);
    for (int32_t v = 0; v < toy_law.model->params[n].n_values; v++) {
        longer[n] = toy_law.model->params[n].values[v];
        if (toy_completable(longer, n + 1))
            return 1;
    }
    return 0;
}

/* The law, unrecorded: is the prefix legal, given that the shorter one is? */
static inline int toy_allows(const int32_t *values, size_t n)
{
    if (n == 0)
        return !toy_law.refuses_problem;
    switch (toy_law.kind) {
    case TOY_PREFIX: return toy_hash_values(values, n) % toy_law.density != 0;
    case TOY_LAST: return toy_all_last(values, n);
    case TOY_TUPLE:
    case TOY_END: return n < toy_law.model->n_params || toy_legal_tuple(values);
    case TOY_AHEAD: return toy_completable(values, n);
    default: return 1;
    }
}

/* A set of hashes that forgets all in no time. */
static struct {
    uint64_t hash[TOY_SET];
    uint32_t age[TOY_SET], now;
} toy_set;

static inline int toy_set_has(uint64_t hash, int add)
{
    size_t i = hash % TOY_SET;
    for (; toy_set.age[i] == toy_set.now; i = (i + 1) % TOY_SET)
        if (toy_set.hash[i] == hash)
            return 1;
    if (add) {
        toy_set.hash[i] = hash;
        toy_set.age[i] = toy_set.now;
    }
    return 0;
}

static inline uint64_t toy_prefix_hash(const int32_t *values, size_t n)
{
    return toy_mix(n ? toy_hash_values(values, n) : 0, n);
}

static inline int toy_is_value(size_t t, int32_t value)
{
    for (int32_t v = 0; v < toy_law.model->params[t].n_values; v++)
        if (toy_law.model->params[t].values[v] == value)
            return 1;
    return 0;
}

/* The model's rule. A fault: another problem, a number that is no value, a prefix whose shorter one
   was not accepted before. */
static inline int toy_rule(const int32_t *problem, const int32_t *values, size_t n)
{
    toy_record.rules++;
    toy_record.rules_since_start++;
    toy_record.faults += problem != toy_record.problem || n > toy_law.model->n_params;
    if (n > 0) {
        toy_record.faults += !toy_set_has(toy_prefix_hash(values, n - 1), 0);
        toy_record.faults += !toy_is_value(n - 1, values[n - 1]);
    }
    int answer = toy_allows(values, n);
    if (answer)
        (void)toy_set_has(toy_prefix_hash(values, n), 1);
    return answer;
}

static inline void toy_begin(const int32_t *problem)
{
    memset(&toy_record, 0, sizeof toy_record);
    toy_record.problem = problem;
    toy_set.now++;
}

/* ---- naive searches ---- */

enum { NAIVE_MOST = 1 << 17 }; /* tuples and extensions at a time */

static struct {
    /* log2-probabilities of the values after n indexes */
    void (*scores)(const kpred_model *m, const int32_t *problem, const unsigned char *index,
                   size_t n, int64_t *out);
    /* is the prefix of n values legal, given that the shorter one is? Not asked without a rule */
    int (*allows)(const int32_t *values, size_t n);
} naive_by;

struct naive {
    int64_t score;
    unsigned char index[KPRED_MAX_TUPLE]; /* 0 where undecided */
};

static inline int naive_order(const void *left, const void *right)
{
    const struct naive *a = (const struct naive *)left, *b = (const struct naive *)right;
    if (a->score != b->score)
        return a->score > b->score ? -1 : 1;
    return memcmp(a->index, b->index, sizeof a->index);
}

static inline void naive_values(const kpred_model *m, const struct naive *p, int32_t *values)
{
    for (uint32_t t = 0; t < m->n_params; t++)
        values[t] = m->params[t].values[p->index[t]];
}

/* Is the prefix of length n legal, given that the shorter one is? */
static inline int naive_allows(const kpred_model *m, const struct naive *p, size_t n)
{
    int32_t values[KPRED_MAX_TUPLE] = {0};
    naive_values(m, p, values);
    return !m->rule || naive_by.allows(values, n);
}

/* All extensions of p, a prefix of length n; returns how many. */
static inline size_t naive_extensions(const kpred_model *m, const int32_t *problem,
                                      const struct naive *p, size_t n, struct naive *out)
{
    int64_t scores[KPRED_MAX_VALUES] = {0};
    int32_t v;
    naive_by.scores(m, problem, p->index, n, scores);
    for (v = 0; v < m->params[n].n_values; v++) {
        out[v] = *p;
        out[v].index[n] = (unsigned char)v;
        out[v].score += scores[v];
    }
    return (size_t)v;
}

/* Every legal tuple in order, however unlikely: the space counted through. Returns how many. */
static inline size_t naive_exhaust(const kpred_model *m, const int32_t *problem, struct naive *out)
{
    const size_t n_params = m->n_params;
    struct naive p = {0};
    size_t n = 0, t;
    for (;;) {
        int legal = 1;
        p.score = 0;
        for (t = 0; t < n_params; t++) {
            int64_t scores[KPRED_MAX_VALUES] = {0};
            naive_by.scores(m, problem, p.index, t, scores);
            p.score += scores[p.index[t]];
            legal = legal && naive_allows(m, &p, t + 1);
        }
        if (legal)
            out[n++] = p;
        while (t > 0 && ++p.index[t - 1] == m->params[t - 1].n_values)
            p.index[--t] = 0;
        if (t == 0)
            break;
    }
    qsort(out, n, sizeof *out, naive_order);
    return n;
}

/* The first prefix of each length that the last naive_beam had */
static struct naive naive_first[KPRED_MAX_TUPLE];
static size_t naive_reached; /* how many lengths that was */

/* Expand all, sort, keep the first `beam` that are legal. *calls: how often a rule asked best first
   and not beyond need is asked. Returns the number of tuples, 0 where the beam died out. */
static inline size_t naive_beam(const kpred_model *m, const int32_t *problem, size_t beam,
                                struct naive *list, long *calls)
{
    static struct naive wide[NAIVE_MOST];
    size_t n = 1, n_wide, i;
    memset(list, 0, sizeof *list);
    *calls = 0;
    for (size_t t = 0; t < m->n_params; t++) {
        naive_first[t] = list[0];
        naive_reached = n ? t + 1 : naive_reached;
        for (n_wide = i = 0; i < n; i++)
            n_wide += naive_extensions(m, problem, &list[i], t, wide + n_wide);
        qsort(wide, n_wide, sizeof *wide, naive_order);
        for (n = i = 0; i < n_wide && n < beam; i++, ++*calls)
            if (naive_allows(m, &wide[i], t + 1))
                list[n++] = wide[i];
    }
    return n;
}

/* Depth first below *p, a legal prefix of length n. 1: *p is the tuple found. 0: there is none, or
   no call of *left was left for it (then *left < 0). */
static inline int naive_descend(const kpred_model *m, const int32_t *problem, struct naive *p,
                                size_t n, long *left)
{
    struct naive next[KPRED_MAX_VALUES];
    if (n == m->n_params)
        return 1;
    size_t count = naive_extensions(m, problem, p, n, next);
    qsort(next, count, sizeof *next, naive_order);
    for (size_t i = 0; i < count && *left >= 0; i++)
        if (--*left >= 0 && naive_allows(m, &next[i], n + 1)
            && naive_descend(m, problem, &next[i], n + 1, left)) {
            *p = next[i];
            return 1;
        }
    return 0;
}

/* What the rescue has to say; *calls: of the rule, at most KPRED_RESCUE_CALLS. */
static inline kpred_status naive_rescue(const kpred_model *m, const int32_t *problem,
                                        struct naive *p, long *calls)
{
    long left = KPRED_RESCUE_CALLS;
    memset(p, 0, sizeof *p);
    if (naive_descend(m, problem, p, 0, &left)) {
        *calls = KPRED_RESCUE_CALLS - left;
        return KPRED_OK;
    }
    *calls = left < 0 ? KPRED_RESCUE_CALLS : KPRED_RESCUE_CALLS - left;
    return left < 0 ? KPRED_ERR_BUDGET : KPRED_ERR_INFEASIBLE;
}

/* ---- toys ---- */

enum { TOY_FIELDS = 2 };

struct toy_net {
    uint64_t seed;
    int32_t levels, spread; /* logits: one of `levels` numbers within -spread..spread; 0 levels:
                               spread for the first value, -spread for the others */
    int32_t n_values[KPRED_MAX_TUPLE];
};

struct toy {
    kpred_model model;
    struct toy_net net;
    kpred_param params[KPRED_MAX_TUPLE];
    int32_t values[KPRED_MAX_TUPLE][KPRED_MAX_VALUES];
};

static inline uint64_t toy_root(const struct toy_net *net, const int32_t *problem)
{
    return toy_mix(toy_mix(net->seed, (uint64_t)problem[0]), (uint64_t)problem[1]);
}

static inline int32_t toy_logit(const struct toy_net *net, uint64_t prefix, int32_t v)
{
    const uint64_t h = toy_mix(prefix, 1000 + (uint64_t)v);
    if (net->levels == 0)
        return v == 0 ? net->spread : -net->spread;
    if (net->levels == 1)
        return 0;
    return (int32_t)((int64_t)(h % (uint32_t)net->levels) * 2 * net->spread / (net->levels - 1)
                     - net->spread);
}

/* ---- scorer ---- */

/* What a scorer may use of a parameter's logits */
static inline int32_t toy_lane(int32_t n_values)
{
    int32_t lane = 4;
    while (lane < n_values)
        lane *= 2;
    return lane;
}

/* Fills what it may use and need not leave: all of work behind the problem, all of the lane. */
static inline void toy_scribble(const kpred_model *m, int32_t *work, size_t from)
{
    for (size_t i = from; i < m->work_words; i++)
        work[i] = (int32_t)0x5a5a5a5a;
}

static inline void toy_put_state(const kpred_model *m, uint64_t h, int32_t *state)
{
    for (uint32_t i = 0; i < m->state_words; i++)
        state[i] = (int32_t)(uint32_t)(i % 2 ? h >> 32 : h & UINT32_MAX);
}

/* The hash of the prefix as its state holds it; state_words: 0, or 2 and more. */
static inline uint64_t toy_get_state(const kpred_model *m, const int32_t *state)
{
    for (uint32_t i = 2; i < m->state_words; i++)
        toy_record.faults += state[i] != state[i % 2];
    return (uint64_t)(uint32_t)state[1] << 32 | (uint32_t)state[0];
}

static inline void toy_start(const kpred_model *m, const int32_t *problem, int32_t *work,
                             int32_t *state)
{
    toy_record.starts++;
    toy_record.rules_since_start = 0;
    memcpy(work, problem, TOY_FIELDS * sizeof *work);
    toy_scribble(m, work, TOY_FIELDS);
    toy_put_state(m, toy_root((const struct toy_net *)m->net, problem), state);
}

static inline void toy_logits(const kpred_model *m, int32_t *work, const int32_t *state,
                              const unsigned char *prefix, size_t n_decided, int32_t *logits)
{
    const struct toy_net *net = (const struct toy_net *)m->net;
    uint64_t h = toy_root(net, work);
    toy_record.logits++;
    for (size_t u = 0; u < n_decided; u++)
        h = toy_mix(h, prefix[u]);
    toy_record.faults += m->state_words && toy_get_state(m, state) != h;
    for (int32_t v = 0; v < toy_lane(net->n_values[n_decided]); v++)
        logits[v] = v < net->n_values[n_decided] ? toy_logit(net, h, v) : INT32_MAX;
    toy_scribble(m, work, TOY_FIELDS);
}

static inline void toy_extend(const kpred_model *m, int32_t *work, const int32_t *state,
                              size_t n_decided, int32_t v, int32_t *next)
{
    toy_record.faults += n_decided >= m->n_params || state == next;
    toy_put_state(m, toy_mix(toy_get_state(m, state), (uint64_t)v), next);
    toy_scribble(m, work, TOY_FIELDS);
}

static const kpred_scorer toy_without_state = {toy_start, toy_logits, 0};
static const kpred_scorer toy_with_state = {toy_start, toy_logits, toy_extend};

static const kpred_field toy_fields[TOY_FIELDS] = {
    {"x", 0, 0, 0, KPRED_MAX_SIZE, 1, 1000},
    {"y", 0, 0, 0, KPRED_MAX_SIZE, 1, 1000},
};

/* ---- models ---- */

/* For naive searches */
static inline void toy_scores(const kpred_model *m, const int32_t *problem,
                              const unsigned char *index, size_t n, int64_t *out)
{
    const struct toy_net *net = (const struct toy_net *)m->net;
    uint64_t h = toy_root(net, problem);
    for (size_t u = 0; u < n; u++)
        h = toy_mix(h, index[u]);
    for (int32_t v = 0; v < net->n_values[n]; v++)
        out[v] = toy_logit(net, h, v);
    twin_log_softmax(out, (size_t)net->n_values[n]);
}

static inline void toy_seal(struct toy *toy)
{
    toy->model.id = kpred_model_id(&toy->model);
}

static inline void toy_make_values(struct toy *toy, uint64_t seed)
{
    int32_t value;
    for (uint32_t t = 0; t < toy->model.n_params; t++) {
        value = test_between(&seed, -50, 50);
        for (int32_t v = 0; v < toy->net.n_values[t]; v++) {
            toy->values[t][v] = value;
            value += test_between(&seed, 1, 1 << 20);
        }
        toy->params[t].name = "p";
        toy->params[t].values = toy->values[t];
        toy->params[t].n_values = toy->net.n_values[t];
    }
}

/* Logits: `levels` numbers from -spread to spread; state_words: 0, or 2 and more. The law that
   holds is the toy's from here on: all is legal. */
static inline void toy_make(struct toy *toy, uint64_t seed, uint32_t n_params,
                            const int32_t *n_values, int32_t levels, int32_t spread,
                            uint32_t state_words)
{
    kpred_model *m = &toy->model;
    memset(toy, 0, sizeof *toy);
    toy->net.seed = seed;
    toy->net.levels = levels;
    toy->net.spread = spread;
    memcpy(toy->net.n_values, n_values, n_params * sizeof *n_values);
    m->format = KPRED_FORMAT;
    m->name = m->kernel = "toy";
    m->split = "none";
    m->rule_name = "toy_rule";
    m->fields = toy_fields;
    m->params = toy->params;
    m->n_fields = TOY_FIELDS;
    m->n_params = n_params;
    m->work_words = TOY_FIELDS + (uint32_t)(seed % 5);
    m->state_words = state_words;
    m->rule = toy_rule;
    m->scorer = state_words ? &toy_with_state : &toy_without_state;
    m->net = &toy->net;
    toy_make_values(toy, seed);
    m->scale = KPRED_SCALE_ONE;
    memset(&toy_law, 0, sizeof toy_law);
    toy_law.seed = toy_mix(seed, 1);
    toy_law.density = 2;
    toy_law.model = m;
    naive_by.scores = toy_scores;
    naive_by.allows = toy_allows;
    toy_begin(0);
    toy_seal(toy);
}

/* ---- predictions ---- */

static int32_t toy_arena[KPRED_ARENA_WORDS(
    8, 8, KPRED_MAX_TUPLE, KPRED_SLOTS(KPRED_MAX_BEAM, KPRED_MAX_VALUES, KPRED_MAX_BEAM),
    KPRED_MAX_BEAM)];

/* One prediction of any model, with a record of what it asked; the bodies of the build take turns.
 */
static inline kpred_status toy_predict(const kpred_model *m, const int32_t *problem, size_t beam,
                                       kpred_tuple *out, size_t k, size_t *n, kpred_ctx *ctx)
{
    static int body;
    CHECK_EQ(kpred_init(ctx, KPRED_VERSION, m, beam, toy_arena, COUNT(toy_arena)), KPRED_OK);
    do
        body = (body + 1) % KPRED_BODIES;
    while (kpred_set_body(ctx, (kpred_body)body) != KPRED_OK);
    toy_begin(problem);
    return kpred_predict(ctx, problem, m->n_fields, out, k, n);
}
