/* toy.h - models of any dimensions: a scorer that hashes, and a rule of law.h
   SPDX-License-Identifier: MIT

   Include it after kpred.h. The naive searches share the hash and the law with the model under
   test, no line of its search or arithmetic. */
#pragma once

#include "law.h"
#include "naive.h"
#include "twin.h"

#include <stdlib.h>
#include <string.h>

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

/* One prediction, with a record of what it asked. */
static inline kpred_status toy_predict(const struct toy *toy, const int32_t *problem, size_t beam,
                                       kpred_tuple *out, size_t k, size_t *n, kpred_ctx *ctx)
{
    CHECK_EQ(kpred_init(ctx, KPRED_VERSION, &toy->model, beam, toy_arena,
                        sizeof toy_arena / sizeof *toy_arena),
             KPRED_OK);
    toy_begin(problem);
    return kpred_predict(ctx, problem, TOY_FIELDS, out, k, n);
}
