/* test_targets.c - what networks learn from: timed rows, how many a problem gets, the forest that
   teaches beside the networks, and the problems that tell when to stop
   SPDX-License-Identifier: MIT */
#define KPRED_STATIC
#include "kpred.h"

#include "base/numbers.h"
#include "data/split.h"
#include "harness/test.h"
#include "train/timed.h"

#include <math.h>
#include <stdlib.h>

enum { CROWD = 64, ROWS = CROWD + 2, FIELDS = 2, PARAMS = 2 };

static const char text[] = "[kernel]\nname = toy\nrule = unconstrained\n[data]\nformat = timed\n"
                           "[fields]\nm = size\nn = size\n[params]\nsplit = 0 1 2\nt = 8 16\n"
                           "[split]\nconfig = m,n\nbalance = n,octave(m)\n"
                           "[features]\nequals m 64 1\n";

static struct spec s; /* of that text */
static int32_t problem[ROWS * FIELDS];
static unsigned char target[ROWS * PARAMS], part[ROWS], narrow[ROWS];
static double time_us[ROWS];
static uint32_t unknown[ROWS];

/* 64 problems of one group (m from 64 to 127), one of a group of its own, and one that is kept */
static struct dataset make_rows(void)
{
    struct dataset d;
    memset(&d, 0, sizeof d);
    for (int32_t i = 0; i < ROWS; i++) {
        problem[i * FIELDS] = CROWD + i;
        problem[i * FIELDS + 1] = i < CROWD ? 1 : 2;
        target[i * PARAMS + 1] = (unsigned char)(i % 2);
        time_us[i] = 1 + i;
    }
    part[ROWS - 1] = HELD_OUT_TEST;
    d.n = ROWS;
    d.n_fields = FIELDS;
    d.n_params = PARAMS;
    d.problem = problem;
    d.target = target;
    d.time_us = time_us;
    d.unknown = unknown;
    return d;
}

static struct recipe make_recipe(void)
{
    struct recipe r;
    CHECK(recipe_from_spec(&s, &r) == 0);
    r.draws = 4;
    return r;
}

/* Of 65 problems with 4 rows each, 260 in all, thinned or not: with the root of 64, 8 for 64 and 8
   for the one alone, and so on. Each is rounded by chance. */
static void groups_share(void)
{
    static const struct {
        double balance, thinned, crowd, alone;
    } cases[] = {{0, 1, 4, 4}, {0.5, 1, 3.61, 28.9}, {1, 1, 2.03, 130}, {1, 0.1, 0.203, 13}};
    const struct dataset d = make_rows();
    struct recipe r = make_recipe();
    for (size_t i = 0; i < COUNT(cases); i++) {
        const double crowd = cases[i].crowd, alone = cases[i].alone;
        double sum = 0;
        r.balance = cases[i].balance;
        r.thinned = cases[i].thinned;
        size_t *rows = balance_rows(&r, &s, &d, part);
        for (size_t p = 0; p < CROWD; p++) {
            CHECK((double)rows[p] > crowd - 1 && (double)rows[p] < crowd + 1);
            sum += (double)rows[p];
        }
        CHECK(sum > CROWD * crowd - 8 && sum < CROWD * crowd + 8);
        CHECK((double)rows[CROWD] > alone - 1 && (double)rows[CROWD] < alone + 1);
        CHECK_EQ(rows[CROWD + 1], 4);
        free(rows);
    }
}

/* Groups of 1, 2, ... 11 problems, mixed, of which each gets as many rows: an 11th of 66 * 4. */
static void many_groups(void)
{
    const struct dataset d = make_rows();
    struct recipe r = make_recipe();
    int32_t group = 0;
    r.balance = 1;
    part[ROWS - 1] = HELD_OUT_TRAIN;
    for (int32_t i = 0, left = 1; i < ROWS; i++, left--) {
        const int32_t at = i * 25 % ROWS; /* each row once */
        if (left == 0)
            left = ++group + 1;
        problem[at * FIELDS] = CROWD;
        problem[at * FIELDS + 1] = group;
    }
    size_t *rows = balance_rows(&r, &s, &d, part);
    for (size_t i = 0; i < ROWS; i++) {
        const double wanted = ROWS * 4 / 11.0 / (problem[i * FIELDS + 1] + 1);
        CHECK((double)rows[i] > wanted - 1 && (double)rows[i] < wanted + 1);
    }
    free(rows);
}

/* Learns from the first problem; `untried` is how many of its rows leave values 1 and 2 aside. */
static size_t count_untried(double as_searched)
{
    enum { DRAWS = 200, N_VALUES = 5 };
    static int32_t to_problem[DRAWS * FIELDS];
    static unsigned char to_target[DRAWS * PARAMS];
    static float soft[DRAWS * N_VALUES];
    struct recipe_rows to = {.problem = to_problem, .target = to_target, .soft = soft};
    const struct time_problem first = {0, 1, DRAWS};
    struct dataset d = make_rows();
    struct recipe r = make_recipe();
    struct model model;
    size_t n = 0;
    r.as_searched = as_searched;
    d.narrow = narrow;
    memset(&model, 0, sizeof model);
    CHECK(model_from_spec(&model, &s, "none") == 0);
    CHECK(time_targets_add(&r, &model, &d, &first, 1, &to));
    CHECK_EQ(to.n, DRAWS);
    for (size_t i = 0; i < to.n; i++) {
        const float *p = soft + i * N_VALUES;
        CHECK(p[0] > 0.99f && p[3] > 0.99f && (p[1] < 0) == (p[2] < 0));
        n += p[1] < 0;
    }
    model_free(&model);
    return n;
}

static void untried_values(void)
{
    s.unsearched = "0";
    CHECK_EQ(count_untried(0), 0);
    narrow[0] = 1;
    CHECK_EQ(count_untried(0), 200);
    CHECK_EQ(count_untried(1), 0);
    const size_t some = count_untried(0.5);
    CHECK(some > 70 && some < 130);
    s.unsearched = NULL;
    CHECK_EQ(count_untried(0), 0);
}

/* ---- the forest ---- */

/* Rows of 16 activations, two parameters of 2 and 3 values: the first is whether x[3] > 60, the
   second follows from x[3] and x[7] */
enum { SEEN = 400, FEATURES = 16, WIDTH = 5, TREES = 40 };

static uint8_t x[SEEN * FEATURES], y[SEEN * PARAMS], is_narrow[SEEN];
static const struct net_dims dims = {FEATURES, 16, 16, 16, PARAMS, {2, 3}};

static struct net_rows seen_rows(void)
{
    struct net_rows rows;
    uint64_t seed = 1;
    memset(&rows, 0, sizeof rows);
    for (size_t i = 0; i < SEEN; i++) {
        for (size_t f = 0; f < FEATURES; f++)
            x[i * FEATURES + f] = (uint8_t)(num_draw(&seed) % 128);
        const uint8_t *v = x + i * FEATURES;
        y[i * PARAMS] = v[3] > 60;
        y[i * PARAMS + 1] = (uint8_t)(v[3] > 60 ? 1 + (v[7] > 90) : 0);
    }
    rows.n = SEEN;
    rows.x = x;
    rows.y = y;
    return rows;
}

/* How often the likeliest value of parameter 1, given parameter 0, is the label */
static size_t count_right(const float *targets)
{
    size_t right = 0;
    for (size_t i = 0; i < SEEN; i++) {
        const float *p = targets + i * WIDTH + 2;
        const size_t best = p[1] > p[0] ? (p[2] > p[1] ? 2 : 1) : p[2] > p[0] ? 2 : 0;
        right += best == y[i * PARAMS + 1];
    }
    return right;
}

/* What a forest of these rows makes of level targets of the rows `asked` */
static void mix(const struct net_rows *rows, const uint8_t *marked, const struct net_rows *asked,
                size_t n_known, float share, float *targets)
{
    struct forest *f = forest_new(&dims, rows, marked, TREES, 1, 1);
    for (size_t i = 0; i < SEEN * WIDTH; i++)
        targets[i] = i % WIDTH < 2 ? 0.5f : 1.0f / 3;
    forest_mix(f, asked, n_known, share, 1, targets);
    forest_free(f);
}

static size_t right_of(const struct net_rows *rows, size_t n_known)
{
    static float targets[SEEN * WIDTH];
    mix(rows, NULL, rows, n_known, 1, targets);
    return count_right(targets);
}

static void it_learns(void)
{
    const struct net_rows rows = seen_rows();
    CHECK(right_of(&rows, SEEN) > SEEN * 9 / 10);
}

/* Of labels by chance, trees that have seen a row would know its own. */
static void seen_rows_are_asked_of_others(void)
{
    const struct net_rows rows = seen_rows();
    uint64_t seed = 2;
    for (size_t i = 0; i < SEEN; i++) {
        y[i * PARAMS] = 0;
        y[i * PARAMS + 1] = (uint8_t)(num_draw(&seed) % 3);
    }
    CHECK(right_of(&rows, SEEN) < SEEN / 2);
    CHECK(right_of(&rows, 0) > SEEN * 9 / 10);
}

static void targets_are_distributions(void)
{
    static float targets[SEEN * WIDTH];
    const struct net_rows rows = seen_rows();
    mix(&rows, NULL, &rows, SEEN, 0.25f, targets);
    for (size_t i = 0; i < SEEN; i++) {
        const float *p = targets + i * WIDTH;
        CHECK(fabsf(p[0] + p[1] - 1) < 1e-5f && fabsf(p[2] + p[3] + p[4] - 1) < 1e-5f);
        CHECK(p[0] >= 0.374f && p[0] <= 0.626f); /* three quarters of a half stay */
    }
}

/* A prefix that no class begins with leaves a target as it was. */
static void unknown_prefixes(void)
{
    static float targets[SEEN * WIDTH];
    static uint8_t other[SEEN * PARAMS];
    const struct net_rows rows = seen_rows();
    struct net_rows asked = rows;
    for (size_t i = 0; i < SEEN; i++) {
        y[i * PARAMS] = 0; /* value 1 of the first parameter never comes */
        other[i * PARAMS] = 1;
    }
    asked.y = other;
    mix(&rows, NULL, &asked, 0, 1, targets);
    for (size_t i = 0; i < SEEN; i++) {
        CHECK(targets[i * WIDTH] == 1 && targets[i * WIDTH + 1] == 0);
        CHECK(targets[i * WIDTH + 2] == 1.0f / 3 && targets[i * WIDTH + 4] == 1.0f / 3);
    }
}

static void the_same_for_any_threads(void)
{
    static float one[SEEN * WIDTH], four[SEEN * WIDTH];
    const struct net_rows rows = seen_rows();
    struct forest *g = forest_new(&dims, &rows, NULL, TREES, 1, 4);
    mix(&rows, NULL, &rows, SEEN, 0.5f, one);
    for (size_t i = 0; i < SEEN * WIDTH; i++)
        four[i] = i % WIDTH < 2 ? 0.5f : 1.0f / 3;
    forest_mix(g, &rows, SEEN, 0.5f, 4, four);
    CHECK(memcmp(one, four, sizeof one) == 0);
    forest_free(g);
}

/* Narrow rows all say 0, others 1; asked, it answers as for the others. */
static void narrow_rows(void)
{
    static float targets[SEEN * WIDTH];
    const struct net_rows rows = seen_rows();
    for (size_t i = 0; i < SEEN; i++) {
        is_narrow[i] = i % 2;
        y[i * PARAMS] = !is_narrow[i];
        y[i * PARAMS + 1] = 0;
    }
    double said = 0;
    mix(&rows, is_narrow, &rows, 0, 1, targets);
    for (size_t i = 0; i < SEEN; i++)
        said += (double)targets[i * WIDTH + 1] / SEEN;
    CHECK(said > 0.8);
}

/* A quarter of what boosted trees say: the second value follows from the first. */
static void boosted_trees(void)
{
    static float one[SEEN * WIDTH], four[SEEN * WIDTH];
    struct chain c = {&dims, seen_rows(), seen_rows(), 60, 0.25f, 1};
    c.known.n = SEEN / 2;
    for (size_t i = 0; i < SEEN; i++)
        y[i * PARAMS + 1] = 2 * (y[i * PARAMS] = i % 3 == 0);
    for (size_t i = 0; i < SEEN * WIDTH; i++)
        one[i] = four[i] = i % WIDTH < 2 ? 0.5f : 1.0f / 3;
    chain_mix(&c, 1, one);
    chain_mix(&c, 4, four);
    CHECK(memcmp(one, four, sizeof one) == 0);
    CHECK(count_right(one) > SEEN * 9 / 10);
    for (size_t i = 0; i < SEEN; i++) {
        const float *p = one + i * WIDTH;
        CHECK(fabsf(p[0] + p[1] - 1) < 1e-5f && fabsf(p[2] + p[3] + p[4] - 1) < 1e-5f);
        CHECK(p[0] >= 0.374f && p[0] <= 0.626f);
    }
}

/* Behind the activations stand the ranks of both sizes among the known problems, one for each value
   where these are few; others lie between them or at the ends. */
static void ranks_of_registers(void)
{
    static const uint8_t none[4 * 16] = {0};
    static const int32_t asked[] = {8, 5, 512,  5,
                                    9, 5, 4096, 7}; /* m, n; the first two are known */
    struct program program;
    CHECK(program_compile(&s, &program) == 0);
    const struct tree_problems of = {&program, asked, FIELDS, 4, 2, none, 16};
    size_t width;
    uint8_t *seen = tree_inputs(&of, &width);
    CHECK_EQ(width, 16 + FIELDS);
    CHECK(seen[16] == 0 && seen[width + 16] == 1 && seen[2 * width + 16] == 1
          && seen[3 * width + 16] == 1);
    CHECK(seen[17] == 0 && seen[width + 17] == 0 && seen[3 * width + 17] == 0);
    free(seen);
}

/* ---- when to stop ---- */

enum { WATCHED = 16, OF_EACH = 12 };

/* The network of an epoch likes value `first` best, then the others in their order. */
static struct net likes(const struct net_dims *toy, size_t first)
{
    struct net n;
    CHECK(net_new(&n, toy, "toy") == 0);
    const struct net_block *embedding = &n.at.block[n.at.out[0]];
    float *bias = n.w + n.at.block[NET_BC].at;
    bias[0] = 1; /* the one unit that is on */
    for (size_t v = 0; v < OF_EACH; v++)
        n.w[embedding->at + v] = v == first ? 1 : -(float)v / OF_EACH;
    return n;
}

static double watch_one(struct watch *w, const struct net_dims *toy, size_t first)
{
    struct net n = likes(toy, first);
    const double lost = watch_epoch(w, &n);
    net_free(&n);
    return lost;
}

/* Row v of a problem is value v; in so many problems it takes v / 4 octaves more than the first. */
static struct watch *watch_toy(size_t differ, int errors)
{
    static uint8_t features[WATCHED * OF_EACH * 16], value[WATCHED * OF_EACH];
    static float octaves[WATCHED * OF_EACH];
    static size_t end[WATCHED];
    for (size_t i = 0; i < WATCHED * OF_EACH; i++) {
        value[i] = (uint8_t)(i % OF_EACH);
        octaves[i] = i / OF_EACH < differ ? (float)value[i] / 4 : 0;
        end[i / OF_EACH] = i + 1;
    }
    return watch_new(
        &(struct watch_rows){WATCHED * OF_EACH, WATCHED, features, value, octaves, end, errors});
}

/* What is lost is the mean over the first one, four and ten. Epochs that are worse end the
   training, and an earlier one ships; where all are as good, the last one does. */
static void worse_epochs_end_it(void)
{
    const struct net_dims toy = {16, 16, 16, 16, 1, {OF_EACH}};
    struct watch *w = watch_toy(WATCHED, WATCH_ERRORS);
    CHECK(fabs(watch_one(w, &toy, 8) - 2.0 / 3) < 1e-6); /* the first takes two octaves more */
    CHECK(watch_one(w, &toy, 0) < 1e-6);
    for (int i = 0; i < WATCH_PATIENCE; i++) {
        CHECK(!watch_is_over(w));
        watch_one(w, &toy, 4);
    }
    CHECK(watch_is_over(w));
    struct net n = likes(&toy, 4), second = likes(&toy, 0);
    const struct watch_result r = watch_choose(w, &n);
    CHECK(r.epoch == 2 && r.epochs == 2 + WATCH_PATIENCE && r.problems == WATCHED);
    CHECK(r.lost < 1e-6 && memcmp(n.w, second.w, n.at.n_weights * sizeof *n.w) == 0);
    watch_one(w, &toy, 0);
    CHECK(!watch_is_over(w) && watch_choose(w, &n).epoch == 3 + WATCH_PATIENCE);
    net_free(&n);
    net_free(&second);
    watch_free(w);
}

/* Which epoch ships when all but the first lose more in one problem of sixteen */
static size_t shipped_by(int errors)
{
    const struct net_dims toy = {16, 16, 16, 16, 1, {OF_EACH}};
    struct watch *w = watch_toy(1, errors);
    watch_one(w, &toy, 0);
    for (int i = 0; i < WATCH_PATIENCE; i++)
        watch_one(w, &toy, 4);
    struct net n = likes(&toy, 4);
    const size_t epoch = watch_choose(w, &n).epoch;
    CHECK(watch_is_over(w) == (epoch == 1));
    net_free(&n);
    watch_free(w);
    return epoch;
}

/* It is less than three errors, and more than one. */
static void one_problem_decides_where_times_are_exact(void)
{
    CHECK(shipped_by(WATCH_ERRORS) == 1 + WATCH_PATIENCE);
    CHECK(shipped_by(WATCH_EXACT_ERRORS) == 1);
}

int main(void)
{
    if (spec_parse(&s, text, "toy.spec") != 0)
        return 1;
    RUN_ALL(groups_share, many_groups, untried_values, it_learns, seen_rows_are_asked_of_others,
            targets_are_distributions, unknown_prefixes, the_same_for_any_threads, narrow_rows,
            boosted_trees, ranks_of_registers, worse_epochs_end_it,
            one_problem_decides_where_times_are_exact);
    spec_free(&s);
    return test_end();
}
