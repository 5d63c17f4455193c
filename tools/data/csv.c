/* csv.c - reads rows as CSV, and writes them as that or as JSON
   SPDX-License-Identifier: MIT

   The first record names the columns: those of the spec's fields and parameters, and of timed data
   time_us, in any order; others are ignored. */
#include "load.h"

#include <string.h>

/* ---- columns ---- */

struct csv {
    struct loader *l;
    struct records r;
};

struct columns {
    size_t n;
    int field[KPRED_MAX_FIELDS]; /* -1: the file gives the GPU */
    int param[KPRED_MAX_PARAMS];
    int time; /* of timed data */
    int64_t gpu;
};

static int check_duplicates(const struct records *r)
{
    for (size_t i = 1; i < r->n; i++)
        if (records_find(r, r->cell[i]) != (int)i)
            return fail("%s:%ld: column \"%s\" stands there twice", r->path, r->at, r->cell[i]);
    return 0;
}

/* 0, or -1 with a message if there is none. */
static int need_column(const struct records *r, const char *name, int *out)
{
    *out = records_find(r, name);
    return *out >= 0 ? 0 : fail("%s:%ld: there is no column \"%s\"", r->path, r->at, name);
}

static int map_field(const struct csv *c, struct columns *cols, size_t i)
{
    const char *name = c->l->spec->fields[i].name;
    if (strcmp(name, "gpu") != 0 || c->l->spec->fields[i].n_tokens == 0)
        return need_column(&c->r, name, &cols->field[i]);
    cols->field[i] = records_find(&c->r, name);
    if (cols->field[i] < 0)
        return load_file_gpu(c->l, i, &cols->gpu);
    if (c->l->options->gpu != NULL)
        return fail("%s:%ld: there is a column \"gpu\", so --gpu cannot say what it is", c->r.path,
                    c->r.at);
    return 0;
}

static int map_columns(const struct csv *c, struct columns *cols)
{
    const struct spec *s = c->l->spec;
    cols->n = c->r.n;
    if (check_duplicates(&c->r) != 0)
        return -1;
    for (size_t i = 0; i < s->n_fields; i++)
        if (map_field(c, cols, i) != 0)
            return -1;
    for (size_t i = 0; i < s->n_params; i++)
        if (need_column(&c->r, s->params[i].name, &cols->param[i]) != 0)
            return -1;
    return spec_is_timed(s) ? need_column(&c->r, "time_us", &cols->time) : 0;
}

/* ---- rows ---- */

/* Verdict on one field's cell. */
static int read_field(struct csv *c, const struct columns *cols, size_t i, int64_t *out)
{
    const struct spec_field *f = &c->l->spec->fields[i];
    *out = cols->gpu;
    if (cols->field[i] < 0)
        return 0;
    const char *cell = c->r.cell[cols->field[i]];
    if (f->n_tokens != 0)
        return load_token(c->l, c->r.at, i, cell, out);
    if (parse_int(cell, INT64_MIN, INT64_MAX, out) != 0)
        return load_bad(c->l, c->r.at, DROP_BROKEN, f->name, cell, "is no integer");
    return 0;
}

static int read_row(struct csv *c, const struct columns *cols)
{
    const struct spec *s = c->l->spec;
    const struct records *r = &c->r;
    int64_t problem[KPRED_MAX_FIELDS];
    const char *params[KPRED_MAX_PARAMS];
    double time = 0;
    int rc = 0;
    if (r->n != cols->n)
        return load_ragged(c->l, r, cols->n);
    for (size_t i = 0; i < s->n_fields && rc == 0; i++)
        rc = read_field(c, cols, i, &problem[i]);
    for (size_t i = 0; i < s->n_params; i++)
        params[i] = r->cell[cols->param[i]];
    if (rc != 0)
        return rc;
    if (!spec_is_timed(s))
        return load_add(c->l, r->at, problem, params);
    rc = load_figure(c->l, r->at, "time_us", r->cell[cols->time], &time);
    return rc == 0 ? load_add_timed(c->l, r->at, problem, params, time) : rc;
}

static int read_rows(struct csv *c)
{
    struct columns cols = {0};
    int rc = records_next(&c->r);
    if (rc == 0)
        return fail("%s: has no header", c->l->path);
    if (rc > 0 && tensile_is_header(c->l, &c->r))
        return tensile_read(c->l, &c->r);
    if (rc < 0 || map_columns(c, &cols) != 0)
        return -1;
    while ((rc = records_next(&c->r)) > 0)
        if (read_row(c, &cols) < 0)
            return -1;
    return rc;
}

int csv_read(struct loader *l, struct buf *bytes)
{
    struct csv c = {.l = l};
    l->row_prefix = ":";
    int rc = records_open(&c.r, l->path, bytes);
    if (rc == 0)
        rc = read_rows(&c);
    records_close(&c.r);
    return rc;
}

/* ---- writing ---- */

static void add_heading(struct table *t, const struct spec *s)
{
    struct buf names = {0};
    for (size_t i = 0; i < s->n_fields; i++)
        buf_printf(&names, "%s,", s->fields[i].name);
    for (size_t i = 0; i < s->n_params; i++)
        buf_printf(&names, "%s,", s->params[i].name);
    if (spec_is_timed(s))
        buf_puts(&names, "time_us,");
    table_heading(t, names.s);
    buf_free(&names);
}

/* A target as it is called, or of an option that the spec does not know as it was read. */
static void add_target(struct table *t, const struct spec *s, size_t i, unsigned char target,
                       char *const *unknown)
{
    char number[12];
    const struct spec_param *p = &s->params[i];
    const char *text = target == DATA_UNKNOWN ? unknown[i] : spec_value_text(p, target, number);
    if (p->names[0] != NULL)
        table_text(t, text);
    else
        table_number(t, "%s", text);
}

static void add_row(struct table *t, const struct spec *s, const struct dataset *d, size_t row)
{
    const int32_t *problem = d->problem + row * d->n_fields;
    const uint32_t option = d->unknown != NULL ? d->unknown[row] : 0;
    char *const *unknown = option != 0 ? d->unknown_text + (option - 1) * d->n_params : NULL;
    for (size_t i = 0; i < s->n_fields; i++)
        if (s->fields[i].n_tokens != 0)
            table_text(t, s->fields[i].tokens[problem[i]]);
        else
            table_number(t, "%ld", (long)problem[i]);
    for (size_t i = 0; i < s->n_params; i++)
        add_target(t, s, i, d->target[row * d->n_params + i], unknown);
    if (d->time_us != NULL)
        table_number(t, "%.15g", d->time_us[row]);
}

void data_write(const struct spec *spec, const struct dataset *d, struct table_form form, FILE *f)
{
    struct table t = {0};
    add_heading(&t, spec);
    for (size_t i = 0; i < d->n; i++)
        add_row(&t, spec, d, i);
    table_print(&t, f, form);
    table_free(&t);
}
