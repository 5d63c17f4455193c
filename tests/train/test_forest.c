/* test_forest.c - the random forest that teaches beside the networks
   SPDX-License-Identifier: MIT */
#include "base/numbers.h"
#include "harness/test.h"
#include "train/forest.h"

#include <math.h>
#include <stdlib.h>

/* Rows of 16 activations, two parameters of 2 and 3 values: the first is whether x[3] > 60, the
   second follows from x[3] and x[7] */
enum { ROWS = 400, FEATURES = 16, PARAMS = 2, WIDTH = 5, TREES = 40 };

static uint8_t x[ROWS * FEATURES], y[ROWS * PARAMS], narrow[ROWS];
static const struct net_dims dims = {FEATURES, 16, 16, 16, PARAMS, {2, 3}};

static struct net_rows make_rows(void)
{
    struct net_rows rows;
    uint64_t seed = 1;
    memset(&rows, 0, sizeof rows);
    for (size_t i = 0; i < ROWS; i++) {
        for (size_t f = 0; f < FEATURES; f++)
            x[i * FEATURES + f] = (uint8_t)(num_draw(&seed) % 128);
        const uint8_t *v = x + i * FEATURES;
        y[i * PARAMS] = v[3] > 60;
        y[i * PARAMS + 1] = (uint8_t)(v[3] > 60 ? 1 + (v[7] > 90) : 0);
    }
    rows.n = ROWS;
    rows.x = x;
    rows.y = y;
    return rows;
}

static void start(float *targets)
{
    for (size_t i = 0; i < ROWS * WIDTH; i++)
        targets[i] = i % WIDTH < 2 ? 0.5f : 1.0f / 3;
}

/* How often the likeliest value of parameter 1, given parameter 0, is the label */
static size_t count_right(const float *targets)
{
    size_t right = 0;
    for (size_t i = 0; i < ROWS; i++) {
        const float *p = targets + i * WIDTH + 2;
        const size_t best = p[1] > p[0] ? (p[2] > p[1] ? 2 : 1) : p[2] > p[0] ? 2 : 0;
        right += best == y[i * PARAMS + 1];
    }
    return right;
}

static size_t right_of(const struct net_rows *rows, size_t n_known)
{
    static float targets[ROWS * WIDTH];
    struct forest *f = forest_new(&dims, rows, NULL, TREES, 1, 1);
    start(targets);
    forest_mix(f, rows, n_known, 1, 1, targets);
    forest_free(f);
    return count_right(targets);
}

static void it_learns(void)
{
    const struct net_rows rows = make_rows();
    CHECK(right_of(&rows, ROWS) > ROWS * 9 / 10);
}

/* Of labels by chance, trees that have seen a row would know its own. */
static void seen_rows_are_asked_of_others(void)
{
    const struct net_rows rows = make_rows();
    uint64_t seed = 2;
    for (size_t i = 0; i < ROWS; i++) {
        y[i * PARAMS] = 0;
        y[i * PARAMS + 1] = (uint8_t)(num_draw(&seed) % 3);
    }
    CHECK(right_of(&rows, ROWS) < ROWS / 2);
    CHECK(right_of(&rows, 0) > ROWS * 9 / 10);
}

static void targets_are_distributions(void)
{
    static float targets[ROWS * WIDTH];
    const struct net_rows rows = make_rows();
    struct forest *f = forest_new(&dims, &rows, NULL, TREES, 1, 1);
    start(targets);
    forest_mix(f, &rows, ROWS, 0.25f, 1, targets);
    for (size_t i = 0; i < ROWS; i++) {
        const float *p = targets + i * WIDTH;
        CHECK(fabsf(p[0] + p[1] - 1) < 1e-5f && fabsf(p[2] + p[3] + p[4] - 1) < 1e-5f);
        CHECK(p[0] >= 0.374f && p[0] <= 0.626f); /* three quarters of a half stay */
    }
    forest_free(f);
}

/* A prefix that no class begins with leaves a target as it was. */
static void unknown_prefixes(void)
{
    static float targets[ROWS * WIDTH];
    static uint8_t other[ROWS * PARAMS];
    struct net_rows rows = make_rows();
    for (size_t i = 0; i < ROWS; i++)
        y[i * PARAMS] = 0; /* value 1 of the first parameter never comes */
    struct forest *f = forest_new(&dims, &rows, NULL, TREES, 1, 1);
    for (size_t i = 0; i < ROWS; i++)
        other[i * PARAMS] = 1;
    rows.y = other;
    start(targets);
    forest_mix(f, &rows, 0, 1, 1, targets);
    for (size_t i = 0; i < ROWS; i++) {
        CHECK(targets[i * WIDTH] == 1 && targets[i * WIDTH + 1] == 0);
        CHECK(targets[i * WIDTH + 2] == 1.0f / 3 && targets[i * WIDTH + 4] == 1.0f / 3);
    }
    forest_free(f);
}

static void the_same_for_any_threads(void)
{
    static float one[ROWS * WIDTH], four[ROWS * WIDTH];
    const struct net_rows rows = make_rows();
    struct forest *f = forest_new(&dims, &rows, NULL, TREES, 7, 1);
    struct forest *g = forest_new(&dims, &rows, NULL, TREES, 7, 4);
    start(one);
    start(four);
    forest_mix(f, &rows, ROWS, 0.5f, 1, one);
    forest_mix(g, &rows, ROWS, 0.5f, 4, four);
    CHECK(memcmp(one, four, sizeof one) == 0);
    forest_free(f);
    forest_free(g);
}

/* Narrow rows all say 0, others 1; asked, it answers as for the others. */
static void narrow_rows(void)
{
    static float targets[ROWS * WIDTH];
    const struct net_rows rows = make_rows();
    for (size_t i = 0; i < ROWS; i++) {
        narrow[i] = i % 2;
        y[i * PARAMS] = !narrow[i];
        y[i * PARAMS + 1] = 0;
    }
    struct forest *f = forest_new(&dims, &rows, narrow, TREES, 1, 1);
    double said = 0;
    start(targets);
    forest_mix(f, &rows, 0, 1, 1, targets);
    for (size_t i = 0; i < ROWS; i++)
        said += (double)targets[i * WIDTH + 1] / ROWS;
    CHECK(said > 0.8);
    forest_free(f);
}

int main(void)
{
    RUN(it_learns);
    RUN(seen_rows_are_asked_of_others);
    RUN(targets_are_distributions);
    RUN(unknown_prefixes);
    RUN(the_same_for_any_threads);
    RUN(narrow_rows);
    return test_end();
}
