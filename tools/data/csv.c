/* csv.c - reads rows as CSV
   SPDX-License-Identifier: MIT

   The first record names the columns: those of the spec's fields and parameters, and of timed data
   time_us (with format = timed what table_forms.h takes for the times), in any order; others are
   told and ignored. */
#include "csv.h"

#include "aiter_rows.h"
#include "best_rows.h"
#include "table_forms.h"
#include "tensile.h"

#include "base/names.h"

#include <stdlib.h>
#include <string.h>

/* ---- columns ---- */

struct csv {
    struct loader *l;
    struct csv_records raw;
    const struct csv_records *r; /* the record at hand: of a table of times in one form */
    struct table_forms forms;
    int has_forms;
    struct best_rows best;
};

struct columns {
    int field[KPRED_MAX_FIELDS]; /* -1: its value is the same in all rows: */
    int64_t fixed[KPRED_MAX_FIELDS];
    int param[KPRED_MAX_TUPLE];
    int time;   /* of timed data; otherwise -1 */
    double us;  /* of one in that column */
    int gpu_at; /* the column of the GPU's name, or -1 */
};

/* A name that is only written in another way is told with what stands there, blanks included. */
static int no_column(const struct csv_records *r, const char *name)
{
    struct names_near near = {.text = name};
    struct buf b = {0};
    buf_printf(&b, "there is no column \"%s\"", name);
    for (size_t i = 0; i < r->n && near.text != NULL; i++) {
        names_offer(&near, r->cell[i], r->cell[i]);
        if (names_same(r->cell[i], name)) {
            buf_printf(&b, ", but one \"%s\"", r->cell[i]);
            near.text = NULL;
        }
    }
    fail("%s:%ld: %s", r->path, r->at, near.text != NULL ? names_question(&near, &b) : b.s);
    buf_free(&b);
    return -1;
}

/* 0, or -1 with a message if there is none. */
static int need_column(const struct csv_records *r, const char *name, int *out)
{
    *out = csv_records_find(r, name);
    return *out >= 0 ? 0 : no_column(r, name);
}

static int map_field(const struct csv *c, struct columns *cols, size_t i)
{
    const char *name = c->l->spec->fields[i].name;
    cols->field[i] = csv_records_find(c->r, name);
    if (strcmp(name, "gpu") != 0 || c->l->spec->fields[i].n_tokens == 0) {
        if (cols->field[i] < 0 && load_given(c->l, i, &cols->fixed[i]))
            return 0;
        return need_column(c->r, name, &cols->field[i]);
    }
    cols->gpu_at = cols->field[i];
    if (cols->field[i] < 0)
        return load_file_gpu(c->l, i, &cols->fixed[i]);
    if (c->l->options->gpu != NULL)
        return fail("%s:%ld: there is a column \"gpu\", so --gpu cannot say what it is", c->r->path,
                    c->r->at);
    return 0;
}

/* time_us, or with format = timed what the table has */
static int map_time(const struct csv *c, struct columns *cols)
{
    cols->us = 1;
    if (!c->has_forms)
        return need_column(c->r, "time_us", &cols->time);
    cols->time = c->forms.time;
    cols->us = c->forms.us;
    return cols->time < 0 ? column_no_time(c->r, c->l->spec) : 0;
}

static int map_columns(const struct csv *c, struct columns *cols)
{
    const struct spec *s = c->l->spec;
    cols->time = cols->gpu_at = -1;
    for (size_t i = 0; i < s->n_fields; i++)
        if (map_field(c, cols, i) != 0)
            return -1;
    for (size_t i = 0; i < s->n_params; i++)
        if (need_column(c->r, s->params[i].name, &cols->param[i]) != 0)
            return -1;
    return spec_is_timed(s) ? map_time(c, cols) : 0;
}

static void see_header(struct csv *c, const struct columns *cols)
{
    const struct spec *s = c->l->spec;
    unsigned char *is_known = xcalloc(c->r->n_header, 1);
    for (size_t i = 0; i < s->n_fields; i++)
        if (cols->field[i] >= 0)
            is_known[cols->field[i]] = 1;
    for (size_t i = 0; i < s->n_params; i++)
        is_known[cols->param[i]] = 1;
    if (cols->time >= 0)
        is_known[cols->time] = 1;
    best_rows_open(&c->best, c->l, c->r, is_known);
    free(is_known);
}

/* ---- rows ---- */

/* Verdict on one field's cell. */
static int read_field(struct csv *c, const struct columns *cols, size_t i, int64_t *out)
{
    const struct spec_field *f = &c->l->spec->fields[i];
    *out = cols->fixed[i];
    if (cols->field[i] < 0)
        return 0;
    const char *cell = c->r->cell[cols->field[i]];
    if (f->n_tokens != 0)
        return load_token(c->l, c->r->at, i, cell, out);
    if (parse_int(cell, INT64_MIN, INT64_MAX, out) != 0)
        return load_bad(c->l, c->r->at, DROP_BROKEN, f->name, cell, "is no integer");
    return 0;
}

static int read_row(struct csv *c, const struct columns *cols)
{
    const struct spec *s = c->l->spec;
    const struct csv_records *r = c->r;
    int64_t problem[KPRED_MAX_FIELDS];
    const char *params[KPRED_MAX_TUPLE];
    double time = 0;
    int rc = 0;
    if (r->n != r->n_header)
        return load_ragged(c->l, r);
    best_rows_see(&c->best, r);
    for (size_t i = 0; i < s->n_fields && rc == 0; i++)
        rc = read_field(c, cols, i, &problem[i]);
    for (size_t i = 0; i < s->n_params; i++)
        params[i] = r->cell[cols->param[i]];
    if (rc != 0)
        return rc;
    if (!spec_is_timed(s)) {
        rc = load_add(c->l, r->at, problem, params);
        if (rc == 0)
            best_rows_keep(&c->best, c->l, cols->gpu_at >= 0 ? r->cell[cols->gpu_at] : NULL);
        return rc;
    }
    rc = load_figure(c->l, r->at, r->header[cols->time], r->cell[cols->time], &time);
    return rc == 0 ? load_add_timed(c->l, r->at, problem, params, time * cols->us) : rc;
}

/* Of a table of times, rows in one form come from here on. */
static int open_forms(struct csv *c, struct table_asked *asked)
{
    const struct spec *s = c->l->spec;
    if (s->format != SPEC_TIMED)
        return csv_records_check_header(c->r);
    *asked =
        (struct table_asked){.spec = s, .is_lenient = c->l->options->lenient, .metric = s->metric};
    c->has_forms = 1;
    const int rc = table_forms_open(&c->forms, &c->raw, asked);
    c->r = c->forms.r;
    return rc;
}

static int next_row(struct csv *c)
{
    if (!c->has_forms)
        return csv_records_next(&c->raw);
    const int rc = table_forms_next(&c->forms);
    c->r = c->forms.r;
    return rc;
}

static int read_rows(struct csv *c)
{
    struct table_asked asked;
    struct columns cols = {0};
    int rc = csv_records_next(&c->raw);
    if (rc == 0)
        return fail("%s: has no header", c->l->path);
    if (rc > 0 && tensile_is_header(c->l, &c->raw))
        return tensile_read(c->l, &c->raw);
    if (rc > 0 && aiter_is_header(c->l, &c->raw))
        return aiter_read(c->l, &c->raw);
    if (rc < 0 || open_forms(c, &asked) != 0 || map_columns(c, &cols) != 0)
        return -1;
    see_header(c, &cols);
    while ((rc = next_row(c)) > 0)
        if (read_row(c, &cols) < 0)
            return -1;
    return rc < 0 ? -1 : best_rows_check(&c->best, c->l);
}

int csv_read(struct loader *l, struct buf *bytes)
{
    struct csv c;
    memset(&c, 0, sizeof c);
    c.l = l;
    c.r = &c.raw;
    l->row_prefix = ":";
    int rc = csv_records_open(&c.raw, l->path, bytes);
    if (rc == 0)
        rc = read_rows(&c);
    best_rows_close(&c.best);
    if (c.has_forms)
        table_forms_close(&c.forms);
    csv_records_close(&c.raw);
    return rc;
}
