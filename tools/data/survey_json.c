/* survey_json.c - see survey_json.h
   SPDX-License-Identifier: MIT */
#include "survey_json.h"

#include "tuner.h"

#include "base/names.h"

#include <stdlib.h>
#include <string.h>

/* What all measurements of a file have in common, and where its parameters go */
struct file {
    struct survey *s;
    const struct survey_asked *asked;
    struct survey_said said;
    char size[TUNER_MAX_SIZES][24];
    struct buf gpu;
    size_t n_params;
    struct target {
        int is_field, at;
    } * target; /* of each parameter */
};

/* ---- fields that the whole file has ---- */

static int say_sizes(struct file *f, const int64_t *size, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        snprintf(f->size[i], sizeof f->size[i], "%lld", (long long)size[i]);
        if (survey_say(f->s, &f->said, tuner_sizes[i], f->size[i]) != 0)
            return -1;
    }
    return 0;
}

static int is_said(const struct file *f, const char *name)
{
    const int at = survey_find(&f->s->fields, name);
    return at >= 0 && f->s->fields.v[at].is_said;
}

/* ---- parameters ---- */

/* Every field that the user names has to be one, or a parameter. */
static int check_named(const struct file *f, const char *const *names, size_t n)
{
    const struct interned *fields = &f->asked->fields;
    for (size_t i = 0; i < fields->n; i++) {
        struct names_near near = {.text = fields->v[i].s};
        struct buf question = {0};
        size_t k = 0;
        for (; k < n && strcmp(names[k], near.text) != 0; k++)
            names_offer(&near, names[k], names[k]);
        if (k < n || is_said(f, near.text))
            continue;
        fail("%s: --fields: there is no parameter \"%s\"%s", f->s->path, near.text,
             names_question(&near, &question));
        buf_free(&question);
        return -1;
    }
    return 0;
}

static int open_params(struct file *f, const char *const *names, size_t n)
{
    f->n_params = n;
    f->target = xcalloc(n + 1, sizeof *f->target);
    for (size_t i = 0; i < n; i++) {
        struct target *t = &f->target[i];
        t->is_field = intern_find_text(&f->asked->fields, names[i]) != INTERN_NONE;
        t->at = survey_column(f->s, t->is_field ? &f->s->fields : &f->s->params, names[i]);
        if (t->at < 0)
            return -1;
    }
    return check_named(f, names, n) != 0 ? -1 : survey_say_set(f->s, &f->said, f->asked);
}

static struct survey_column *column_of(const struct file *f, size_t i)
{
    const struct target *t = &f->target[i];
    return t->is_field ? &f->s->fields.v[t->at] : &f->s->params.v[t->at];
}

/* ---- a file of measurements ---- */

static int see_head(void *to, const struct tuner_head *head)
{
    struct file *f = to;
    const char *names[KPRED_MAX_TUPLE + KPRED_MAX_FIELDS + 1];
    const size_t most = sizeof names / sizeof *names - 1;
    const char *gpu = tuner_gpu(head->device, f->asked->gpu, head->path, &f->gpu);
    if (survey_kernel(f->s, f->asked, head->kernel) != 0
        || (gpu != NULL && survey_say(f->s, &f->said, "gpu", gpu) != 0)
        || say_sizes(f, head->size, head->n_sizes) != 0)
        return -1;
    if (head->n_params > most)
        return fail("%s: has %zu parameters, a spec has at most %d", head->path, head->n_params,
                    KPRED_MAX_TUPLE);
    for (size_t i = 0; i < head->n_params; i++)
        names[i] = head->param[i].name;
    if (open_params(f, names, head->n_params) != 0)
        return -1;
    for (size_t i = 0; i < head->n_params; i++)
        for (size_t v = 0; v < head->param[i].n_values && !f->target[i].is_field; v++)
            survey_value(f->s, column_of(f, i), head->param[i].values[v], 0);
    return 0;
}

static int see_measurement(void *to, const struct tuner_head *head,
                           const struct tuner_measurement *m)
{
    struct file *f = to;
    const char *fields[KPRED_MAX_TUPLE], *params[KPRED_MAX_TUPLE] = {0};
    memcpy(fields, f->said.fields, sizeof fields);
    for (size_t i = 0; i < head->n_params; i++)
        (f->target[i].is_field ? fields : params)[f->target[i].at] = m->value[i];
    const enum survey_result result = m->is_rejected   ? SURVEY_REJECTED
                                      : m->time_us > 0 ? SURVEY_WORKED
                                                       : SURVEY_FAILED;
    (void)survey_row(f->s, fields, params, result, m->line);
    return 0;
}

static void close_file(struct file *f)
{
    survey_end_file(f->s);
    buf_free(&f->gpu);
    free(f->target);
}

int survey_tuner(struct survey *s, const struct survey_asked *asked, const char *path,
                 struct buf *bytes)
{
    struct file f = {.s = s, .asked = asked};
    const struct tuner_visitor visitor = {&f, see_head, see_measurement};
    survey_begin_file(s, path);
    s->timed = path;
    const int rc = tuner_read(path, bytes, &visitor);
    close_file(&f);
    return rc;
}

/* ---- a T1 input ---- */

/* Without data: one problem, and the values that are declared. No row is measured. */
static int take_all(struct survey *s, const struct survey_asked *asked, const struct t1 *t1)
{
    struct file f = {.s = s, .asked = asked};
    const char *names[KPRED_MAX_TUPLE + KPRED_MAX_FIELDS], *params[KPRED_MAX_TUPLE] = {0};
    const size_t n = t1->params.n;
    int rc =
        n <= sizeof names / sizeof *names
            ? 0
            : fail("%s: has %zu parameters, a spec has at most %d", t1->path, n, KPRED_MAX_TUPLE);
    survey_begin_file(s, t1->path);
    for (size_t i = 0; i < n && rc == 0; i++)
        names[i] = t1->params.v[i].s;
    if (rc == 0 && asked->gpu != NULL)
        rc = survey_say(s, &f.said, "gpu", tuner_gpu("", asked->gpu, t1->path, &f.gpu));
    if (rc == 0)
        rc = say_sizes(&f, t1->size, t1->n_sizes);
    if (rc == 0)
        rc = open_params(&f, names, n);
    for (size_t i = 0; i < n && rc == 0; i++)
        for (size_t v = 0; v < t1->values[i].n; v++)
            survey_value(s, column_of(&f, i), t1->values[i].v[v].s, 0);
    if (rc == 0)
        (void)survey_row(s, f.said.fields, params, SURVEY_DECLARED, 0);
    close_file(&f);
    return rc;
}

/* T1 has the parameter: do the data? */
static int check_t1_param(struct survey *s, const struct survey_asked *asked, const struct t1 *t1,
                          size_t i)
{
    const char *name = t1->params.v[i].s;
    if (survey_find(&s->params, name) >= 0 || intern_find_text(&asked->fields, name) != INTERN_NONE)
        return 0;
    if (t1->values[i].n > 1)
        return fail("%s: parameter \"%s\": is not in %s: data and T1 are of one kernel, with the "
                    "same parameters",
                    t1->path, name, s->first);
    s->path = t1->path;
    const int at = survey_column(s, &s->params, name);
    if (at >= 0)
        survey_value(s, &s->params.v[at], t1->values[i].v[0].s, 0);
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

int survey_t1(struct survey *s, const struct survey_asked *asked, const struct t1 *t1)
{
    if (s->kernel == NULL && *t1->kernel != '\0')
        s->kernel = xstrdup(t1->kernel);
    if (s->first == NULL)
        return take_all(s, asked, t1);
    for (size_t i = 0; i < t1->params.n; i++)
        if (check_t1_param(s, asked, t1, i) != 0)
            return -1;
    for (size_t i = 0; i < s->params.n; i++)
        if (check_column(s, t1, &s->params.v[i]) != 0)
            return -1;
    return 0;
}
