/* test_net.c - small networks: what layers compute, their slopes, what is learnt, parts of images
   SPDX-License-Identifier: MIT */
#include "evolve/ml/images.h"
#include "evolve/ml/layers.h"

#include "base/numbers.h"
#include "base/util.h"
#include "harness/test.h"

#include <math.h>
#include <stdlib.h>

enum { MOST = 1024 };

static void draw(float *v, size_t n, uint64_t seed)
{
    for (size_t i = 0; i < n; i++)
        v[i] = num_signed(&seed);
}

/* ---- layers ---- */

/* A window whose middle is 1 takes what is there: all, or each second place. */
static void windows(void)
{
    static const enum net_kind kinds[] = {NET_CONV, NET_DEPTHWISE};
    for (size_t k = 0; k < 2; k++)
        for (int stride = 1; stride <= 2; stride++) {
            float in[64], out[64], value[10] = {[4] = 1, [9] = 0.5f};
            const struct net_layer l = {.kind = kinds[k],
                                        .in = {8, 8, 1},
                                        .out = {8 / stride, 8 / stride, 1},
                                        .size = 3,
                                        .stride = stride,
                                        .n_weights = 9,
                                        .biases = 9,
                                        .n_biases = 1};
            draw(in, 64, 1);
            layer_run(&l, value, in, out);
            for (int y = 0; y < l.out.height; y++)
                for (int x = 0; x < l.out.width; x++) {
                    const int r = y * stride + stride - 1, c = x * stride + stride - 1;
                    CHECK(fabsf(out[y * l.out.width + x] - in[r * 8 + c] - 0.5f) < 1e-6f);
                }
        }
}

static void padding(void)
{
    CHECK_EQ(layer_padding(8, 8, 3, 1), 1);
    CHECK_EQ(layer_padding(8, 4, 3, 2), 0); /* one row behind the last one */
    CHECK_EQ(layer_padding(8, 8, 1, 1), 0);
}

static double weighted(const struct net_layer *l, const float *value, const float *in,
                       const float *weight)
{
    float out[MOST];
    double sum = 0;
    layer_run(l, value, in, out);
    for (size_t i = 0; i < net_size(l->out); i++)
        sum += (double)out[i] * (double)weight[i];
    return sum;
}

/* A layer without max is linear in its values, and in what goes in: a difference is the slope. */
static double by_difference(const struct net_layer *l, float *value, float *in, float *changed,
                            const float *weight)
{
    const float old = *changed;
    *changed = old + 1;
    const double above = weighted(l, value, in, weight);
    *changed = old - 1;
    const double below = weighted(l, value, in, weight);
    *changed = old;
    return (above - below) / 2;
}

static void slopes_of(const struct net *net, struct net_layer l)
{
    float in[MOST], out[MOST], weight[MOST], slope_out[MOST], slope_in[MOST];
    float *slope = xcalloc(net->n_values, sizeof *slope);
    l.is_relu = 0;
    draw(in, net_size(l.in), 2);
    draw(weight, net_size(l.out), 3);
    memcpy(slope_out, weight, sizeof slope_out);
    layer_run(&l, net->value, in, out);
    layer_learn(&l, net->value, in, out, slope_out, slope_in, slope);
    for (size_t i = 0; i < net_size(l.in); i += 3)
        CHECK(fabs(by_difference(&l, net->value, in, &in[i], weight) - (double)slope_in[i]) < 1e-3);
    for (size_t i = l.weights; i < l.biases + l.n_biases; i += 3)
        CHECK(fabs(by_difference(&l, net->value, in, &net->value[i], weight) - (double)slope[i])
              < 1e-3);
    for (size_t i = 0; i < net->n_values; i++)
        CHECK((i >= l.weights && i < l.biases + l.n_biases) || slope[i] == 0);
    free(slope);
}

static void slopes(void)
{
    static const char *const names[] = {"dense", "mobile"};
    for (size_t k = 0; k < 2; k++) {
        struct net net;
        REQUIRE(net_open(&net, names[k], (struct net_shape){6, 6, 1}, 4, 5) == 0);
        for (size_t i = 0; i < net.n; i++)
            slopes_of(&net, net.layer[i]);
        net_close(&net);
    }
}

/* Where max gives 0 no slope goes back. */
static void max_stops_slopes(void)
{
    const struct net_layer l = {.kind = NET_DENSE,
                                .in = {1, 1, 1},
                                .out = {1, 1, 2},
                                .is_relu = 1,
                                .n_weights = 2,
                                .biases = 2,
                                .n_biases = 2};
    const float value[4] = {2, -3, 0, 0}, in[1] = {1};
    float out[2], slope_out[2] = {1, 1}, slope_in[1], slope[4] = {0};
    layer_run(&l, value, in, out);
    CHECK(out[0] == 2 && out[1] == 0);
    layer_learn(&l, value, in, out, slope_out, slope_in, slope);
    CHECK(slope_in[0] == 2 && slope[0] == 1 && slope[1] == 0 && slope[3] == 0);
}

/* ---- learning ---- */

/* Label 0: the upper half is brighter, 1: the left one, 2: neither */
static struct images easy_images(size_t n)
{
    struct images images = {.n = n, .size = 36};
    uint64_t seed = 7;
    images.pixel = xcalloc(n * 36, sizeof *images.pixel);
    images.label = xcalloc(n, sizeof *images.label);
    for (size_t i = 0; i < n; i++) {
        images.label[i] = (int)(i * 7 % 3);
        for (int p = 0; p < 36; p++) {
            const int is_bright =
                (images.label[i] == 0 && p < 18) || (images.label[i] == 1 && p % 6 < 3);
            images.pixel[i * 36 + (size_t)p] = (is_bright ? 0.7f : 0.2f) + 0.2f * num_signed(&seed);
        }
    }
    return images;
}

static void learning(void)
{
    static const char *const names[] = {"dense", "mobile"};
    struct images images = easy_images(200);
    const struct net_plan plan = {4, 8, 0.05, 0.9, 1};
    CHECK_EQ(images_labels(&images), 3);
    for (size_t k = 0; k < 2; k++) {
        struct net net, again;
        REQUIRE(net_open(&net, names[k], (struct net_shape){6, 6, 1}, 3, 5) == 0);
        REQUIRE(net_open(&again, names[k], (struct net_shape){6, 6, 1}, 3, 5) == 0);
        CHECK(net_accuracy(&net, &images) < 0.8);
        net_train(&net, &images, &plan, NULL);
        net_train(&again, &images, &plan, NULL);
        CHECK(net_accuracy(&net, &images) > 0.97);
        CHECK(memcmp(net.value, again.value, net.n_values * sizeof *net.value) == 0);
        net_close(&net);
        net_close(&again);
    }
    images_free(&images);
}

/* ---- parts ---- */

/* Each image is in one part of a split, and in one split's test. */
static void parts(void)
{
    enum { N = 600 };
    struct images images = easy_images(N);
    int tested[N] = {0};
    for (size_t i = 0; i < N; i++)
        images.pixel[i * images.size] = (float)i;
    for (int split = 0; split < IMAGES_SPLITS; split++) {
        static const size_t sizes[] = {330, 90, 60, 120};
        int seen[N] = {0};
        for (int part = IMAGES_TRAIN; part <= IMAGES_TEST; part++) {
            struct images p = images_part(&images, split, (enum images_part)part);
            CHECK_EQ(p.n, sizes[part]);
            for (size_t i = 0; i < p.n; i++) {
                const size_t at = (size_t)p.pixel[i * p.size];
                CHECK(p.label[i] == images.label[at]);
                seen[at]++;
                tested[at] += part == IMAGES_TEST;
            }
            images_free(&p);
        }
        for (size_t i = 0; i < N; i++)
            CHECK_EQ(seen[i], 1);
    }
    for (size_t i = 0; i < N; i++)
        CHECK_EQ(tested[i], 1);
    images_free(&images);
}

int main(void)
{
    RUN(windows);
    RUN(padding);
    RUN(slopes);
    RUN(max_stops_slopes);
    RUN(learning);
    RUN(parts);
    return test_end();
}
