/* survey.c - collects what files say of a kernel without a spec
   SPDX-License-Identifier: MIT */
#include "survey.h"

#include "data/tuner.h"

#include "base/names.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

void survey_open(struct survey *s)
{
    memset(s, 0, sizeof *s);
    s->fields.what = "field";
    s->fields.most = KPRED_MAX_FIELDS;
    s->params.what = "parameter";
    s->params.most = KPRED_MAX_TUPLE;
}

static void close_columns(struct survey_columns *c)
{
    for (size_t i = 0; i < c->n; i++) {
        free(c->v[i].name);
        free(c->v[i].at);
        intern_free(&c->v[i].values);
    }
}

void survey_close(struct survey *s)
{
    close_columns(&s->fields);
    close_columns(&s->params);
    intern_free(&s->problems);
    intern_free(&s->rows);
    intern_free(&s->rejected);
    free(s->worked);
    intern_free(&s->notes);
    for (size_t i = 0; i < s->spellings.n; i++)
        free(s->token[i]);
    free(s->token);
    intern_free(&s->spellings);
    intern_free(&s->success);
    intern_free(&s->failures);
    free(s->metric.name);
    free(s->kernel);
}

/* ---- files and columns ---- */

void survey_begin_file(struct survey *s, const char *path)
{
    s->path = path;
}

static void end_columns(struct survey_columns *c, const char *path)
{
    for (size_t i = 0; i < c->n; i++) {
        const char **where = c->v[i].is_said ? &c->v[i].has : &c->v[i].lacks;
        if (*where == NULL)
            *where = path;
        c->v[i].is_said = 0;
    }
}

void survey_end_file(struct survey *s)
{
    end_columns(&s->fields, s->path);
    end_columns(&s->params, s->path);
    if (s->first == NULL)
        s->first = s->path;
}

int survey_find(const struct survey_columns *c, const char *name)
{
    for (size_t i = 0; i < c->n; i++)
        if (strcmp(c->v[i].name, name) == 0)
            return (int)i;
    return -1;
}

int survey_column(struct survey *s, struct survey_columns *c, const char *name)
{
    int at = survey_find(c, name);
    if (at < 0) {
        if (!is_identifier(name))
            return fail(
                "%s: %s \"%s\": is not a name of letters, digits and _, which does not begin "
                "with a digit and has at most 63 of them",
                s->path, c->what, name);
        if (c->n == c->most)
            return fail("%s: %s \"%s\": is one too many, a spec has at most %zu", s->path, c->what,
                        name, c->most);
        at = (int)c->n++;
        c->v[at].name = xstrdup(name);
        c->v[at].lacks = s->first;
    }
    c->v[at].is_said = 1;
    return at;
}

int survey_say(struct survey *s, struct survey_said *said, const char *name, const char *value)
{
    const int at = survey_column(s, &s->fields, name);
    if (at >= 0)
        said->fields[at] = value;
    return at < 0 ? -1 : 0;
}

int survey_say_set(struct survey *s, struct survey_said *said, const struct survey_asked *asked)
{
    for (size_t i = 0; i < asked->n_set; i++) {
        const int at = survey_find(&s->fields, asked->set_name[i]);
        if ((at < 0 || !s->fields.v[at].is_said)
            && survey_say(s, said, asked->set_name[i], asked->set_value[i]) != 0)
            return -1;
    }
    return 0;
}

int survey_kernel(struct survey *s, const struct survey_asked *asked, const char *name)
{
    if (*name == '\0')
        return 0;
    if (s->kernel == NULL) {
        s->kernel = xstrdup(name);
        s->kernel_path = s->path;
    }
    return asked->name != NULL || strcmp(s->kernel, name) == 0
               ? 0
               : fail("%s: kernel \"%s\": %s is of kernel \"%s\": a spec is of one kernel (--name "
                      "NAME says that they are one)",
                      s->path, name, s->kernel_path, s->kernel);
}

int survey_metric(struct survey *s, const char *name, int is_rate)
{
    struct survey_metric *m = &s->metric;
    if (m->path == NULL) {
        m->path = s->path;
        m->name = name != NULL ? xstrdup(name) : NULL;
        m->is_rate = is_rate;
        return 0;
    }
    const int is_same =
        name == NULL || m->name == NULL ? name == m->name : strcmp(name, m->name) == 0;
    if (!is_same && (is_rate || m->is_rate))
        return fail("%s: its times are those of \"%s\", those of %s of \"%s\": rates and times, or "
                    "different rates, cannot be compared",
                    s->path, name != NULL ? name : "time_us", m->path,
                    m->name != NULL ? m->name : "time_us");
    m->is_mixed |= !is_same;
    return 0;
}

/* ---- rows ---- */

/* Is the token that of another product? */
static int is_of_other(const struct survey *s, const char *token, const struct product *p)
{
    for (size_t i = 0; p != NULL && i < s->spellings.n; i++) {
        const struct product *other = product_of_device(s->spellings.v[i].s);
        if (other != NULL && other != p && strcmp(s->token[i], token) == 0)
            return 1;
    }
    return 0;
}

/* The token of an earlier spelling of this GPU; NULL: there is none */
static const char *gpu_before(const struct survey *s, const char *value)
{
    const struct product *p = product_of_device(value);
    for (size_t i = 0; i < s->spellings.n; i++)
        if (gpu_same(s->spellings.v[i].s, value) && !is_of_other(s, s->token[i], p))
            return s->token[i];
    return NULL;
}

/* A product whose name for programs another one has keeps its own. */
static const char *new_token(const struct survey *s, const char *value, struct buf *b)
{
    const struct product *p = product_of_device(value);
    const char *token = gpu_program_name(value, b);
    if (is_of_other(s, token, p)) {
        b->n = 0;
        for (const char *c = p->name; *c != '\0'; c++)
            buf_printf(b, "%c", *c == ' ' ? '_' : *c);
        return b->s;
    }
    const int is_number = strspn(value, "0123456789") == strlen(value);
    return spec_is_name(token) || is_number || *gpu_name(value, b) == '\0' ? token : b->s;
}

/* A GPU has the spelling in which it came first, if a spec takes that; a product of AMD's has the
   name by which programs find it. */
static const char *gpu_spelling(struct survey *s, const char *value)
{
    struct buf b = {0};
    const size_t n = s->spellings.n, at = intern_text(&s->spellings, value);
    if (at < n)
        return s->token[at];
    s->spellings.n = n; /* it is none of those before */
    const char *token = gpu_before(s, value);
    char *own = xstrdup(token != NULL ? token : new_token(s, value, &b));
    s->spellings.n = n + 1;
    s->token = xgrow(s->token, n, &s->token_cap, sizeof *s->token);
    token = s->token[n] = own;
    if (strcmp(token, value) != 0)
        survey_note(s, "gpu: %s is %s", value, token);
    buf_free(&b);
    return token;
}

static uint32_t value_number(struct survey *s, struct survey_column *c, const char *value,
                             long line)
{
    if (strcmp(c->name, "gpu") == 0)
        value = gpu_spelling(s, value);
    const size_t n = c->values.n, i = intern_text(&c->values, value);
    if (c->values.n > n) {
        c->at = xgrow(c->at, n, &c->at_cap, sizeof *c->at);
        c->at[n] = (struct survey_place){s->path, line};
    }
    return (uint32_t)i + 1;
}

/* A value that a column may have, though maybe no row has it */
static void survey_value(struct survey *s, struct survey_column *c, const char *value, long line)
{
    (void)value_number(s, c, value, line);
}

/* 0 behind the last of them: columns may come later. */
static void number_all(struct survey *s, struct survey_columns *c, const char *const *values,
                       long line, uint32_t out[KPRED_MAX_TUPLE])
{
    for (size_t i = 0; i < KPRED_MAX_TUPLE; i++)
        out[i] = i < c->n && values[i] != NULL ? value_number(s, &c->v[i], values[i], line) : 0;
}

/* A row that comes again worked if it did so once. */
static void measure(struct survey *s, const uint32_t *row, size_t size, enum survey_result result)
{
    const size_t n = s->rows.n, i = intern(&s->rows, row, size);
    if (s->rows.n > n) {
        s->worked = xgrow(s->worked, n, &s->worked_cap, sizeof *s->worked);
        s->worked[n] = 0;
    }
    s->worked[i] |= result == SURVEY_WORKED;
}

size_t survey_row(struct survey *s, const char *const *fields, const char *const *params,
                  enum survey_result result, long line)
{
    uint32_t problem[KPRED_MAX_TUPLE], row[1 + KPRED_MAX_TUPLE];
    number_all(s, &s->fields, fields, line, problem);
    number_all(s, &s->params, params, line, row + 1);
    const size_t number = intern(&s->problems, problem, sizeof problem);
    row[0] = (uint32_t)number;
    if (result >= SURVEY_FAILED)
        measure(s, row, sizeof row, result);
    else if (result == SURVEY_REJECTED)
        (void)intern(&s->rejected, row, sizeof row);
    return number;
}

/* ---- all files ---- */

void survey_note(struct survey *s, const char *fmt, ...)
{
    char text[1024];
    va_list args;
    va_start(args, fmt);
    vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    (void)intern_text(&s->notes, text);
}

static int check_field(const struct survey_column *c)
{
    if (c->lacks == NULL)
        return 0;
    if (strcmp(c->name, "gpu") == 0)
        return fail("%s: names no GPU, but %s does: give it with --gpu GPU", c->lacks, c->has);
    return fail("%s: has no \"%s\", but %s does: give it with --set %s=VALUE", c->lacks, c->name,
                c->has, c->name);
}

static int check_param(const struct survey_column *c)
{
    return c->lacks == NULL || c->values.n <= 1
               ? 0
               : fail(
                   "%s: has no parameter \"%s\", which has %zu values in %s: files of one kernel "
                   "have the same parameters",
                   c->lacks, c->name, c->values.n, c->has);
}

/* Of files with times one row has one. */
static int has_worked(const struct survey *s)
{
    size_t i = 0;
    while (i < s->rows.n && !s->worked[i])
        i++;
    return i < s->rows.n || s->timed == NULL;
}

int survey_check(const struct survey *s)
{
    if (!has_worked(s))
        return fail("%s: no row has a time, each of %zu failed: there is nothing to learn from",
                    s->timed, s->rows.n);
    for (size_t i = 0; i < s->fields.n; i++)
        if (check_field(&s->fields.v[i]) != 0)
            return -1;
    for (size_t i = 0; i < s->params.n; i++)
        if (check_param(&s->params.v[i]) != 0)
            return -1;
    if (s->timed != NULL && s->best != NULL)
        return fail(
            "%s: has no column time_us or time_ms, but %s has times: one spec is of data of "
            "one kind",
            s->best, s->timed);
    return 0;
}

int survey_has_data(const struct survey *s)
{
    return s->timed != NULL || s->best != NULL;
}

size_t survey_n_problems(const struct survey *s)
{
    const int gpu = survey_find(&s->fields, "gpu");
    struct interned seen = {0};
    for (size_t i = 0; i < s->problems.n; i++) {
        uint32_t problem[KPRED_MAX_TUPLE];
        memcpy(problem, s->problems.v[i].s, sizeof problem);
        if (gpu >= 0)
            problem[gpu] = 0;
        (void)intern(&seen, problem, sizeof problem);
    }
    const size_t n = seen.n;
    intern_free(&seen);
    return n;
}

/* ---- other tuners' files ---- */

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

/* ---- other tuners' files: fields that the whole file has ---- */

static int say_sizes(struct file *f, const char *const *name, const int64_t *size, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        snprintf(f->size[i], sizeof f->size[i], "%lld", (long long)size[i]);
        if (survey_say(f->s, &f->said, name[i], f->size[i]) != 0)
            return -1;
    }
    return 0;
}

static int is_said(const struct file *f, const char *name)
{
    const int at = survey_find(&f->s->fields, name);
    return at >= 0 && f->s->fields.v[at].is_said;
}

/* ---- other tuners' files: parameters ---- */

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

/* ---- other tuners' files: a file of measurements ---- */

static int see_head(void *to, const struct tuner_head *head)
{
    struct file *f = to;
    const char *names[KPRED_MAX_TUPLE + KPRED_MAX_FIELDS + 1];
    const size_t most = sizeof names / sizeof *names - 1;
    const char *gpu = tuner_gpu(head->device, f->asked->gpu, head->path, &f->gpu);
    if (survey_kernel(f->s, f->asked, head->kernel) != 0
        || (gpu != NULL && survey_say(f->s, &f->said, "gpu", gpu) != 0)
        || say_sizes(f, head->size_name, head->size, head->n_sizes) != 0)
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
    if (m->has_no_unit && f->asked->unit == NULL && !f->s->unit_is_used)
        survey_note(f->s, "%s: " TUNER_NO_UNIT, head->path);
    f->s->unit_is_used |= m->has_no_unit;
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

/* The fields that a key of Triton may have: what --set gives is not in it. */
static size_t name_key(const struct survey_asked *asked, const char **name)
{
    size_t n = 0;
    for (size_t i = 0; i < asked->fields.n; i++) {
        size_t k = 0;
        while (k < asked->n_set && strcmp(asked->set_name[k], asked->fields.v[i].s) != 0)
            k++;
        if (k == asked->n_set)
            name[n++] = asked->fields.v[i].s;
    }
    return n;
}

int survey_import(const struct survey_asked *asked, const char *path, struct imported *out)
{
    const char **names = xcalloc(asked->fields.n + 1, sizeof *names);
    const struct tuner_told told = {asked->unit, name_key(asked, names), names};
    const int rc = tuner_import(path, &told, out);
    free(names);
    return rc;
}

int survey_tuner(struct survey *s, const struct survey_asked *asked, const char *path,
                 struct imported *from)
{
    struct file f = {.s = s, .asked = asked};
    const struct tuner_visitor visitor = {&f, see_head, see_measurement, &s->types};
    survey_begin_file(s, path);
    s->timed = path;
    const int rc = tuner_read(path, from, &visitor);
    close_file(&f);
    return rc;
}

/* ---- other tuners' files: a T1 input ---- */

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
        rc = say_sizes(&f, tuner_sizes, t1->size, t1->n_sizes);
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
