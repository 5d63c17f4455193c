/* law.h - random rules for models of any dimensions, with a record of what was asked
   SPDX-License-Identifier: MIT

   Include it after kpred.h. */
#pragma once

#include "harness/test.h"

#include <string.h>

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
