/* failed_rows.c - see failed_rows.h
   SPDX-License-Identifier: MIT */
#include "failed_rows.h"

#include <stdlib.h>
#include <string.h>

/* ---- a table for the search ---- */

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

static void find(struct failed_rows *f, struct rows *r)
{
    if (f->allowed > 0)
        conditions_find(&r->t, &f->found);
    close_rows(r);
}

void failed_rows_free(struct failed_rows *f)
{
    conditions_free(&f->found);
}

/* ---- of a survey ---- */

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
    find(out, &r);
}

/* ---- of data ---- */

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
    find(out, &r);
}

/* ---- what is told ---- */

void failed_rows_count_text(const struct failed_rows *f, size_t i, struct buf *out)
{
    const struct condition *c = &f->found.v[i];
    buf_printf(out, "explains %zu%s of %zu failures", c->more, c->more < c->all ? " more" : "",
               f->found.failed);
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
        buf_printf(&more, ", %zu of them tuples that the rule allows", f->allowed);
    if (again > 0)
        buf_printf(&more, ", %zu of which worked in another row", again);
    note("%s%zu of %zu rows failed%s", where, f->failed, f->n, more.s);
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
        note("%s%zu of %zu failures are not explained%s", where, c->failed - explained, c->failed,
             told == 0     ? " by any simple condition"
             : told < c->n ? " by these"
                           : "");
}
