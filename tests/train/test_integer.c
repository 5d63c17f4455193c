/* test_integer.c - the integer network of kpred.h equals the trainer's rounded floats, bit for bit
   SPDX-License-Identifier: MIT

   On random networks of several dimensions (rounded.h). */
#define KPRED_STATIC
#include "rounded.h"

enum { N_PROBLEMS = 40 };

static uint64_t seed;

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
    CHECK(!rounded_begin(&r, &net, &seed));
    CHECK_EQ(rounded_differing(&r, N_PROBLEMS, &seed), 0);
    rounded_end(&r);
    net_free(&net);
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
    RUN(small);
    RUN(shipped);
    RUN(single_values);
    RUN(nothing_to_decide);
    RUN(largest);
    RUN(random_dimensions);
    return test_end();
}
