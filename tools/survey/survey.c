/* survey.c - collects what files say of a kernel without a spec
   SPDX-License-Identifier: MIT */
#include "survey.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

void survey_open(struct survey *s, const struct survey_asked *asked)
{
    *s = (struct survey){.asked = asked,
                         .fields.what = "field",
                         .fields.most = KPRED_MAX_FIELDS,
                         .params.what = "parameter",
                         .params.most = KPRED_MAX_TUPLE};
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
    free(s->result);
    intern_free(&s->notes);
    for (size_t i = 0; i < s->spellings.n; i++)
        free(s->token[i]);
    free(s->token);
    intern_free(&s->spellings);
    intern_free(&s->success);
    intern_free(&s->failures);
    free(s->metric.name);
    free(s->kernel);
    t1_free(&s->t1);
}

/* ---- files and columns ---- */

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

int survey_say(struct survey_plain *t, const char *name, const char *value)
{
    const int at = survey_column(t->s, &t->s->fields, name);
    if (at >= 0)
        t->said[at] = value;
    return at < 0 ? -1 : 0;
}

int survey_say_set(struct survey_plain *t)
{
    const struct survey_asked *asked = t->s->asked;
    for (size_t i = 0; i < asked->n_set; i++) {
        const int at = survey_find(&t->s->fields, asked->set_name[i]);
        if ((at < 0 || !t->s->fields.v[at].is_said)
            && survey_say(t, asked->set_name[i], asked->set_value[i]) != 0)
            return -1;
    }
    return 0;
}

int survey_kernel(struct survey *s, const char *name)
{
    if (name == NULL || *name == '\0')
        return 0;
    if (s->kernel == NULL) {
        s->kernel = xstrdup(name);
        s->kernel_path = s->path;
    }
    return s->asked->name != NULL || strcmp(s->kernel, name) == 0
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

uint32_t survey_value(struct survey *s, struct survey_column *c, const char *value, long line)
{
    if (strcmp(c->name, "gpu") == 0)
        value = gpu_spelling(s, value);
    const size_t n = c->values.n, i = intern_text(&c->values, value);
    if (c->values.n > n) {
        c->at = xgrow(c->at, n, &c->at_cap, sizeof *c->at);
        c->at[n] = (struct place){s->path, (size_t)line};
    }
    return (uint32_t)i + 1;
}

/* 0 behind the last of them: columns may come later. */
static void number_all(struct survey *s, struct survey_columns *c, const char *const *values,
                       long line, uint32_t out[KPRED_MAX_TUPLE])
{
    for (size_t i = 0; i < KPRED_MAX_TUPLE; i++)
        out[i] = i < c->n && values[i] != NULL ? survey_value(s, &c->v[i], values[i], line) : 0;
}

static void survey_keep(struct survey *s, const uint32_t *row, size_t size,
                        enum survey_result result)
{
    const size_t n = s->rows.n, i = intern(&s->rows, row, size);
    if (s->rows.n > n) {
        s->result = xgrow(s->result, n, &s->result_cap, sizeof *s->result);
        s->result[n] = 0;
    }
    s->result[i] = s->result[i] < result ? (unsigned char)result : s->result[i];
}

size_t survey_row(struct survey *s, const char *const *fields, const char *const *params,
                  enum survey_result result, long line)
{
    uint32_t problem[KPRED_MAX_TUPLE], row[1 + KPRED_MAX_TUPLE];
    number_all(s, &s->fields, fields, line, problem);
    number_all(s, &s->params, params, line, row + 1);
    const size_t number = intern(&s->problems, problem, sizeof problem);
    row[0] = (uint32_t)number;
    if (result != SURVEY_DECLARED)
        survey_keep(s, row, sizeof row, result);
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

int survey_check(const struct survey *s)
{
    size_t n[SURVEY_WORKED + 1] = {0};
    for (size_t i = 0; i < s->rows.n; i++)
        n[s->result[i]]++;
    if (s->timed != NULL && n[SURVEY_WORKED] == 0)
        return fail("%s: no row has a time, each of %zu failed: there is nothing to learn from",
                    s->timed, n[SURVEY_FAILED]);
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
