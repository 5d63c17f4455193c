/* test_integer.c - the integer network of kpred.h equals the trainer's integer twin, bit for bit
   SPDX-License-Identifier: MIT

   Linked with tools/train/additive.c and what that needs. The trainer rounds random networks of several
   dimensions; the same arrays, as kpred-train lays them out, run behind kpred.h's scorer. */
#define KPRED_STATIC
#include "kpred.h"

#include "harness/test.h"
#include "train/additive.h"

#include <stdlib.h>
#include <string.h>

enum { N_FIELDS = 12, N_PROBLEMS = 40, N_PREFIXES = 5 };
enum { MOST_BASE = NET_MAX_PARAMS * KPRED_MAX_HIDDEN };

static uint64_t seed;

/* A rounded network and the model made of it, which points into `memory` too */
struct pair {
    struct qnet q;
    kpred_model model;
    kpred_additive net;
    kpred_param params[NET_MAX_PARAMS];
    kpred_head heads[NET_MAX_PARAMS];
    kpred_instr program[KPRED_MAX_WIDTH];
    int8_t *memory[NET_MAX_PARAMS];
};

/* ---- from the trainer's network to the model ---- */

/* A feature an instruction, of any kind and a random field, over most of 0..127 */
static void draw_program(struct pair *p)
{
    size_t i;
    for (i = 0; i < p->q.dims.n_features; i++) {
        kpred_instr *in = p->program + i;
        in->a = (uint8_t)test_between(&seed, 0, N_FIELDS - 1);
        in->n = 1;
        in->op = (uint8_t)test_between(&seed, KPRED_OP_EQUALS, KPRED_OP_FRACTION);
        in->b = (uint8_t)test_between(&seed, 4, 15);
        in->k = test_between(&seed, 1, in->op == KPRED_OP_FRACTION ? 4096 : 64);
    }
    p->net.program = p->program;
    p->net.n_instr = p->net.n_features = (uint16_t)p->q.dims.n_features;
}

static void set_layer(kpred_layer *l, const int8_t *w, const int32_t *b, size_t rows, size_t cols,
                      int shift)
{
    l->weight = w;
    l->bias = b;
    l->rows = (uint16_t)rows;
    l->cols = (uint16_t)cols;
    l->shift = (uint8_t)shift;
}

/* The output rows, padded to four, and behind them their biases */
static void set_head(struct pair *p, size_t t)
{
    const size_t hidden = p->q.dims.hidden, n = p->q.dims.n_values[t];
    const size_t rows = (n + 3) / 4 * 4;
    const int *k = p->q.k.k;
    kpred_head *h = p->heads + t;
    int32_t *bias;
    p->memory[t] = calloc(rows, hidden + sizeof *bias);
    if (!p->memory[t])
        exit(1);
    bias = (int32_t *)(void *)(p->memory[t] + rows * hidden);
    memcpy(p->memory[t], p->q.out[t], n * hidden);
    memcpy(bias, p->q.bias[t], n * sizeof *bias);
    h->weight = p->memory[t];
    h->bias = bias;
    h->embedding = p->q.emb[t];
    h->embedding_shift = (uint8_t)(p->q.at.first_row[t] ? 6 + k[NET_KC] - k[NET_KE + 2 * t] : 0);
    h->hidden_shift = (uint8_t)k[NET_KC];
    h->logit_shift = (uint8_t)(10 - k[NET_KE + 2 * t + 1]);
}

static void assemble(struct pair *p)
{
    const struct net_dims *d = &p->q.dims;
    const int *k = p->q.k.k;
    size_t t;
    draw_program(p);
    set_layer(&p->net.layer[0], p->q.w1, p->q.b1, d->enc1, d->n_features, k[NET_K1]);
    set_layer(&p->net.layer[1], p->q.w2, p->q.b2, d->enc2, d->enc1, k[NET_K2]);
    set_layer(&p->net.layer[2], p->q.wc, p->q.bc, p->q.at.n_active * d->hidden, d->enc2, k[NET_KC]);
    for (t = 0; t < d->n_params; t++) {
        p->params[t].n_values = (int32_t)d->n_values[t];
        if (d->n_values[t] > 1)
            set_head(p, t);
    }
    p->net.hidden = (uint16_t)d->hidden;
    p->net.heads = p->heads;
    p->model.n_fields = N_FIELDS;
    p->model.n_params = (uint32_t)d->n_params;
    p->model.params = p->params;
    p->model.net = &p->net;
}

/* A random network, its weights and biases `scale` times those that training begins with */
static void pair_begin(struct pair *p, const struct net_dims *dims, float scale)
{
    struct net net;
    struct net_exponents k;
    char text[200] = "";
    size_t i;
    memset(p, 0, sizeof *p);
    if (!net_new(&net, dims))
        exit(1);
    net_init(&net, test_random64(&seed));
    for (i = 0; i < net.at.n_weights; i++)
        net.w[i] = net.w[i] * scale + (net.w[i] < 0 ? -0.01f : 0.01f);
    net_choose_exponents(&net, &k);
    if (!net_quantise(&net, &k, &p->q))
        exit(1);
    net_free(&net);
    CHECK(qnet_check_bounds(&p->q, text, sizeof text));
    assemble(p);
}

static void pair_end(struct pair *p)
{
    size_t t;
    for (t = 0; t < NET_MAX_PARAMS; t++)
        free(p->memory[t]);
    qnet_free(&p->q);
}

/* ---- one problem ---- */

/* The features, as the runtime computes them, into x; the context that each side makes of them. */
static void start_both(const struct pair *p, int32_t *work, int32_t *base)
{
    int32_t problem[N_FIELDS], registers[KPRED_MAX_REGISTERS];
    int16_t wide[KPRED_MAX_WIDTH];
    uint8_t x[KPRED_MAX_WIDTH];
    size_t i;
    for (i = 0; i < N_FIELDS; i++)
        registers[i] = problem[i] = test_between(&seed, 0, 1 << test_between(&seed, 1, 22));
    kpri_features(&p->net, N_FIELDS, p->q.dims.n_features, registers, wide);
    for (i = 0; i < p->q.dims.n_features; i++)
        x[i] = (uint8_t)wide[i];
    kpri_additive_start(&p->model, problem, work, NULL);
    qnet_context(&p->q, x, base);
}

/* How many of all logits after a random prefix differ, counted from n */
static long count_differing_logits(const struct pair *p, int32_t *work, const int32_t *base, long n)
{
    int32_t one[KPRED_MAX_VALUES], other[KPRED_MAX_VALUES];
    unsigned char prefix[NET_MAX_PARAMS];
    size_t t, v;
    for (t = 0; t < p->q.dims.n_params; t++) {
        const int32_t last = (int32_t)p->q.dims.n_values[t] - 1;
        kpri_additive_logits(&p->model, work, NULL, prefix, t, one);
        qnet_logits(&p->q, base, t, prefix, other);
        for (v = 0; v < p->q.dims.n_values[t]; v++)
            n += one[v] != other[v];
        prefix[t] = (unsigned char)test_between(&seed, 0, last);
    }
    return n;
}

static void check_problem(const struct pair *p)
{
    static int32_t work[MOST_BASE], base[MOST_BASE];
    const size_t n = p->q.at.n_active * p->q.dims.hidden;
    size_t i;
    long differing = 0;
    start_both(p, work, base);
    for (i = 0; i < n; i++)
        differing += work[i] != base[i];
    CHECK_EQ(differing, 0);
    for (i = 0, differing = 0; i < N_PREFIXES; i++)
        differing = count_differing_logits(p, work, base, differing);
    CHECK_EQ(differing, 0);
}

static void check_network(const struct net_dims *dims, float scale)
{
    static struct pair p;
    int i;
    pair_begin(&p, dims, scale);
    for (i = 0; i < N_PROBLEMS; i++)
        check_problem(&p);
    pair_end(&p);
}

/* ---- the tests ---- */

static void check_scales(const struct net_dims *dims)
{
    check_network(dims, 1);
    check_network(dims, 0.125f);
    check_network(dims, 5); /* most activations at the clip */
}

static void small(void)
{
    static const struct net_dims dims = {16, 16, 16, 16, 1, {2}};
    check_scales(&dims);
}

static void shipped(void)
{
    static const struct net_dims dims = {128, 128, 128, 64, 8, {4, 5, 8, 5, 4, 3, 3, 4}};
    check_scales(&dims);
}

static void single_values(void)
{
    static const struct net_dims dims = {48, 32, 64, 32, 9, {1, 1, 3, 1, 17, 2, 1, 5, 1}};
    check_scales(&dims);
}

static void nothing_to_decide(void)
{
    static const struct net_dims dims = {16, 16, 16, 16, 3, {1, 1, 1}};
    check_network(&dims, 1);
}

static void largest(void)
{
    static const struct net_dims dims = {
        192, 192, 192, 128, 16, {64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64}};
    check_scales(&dims);
}

static void random_dimensions(void)
{
    int i;
    for (i = 0; i < 20; i++) {
        struct net_dims d;
        size_t t;
        memset(&d, 0, sizeof d);
        d.n_features = 16 * (size_t)test_between(&seed, 1, 8);
        d.enc1 = 16 * (size_t)test_between(&seed, 1, 8);
        d.enc2 = 16 * (size_t)test_between(&seed, 1, 8);
        d.hidden = 16 * (size_t)test_between(&seed, 1, 6);
        d.n_params = (size_t)test_between(&seed, 1, NET_MAX_PARAMS);
        for (t = 0; t < d.n_params; t++)
            d.n_values[t] = (size_t)test_between(&seed, 1, 1 << test_between(&seed, 0, 6));
        check_scales(&d);
    }
}

int main(void)
{
    RUN(small);
    RUN(shipped);
    RUN(single_values);
    RUN(nothing_to_decide);
    RUN(largest);
    RUN(random_dimensions);
    return test_end();
}
