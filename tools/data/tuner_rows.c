/* tuner_rows.c - see tuner_rows.h
   SPDX-License-Identifier: MIT */
#include "tuner_rows.h"

#include "tuner.h"

#include <stdlib.h>
#include <string.h>

enum { FIXED = -1 };

struct rows {
    struct loader *l;
    int field[KPRED_MAX_FIELDS]; /* the file's parameter that it is, or FIXED: */
    int64_t fixed[KPRED_MAX_FIELDS];
    int param[KPRED_MAX_TUPLE]; /* FIXED: it has one value in the spec: */
    char text[KPRED_MAX_TUPLE][12];
    size_t n; /* the file's parameters: is each used? Else its name and its only value so far */
    unsigned char *is_used;
    char **name, **only;
    long line; /* of the first measurement */
};

/* ---- what is what ---- */

static int find_param(const struct tuner_head *head, const char *name)
{
    for (size_t i = 0; i < head->n_params; i++)
        if (strcmp(head->param[i].name, name) == 0)
            return (int)i;
    return -1;
}

/* The size of the file's problem that has this name; NULL: none */
static const int64_t *find_size(const struct tuner_head *head, const char *name)
{
    for (size_t i = 0; i < head->n_sizes; i++)
        if (strcmp(tuner_sizes[i], name) == 0)
            return &head->size[i];
    return NULL;
}

static int map_gpu(struct rows *r, const struct tuner_head *head, size_t field)
{
    struct loader *l = r->l;
    struct buf b = {0}, from = {0};
    const char *name = tuner_gpu(head->device, l->options->gpu, head->path, &b);
    const int is_named = *head->device != '\0';
    int rc;
    l->gpu_is_named |= is_named;
    l->gpu_is_used |= !is_named;
    if (is_named)
        buf_printf(&from, "the file's device is \"%s\"", head->device);
    else
        buf_puts(&from, l->options->gpu != NULL ? "from --gpu" : "from the file's name");
    if (name == NULL)
        rc = fail("%s: gpu: neither the file nor its name say what it is, --gpu does", head->path);
    else
        rc = load_named_gpu(l, field, name, from.s, &r->fixed[field]);
    buf_free(&b);
    buf_free(&from);
    return rc;
}

static int map_field(struct rows *r, const struct tuner_head *head, size_t i)
{
    const struct spec_field *f = &r->l->spec->fields[i];
    const int64_t *size = find_size(head, f->name);
    r->field[i] = FIXED;
    if (f->n_tokens != 0 && strcmp(f->name, "gpu") == 0)
        return map_gpu(r, head, i);
    r->field[i] = find_param(head, f->name);
    if (r->field[i] >= 0) {
        r->is_used[r->field[i]] = 1;
        return 0;
    }
    if (size != NULL && f->n_tokens == 0) {
        r->fixed[i] = *size;
        return 0;
    }
    if (load_given(r->l, i, &r->fixed[i]))
        return 0;
    return fail("%s: field %s: the file does not say what it is, --set %s=VALUE does", head->path,
                f->name, f->name);
}

static int map_param(struct rows *r, const struct tuner_head *head, size_t i)
{
    const struct spec_param *p = &r->l->spec->params[i];
    r->param[i] = find_param(head, p->name);
    if (r->param[i] >= 0)
        r->is_used[r->param[i]] = 1;
    else if (p->n_values > 1)
        return fail("%s: the file has no parameter %s, which has %zu values in the spec",
                    head->path, p->name, p->n_values);
    return 0;
}

static int see_head(void *to, const struct tuner_head *head)
{
    struct rows *r = to;
    int rc = 0;
    r->n = head->n_params;
    r->is_used = xcalloc(r->n, 1);
    r->name = xcalloc(r->n, sizeof *r->name);
    r->only = xcalloc(r->n, sizeof *r->only);
    for (size_t i = 0; i < r->l->spec->n_fields && rc == 0; i++)
        rc = map_field(r, head, i);
    for (size_t i = 0; i < r->l->spec->n_params && rc == 0; i++)
        rc = map_param(r, head, i);
    return rc;
}

/* ---- rows ---- */

/* What the spec does not name must not make a difference. */
static int check_unused(struct rows *r, const struct tuner_head *head,
                        const struct tuner_measurement *m)
{
    for (size_t i = 0; i < r->n; i++) {
        if (r->is_used[i])
            continue;
        if (r->only[i] == NULL) {
            r->name[i] = xstrdup(head->param[i].name);
            r->only[i] = xstrdup(m->value[i]);
        } else if (strcmp(r->only[i], m->value[i]) != 0) {
            return fail("%s:%ld:%ld: the spec has no parameter %s, which is %s here and %s in line "
                        "%ld",
                        head->path, m->line, m->column, r->name[i], m->value[i], r->only[i],
                        r->line);
        }
    }
    return 0;
}

static void close_unused(struct rows *r, int rc)
{
    for (size_t i = 0; i < r->n; i++) {
        if (r->only[i] != NULL && rc == 0)
            note("%s: the spec does not name %s, which is always %s: ignored", r->l->path,
                 r->name[i], r->only[i]);
        free(r->name[i]);
        free(r->only[i]);
    }
    free(r->name);
    free(r->only);
    free(r->is_used);
}

/* Verdict on one field's value. */
static int read_field(struct rows *r, const struct tuner_measurement *m, size_t i, int64_t *out)
{
    const struct spec_field *f = &r->l->spec->fields[i];
    *out = r->fixed[i];
    if (r->field[i] == FIXED)
        return 0;
    const char *text = m->value[r->field[i]];
    if (f->n_tokens != 0)
        return load_token(r->l, m->column, i, text, out);
    if (parse_int(text, INT64_MIN, INT64_MAX, out) != 0)
        return load_bad(r->l, m->column, DROP_BROKEN, f->name, text, "is no integer");
    return 0;
}

/* Verdict on a measurement. */
static int add_row(struct rows *r, const struct tuner_measurement *m)
{
    struct loader *l = r->l;
    const struct spec *s = l->spec;
    int64_t problem[KPRED_MAX_FIELDS];
    const char *params[KPRED_MAX_TUPLE];
    int rc = 0;
    for (size_t i = 0; i < s->n_fields && rc == 0; i++)
        rc = read_field(r, m, i, &problem[i]);
    for (size_t i = 0; i < s->n_params; i++)
        params[i] = r->param[i] >= 0 ? m->value[r->param[i]]
                                     : spec_value_text(&s->params[i], 0, r->text[i]);
    if (rc == 0)
        rc = load_add_timed(l, m->column, problem, params, m->time_us > 0 ? m->time_us : 0);
    if (rc == 0 && m->n_runs > 1)
        load_runs(l, m->run, m->n_runs);
    return rc;
}

/* The loader shows a row as PATH row_prefix ROW, which is PATH:LINE:COLUMN here; but it keeps the
   line alone. */
static int see_measurement(void *to, const struct tuner_head *head,
                           const struct tuner_measurement *m)
{
    struct rows *r = to;
    struct loader *l = r->l;
    const size_t before = l->n;
    char prefix[32];
    if (r->line == 0)
        r->line = m->line;
    if (check_unused(r, head, m) != 0)
        return -1;
    snprintf(prefix, sizeof prefix, ":%ld:", m->line);
    l->row_prefix = prefix;
    const int rc = add_row(r, m);
    l->row_prefix = ":";
    if (l->n > before)
        l->rows[before].row = m->line;
    return rc < 0 ? -1 : 0;
}

int tuner_rows_read(struct loader *l, struct buf *bytes)
{
    struct rows r;
    const struct tuner_visitor visitor = {&r, see_head, see_measurement};
    memset(&r, 0, sizeof r);
    r.l = l;
    l->row_prefix = ":";
    const int rc = tuner_read(l->path, bytes, &visitor);
    close_unused(&r, rc);
    return rc;
}
