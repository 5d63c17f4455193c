/* rounded.h - the integer network of kpred.h beside the trainer's rounded floats, bit for bit
   SPDX-License-Identifier: MIT

   A float network is rounded twice: into a model, as kpred-train does, which kpred.h's scorer runs,
   and into floats that hold the same numbers. The features come from a random program. Include it
   with KPRED_STATIC, so that the scorer is the one that is compiled here. */
#pragma once

#include "kpred.h"

#include "harness/test.h"
#include "train/quantise.h"

#include <stdlib.h>

enum { ROUNDED_FIELDS = 12, ROUNDED_PREFIXES = 5 };
enum { ROUNDED_BASE = NET_MAX_PARAMS * KPRED_MAX_HIDDEN };

struct rounded {
    struct net net;
    struct model model;
};

/* A feature an instruction, of any kind and a random field, over most of 0..127 */
static inline void rounded_draw_program(struct model *m, size_t n_features, uint64_t *seed)
{
    for (size_t i = 0; i < n_features; i++) {
        kpred_instr *in = m->program.instr + i;
        in->a = (uint8_t)test_between(seed, 0, ROUNDED_FIELDS - 1);
        in->n = 1;
        in->op = (uint8_t)test_between(seed, KPRED_OP_EQUALS, KPRED_OP_FRACTION);
        in->b = (uint8_t)test_between(seed, 4, 15);
        in->k = test_between(seed, 1, in->op == KPRED_OP_FRACTION ? 4096 : 64);
    }
    m->program.n_features = m->program.n_instr = n_features;
    m->net.program = m->program.instr;
    m->net.n_instr = m->net.n_features = (uint16_t)n_features;
}

/* All of the model but the network */
static inline void rounded_describe(struct model *m, const struct net_dims *d, uint64_t *seed)
{
    static const int32_t values[NET_MAX_VALUES];
    memset(m, 0, sizeof *m);
    m->m.name = m->m.kernel = m->m.split = m->m.rule_name = "test";
    m->m.fields = m->fields;
    m->m.n_fields = ROUNDED_FIELDS;
    m->m.params = m->params;
    m->m.n_params = (uint32_t)d->n_params;
    m->m.net = &m->net;
    m->net.heads = m->heads;
    for (size_t i = 0; i < ROUNDED_FIELDS; i++)
        m->fields[i].name = "field";
    for (size_t i = 0; i < d->n_params; i++) {
        m->params[i].name = "param";
        m->params[i].values = values;
        m->params[i].n_values = (int32_t)d->n_values[i];
    }
    rounded_draw_program(m, d->n_features, seed);
}

/* 0, or -1: the model's bounds do not hold. To be freed in both cases. */
static inline int rounded_begin(struct rounded *r, const struct net *net, uint64_t *seed)
{
    struct net_exponents k;
    if (net_new(&r->net, &net->dims, "test"))
        exit(1);
    net_choose_exponents(net, &k);
    net_round(net, &k, &r->net);
    rounded_describe(&r->model, &net->dims, seed);
    return net_quantise(net, &r->model);
}

static inline void rounded_end(struct rounded *r)
{
    net_free(&r->net);
    model_free(&r->model);
}

/* The features of a random problem, as the runtime computes them, and what each side makes of
   them; how many numbers of the contexts differ. A context's unit is 2^-(6 + shift). */
static inline long rounded_start(const struct rounded *r, int32_t *work, float *base,
                                 uint64_t *seed)
{
    int32_t problem[ROUNDED_FIELDS], registers[KPRED_MAX_REGISTERS];
    const size_t n_features = r->net.dims.n_features;
    const double unit = 64.0 * (1 << r->model.net.layer[2].shift);
    int16_t wide[KPRED_MAX_WIDTH];
    uint8_t x[KPRED_MAX_WIDTH];
    long differing = 0;
    for (size_t i = 0; i < ROUNDED_FIELDS; i++)
        registers[i] = problem[i] = test_between(seed, 0, 1 << test_between(seed, 1, 22));
    kpri_features(&r->model.net, ROUNDED_FIELDS, n_features, registers, wide);
    for (size_t i = 0; i < n_features; i++)
        x[i] = (uint8_t)wide[i];
    kpri_additive_start(&r->model.m, problem, work, NULL);
    net_context(&r->net, 1, x, base);
    for (size_t i = 0; i < r->net.at.n_active * r->net.dims.hidden; i++)
        differing += (double)base[i] * unit != (double)work[i];
    return differing;
}

/* How many of all logits after a random prefix differ; the integers are in Q16. */
static inline long rounded_logits(const struct rounded *r, int32_t *work, const float *base,
                                  uint64_t *seed)
{
    const struct net_dims *d = &r->net.dims;
    int32_t integers[KPRED_MAX_VALUES];
    float floats[NET_MAX_VALUES];
    unsigned char prefix[NET_MAX_PARAMS];
    long differing = 0;
    for (size_t t = 0; t < d->n_params; t++) {
        kpri_additive_logits(&r->model.m, work, NULL, prefix, t, integers);
        net_logits(&r->net, 1, base, t, prefix, floats);
        for (size_t v = 0; v < d->n_values[t]; v++)
            differing += (double)floats[v] * 65536.0 != (double)integers[v];
        prefix[t] = (unsigned char)test_between(seed, 0, (int32_t)d->n_values[t] - 1);
    }
    return differing;
}

/* How many numbers differ, over some problems and prefixes of each */
static inline long rounded_differing(const struct rounded *r, size_t n_problems, uint64_t *seed)
{
    static int32_t work[ROUNDED_BASE];
    static float base[ROUNDED_BASE];
    long differing = 0;
    for (size_t i = 0; i < n_problems; i++) {
        differing += rounded_start(r, work, base, seed);
        for (size_t prefix = 0; prefix < ROUNDED_PREFIXES; prefix++)
            differing += rounded_logits(r, work, base, seed);
    }
    return differing;
}
