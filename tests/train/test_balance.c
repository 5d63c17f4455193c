/* test_balance.c - timed rows: how many a problem gets, and values that were not tried
   SPDX-License-Identifier: MIT */
#define KPRED_STATIC
#include "kpred.h"

#include "data/held_out.h"
#include "harness/test.h"
#include "train/balance.h"
#include "train/time_targets.h"

#include <stdlib.h>

enum { CROWD = 64, ROWS = CROWD + 2, FIELDS = 2, PARAMS = 2 };

static const char text[] = "[kernel]\nname = toy\nrule = unconstrained\n[data]\nformat = timed\n"
                           "[fields]\nm = size\nn = size\n[params]\nsplit = 0 1 2\nt = 8 16\n"
                           "[split]\nconfig = m,n\nbalance = n,octave(m)\n"
                           "[features]\nequals m 64 1\n";

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

static struct recipe make_recipe(const struct spec *s)
{
    struct recipe r;
    CHECK(recipe_from_spec(s, &r) == 0);
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
    struct spec s;
    REQUIRE(spec_parse(&s, text, "toy.spec") == 0);
    const struct dataset d = make_rows();
    struct recipe r = make_recipe(&s);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
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
    spec_free(&s);
}

/* Groups of 1, 2, ... 11 problems, mixed, of which each gets as many rows: an 11th of 66 * 4. */
static void many_groups(void)
{
    struct spec s;
    REQUIRE(spec_parse(&s, text, "toy.spec") == 0);
    const struct dataset d = make_rows();
    struct recipe r = make_recipe(&s);
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
    spec_free(&s);
}

/* Learns from the first problem; `untried` is how many of its rows leave values 1 and 2 aside. */
static size_t count_untried(struct spec *s, double as_searched)
{
    enum { DRAWS = 200, WIDTH = 5 };
    static int32_t to_problem[DRAWS * FIELDS];
    static unsigned char to_target[DRAWS * PARAMS];
    static float soft[DRAWS * WIDTH];
    struct recipe_rows to = {0, to_problem, to_target, soft};
    const struct time_problem first = {0, 1, DRAWS};
    struct dataset d = make_rows();
    struct recipe r = make_recipe(s);
    struct model model;
    size_t n = 0;
    r.as_searched = as_searched;
    d.narrow = narrow;
    memset(&model, 0, sizeof model);
    CHECK(model_from_spec(&model, s, "none") == 0);
    CHECK(time_targets_add(&r, &model, &d, &first, 1, &to));
    CHECK_EQ(to.n, DRAWS);
    for (size_t i = 0; i < to.n; i++) {
        const float *p = soft + i * WIDTH;
        CHECK(p[0] > 0.99f && p[3] > 0.99f && (p[1] < 0) == (p[2] < 0));
        n += p[1] < 0;
    }
    model_free(&model);
    return n;
}

static void untried_values(void)
{
    struct spec s;
    REQUIRE(spec_parse(&s, text, "toy.spec") == 0);
    s.unsearched = "0";
    CHECK_EQ(count_untried(&s, 0), 0);
    narrow[0] = 1;
    CHECK_EQ(count_untried(&s, 0), 200);
    CHECK_EQ(count_untried(&s, 1), 0);
    const size_t some = count_untried(&s, 0.5);
    CHECK(some > 70 && some < 130);
    s.unsearched = NULL;
    CHECK_EQ(count_untried(&s, 0), 0);
    spec_free(&s);
}

int main(void)
{
    test_run("problems weigh by their groups", groups_share);
    test_run("problems weigh by groups of many sizes", many_groups);
    test_run("values that were not tried", untried_values);
    return test_end();
}
