/* test_integer.c - the integer network of kpred.h equals the trainer's rounded floats, bit for bit
   SPDX-License-Identifier: MIT

   On random networks of several dimensions. A float network is rounded twice: into a model, as
   kpred-train does, which kpred.h's scorer runs, and into floats that hold the same numbers. The
   features come from a random program. */
#define KPRED_STATIC
#include "kpred.h"

#include "harness/test.h"
#include "model/model.h"
#include "train/additive_net.h"

#include <stdlib.h>

enum { N_PROBLEMS = 40 };

static uint64_t seed;

enum { FIELDS = 12, PREFIXES = 5, BASE = NET_MAX_PARAMS * KPRED_MAX_HIDDEN };

struct rounded {
    struct net net;
    struct model model;
};

/* A feature an instruction, of any kind and a random field, over most of 0..127 */
static void draw_program(struct model *m, size_t n_features)
{
    for (size_t i = 0; i < n_features; i++) {
        kpred_instr *in = m->program.instr + i;
        in->a = (uint8_t)test_between(&seed, 0, FIELDS - 1);
        in->n = 1;
        in->op = (uint8_t)test_between(&seed, KPRED_OP_EQUALS, KPRED_OP_FRACTION);
        in->b = (uint8_t)test_between(&seed, 4, 15);
        in->k = test_between(&seed, 1, in->op == KPRED_OP_FRACTION ? 4096 : 64);
    }
    m->program.n_features = m->program.n_instr = n_features;
    m->net.program = m->program.instr;
    m->net.n_instr = m->net.n_features = (uint16_t)n_features;
}

/* All of the model but the network */
static void describe(struct model *m, const struct net_dims *d)
{
    static const int32_t values[NET_MAX_VALUES];
    memset(m, 0, sizeof *m);
    m->m.name = m->m.kernel = m->m.split = m->m.rule_name = "test";
    m->m.fields = m->fields;
    m->m.n_fields = FIELDS;
    m->m.params = m->params;
    m->m.n_params = (uint32_t)d->n_params;
    m->m.net = &m->net;
    m->net.heads = m->heads;
    for (size_t i = 0; i < FIELDS; i++)
        m->fields[i].name = "field";
    for (size_t i = 0; i < d->n_params; i++) {
        m->params[i].name = "param";
        m->params[i].values = values;
        m->params[i].n_values = (int32_t)d->n_values[i];
    }
    draw_program(m, d->n_features);
}

/* 0, or -1: the model's bounds do not hold. To be freed in both cases. */
static int begin(struct rounded *r, const struct net *net)
{
    struct net_exponents k;
    if (net_new(&r->net, &net->dims, "test"))
        exit(1);
    net_choose_exponents(net, &k);
    net_round(net, &k, &r->net);
    describe(&r->model, &net->dims);
    return net_quantise(net, &r->model);
}

static void end(struct rounded *r)
{
    net_free(&r->net);
    model_free(&r->model);
}

/* The features of a random problem, as the runtime computes them, and what each side makes of
   them; how many numbers of the contexts differ. A context's unit is 2^-(6 + shift). */
static long start(const struct rounded *r, int32_t *work, float *base)
{
    int32_t problem[FIELDS], registers[KPRED_MAX_REGISTERS];
    const size_t n_features = r->net.dims.n_features;
    const double unit = 64.0 * (1 << r->model.net.layer[2].shift);
    int16_t wide[KPRED_MAX_WIDTH];
    uint8_t x[KPRED_MAX_WIDTH];
    long differing = 0;
    for (size_t i = 0; i < FIELDS; i++)
        registers[i] = problem[i] = test_between(&seed, 0, 1 << test_between(&seed, 1, 22));
    kpri_features(&r->model.net, FIELDS, n_features, registers, wide);
    for (size_t i = 0; i < n_features; i++)
        x[i] = (uint8_t)wide[i];
    kpri_additive_start(&r->model.m, problem, work, NULL);
    net_context(&r->net, 1, x, base);
    for (size_t i = 0; i < r->net.at.n_active * r->net.dims.hidden; i++)
        differing += (double)base[i] * unit != (double)work[i];
    return differing;
}

/* How many of all logits after a random prefix differ; the integers are in Q16. */
static long logits(const struct rounded *r, int32_t *work, const float *base)
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
        prefix[t] = (unsigned char)test_between(&seed, 0, (int32_t)d->n_values[t] - 1);
    }
    return differing;
}

/* How many numbers differ, over some problems and prefixes of each */
static long count_differing(const struct rounded *r)
{
    static int32_t work[BASE];
    static float base[BASE];
    long differing = 0;
    for (size_t i = 0; i < N_PROBLEMS; i++) {
        differing += start(r, work, base);
        for (size_t prefix = 0; prefix < PREFIXES; prefix++)
            differing += logits(r, work, base);
    }
    return differing;
}

/* A random network, its weights and biases `scale` times those that training begins with */
static void check_network(const struct net_dims *dims, float scale)
{
    static struct rounded r;
    struct net net;
    if (net_new(&net, dims, "test"))
        exit(1);
    net_init(&net, test_random64(&seed));
    for (size_t i = 0; i < net.at.n_weights; i++)
        net.w[i] = net.w[i] * scale + (net.w[i] < 0 ? -0.01f : 0.01f);
    CHECK(!begin(&r, &net));
    CHECK_EQ(count_differing(&r), 0);
    end(&r);
    net_free(&net);
}

/* ---- the tests ---- */

static void check_scales(const struct net_dims *dims)
{
    check_network(dims, 1);
    check_network(dims, 0.125f);
    check_network(dims, 5); /* most activations at the clip */
}

static void fixed_dimensions(void)
{
    static const struct net_dims all[] = {
        {16, 16, 16, 16, 1, {2}},
        {128, 128, 128, 64, 8, {4, 5, 8, 5, 4, 3, 3, 4}}, /* as shipped */
        {48, 32, 64, 32, 9, {1, 1, 3, 1, 17, 2, 1, 5, 1}},
        {16, 16, 16, 16, 3, {1, 1, 1}}, /* nothing to decide */
        {192, 192, 192, 128, 16, {64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64}}};
    for (size_t i = 0; i < COUNT(all); i++)
        check_scales(&all[i]);
}

static void random_dimensions(void)
{
    for (int i = 0; i < 20; i++) {
        struct net_dims d;
        size_t t, heads = 0; /* at most KPRED_MAX_PARAMS, as kpred_init demands */
        memset(&d, 0, sizeof d);
        d.n_features = 16 * (size_t)test_between(&seed, 1, 8);
        d.enc1 = 16 * (size_t)test_between(&seed, 1, 8);
        d.enc2 = 16 * (size_t)test_between(&seed, 1, 8);
        d.hidden = 16 * (size_t)test_between(&seed, 1, 6);
        d.n_params = (size_t)test_between(&seed, 1, NET_MAX_PARAMS);
        for (t = 0; t < d.n_params; t++) {
            const int32_t most = heads < KPRED_MAX_PARAMS ? 1 << test_between(&seed, 0, 6) : 1;
            d.n_values[t] = (size_t)test_between(&seed, 1, most);
            heads += d.n_values[t] > 1;
        }
        check_scales(&d);
    }
}

int main(void)
{
    RUN(fixed_dimensions);
    RUN(random_dimensions);
    return test_end();
}
