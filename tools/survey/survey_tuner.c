/* survey_tuner.c - other tuners' files, and what T1 inputs declare, for a survey
   SPDX-License-Identifier: MIT */
#include "survey.h"

#include <stdlib.h>
#include <string.h>

/* ---- what stands before the rows ---- */

/* What the whole file has: its GPU, if it is known, and the sizes of its problem */
static int say_head(struct survey_plain *t, const struct imported *from, const char *gpu)
{
    const struct import_line *line = NULL;
    if (gpu != NULL && survey_say(t, "gpu", gpu) != 0)
        return -1;
    while ((line = imported_next(from, line, "size")) != NULL)
        if (survey_say(t, imported_text(from, line, 0), imported_text(from, line, 1)) != 0)
            return -1;
    return 0;
}

/* Each column is a parameter, but for the fields that the user names. */
static int open_params(struct survey_plain *t, char *const *names, size_t n)
{
    struct survey *s = t->s;
    if (n > KPRED_MAX_TUPLE + KPRED_MAX_FIELDS)
        return fail("%s: has %zu parameters, a spec has at most %d", t->path, n, KPRED_MAX_TUPLE);
    t->v = xcalloc(n + 1, sizeof *t->v);
    t->n = n;
    for (size_t i = 0; i < n; i++) {
        struct survey_cells *c = &t->v[i];
        c->name = names[i];
        c->is_field = intern_find_text(&t->s->asked->fields, c->name) != INTERN_NONE;
        c->role = c->is_field ? SURVEY_FIELD : SURVEY_PARAM;
        c->at = survey_column(s, c->is_field ? &s->fields : &s->params, c->name);
        if (c->at < 0)
            return -1;
    }
    return survey_check_named(t, "--fields", &t->s->asked->fields) != 0 ? -1 : survey_say_set(t);
}

/* The values that the file declares; those of a field are what its rows have, if there are any. */
static void add_domains(struct survey_plain *t, const struct imported *from)
{
    const struct import_line *line = NULL;
    while ((line = imported_next(from, line, "values")) != NULL) {
        const struct survey_cells *c = survey_find_cells(t, imported_text(from, line, 0));
        if (c == NULL || (c->is_field && t->has_time))
            continue;
        struct survey_columns *to = c->is_field ? &t->s->fields : &t->s->params;
        for (size_t i = 1; i < line->n; i++)
            (void)survey_value(t->s, &to->v[c->at], imported_text(from, line, i), 0);
    }
}

/* ---- a file of measurements ---- */

static int read_table(struct survey_plain *t, struct table_rows *table)
{
    const struct imported *from = &table->from;
    if (tuner_take(table, t->path, &t->s->types) != 0)
        return -1;
    const char *gpu = tuner_gpu(imported_said(from, "device"), t->s->asked->gpu, t->path, &t->gpu);
    if (survey_kernel(t->s, imported_said(from, "kernel")) != 0 || say_head(t, from, gpu) != 0
        || open_params(t, table->r->cell, (size_t)table->time) != 0)
        return -1;
    t->time = table->time;
    add_domains(t, from);
    if (tuner_lacks_unit(from, t->s->asked->unit, &t->s->unit_is_used))
        survey_note(t->s, "%s: " TUNER_NO_UNIT, t->path);
    return survey_add_rows(t, table);
}

static int add_measured(struct survey *s, const char *path, struct imported *from)
{
    struct survey_plain t = {.s = s, .path = path, .is_tuner = 1, .has_time = 1};
    struct table_rows table = {.from = *from};
    memset(from, 0, sizeof *from);
    s->timed = path;
    s->path = path;
    const int rc = read_table(&t, &table);
    table_close(&table);
    survey_close_plain(&t);
    return rc;
}

/* The fields that a key of Triton may have: what --set gives is not in it. */
static void name_key(const struct survey_asked *asked, struct buf *names)
{
    for (size_t i = 0; i < asked->fields.n; i++)
        if (text_find(asked->set_name, asked->n_set, asked->fields.v[i].s) < 0)
            import_name(names, asked->fields.v[i].s);
}

int survey_tuner(struct survey *s, const char *path)
{
    const struct survey_asked *asked = s->asked;
    struct buf names = {0};
    struct imported from = {0};
    name_key(asked, &names);
    int rc = tuner_import(path, asked->unit, names.s, &from);
    if (rc == 0 && t1_is(&from) && s->t1.path != NULL)
        rc = fail("%s: is a T1 input, as %s is: a spec is of one kernel", path, s->t1.path);
    else if (rc == 0 && t1_is(&from))
        t1_take(&s->t1, path, &from);
    else if (rc == 0 && asked->metric != NULL)
        rc = fail("%s: --metric \"%s\": chooses a column of tables, and this is none: its times "
                  "count",
                  path, asked->metric);
    else if (rc == 0)
        rc = add_measured(s, path, &from);
    imported_free(&from);
    buf_free(&names);
    return rc;
}

/* ---- a T1 input ---- */

/* Without data: one problem, and the values that are declared. No row is measured. */
static int declare(struct survey_plain *t, const struct t1 *t1)
{
    const char *params[KPRED_MAX_TUPLE] = {0}, *asked = t->s->asked->gpu;
    const char *gpu = asked != NULL ? tuner_gpu(NULL, asked, t1->path, &t->gpu) : NULL;
    char **names = xcalloc(t1->params.n + 1, sizeof *names);
    for (size_t i = 0; i < t1->params.n; i++)
        names[i] = t1->params.v[i].s;
    const int rc = say_head(t, &t1->from, gpu) != 0 ? -1 : open_params(t, names, t1->params.n);
    free(names);
    if (rc != 0)
        return -1;
    add_domains(t, &t1->from);
    (void)survey_row(t->s, t->said, params, SURVEY_DECLARED, 0);
    return 0;
}

static int take_all(struct survey *s, const struct t1 *t1)
{
    struct survey_plain t = {.s = s, .path = t1->path, .is_tuner = 1};
    s->path = t1->path;
    const int rc = declare(&t, t1);
    survey_close_plain(&t);
    return rc;
}

/* T1 has the parameter: do the data? */
static int check_t1_param(struct survey *s, const struct t1 *t1, size_t i)
{
    const struct interned *fields = &s->asked->fields;
    const char *name = t1->params.v[i].s;
    if (survey_find(&s->params, name) >= 0 || intern_find_text(fields, name) != INTERN_NONE)
        return 0;
    if (t1->values[i].n > 1)
        return fail("%s: parameter \"%s\": is not in %s: data and T1 are of one kernel, with the "
                    "same parameters",
                    t1->path, name, s->first);
    s->path = t1->path;
    const int at = survey_column(s, &s->params, name);
    if (at >= 0)
        (void)survey_value(s, &s->params.v[at], t1->values[i].v[0].s, 0);
    return at < 0 ? -1 : 0;
}

static void tell_outside(struct survey *s, const struct survey_column *c,
                         const struct interned *values, const char *path)
{
    struct buf outside = {0};
    for (size_t v = 0; v < c->values.n; v++)
        if (intern_find_text(values, c->values.v[v].s) == INTERN_NONE)
            buf_printf(&outside, " %s", c->values.v[v].s);
    if (outside.n > 0)
        survey_note(
            s,
            "%s: %s: the data have values that are not among those of %s:%s: tuples with them "
            "count as illegal",
            c->has, c->name, path, outside.s);
    buf_free(&outside);
}

/* The data have the parameter: does T1? */
static int check_column(struct survey *s, const struct t1 *t1, const struct survey_column *c)
{
    const size_t i = intern_find_text(&t1->params, c->name);
    if (i != INTERN_NONE)
        tell_outside(s, c, &t1->values[i], t1->path);
    return i != INTERN_NONE || c->values.n <= 1
               ? 0
               : fail("%s: parameter \"%s\": is not in %s: data and T1 are of one kernel, with the "
                      "same parameters",
                      c->has != NULL ? c->has : s->first, c->name, t1->path);
}

int survey_t1(struct survey *s)
{
    const struct t1 *t1 = &s->t1;
    if (s->kernel == NULL && *t1->kernel != '\0')
        s->kernel = xstrdup(t1->kernel);
    if (s->first == NULL)
        return take_all(s, t1);
    for (size_t i = 0; i < t1->params.n; i++)
        if (check_t1_param(s, t1, i) != 0)
            return -1;
    for (size_t i = 0; i < s->params.n; i++)
        if (check_column(s, t1, &s->params.v[i]) != 0)
            return -1;
    return 0;
}
