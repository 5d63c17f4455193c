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
    const char *asked_gpu;   /* likewise */
    struct table_rows from;
    int is_tuner; /* it is a file of another tuner: all columns but the time are parameters */
    int gpu;      /* columns: -1, there is none */
    int param[KPRED_MAX_TUPLE + KPRED_MAX_FIELDS], field[KPRED_MAX_FIELDS];
    size_t n_fields;
    struct interned tuples;  /* all that were read, by their values */
    struct interned problem; /* its fields, as one text */
    struct interned gpus;    /* in rows that are of another one */
    size_t n_failed;         /* rows, by columns beside the time */
    size_t cap;
    long *line; /* of each tuple, that of its time */
};

enum { MOST_VALUES = 65535 }; /* of a parameter */

/* ---- tuples ---- */

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

/* ---- columns ---- */

static void add_param(struct full_rows *r, const char *name, int column)
{
    r->param[intern_text(&r->table->params, name)] = column;
}

/* Its GPU and the sizes of its problem, called as its importer does */
static void add_facts(struct full_rows *r, const char *gpu)
{
    const struct imported *from = &r->from.from;
    const struct import_line *line = NULL;
    if (gpu != NULL)
        full_table_add_fact(r->table, "gpu", gpu);
    while ((line = imported_next(from, line, "size")) != NULL)
        full_table_add_fact(r->table, imported_text(from, line, 0), imported_text(from, line, 1));
}

static int see_gpu(struct full_rows *r)
{
    const char *path = r->table->path, *device = imported_said(&r->from.from, "device");
    struct buf own = {0}, any = {0}, asked = {0};
    const char *is = tuner_gpu(device, NULL, path, &own);
    const char *wanted = r->asked_gpu == NULL ? NULL : tuner_gpu(r->asked_gpu, NULL, "", &asked);
    int rc = 0;
    add_facts(r, tuner_gpu(device, r->asked_gpu, path, &any));
    if (wanted != NULL && is != NULL && !gpu_may_be(is, wanted))
        rc = fail("%s: is of the GPU %s, not of --gpu %s", path, is, r->asked_gpu);
    buf_free(&own);
    buf_free(&any);
    buf_free(&asked);
    return rc;
}

/* All columns but the time are parameters. */
static int see_tuner(struct full_rows *r)
{
    const char *path = r->table->path;
    const size_t n = (size_t)r->from.time;
    if (n > sizeof r->param / sizeof *r->param)
        return fail("%s: has %zu parameters, at most %zu can be replayed", path, n,
                    sizeof r->param / sizeof *r->param);
    for (size_t i = 0; i < n; i++)
        add_param(r, r->from.r->cell[i], (int)i);
    for (size_t i = 0; r->spec != NULL && i < r->spec->n_params; i++)
        if (r->spec->params[i].n_values > 1
            && intern_find_text(&r->table->params, r->spec->params[i].name) == INTERN_NONE)
            return fail("%s: has no parameter %s, which the spec has", path,
                        r->spec->params[i].name);
    return see_gpu(r);
}

static int see_csv(struct full_rows *r)
{
    const struct spec *s = r->spec;
    const struct csv_records *c = r->from.r;
    imported_note(&r->from.from);
    r->gpu = csv_records_find(c, "gpu");
    for (size_t i = 0; i < s->n_params; i++) {
        const int column = csv_records_find(c, s->params[i].name);
        if (column < 0)
            return fail("%s: has no column %s", r->table->path, s->params[i].name);
        add_param(r, s->params[i].name, column);
    }
    r->n_fields = s->n_fields;
    for (size_t i = 0; i < s->n_fields; i++)
        r->field[i] = csv_records_find(c, s->fields[i].name);
    return 0;
}

/* ---- rows ---- */

static int is_other_gpu(struct full_rows *r)
{
    const char *gpu = r->gpu >= 0 ? r->from.r->cell[r->gpu] : NULL;
    if (r->asked_gpu == NULL || gpu == NULL || gpu_same(gpu, r->asked_gpu))
        return 0;
    (void)intern_text(&r->gpus, gpu);
    return 1;
}

static int same_problem(struct full_rows *r)
{
    const struct csv_records *c = r->from.r;
    const int is_first = r->problem.n == 0;
    struct buf fields = {0};
    buf_puts(&fields, "");
    for (size_t i = 0; i < r->n_fields; i++) {
        if (r->field[i] < 0)
            continue;
        const char *name = r->spec->fields[i].name, *cell = c->cell[r->field[i]];
        if (is_first)
            full_table_add_fact(r->table, name, cell);
        buf_printf(&fields, "%s%s=%s", fields.n > 0 ? " " : "", name, cell);
    }
    (void)intern_text(&r->problem, fields.s);
    buf_free(&fields);
    return r->problem.n == 1 ? 0
                             : fail("%s:%ld: is of the problem %s, rows before of %s: a replay "
                                    "takes one problem%s",
                                    r->table->path, c->at, r->problem.v[1].s, r->problem.v[0].s,
                                    r->gpu >= 0 ? ", and --gpu one GPU" : "");
}

/* 1: it ran, 0: it failed, -1 with a message: it is neither */
static int read_time(struct full_rows *r, double *time)
{
    const struct csv_records *c = r->from.r;
    const char *cell = c->cell[r->from.time];
    if (r->is_tuner)
        return (*time = strtod(cell, NULL)) > 0;
    r->n_failed += r->from.is_imported && strncmp(cell, "failed: ", 8) == 0;
    const int ran = load_table_time(cell, time);
    return ran >= 0 ? ran
                    : fail("%s:%ld: %s \"%s\" %s", r->table->path, c->at, c->header[r->from.time],
                           cell, LOAD_NO_TIME);
}

static int add_row(struct full_rows *r)
{
    const struct csv_records *c = r->from.r;
    const char *value[KPRED_MAX_TUPLE + KPRED_MAX_FIELDS];
    double time = 0;
    if (csv_records_check_row(c) != 0)
        return -1;
    if (is_other_gpu(r))
        return 0;
    if (same_problem(r) != 0)
        return -1;
    for (size_t i = 0; i < r->table->params.n; i++)
        value[i] = c->cell[r->param[i]];
    const int ran = read_time(r, &time);
    return ran < 0 ? -1 : add_tuple(r, value, ran ? time * r->from.us : HUGE_VAL, c->at);
}

static int read_rows(struct full_rows *r)
{
    struct full_table *t = r->table;
    int got;
    r->gpu = -1;
    if ((r->is_tuner ? see_tuner(r) : see_csv(r)) != 0)
        return -1;
    t->values = xcalloc(t->params.n + 1, sizeof *t->values);
    while ((got = table_next(&r->from, r->from.r)) > 0)
        if (add_row(r) != 0)
            return -1;
    if (r->n_failed > 0)
        note("%s: %zu row%s failed, as %s columns say", t->path, r->n_failed,
             as_counted(r->n_failed, "", "s"), as_counted(r->n_failed, "its", "their"));
    if (got == 0 && t->n == 0 && r->gpus.n > 0)
        return fail("%s: has no row of --gpu %s, but of %s%s", t->path, r->asked_gpu,
                    r->gpus.v[0].s, r->gpus.n > 1 ? " and others" : "");
    return got;
}

/* ---- files ---- */

static int read_tuner(struct full_rows *r)
{
    const char *path = r->table->path;
    r->is_tuner = 1;
    return tuner_import(path, NULL, NULL, &r->from.from) != 0
                   || tuner_take(&r->from, path, NULL) != 0
               ? -1
               : read_rows(r);
}

static int check_ragged(void *to, const struct csv_records *r)
{
    (void)to;
    return csv_records_check_row(r);
}

static int read_csv(struct full_rows *r, struct buf *bytes)
{
    struct csv_records raw;
    if (r->spec == NULL)
        return fail("%s: a CSV does not say which of its columns are parameters: name the SPEC",
                    r->table->path);
    const struct table_asked asked = {.spec = r->spec, .metric = r->spec->metric};
    int rc = csv_records_open(&raw, r->table->path, bytes);
    if (rc == 0 && (rc = csv_records_next(&raw)) == 0)
        rc = fail("%s: is empty", r->table->path);
    if (rc > 0)
        rc = table_header(&r->from, &raw, &asked) != 0
                     || table_open(&r->from, &asked, check_ragged, NULL) != 0
                 ? -1
                 : read_rows(r);
    csv_records_close(&raw);
    return rc;
}

int full_table_read(struct full_table *t, const char *path, const struct spec *spec,
                    const char *gpu)
{
    struct full_rows r = {.table = t, .spec = spec, .asked_gpu = gpu, .from.time = -1};
    struct buf bytes = {0};
    *t = (struct full_table){.path = path};
    int rc = data_read(path, &bytes);
    if (rc == 0)
        rc = data_has_ending(path, ".csv") ? read_csv(&r, &bytes) : read_tuner(&r);
    table_close(&r.from);
    intern_free(&r.tuples);
    intern_free(&r.problem);
    intern_free(&r.gpus);
    free(r.line);
    buf_free(&bytes);
    return rc == 0 ? full_table_check(t) : -1;
}
