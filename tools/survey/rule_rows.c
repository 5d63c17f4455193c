/* rule_rows.c - how many tuples a rule allows, and what explains the failures that it leaves
   SPDX-License-Identifier: MIT */
#include "rule_rows.h"

#include <stdlib.h>
#include <string.h>

/* ---- tuples that a rule allows ---- */

/* Parameters that occur in one clause belong together, and so do those that several clauses
   connect. The legal tuples are as many as the product of the legal parts of all groups: only the
   values within a group are tried, a prefix after the other. */

enum { RULE_MOST_TRIED = 50000000 };

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

static uint64_t rule_rows_add(uint64_t a, uint64_t b)
{
    return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

static uint64_t times(uint64_t a, uint64_t b)
{
    return b != 0 && a > UINT64_MAX / b ? UINT64_MAX : a * b;
}

/* ---- tuples that a rule allows: legal ones ---- */

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

/* ---- tuples that a rule allows: measured ones ---- */

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

/* Do all conditions hold for them? */
static int rule_allows(const struct clauses *all, const int32_t *problem, const int32_t *values,
                       size_t n_values)
{
    int good = 1;
    for (size_t t = 0; t < n_values && good; t++)
        good = values[t] >= -SPEC_MAX_VALUE;
    for (size_t i = 0; i < all->n && good; i++)
        good = clause_is_true(&all->v[i], problem, values, NULL);
    return good;
}

/* The values of a row of the survey (of `rows`, or of `rejected`) as the spec has them. A value of
   a parameter that the spec does not have lies below -SPEC_MAX_VALUE. */
static void rule_row(const struct spec *spec, const struct survey *s,
                     const struct interned_text *row, int32_t problem[KPRED_MAX_FIELDS],
                     int32_t values[KPRED_MAX_TUPLE])
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
        out->legal = rule_rows_add(out->legal, count_legal(&c));
    }
    out->is_counted = c.n_tried <= RULE_MOST_TRIED && out->legal < UINT64_MAX;
    if (out->is_counted && out->legal == 0) {
        problem_values(spec, s, 0, problem);
        out->culprit = find_culprit(clauses, spec, problem);
    }
    count_measured(spec, clauses, s, out);
    out->unmeasured = out->is_counted ? out->legal - (out->measured - out->illegal) : 0;
}

/* ---- rows that failed: a table for the search ---- */

struct rows {
    struct condition_table t;
    int32_t *v[CONDITIONS_MOST_COLUMNS];
    unsigned char *is_failed;
};

static void open_rows(struct rows *r, const struct spec *s, size_t n)
{
    memset(r, 0, sizeof *r);
    r->t.n_columns = s->n_fields + s->n_params;
    for (size_t i = 0; i < r->t.n_columns; i++) {
        struct condition_column *c = &r->t.column[i];
        r->v[i] = xcalloc(n + 1, sizeof *r->v[i]);
        c->v = r->v[i];
        c->is_field = i < s->n_fields;
        if (c->is_field) {
            const struct spec_field *f = &s->fields[i];
            c->name = f->name;
            c->names = f->n_tokens != 0 ? f->tokens : NULL;
            c->n_names = f->n_tokens;
            c->most = f->most;
        } else {
            const struct spec_param *p = &s->params[i - s->n_fields];
            c->name = p->name;
            c->names = p->names[0] != NULL ? p->names : NULL;
            c->n_names = p->n_values;
            c->most = p->values[p->n_values - 1];
        }
    }
    r->is_failed = xcalloc(n + 1, 1);
    r->t.is_failed = r->is_failed;
}

static void close_rows(struct rows *r)
{
    for (size_t i = 0; i < r->t.n_columns; i++)
        free(r->v[i]);
    free(r->is_failed);
}

static void add_row(struct rows *r, const struct spec *s, const int32_t *problem,
                    const int32_t *values, int is_failed)
{
    for (size_t i = 0; i < s->n_fields; i++)
        r->v[i][r->t.n] = problem[i];
    for (size_t i = 0; i < s->n_params; i++)
        r->v[s->n_fields + i][r->t.n] = values[i];
    r->is_failed[r->t.n++] = (unsigned char)is_failed;
}

/* Counts a row, and adds it if the rule allows it. */
static void take_row(struct failed_rows *f, struct rows *r, const struct spec *s,
                     const int32_t *problem, const int32_t *values, int is_failed, int is_allowed)
{
    f->n++;
    f->failed += (size_t)is_failed;
    f->allowed += is_failed && is_allowed;
    if (is_allowed)
        add_row(r, s, problem, values, is_failed);
}

static void rule_rows_find(struct failed_rows *f, struct rows *r)
{
    if (f->allowed > 0)
        conditions_find(&r->t, &f->found);
    close_rows(r);
}

void failed_rows_free(struct failed_rows *f)
{
    conditions_free(&f->found);
}

/* ---- rows that failed: of a survey ---- */

void failed_rows_of_survey(const struct spec *spec, const struct clauses *clauses,
                           const struct survey *s, struct failed_rows *out)
{
    const size_t n = s->rows.n + s->rejected.n;
    struct rows r;
    memset(out, 0, sizeof *out);
    open_rows(&r, spec, n);
    for (size_t i = 0; i < n; i++) {
        int32_t problem[KPRED_MAX_FIELDS], values[KPRED_MAX_TUPLE];
        const int is_run = i < s->rows.n;
        const struct interned_text *row = is_run ? &s->rows.v[i] : &s->rejected.v[i - s->rows.n];
        if (!is_run && intern_find(&s->rows, row->s, row->n) != INTERN_NONE)
            continue;
        rule_row(spec, s, row, problem, values);
        take_row(out, &r, spec, problem, values, !is_run || !s->worked[i],
                 rule_allows(clauses, problem, values, spec->n_params));
    }
    rule_rows_find(out, &r);
}

/* ---- rows that failed: of data ---- */

static void take_option(struct failed_rows *f, struct rows *r, const struct model *model,
                        const int32_t *problem, const unsigned char *target, int is_failed)
{
    const struct spec *s = model->spec;
    int32_t values[KPRED_MAX_TUPLE];
    for (size_t i = 0; i < s->n_params; i++)
        values[i] = s->params[i].values[target[i]];
    take_row(f, r, s, problem, values, is_failed, model_allows(model, problem, target));
}

void failed_rows_of_data(const struct model *model, const struct dataset *d,
                         struct failed_rows *out)
{
    struct rows r;
    memset(out, 0, sizeof *out);
    if (d->failed.n == 0)
        return;
    open_rows(&r, model->spec, d->n + d->failed.n);
    for (size_t i = 0; i < d->n; i++)
        if (data_is_known(d, i))
            take_option(out, &r, model, d->problem + i * d->n_fields, d->target + i * d->n_params,
                        0);
    for (size_t i = 0; i < d->failed.n; i++)
        take_option(out, &r, model, d->failed.problem + i * d->n_fields,
                    d->failed.target + i * d->n_params, 1);
    rule_rows_find(out, &r);
}

/* ---- rows that failed: what is told ---- */

void failed_rows_count_text(const struct failed_rows *f, size_t i, struct buf *out)
{
    const struct condition *c = &f->found.v[i];
    buf_printf(out, "explains %zu%s of %zu %s", c->more, c->more < c->all ? " more" : "",
               f->found.failed, as_counted(f->found.failed, "failure", "failures"));
    if (c->more < c->all)
        buf_printf(out, " (%zu in all)", c->all);
}

static void note_rows(const struct failed_rows *f, const char *where)
{
    const size_t again = f->allowed - f->found.failed;
    struct buf more = {0};
    buf_puts(&more, "");
    if (f->allowed == 0)
        buf_puts(&more, ", all of them tuples that the rule forbids");
    else if (f->allowed < f->failed)
        buf_printf(&more, ", %zu of them %s that the rule allows", f->allowed,
                   as_counted(f->allowed, "a tuple", "tuples"));
    if (again > 0)
        buf_printf(&more, ", %zu of which worked in another row", again);
    note("%s%zu of %zu %s failed%s", where, f->failed, f->n, as_counted(f->n, "row", "rows"),
         more.s);
    buf_free(&more);
}

void failed_rows_note(const struct failed_rows *f, const char *where, size_t most)
{
    const struct conditions *c = &f->found;
    size_t explained = 0, told = 0;
    if (f->failed == 0)
        return;
    note_rows(f, where);
    for (; told < c->n && told + 2 < most; told++) {
        struct buf count = {0};
        failed_rows_count_text(f, told, &count);
        note("%s%s %s and forbids no success", where, c->v[told].text, count.s);
        explained += c->v[told].more;
        buf_free(&count);
    }
    if (explained < c->failed)
        note("%s%zu of %zu %s not explained%s", where, c->failed - explained, c->failed,
             as_counted(c->failed, "failure is", "failures are"),
             told == 0     ? " by any simple condition"
             : told < c->n ? " by these"
                           : "");
}
