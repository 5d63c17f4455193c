/* net.h - random models of the built-in scorer, of any dimensions
   SPDX-License-Identifier: MIT

   Include it after the definitions of kpred.h. Every array is as long as it must be and no longer,
   so that a sanitiser sees who reads on. */
#pragma once

#include "harness/test.h"

#include <stdlib.h>

enum { NET_FIELDS = 3, NET_MOST_ARRAYS = 64 };

struct net_shape {
    uint32_t n_params;
    int32_t n_values[KPRED_MAX_TUPLE];
    uint16_t wide1, wide2, hidden; /* multiples of 16 */
    int32_t extreme;               /* weights of 127 and -127 alone */
};

struct net {
    kpred_model model;
    kpred_additive net;
    kpred_head heads[KPRED_MAX_TUPLE];
    kpred_param params[KPRED_MAX_TUPLE];
    int32_t values[KPRED_MAX_VALUES];
    void *arrays[NET_MOST_ARRAYS];
    size_t n_arrays;
};

static const kpred_field net_fields[NET_FIELDS] = {
    {"a", 0, 0, 1, KPRED_MAX_SIZE, 1, 4096},
    {"b", 0, 0, 1, KPRED_MAX_SIZE, 1, 4096},
    {"c", 0, 0, 0, KPRED_MAX_SIZE, 0, 64},
};

/* 3 fields, 6 registers; 27 activations, so that 5 of 32 are padding */
static const kpred_instr net_program[] = {
    {KPRED_OP_LOG2, 0, 0, 0, 0},      {KPRED_OP_LOG2, 1, 0, 0, 0},
    {KPRED_OP_MUL, 0, 1, 0, 0},       {KPRED_OP_CEIL_DIV, 0, 1, 0, 0},
    {KPRED_OP_MOD, 1, 2, 0, 0},       {KPRED_OP_CONST, 0, 0, 0, 77},
    {KPRED_OP_HATS, 3, 16, 10, 0},    {KPRED_OP_HATS, 4, 17, 6, 65536},
    {KPRED_OP_EQUALS, 2, 0, 4, 1},    {KPRED_OP_DIVIDES, 0, 0, 4, 2},
    {KPRED_OP_FRACTION, 5, 0, 1, 64}, {KPRED_OP_RAMP, 5, 20, 1, 0},
    {KPRED_OP_RAMP, 7, 6, 1, 0},
};
enum { NET_COLS = 32, NET_WORDS = NET_FIELDS + 6 };

static inline void *net_array(struct net *net, size_t n, size_t size)
{
    void *array = malloc(n * size + (n == 0));
    if (!array || net->n_arrays == NET_MOST_ARRAYS)
        abort();
    net->arrays[net->n_arrays++] = array;
    return array;
}

static inline const int8_t *net_weights(struct net *net, uint64_t *seed, int extreme, size_t n)
{
    int8_t *w = (int8_t *)net_array(net, n, 1);
    for (size_t i = 0; i < n; i++)
        w[i] = (int8_t)(extreme ? test_between(seed, 0, 1) * 254 - 127
                                : test_between(seed, -127, 127));
    return w;
}

static inline const int32_t *net_biases(struct net *net, uint64_t *seed, size_t n)
{
    int32_t *b = (int32_t *)net_array(net, n, sizeof(int32_t));
    for (size_t i = 0; i < n; i++)
        b[i] = test_between(seed, -40000, 40000);
    return b;
}

static inline void net_layer(struct net *net, uint64_t *seed, int extreme, int at, size_t rows,
                             size_t cols)
{
    kpred_layer *l = net->net.layer + at;
    l->weight = net_weights(net, seed, extreme, rows * cols);
    l->bias = net_biases(net, seed, rows);
    l->rows = (uint16_t)rows;
    l->cols = (uint16_t)cols;
    l->shift = (uint8_t)test_between(seed, 7, 11);
}

/* Heads of the parameters that have a choice; returns how many. The first has nothing above it. */
static inline size_t net_make_heads(struct net *net, uint64_t *seed, const struct net_shape *shape)
{
    size_t above = 0, n = 0;
    for (uint32_t t = 0; t < shape->n_params; t++) {
        kpred_head *head = net->heads + t;
        const size_t rows = ((size_t)shape->n_values[t] + 3) / 4 * 4;
        if (shape->n_values[t] == 1)
            continue;
        if (above)
            head->embedding = net_weights(net, seed, shape->extreme, above * shape->hidden);
        head->weight = net_weights(net, seed, shape->extreme, rows * shape->hidden);
        head->bias = net_biases(net, seed, rows);
        head->embedding_shift = (uint8_t)test_between(seed, 0, 15);
        head->hidden_shift = (uint8_t)test_between(seed, 1, 16);
        head->logit_shift = (uint8_t)test_between(seed, 0, 7);
        above += (size_t)shape->n_values[t];
        n++;
    }
    return n;
}

static inline void net_make_params(struct net *net, const struct net_shape *shape)
{
    for (int32_t v = 0; v < KPRED_MAX_VALUES; v++)
        net->values[v] = v * v + 1;
    for (uint32_t t = 0; t < shape->n_params; t++) {
        net->params[t].name = "p";
        net->params[t].values = net->values;
        net->params[t].n_values = shape->n_values[t];
    }
}

static inline void net_make_model(struct net *net, const struct net_shape *shape, size_t n_heads)
{
    kpred_model *m = &net->model;
    size_t words = n_heads * shape->hidden;
    words = words < shape->wide1 ? shape->wide1 : words;
    words = words < shape->wide2 ? shape->wide2 : words;
    m->format = KPRED_FORMAT;
    m->name = m->kernel = "net";
    m->split = "none";
    m->rule_name = "";
    m->rule = KPRED_UNCONSTRAINED;
    m->fields = net_fields;
    m->n_fields = NET_FIELDS;
    m->params = net->params;
    m->n_params = shape->n_params;
    m->scale = KPRED_SCALE_ONE;
    m->work_words = (uint32_t)(words < NET_WORDS ? NET_WORDS : words);
    m->scorer = &kpred_additive_scorer;
    m->net = &net->net;
    m->id = kpred_model_id(m);
}

/* To be freed by net_free. */
static inline void net_make(struct net *net, uint64_t seed, const struct net_shape *shape)
{
    memset(net, 0, sizeof *net);
    net->net.program = net_program;
    net->net.n_instr = COUNT(net_program);
    net->net.n_features = 27;
    net->net.hidden = shape->hidden;
    net->net.heads = net->heads;
    net_make_params(net, shape);
    size_t n_heads = net_make_heads(net, &seed, shape);
    net_layer(net, &seed, shape->extreme, 0, shape->wide1, NET_COLS);
    net_layer(net, &seed, shape->extreme, 1, shape->wide2, shape->wide1);
    net_layer(net, &seed, shape->extreme, 2, n_heads * shape->hidden, shape->wide2);
    net_make_model(net, shape, n_heads);
}

static inline void net_free(struct net *net)
{
    for (size_t i = 0; i < net->n_arrays; i++)
        free(net->arrays[i]);
}

/* Of the parameters at most KPRED_MAX_PARAMS have several values. */
static inline void net_random_shape(uint64_t *seed, struct net_shape *shape)
{
    uint32_t n_free = 0;
    shape->n_params = (uint32_t)test_between(
        seed, 1, test_between(seed, 0, 2) ? KPRED_MAX_PARAMS : KPRED_MAX_TUPLE);
    for (uint32_t t = 0; t < shape->n_params; t++) {
        const int32_t most = n_free == KPRED_MAX_PARAMS ? 1
                             : test_between(seed, 0, 3) ? 9
                                                        : KPRED_MAX_VALUES;
        shape->n_values[t] = test_between(seed, 1, most);
        n_free += shape->n_values[t] > 1;
    }
    if (test_between(seed, 0, 2) == 0)
        shape->n_values[0] = 1;
    shape->wide1 = (uint16_t)(16 * test_between(seed, 1, KPRED_MAX_WIDTH / 16));
    shape->wide2 = (uint16_t)(16 * test_between(seed, 1, KPRED_MAX_WIDTH / 16));
    shape->hidden = (uint16_t)(16 * test_between(seed, 1, KPRED_MAX_HIDDEN / 16));
    shape->extreme = test_between(seed, 0, 3) == 0;
}

static inline void net_random_problem(uint64_t *seed, int32_t *problem)
{
    problem[0] = test_between(seed, 1, test_between(seed, 0, 1) ? 300 : KPRED_MAX_SIZE);
    problem[1] = test_between(seed, 1, test_between(seed, 0, 1) ? 300 : KPRED_MAX_SIZE);
    problem[2] = test_between(seed, 0, 9);
}
