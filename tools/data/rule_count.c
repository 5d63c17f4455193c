/* rule_count.c - see rule_count.h
   SPDX-License-Identifier: MIT

   Parameters that occur in one clause belong together, and so do those that several clauses
   connect. The legal tuples are as many as the product of the legal parts of all groups: only the
   values within a group are tried, a prefix after the other. */
#include "rule_count.h"

#include "model/any_tuple.h"

#include <string.h>

enum { CULPRIT_STEPS = 1 << 22 };

struct count {
    const struct spec *spec;
    const struct clauses *all;
    struct clauses of_group; /* not owned */
    uint32_t group;          /* bit t: parameter t is in it */
    const int32_t *problem;
    int32_t values[KPRED_MAX_TUPLE];
    uint64_t n_tried;
};

static uint64_t add(uint64_t a, uint64_t b)
{
    return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

static uint64_t times(uint64_t a, uint64_t b)
{
    return b != 0 && a > UINT64_MAX / b ? UINT64_MAX : a * b;
}

/* ---- legal ones ---- */

/* The legal values of the group's parameters from number `t` on */
static uint64_t count_from(struct count *c, size_t t)
{
    uint64_t n = 0;
    if (t == c->spec->n_params)
        return 1;
    const struct spec_param *p = &c->spec->params[t];
    c->values[t] = p->values[0];
    if (!(c->group >> t & 1))
        return count_from(c, t + 1);
    for (size_t v = 0; v < p->n_values && c->n_tried <= RULE_MOST_TRIED; v++) {
        c->n_tried++;
        c->values[t] = p->values[v];
        if (clauses_allow(&c->of_group, c->spec, c->problem, c->values, t + 1))
            n += count_from(c, t + 1);
    }
    return n;
}

/* The parameters that are connected with number `t` */
static uint32_t group_of(const struct clauses *all, size_t t)
{
    uint32_t group = UINT32_C(1) << t, before = 0;
    while (group != before) {
        before = group;
        for (size_t i = 0; i < all->n; i++)
            if (all->v[i].params & group)
                group |= all->v[i].params;
    }
    return group;
}

static uint64_t count_group(struct count *c, uint32_t group)
{
    c->group = group;
    c->of_group.n = 0;
    for (size_t i = 0; i < c->all->n; i++)
        if (c->all->v[i].params & group)
            c->of_group.v[c->of_group.n++] = c->all->v[i];
    return count_from(c, 0);
}

static uint64_t count_legal(struct count *c)
{
    uint32_t done = 0;
    uint64_t n = (uint64_t)clauses_allow(c->all, c->spec, c->problem, c->values, 0);
    for (size_t t = 0; t < c->spec->n_params && n > 0; t++) {
        const uint32_t group = group_of(c->all, t);
        if (!(done & group))
            n = times(n, count_group(c, group));
        done |= group;
    }
    return n;
}

/* ---- measured ones ---- */

enum { UNKNOWN = -(1 << 30) }; /* below all values of a spec */

/* The value of a parameter in a row. One that the row does not say has one value only. One that the
   spec does not have is a number from UNKNOWN on. */
static int32_t param_value(const struct spec_param *p, const struct survey *s, const uint32_t *row)
{
    const int at = survey_find(&s->params, p->name);
    const uint32_t number = at >= 0 ? row[1 + at] : 0;
    if (number == 0)
        return p->values[0];
    const int v = spec_value_index(p, s->params.v[at].values.v[number - 1].s);
    return v >= 0 ? p->values[v] : UNKNOWN + (int32_t)number;
}

static int32_t field_value(const struct spec_field *f, const struct survey *s,
                           const uint32_t *problem)
{
    const int at = survey_find(&s->fields, f->name);
    const uint32_t number = at >= 0 ? problem[at] : 0;
    int64_t v = f->least;
    if (number == 0)
        return f->least;
    const char *text = s->fields.v[at].values.v[number - 1].s;
    if (f->n_tokens != 0)
        return spec_token(f, text);
    (void)parse_int(text, 0, KPRED_MAX_SIZE, &v);
    return (int32_t)v;
}

static void problem_values(const struct spec *spec, const struct survey *s, size_t number,
                           int32_t out[KPRED_MAX_FIELDS])
{
    uint32_t problem[KPRED_MAX_TUPLE] = {0};
    if (number < s->problems.n)
        memcpy(problem, s->problems.v[number].s, sizeof problem);
    for (size_t f = 0; f < spec->n_fields; f++)
        out[f] = field_value(&spec->fields[f], s, problem);
}

int rule_allows(const struct clauses *all, const int32_t *problem, const int32_t *values,
                size_t n_values)
{
    int good = 1;
    for (size_t t = 0; t < n_values && good; t++)
        good = values[t] >= -SPEC_MAX_VALUE;
    for (size_t i = 0; i < all->n && good; i++)
        good = clause_is_true(&all->v[i], problem, values, NULL);
    return good;
}

void rule_row(const struct spec *spec, const struct survey *s, const struct interned_text *row,
              int32_t problem[KPRED_MAX_FIELDS], int32_t values[KPRED_MAX_TUPLE])
{
    uint32_t numbers[1 + KPRED_MAX_TUPLE];
    memcpy(numbers, row->s, sizeof numbers);
    problem_values(spec, s, numbers[0], problem);
    for (size_t t = 0; t < spec->n_params; t++)
        values[t] = param_value(&spec->params[t], s, numbers);
}

/* Does the rule depend on the problem? */
static int has_fields(const struct clauses *all)
{
    for (size_t i = 0; i < all->n; i++)
        if (clause_has_fields(&all->v[i]))
            return 1;
    return 0;
}

/* Rows that differ in the problem alone are one where the rule does not look at it. */
static void count_measured(const struct spec *spec, const struct clauses *all,
                           const struct survey *s, struct rule_count *out)
{
    const int by_problem = has_fields(all);
    struct interned seen = {0};
    for (size_t i = 0; i < s->rows.n; i++) {
        uint32_t row[1 + KPRED_MAX_TUPLE];
        int32_t problem[KPRED_MAX_FIELDS], values[KPRED_MAX_TUPLE + 1] = {0};
        memcpy(row, s->rows.v[i].s, sizeof row);
        for (size_t t = 0; t < spec->n_params; t++)
            values[t] = param_value(&spec->params[t], s, row);
        values[KPRED_MAX_TUPLE] = by_problem ? (int32_t)row[0] : 0;
        if (intern(&seen, values, sizeof values) < out->measured)
            continue;
        problem_values(spec, s, row[0], problem);
        out->measured++;
        out->illegal += !rule_allows(all, problem, values, spec->n_params);
    }
    intern_free(&seen);
}

static size_t find_culprit(const struct clauses *all, const struct spec *spec,
                           const int32_t *problem)
{
    struct clauses some = *all;
    size_t steps = CULPRIT_STEPS;
    some.n = 1;
    while (some.n < all->n && any_tuple(&some, spec, problem, &steps) != 0)
        some.n++;
    return some.n - 1;
}

void rule_count(const struct spec *spec, const struct clauses *clauses, const struct survey *s,
                struct rule_count *out)
{
    struct count c = {.spec = spec, .all = clauses};
    int32_t problem[KPRED_MAX_FIELDS];
    const size_t n = has_fields(clauses) ? s->problems.n : 1;
    memset(out, 0, sizeof *out);
    c.problem = problem;
    for (size_t i = 0; i < n && c.n_tried <= RULE_MOST_TRIED; i++) {
        problem_values(spec, s, i, problem);
        out->legal = add(out->legal, count_legal(&c));
    }
    out->is_counted = c.n_tried <= RULE_MOST_TRIED && out->legal < UINT64_MAX;
    if (out->is_counted && out->legal == 0) {
        problem_values(spec, s, 0, problem);
        out->culprit = find_culprit(clauses, spec, problem);
    }
    count_measured(spec, clauses, s, out);
    out->unmeasured = out->is_counted ? out->legal - (out->measured - out->illegal) : 0;
}
