/* test_reasons.c - why kernels do not apply: the reasons in words, beside the rules
   SPDX-License-Identifier: MIT

   The rules say whether, tools/model/reasons.c says why not, and each is written by itself. Here
   both are asked about many problems near the boundary: there has to be a reason exactly where the
   rule says no, and it has to be about a field that matters. */
#include "kpred.h"

#include "kpred_constraints.h"

#include "harness/specs.h"
#include "harness/test.h"
#include "model/reasons.h"
#include "model/rules.h"

#include <stdlib.h>

enum { N_PROBLEMS = 110000, MOST_RULES = 32 };

static uint64_t seed = 18;

static int32_t below(int32_t n)
{
    return test_between(&seed, 0, n - 1);
}

/* ---- problems near the boundary ---- */

/* Small numbers, powers of two and their neighbours, multiples and neighbours of what was there,
   and limits of some rule */
static int64_t random_size(int64_t was)
{
    static const int32_t edges[] = {4, 5, 10, 11, 12, 20, 511, 512, 513, 999, 1000, 1001};
    switch (below(9)) {
    case 0: return 1 + below(12);
    case 1: return (INT64_C(1) << below(25)) + below(3) - 1;
    case 2: return was + below(3) - 1;
    case 3: return was * (1 + below(4));
    case 4: return was / (1 + below(4));
    case 5: return (INT64_C(1) << below(12)) * (1 + below(12));
    case 6: return 1 + below(1 << (1 + below(24)));
    case 7: return edges[below((int32_t)(sizeof edges / sizeof *edges))];
    default: return was;
    }
}

static int32_t random_value(const kpred_field *field, int32_t was)
{
    if (field->tokens)
        return below(field->n_tokens);
    const int64_t x = random_size(was);
    return x < field->least ? field->least : x > field->most ? field->most : (int32_t)x;
}

/* From the usual convolution on, some fields at random */
static void random_problem(const kpred_model *m, const int32_t *from, int32_t *problem)
{
    memcpy(problem, from, m->n_fields * sizeof *problem);
    for (int n = 1 + below(4); n > 0; n--) {
        const int32_t f = below((int32_t)m->n_fields);
        problem[f] = random_value(&m->fields[f], problem[f]);
    }
}

static void set(const kpred_model *m, int32_t *problem, const char *field, int32_t value)
{
    const int32_t f = kpred_field_index(m, field);
    if (f >= 0)
        problem[f] = value;
}

static void set_both(const kpred_model *m, int32_t *problem, const char *h, const char *w,
                     int32_t of_h, int32_t of_w)
{
    set(m, problem, h, of_h);
    set(m, problem, w, of_w);
}

/* 64 images of 64 channels, mostly with a filter of 1x1 or 3x3; now and then one of those that few
   kernels take, or one that hardly fits in local memory */
static void usual_problem(const kpred_model *m, int32_t *problem)
{
    static const int32_t filters[][2] = {{4, 4}, {5, 5}, {5, 10}, {5, 20}, {11, 11}, {1, 7}};
    static const int32_t sides[] = {8, 9, 7, 56, 56, 56, 15, 16, 17, 33};
    const int kind = below(8), is_few = kind == 0, is_large = kind == 1;
    const int32_t side = 1 + 2 * below(2), large = (below(2) ? 78 : 114) + below(16);
    const int32_t *few = filters[below((int32_t)(sizeof filters / sizeof *filters))];
    const int32_t y = is_few ? few[0] : is_large ? large : side;
    const int32_t x = is_few ? few[1] : is_large ? large : side;
    const int32_t pad = below(2) ? y / 2 : is_few ? 0 : is_large ? y - 1 : y / 2;
    const int32_t stride = 1 + (below(4) == 0), n_sides = is_large ? 2 : 10;
    const int32_t channels = is_large || below(6) ? 64 : 1 << below(15);
    for (uint32_t f = 0; f < m->n_fields; f++)
        problem[f] = m->fields[f].tokens ? 0 : m->fields[f].least;
    set(m, problem, "n", 64);
    set_both(m, problem, "c", "k", channels, channels);
    set_both(m, problem, "h", "w", sides[below(n_sides)], sides[below(n_sides)]);
    set_both(m, problem, "y", "x", y, x);
    set_both(m, problem, "pad_h", "pad_w", pad, pad);
    set_both(m, problem, "stride_h", "stride_w", stride, stride);
    set(m, problem, "groups", is_large ? 64 : 1 + (below(8) == 0));
}

/* ---- a reason ---- */

static int is_same(const struct reason *a, const struct reason *b)
{
    return a->kind == b->kind && !strcmp(a->what, b->what) && !strcmp(a->need, b->need);
}

/* Is there a value of the field with which the reason is gone? */
static int matters(const struct model *model, const int32_t *problem, int32_t f,
                   const struct reason *why)
{
    const kpred_field *field = &model->m.fields[f];
    int32_t p[KPRED_MAX_FIELDS];
    struct reason other;
    memcpy(p, problem, model->m.n_fields * sizeof *p);
    for (int i = 0; i < 2000; i++) {
        p[f] = i < 64 ? i
                      : random_value(field, i % 2 ? problem[f]
                                                  : problem[below((int32_t)model->m.n_fields)]);
        if (p[f] < field->least || p[f] > field->most)
            continue;
        reason_find(model, p, &other);
        if (!is_same(&other, why))
            return 1;
    }
    return 0;
}

/* ---- what the words say is the value ---- */

/* A field, or what a model without it is about: 1x1 filters without pads */
static int64_t field_value(const struct model *model, const int32_t *problem, const char *name)
{
    const int32_t f = kpred_field_index(&model->m, name);
    return f >= 0 ? problem[f] : strncmp(name, "pad", 3) == 0 ? 0 : 1;
}

/* A side of the image that the forward convolution writes: h, y, pad_h, or w, x, pad_w */
static int64_t side_written(const struct model *model, const int32_t *problem, char h)
{
    char names[][12] = {"h", "y", "pad_h", "dil_h", "stride_h"};
    int64_t v[5];
    for (int i = 0; i < 5 && h == 'w'; i++)
        names[i][strlen(names[i]) - 1] = i == 1 ? 'x' : 'w';
    for (int i = 0; i < 5; i++)
        v[i] = field_value(model, problem, names[i]);
    if (kpred_field_index(&model->m, "stride") >= 0)
        v[4] = field_value(model, problem, "stride");
    const int64_t room = v[0] + 2 * v[2] - v[3] * (v[1] - 1) - 1;
    return room < 0 ? 1 : room / v[4] + 1;
}

static double evaluate(const struct model *model, const int32_t *problem, const char **at);

static double operand(const struct model *model, const int32_t *problem, const char **at)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyz_";
    char name[16];
    const size_t n = strspn(*at, letters);
    const char *start = *at;
    if (*start == '(') {
        ++*at;
        const double x = evaluate(model, problem, at);
        ++*at; /* the ) */
        return x;
    }
    *at += n != 0 ? n : strspn(start, "0123456789");
    snprintf(name, sizeof name, "%.*s", (int)n, start);
    return n == 0                          ? (double)strtol(start, NULL, 10)
           : strncmp(name, "out_", 4) == 0 ? (double)side_written(model, problem, name[4])
                                           : (double)field_value(model, problem, name);
}

/* "n / 4 * out_h * out_w": from left to right, divisions rounded down */
static double evaluate(const struct model *model, const int32_t *problem, const char **at)
{
    double x = operand(model, problem, at);
    while (**at == ' ') {
        const char op = (*at)[1];
        *at += 3;
        const double y = operand(model, problem, at);
        x = op == '*'   ? x * y
            : op == '+' ? x + y
            : op == '-' ? x - y
                        : (double)((int64_t)x / (int64_t)y);
    }
    return x;
}

/* Up to 2^53 doubles are exact. */
static int is_value(const struct model *model, const int32_t *problem, const struct reason *why)
{
    const char *at = why->what;
    const double x = evaluate(model, problem, &at);
    char value[32];
    snprintf(value, sizeof value, "%.0f", x);
    return x > 9e15 || (*at == '\0' && strcmp(value, why->value) == 0);
}

/* A token, the filter, or bytes that stand for themselves */
static int is_word(const struct reason *why)
{
    return why->kind == REASON_DIR || why->kind == REASON_LAYOUT || why->kind == REASON_DTYPE
           || !strcmp(why->what, "filter") || !strncmp(why->what, "LDS ", 4);
}

static void check_words(const struct model *model, const int32_t *problem, const struct reason *why)
{
    const int32_t f = kpred_field_index(&model->m, why->what);
    CHECK(why->what[0] != '\0' && why->value[0] != '\0' && why->need[0] != '\0');
    if (f >= 0 && model->m.fields[f].tokens)
        CHECK_TEXT(why->value, model->m.fields[f].tokens[problem[f]]);
    else if (!is_word(why))
        CHECK_OF(is_value(model, problem, why), why->what);
    if (f >= 0) {
        CHECK(why->kind == reason_kind_of(why->what));
        CHECK(matters(model, problem, f, why));
    }
}

/* ---- a rule ---- */

struct counts {
    int yes, no;
};

/* The rule and the reasons on one problem; does the kernel apply? */
static int compare(const struct model *model, const int32_t *problem, struct counts *counts)
{
    struct reason why;
    const int applies = model->m.rule == NULL || model->m.rule(problem, problem, 0);
    const int has_reason = reason_find(model, problem, &why) != REASON_NONE;
    CHECK(applies == !has_reason);
    if (applies == has_reason && test_now.failures <= 4) {
        for (uint32_t f = 0; f < model->m.n_fields; f++)
            printf(" %s=%d", model->m.fields[f].name, (int)problem[f]);
        printf(": %s = %s (%s)\n", why.what, why.value, why.need);
    }
    if (has_reason && counts->no % 64 == 0)
        check_words(model, problem, &why);
    *(applies ? &counts->yes : &counts->no) += 1;
    return applies;
}

/* Walks along the boundary: from a problem that the kernel takes to others. */
static void walk(const struct model *model, int n)
{
    const kpred_model *m = &model->m;
    int32_t base[KPRED_MAX_FIELDS], problem[KPRED_MAX_FIELDS];
    struct counts counts = {0, 0};
    usual_problem(m, base);
    for (int i = 0; i < n; i++) {
        random_problem(m, base, problem);
        if (compare(model, problem, &counts) ? below(2) : counts.yes == 0 && below(4) == 0)
            memcpy(base, problem, sizeof base);
        if (below(20) == 0)
            usual_problem(m, base), base[KPRED_CONV_DIR] = problem[KPRED_CONV_DIR];
    }
    CHECK(counts.yes > n / 20);
    CHECK(counts.no > n / 20);
    if (counts.yes <= n / 20 || counts.no <= n / 20)
        printf("  %s: %d yes, %d no\n", m->rule_name, counts.yes, counts.no);
}

/* Other tables of kernels than the spec's, which have one for nearly everything */
static void walk_tables(struct model *model)
{
    uint16_t words[4];
    for (int table = 0; table < 8; table++) {
        for (int i = 0; i < 4; i++)
            words[i] = (uint16_t)(below(4) | below(8) << 4 | below(8) << 8);
        words[0] = (uint16_t)(2 | below(4) << 4 | below(4) << 8); /* FP32, any filter */
        model->kernels.words = words;
        model->kernels.n = 1 + below(4);
        gtc_set_least(&model->kernels);
        walk(model, N_PROBLEMS / 8);
    }
}

/* ---- every rule that a spec names ---- */

static char walked[MOST_RULES][64];
static int n_walked;

static int is_new_rule(const char *name)
{
    for (int i = 0; i < n_walked; i++)
        if (!strcmp(walked[i], name))
            return 0;
    snprintf(walked[n_walked++], sizeof walked[0], "%s", name);
    return 1;
}

static void check_spec(const char *path)
{
    struct spec s;
    struct model model;
    if (!CASE(spec_load(&s, path) == 0, "%s", path))
        return;
    if (!spec_is_unconstrained(&s) && !spec_is_listed(&s) && is_new_rule(s.rule)) {
        test_start(s.rule);
        CHECK(model_from_spec(&model, &s, "config") == 0);
        if (strcmp(s.rule, "kpred_rule_conv_solver") != 0)
            walk(&model, N_PROBLEMS);
        if (model.kernels.words != NULL)
            walk_tables(&model);
        test_stop();
        model_free(&model);
    }
    spec_free(&s);
}

int main(void)
{
    each_spec(check_spec);
    return test_end();
}
