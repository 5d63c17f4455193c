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

/* ---- rows of a survey ---- */

enum { UNKNOWN = -(1 << 30) }; /* below all values of a spec */

/* What a value of that number is for the spec */
static int32_t number_of(const struct survey_view *v, size_t c, const char *text, uint32_t number)
{
    const size_t n_fields = v->spec->n_fields;
    if (c >= n_fields) {
        const struct spec_param *p = &v->spec->params[c - n_fields];
        const int at = spec_value_index(p, text);
        return at >= 0 ? p->values[at] : UNKNOWN + (int32_t)number;
    }
    const struct spec_field *f = &v->spec->fields[c];
    int64_t size = f->least;
    if (f->n_tokens != 0)
        return spec_token(f, text);
    (void)parse_int(text, 0, KPRED_MAX_SIZE, &size);
    return (int32_t)size;
}

void survey_view_open(struct survey_view *v, const struct spec *spec, const struct survey *s)
{
    *v = (struct survey_view){.spec = spec, .survey = s};
    for (size_t c = 0; c < spec->n_fields + spec->n_params; c++) {
        const size_t t = c - spec->n_fields;
        const int is_field = c < spec->n_fields;
        const struct survey_columns *columns = is_field ? &s->fields : &s->params;
        v->column[c] = survey_find(columns, is_field ? spec->fields[c].name : spec->params[t].name);
        const struct interned *values =
            v->column[c] >= 0 ? &columns->v[v->column[c]].values : &(struct interned){0};
        v->number[c] = xcalloc(values->n + 1, sizeof *v->number[c]);
        v->number[c][0] = is_field ? spec->fields[c].least : spec->params[t].values[0];
        for (size_t i = 0; i < values->n; i++)
            v->number[c][i + 1] = number_of(v, c, values->v[i].s, (uint32_t)i + 1);
    }
}

void survey_view_close(struct survey_view *v)
{
    for (size_t c = 0; c < CONDITIONS_MOST_COLUMNS; c++)
        free(v->number[c]);
}

/* What the columns from number `from` on are in a row of numbers */
static void view_numbers(const struct survey_view *v, size_t from, size_t n, const uint32_t *row,
                         int32_t *out)
{
    for (size_t i = 0; i < n; i++) {
        const int at = v->column[from + i];
        out[i] = v->number[from + i][at >= 0 ? row[at] : 0];
    }
}

void survey_view_problem(const struct survey_view *v, size_t number, int32_t *out)
{
    uint32_t problem[KPRED_MAX_TUPLE] = {0};
    if (number < v->survey->problems.n)
        memcpy(problem, v->survey->problems.v[number].s, sizeof problem);
    view_numbers(v, 0, v->spec->n_fields, problem, out);
}

/* The tuple of a row; the number of its problem */
static size_t view_tuple(const struct survey_view *v, const struct interned_text *text,
                         int32_t out[KPRED_MAX_TUPLE])
{
    uint32_t row[1 + KPRED_MAX_TUPLE];
    memcpy(row, text->s, sizeof row);
    view_numbers(v, v->spec->n_fields, v->spec->n_params, row + 1, out);
    return row[0];
}

/* ---- tuples that a rule allows: all of them ---- */

/* Does the rule depend on the problem? */
static int has_fields(const struct clauses *all)
{
    for (size_t i = 0; i < all->n; i++)
        if (clause_has_fields(&all->v[i]))
            return 1;
    return 0;
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

static void count_all(const struct survey_view *v, const struct clauses *clauses,
                      struct rule_count *out)
{
    struct count c = {.spec = v->spec, .all = clauses};
    int32_t problem[KPRED_MAX_FIELDS];
    const size_t n = has_fields(clauses) ? v->survey->problems.n : 1;
    c.problem = problem;
    for (size_t i = 0; i < n && c.n_tried <= RULE_MOST_TRIED; i++) {
        survey_view_problem(v, i, problem);
        out->legal = rule_rows_add(out->legal, count_legal(&c));
    }
    out->is_counted = c.n_tried <= RULE_MOST_TRIED && out->legal < UINT64_MAX;
    if (out->is_counted && out->legal == 0) {
        survey_view_problem(v, 0, problem);
        out->culprit = find_culprit(clauses, v->spec, problem);
    }
}

/* ---- rows that failed: a table for the search ---- */

static void open_table(struct condition_table *t, const struct spec *s, size_t n)
{
    *t = (struct condition_table){.n_columns = s->n_fields + s->n_params};
    for (size_t i = 0; i < t->n_columns; i++) {
        struct condition_column *c = &t->column[i];
        if (i < s->n_fields) {
            const struct spec_field *f = &s->fields[i];
            *c = (struct condition_column){.name = f->name,
                                           .names = f->n_tokens != 0 ? f->tokens : NULL,
                                           .n_names = f->n_tokens,
                                           .most = f->most,
                                           .is_field = 1};
        } else {
            const struct spec_param *p = &s->params[i - s->n_fields];
            *c = (struct condition_column){.name = p->name,
                                           .names = p->names[0] != NULL ? p->names : NULL,
                                           .n_names = p->n_values,
                                           .most = p->values[p->n_values - 1]};
        }
        c->v = xcalloc(n + 1, sizeof *c->v);
    }
    t->is_failed = xcalloc(n + 1, 1);
}

/* Counts a row, and adds it if the rule allows it. */
static void take_row(struct failed_rows *f, struct condition_table *t, const struct spec *s,
                     const int32_t *problem, const int32_t *values, int is_failed, int is_allowed)
{
    f->n++;
    f->failed += (size_t)is_failed;
    f->allowed += is_failed && is_allowed;
    if (!is_allowed)
        return;
    for (size_t i = 0; i < t->n_columns; i++)
        t->column[i].v[t->n] = i < s->n_fields ? problem[i] : values[i - s->n_fields];
    t->is_failed[t->n++] = (unsigned char)is_failed;
}

static void rule_rows_find(struct failed_rows *f, struct condition_table *t)
{
    if (f->allowed > 0)
        conditions_find(t, &f->found);
    for (size_t i = 0; i < t->n_columns; i++)
        free(t->column[i].v);
    free(t->is_failed);
}

void failed_rows_free(struct failed_rows *f)
{
    conditions_free(&f->found);
}

/* ---- rows of a survey: those that were measured, and those that failed ---- */

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

/* Rows that differ in the problem alone count once where the rule does not look at it. */
static void take_rows(const struct survey_view *v, const struct clauses *clauses,
                      struct rule_count *count, struct failed_rows *failed)
{
    const struct survey *s = v->survey;
    const int by_problem = has_fields(clauses);
    struct interned seen = {0};
    struct condition_table t;
    open_table(&t, v->spec, s->rows.n);
    for (size_t i = 0; i < s->rows.n; i++) {
        int32_t problem[KPRED_MAX_FIELDS], values[KPRED_MAX_TUPLE + 1] = {0};
        const size_t number = view_tuple(v, &s->rows.v[i], values);
        survey_view_problem(v, number, problem);
        const int is_allowed = rule_allows(clauses, problem, values, v->spec->n_params);
        values[KPRED_MAX_TUPLE] = by_problem ? (int32_t)number : 0;
        if (s->result[i] >= SURVEY_FAILED
            && intern(&seen, values, sizeof values) == count->measured) {
            count->measured++;
            count->illegal += !is_allowed;
        }
        take_row(failed, &t, v->spec, problem, values, s->result[i] != SURVEY_WORKED, is_allowed);
    }
    intern_free(&seen);
    rule_rows_find(failed, &t);
}

void rule_count(const struct survey_view *v, const struct clauses *clauses,
                struct rule_count *count, struct failed_rows *failed)
{
    memset(count, 0, sizeof *count);
    memset(failed, 0, sizeof *failed);
    count_all(v, clauses, count);
    take_rows(v, clauses, count, failed);
    count->unmeasured = count->is_counted ? count->legal - (count->measured - count->illegal) : 0;
}

/* ---- rows that failed: of data ---- */

static void take_option(struct failed_rows *f, struct condition_table *t, const struct model *model,
                        const int32_t *problem, const unsigned char *target, int is_failed)
{
    const struct spec *s = model->spec;
    int32_t values[KPRED_MAX_TUPLE];
    for (size_t i = 0; i < s->n_params; i++)
        values[i] = s->params[i].values[target[i]];
    take_row(f, t, s, problem, values, is_failed, model_allows(model, problem, target));
}

void failed_rows_of_data(const struct model *model, const struct dataset *d,
                         struct failed_rows *out)
{
    struct condition_table t;
    memset(out, 0, sizeof *out);
    if (d->failed.n == 0)
        return;
    open_table(&t, model->spec, d->n + d->failed.n);
    for (size_t i = 0; i < d->n; i++)
        if (data_is_known(d, i))
            take_option(out, &t, model, d->problem + i * d->n_fields, d->target + i * d->n_params,
                        0);
    for (size_t i = 0; i < d->failed.n; i++)
        take_option(out, &t, model, d->failed.problem + i * d->n_fields,
                    d->failed.target + i * d->n_params, 1);
    rule_rows_find(out, &t);
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
