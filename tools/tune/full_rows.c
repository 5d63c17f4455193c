/* full_rows.c - reads full tables
   SPDX-License-Identifier: MIT */
#include "full_table.h"

#include "data/formats.h"
#include "data/tables.h"
#include "data/tuner.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct full_rows {
    struct full_table *table;
    const struct spec *spec; /* may be NULL */
    const char *gpu;         /* likewise */
    struct interned tuples;  /* all that were read, by their values */
    struct interned problem; /* its fields, as one text */
    struct interned gpus;    /* in rows that are of another one */
    size_t cap;
    long *line; /* of each tuple, that of its time */
};

enum { MOST_VALUES = 65535 }; /* of a parameter */

/* ---- what both have in common ---- */

static void open_params(struct full_rows *r, size_t n)
{
    r->table->values = xcalloc(n + 1, sizeof *r->table->values);
}

/* A tuple twice is one that was measured again: the shorter time counts. */
static int add_again(struct full_rows *r, size_t at, double time, long line)
{
    struct full_table *t = r->table;
    if (isfinite(time) && isfinite(t->time[at]) && load_other_unit(time, t->time[at]))
        return fail(
            "%s:%ld: the tuple took %.15g microseconds, and %.15g in line %ld: " LOAD_OTHER_UNIT,
            t->path, line, time, t->time[at], r->line[at]);
    if (time < t->time[at]) {
        t->time[at] = time;
        r->line[at] = line;
    }
    return 0;
}

static int add_tuple(struct full_rows *r, const char *const *value, double time, long line)
{
    struct full_table *t = r->table;
    const size_t n = t->params.n;
    uint16_t number[KPRED_MAX_TUPLE + KPRED_MAX_FIELDS];
    for (size_t p = 0; p < n; p++) {
        const size_t at = intern_text(&t->values[p], value[p]);
        if (at >= MOST_VALUES)
            return fail("%s:%ld: %s has more than %d values", t->path, line, t->params.v[p].s,
                        MOST_VALUES);
        number[p] = (uint16_t)at;
    }
    const size_t at = intern(&r->tuples, number, n * sizeof *number);
    if (at < t->n)
        return add_again(r, at, time, line);
    if (t->n == r->cap) {
        r->cap = 2 * r->cap + 1024;
        t->value = xrealloc(t->value, r->cap * (n + 1), sizeof *t->value);
        t->time = xrealloc(t->time, r->cap, sizeof *t->time);
        r->line = xrealloc(r->line, r->cap, sizeof *r->line);
    }
    memcpy(t->value + at * n, number, n * sizeof *number);
    t->time[at] = time;
    r->line[at] = line;
    t->n++;
    return 0;
}

static void close_rows(struct full_rows *r)
{
    intern_free(&r->tuples);
    intern_free(&r->problem);
    intern_free(&r->gpus);
    free(r->line);
}

/* ---- files of other tuners ---- */

/* Its GPU and the sizes of its problem, called as its importer does */
static void add_facts(struct full_rows *r, const struct imported *from, const char *gpu)
{
    const struct import_line *line = NULL;
    if (gpu != NULL)
        full_table_add_fact(r->table, "gpu", gpu);
    while ((line = imported_next(from, line, "size")) != NULL)
        full_table_add_fact(r->table, imported_text(from, line, 0), imported_text(from, line, 1));
}

static int see_gpu(struct full_rows *r, const struct imported *from)
{
    const char *path = r->table->path, *device = imported_said(from, "device");
    struct buf own = {0}, any = {0}, asked = {0};
    const char *is = tuner_gpu(device, NULL, path, &own);
    const char *wanted = r->gpu == NULL ? NULL : tuner_gpu(r->gpu, NULL, "", &asked);
    int rc = 0;
    add_facts(r, from, tuner_gpu(device, r->gpu, path, &any));
    if (wanted != NULL && is != NULL && !gpu_may_be(is, wanted))
        rc = fail("%s: is of the GPU %s, not of --gpu %s", path, is, r->gpu);
    buf_free(&own);
    buf_free(&any);
    buf_free(&asked);
    return rc;
}

/* All columns but the time are parameters. */
static int see_params(struct full_rows *r, char *const *names, size_t n)
{
    const char *path = r->table->path;
    if (n > KPRED_MAX_TUPLE + KPRED_MAX_FIELDS)
        return fail("%s: has %zu parameters, at most %d can be replayed", path, n,
                    KPRED_MAX_TUPLE + KPRED_MAX_FIELDS);
    for (size_t i = 0; i < n; i++)
        (void)intern_text(&r->table->params, names[i]);
    for (size_t i = 0; r->spec != NULL && i < r->spec->n_params; i++)
        if (r->spec->params[i].n_values > 1
            && intern_find_text(&r->table->params, r->spec->params[i].name) == INTERN_NONE)
            return fail("%s: has no parameter %s, which the spec has", path,
                        r->spec->params[i].name);
    open_params(r, n);
    return 0;
}

static int read_tuner_rows(struct full_rows *r, struct table_rows *t)
{
    int got;
    if (see_params(r, t->r->cell, (size_t)t->time) != 0 || see_gpu(r, &t->from) != 0)
        return -1;
    while ((got = table_next(t, t->r)) > 0) {
        const double us = strtod(t->r->cell[t->time], NULL);
        if (add_tuple(r, (const char *const *)t->r->cell, us > 0 ? us : HUGE_VAL, t->r->at) != 0)
            return -1;
    }
    return got;
}

static int read_tuner(struct full_rows *r)
{
    struct table_rows t = {.time = -1};
    int rc = tuner_import(r->table->path, NULL, NULL, &t.from);
    if (rc == 0)
        rc = tuner_take(&t, r->table->path, NULL);
    if (rc == 0)
        rc = read_tuner_rows(r, &t);
    table_close(&t);
    return rc;
}

/* ---- CSV ---- */

struct csv_table {
    struct csv_records raw, *c; /* and the row at hand */
    struct table_rows table;
    int gpu; /* its column; -1: none */
    int param[KPRED_MAX_TUPLE], field[KPRED_MAX_FIELDS];
    size_t n_failed; /* rows, by columns beside the time */
};

static int find_columns(struct full_rows *r, struct csv_table *f)
{
    const struct spec *s = r->spec;
    f->gpu = csv_records_find(f->c, "gpu");
    for (size_t i = 0; i < s->n_params; i++) {
        f->param[i] = csv_records_find(f->c, s->params[i].name);
        if (f->param[i] < 0)
            return fail("%s: has no column %s", r->table->path, s->params[i].name);
        (void)intern_text(&r->table->params, s->params[i].name);
    }
    for (size_t i = 0; i < s->n_fields; i++)
        f->field[i] = csv_records_find(f->c, s->fields[i].name);
    open_params(r, s->n_params);
    return 0;
}

static int is_other_gpu(struct full_rows *r, const struct csv_table *f)
{
    if (r->gpu == NULL || f->gpu < 0 || gpu_same(f->c->cell[f->gpu], r->gpu))
        return 0;
    (void)intern_text(&r->gpus, f->c->cell[f->gpu]);
    return 1;
}

static void add_fields(struct full_rows *r, const struct csv_table *f)
{
    for (size_t i = 0; i < r->spec->n_fields; i++)
        if (f->field[i] >= 0)
            full_table_add_fact(r->table, r->spec->fields[i].name, f->c->cell[f->field[i]]);
}

static int same_problem(struct full_rows *r, const struct csv_table *f)
{
    struct buf fields = {0};
    if (r->problem.n == 0)
        add_fields(r, f);
    buf_puts(&fields, "");
    for (size_t i = 0; i < r->spec->n_fields; i++)
        if (f->field[i] >= 0)
            buf_printf(&fields, "%s%s=%s", fields.n > 0 ? " " : "", r->spec->fields[i].name,
                       f->c->cell[f->field[i]]);
    (void)intern_text(&r->problem, fields.s);
    buf_free(&fields);
    return r->problem.n == 1 ? 0
                             : fail("%s:%ld: is of the problem %s, rows before of %s: a replay "
                                    "takes one problem%s",
                                    r->table->path, f->c->at, r->problem.v[1].s, r->problem.v[0].s,
                                    f->gpu >= 0 ? ", and --gpu one GPU" : "");
}

static int add_row(struct full_rows *r, struct csv_table *f)
{
    const char *value[KPRED_MAX_TUPLE];
    double time = 0;
    if (csv_records_check_row(f->c) != 0)
        return -1;
    if (is_other_gpu(r, f))
        return 0;
    if (same_problem(r, f) != 0)
        return -1;
    for (size_t i = 0; i < r->spec->n_params; i++)
        value[i] = f->c->cell[f->param[i]];
    const char *cell = f->c->cell[f->table.time];
    f->n_failed += f->table.is_imported && strncmp(cell, "failed: ", 8) == 0;
    const int ran = load_table_time(cell, &time);
    if (ran < 0)
        return fail("%s:%ld: %s \"%s\" %s", r->table->path, f->c->at, f->c->header[f->table.time],
                    cell, LOAD_NO_TIME);
    return add_tuple(r, value, ran ? time * f->table.us : HUGE_VAL, f->c->at);
}

static int read_rows(struct full_rows *r, struct csv_table *f)
{
    int got;
    f->c = f->table.r;
    imported_note(&f->table.from);
    if (find_columns(r, f) != 0)
        return -1;
    while ((got = table_next(&f->table, f->c)) > 0)
        if (add_row(r, f) != 0)
            return -1;
    if (f->n_failed > 0)
        note("%s: %zu row%s failed, as %s columns say", r->table->path, f->n_failed,
             as_counted(f->n_failed, "", "s"), as_counted(f->n_failed, "its", "their"));
    if (got == 0 && r->table->n == 0 && r->gpus.n > 0)
        return fail("%s: has no row of --gpu %s, but of %s%s", r->table->path, r->gpu,
                    r->gpus.v[0].s, r->gpus.n > 1 ? " and others" : "");
    return got;
}

static int check_ragged(void *to, const struct csv_records *r)
{
    (void)to;
    return csv_records_check_row(r);
}

static int read_csv(struct full_rows *r, struct buf *bytes)
{
    struct csv_table f = {.n_failed = 0};
    if (r->spec == NULL)
        return fail("%s: a CSV does not say which of its columns are parameters: name the SPEC",
                    r->table->path);
    const struct table_asked asked = {.spec = r->spec, .metric = r->spec->metric};
    int rc = csv_records_open(&f.raw, r->table->path, bytes);
    if (rc == 0 && (rc = csv_records_next(&f.raw)) == 0)
        rc = fail("%s: is empty", r->table->path);
    if (rc > 0) {
        rc = table_header(&f.table, &f.raw, &asked) != 0
                     || table_open(&f.table, &asked, check_ragged, NULL) != 0
                 ? -1
                 : read_rows(r, &f);
        table_close(&f.table);
    }
    csv_records_close(&f.raw);
    return rc;
}

/* ---- any file ---- */

int full_table_read(struct full_table *t, const char *path, const struct spec *spec,
                    const char *gpu)
{
    struct full_rows rows = {.table = t, .spec = spec, .gpu = gpu};
    struct buf bytes = {0};
    *t = (struct full_table){.path = path};
    int rc = data_read(path, &bytes);
    if (rc == 0 && data_has_ending(path, ".csv"))
        rc = read_csv(&rows, &bytes);
    else if (rc == 0)
        rc = read_tuner(&rows);
    close_rows(&rows);
    buf_free(&bytes);
    return rc == 0 ? full_table_check(t) : -1;
}
