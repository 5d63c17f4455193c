/* table_rows.c - the rows of a table of times, of which an importer makes a plain one if need be
   SPDX-License-Identifier: MIT */
#include "tables.h"

#include <stdlib.h>
#include <string.h>

/* ---- what the importer is told ---- */

static void add_columns(struct interned *o, const struct table_asked *a)
{
    struct buf fields = {0}, ignored = {0};
    for (size_t i = 0; a->fields != NULL && i < a->fields->n; i++)
        import_name(&fields, a->fields->v[i].s);
    for (size_t i = 0; i < a->n_set; i++)
        import_name(&fields, a->set[i]);
    for (size_t i = 0; a->spec != NULL && i < a->spec->n_fields; i++)
        import_name(&fields, a->spec->fields[i].name);
    for (size_t i = 0; a->ignored != NULL && i < a->ignored->n; i++)
        import_name(&ignored, a->ignored->v[i].s);
    import_option(o, "--fields", fields.s);
    import_option(o, "--ignore", ignored.s);
    buf_free(&fields);
    buf_free(&ignored);
}

/* Has the spec names for this parameter's values that look like figures with marks? */
static int has_odd_names(const struct spec_param *p)
{
    for (size_t i = 0; i < p->n_values && p->names[i] != NULL; i++)
        if (strpbrk(p->names[i], ", '_") != NULL)
            return 1;
    return 0;
}

static void add_params(struct interned *o, const struct spec *s)
{
    struct buf params = {0}, integers = {0}, texts = {0};
    char number[12];
    for (size_t i = 0; i < s->n_params; i++) {
        const struct spec_param *p = &s->params[i];
        import_name(&params, p->name);
        if (p->names[0] == NULL || has_odd_names(p))
            import_name(p->names[0] == NULL ? &integers : &texts, p->name);
    }
    for (size_t i = 0; s->n_params == 1 && i < s->params[0].n_values; i++)
        import_option(o, "--value", spec_value_text(&s->params[0], i, number));
    import_option(o, "--params", params.s);
    import_option(o, "--integers", integers.s);
    import_option(o, "--texts", texts.s);
    buf_free(&params);
    buf_free(&integers);
    buf_free(&texts);
}

static void add_all(struct interned *o, const struct table_asked *a)
{
    const struct spec *s = a->spec;
    const char *const *success = s != NULL ? s->success : a->success;
    add_columns(o, a);
    for (size_t i = 0; i < (s != NULL ? s->n_success : a->n_success); i++)
        import_option(o, "--success", success[i]);
    import_option(o, "--metric", a->metric);
    import_option(o, "--best", a->is_best ? spec_formats[s->format] : NULL);
    if (s != NULL) {
        add_params(o, s);
        (void)intern_text(o, "--spec");
    }
    if (a->is_only)
        (void)intern_text(o, "--only");
    if (a->is_lenient)
        (void)intern_text(o, "--lenient");
}

/* ---- an importer's table ---- */

/* Rows of another length, and quotes that do not end: the importer need not know of either. */
static int check_rows(const struct csv_records *raw,
                      int (*ragged)(void *to, const struct csv_records *r), void *to)
{
    struct csv_records r;
    struct buf copy = {0};
    int rc;
    csv_records_again(raw, &copy, &r);
    while ((rc = csv_records_next(&r)) > 0)
        if (r.n != r.n_header && ragged(to, &r) < 0) {
            rc = -1;
            break;
        }
    csv_records_close(&r);
    buf_free(&copy);
    return rc;
}

/* Takes off the first cell, which is the place, the single times, which stand before the last one,
   and of a table without times the last one. */
static void take_row(struct table_rows *t, struct csv_records *r)
{
    char *end;
    r->at = strtol(r->cell[0], &end, 10);
    t->column = *end == ':' ? strtol(end + 1, NULL, 10) : 0;
    memmove(r->cell, r->cell + 1, --r->n * sizeof *r->cell);
    if (t->has_runs) {
        t->runs = r->cell[--r->n - 1];
        r->cell[r->n - 1] = r->cell[r->n];
    }
    if (t->time < 0)
        t->failure = r->cell[--r->n];
}

int table_take(struct table_rows *t, const char *path)
{
    const char *line = imported_said(&t->from, "header"), *called = imported_said(&t->from, "time");
    struct csv_records *r = &t->own;
    t->is_imported = 1;
    if (csv_records_open(r, path, &t->from.csv) != 0 || csv_records_next(r) <= 0 || r->n < 2)
        return fail(NO_TABLE, path);
    t->has_runs = r->n >= 3 && strcmp(r->cell[r->n - 2], IMPORT_RUNS) == 0;
    t->time = imported_next(&t->from, NULL, "untimed") == NULL ? (int)r->n - 2 - t->has_runs : -1;
    t->n_cells = r->n;
    t->us = 1;
    take_row(t, r);
    t->failure = "";
    r->at = line != NULL ? strtol(line, NULL, 10) : 1;
    t->name = xstrdup(called != NULL ? called : "time_us");
    if (t->time >= 0)
        r->cell[t->time] = t->name;
    r->n_header = r->n;
    memcpy(r->header, r->cell, r->n * sizeof *r->cell);
    t->r = r;
    return 0;
}

static int import(struct table_rows *t, const struct csv_records *raw,
                  const struct table_asked *asked)
{
    struct interned o = {0};
    struct buf place = {0};
    add_all(&o, asked);
    buf_printf(&place, "%s:%ld: %s", raw->path, t->plain.line, t->plain.odd);
    const int bad = importer_run(&raw->path, 1, place.s, &o, &t->from.text) != 0
                    || imported_take(&t->from) != 0 || table_take(t, raw->path) != 0;
    buf_free(&place);
    intern_free(&o);
    return bad ? -1 : 0;
}

/* ---- any table ---- */

int table_header(struct table_rows *t, struct csv_records *raw, const struct table_asked *asked)
{
    *t = (struct table_rows){
        .r = raw, .time = -1, .us = 1, .failure = "", .is_best = asked->is_best};
    if (asked->is_best)
        return csv_records_check_header(raw);
    table_trim(raw);
    memcpy(raw->header, raw->cell, raw->n * sizeof *raw->cell);
    return csv_records_check_header(raw);
}

int table_open(struct table_rows *t, const struct table_asked *asked,
               int (*ragged)(void *to, const struct csv_records *r), void *to)
{
    struct csv_records *raw = t->r;
    if (plain_table_see(raw, asked, &t->plain) != 0)
        return -1;
    t->is_imported = t->plain.line > 0;
    if (t->is_imported)
        return check_rows(raw, ragged, to) < 0 || import(t, raw, asked) != 0 ? -1 : 0;
    t->time = t->plain.time;
    t->us = t->time >= 0 && strcmp(raw->cell[t->time], "time_ms") == 0 ? 1000 : 1;
    return 0;
}

int table_next(struct table_rows *t, struct csv_records *r)
{
    const int rc = csv_records_next(r);
    if (rc > 0 && t->is_imported && r->n != t->n_cells)
        return fail(NO_TABLE, r->path);
    if (rc > 0 && t->is_imported) {
        take_row(t, r);
    } else if (rc > 0 && r->n == r->n_header) {
        if (!t->is_best)
            table_trim(r);
        char *mark = t->plain.mark == ',' ? strchr(r->cell[t->time], ',') : NULL;
        if (mark != NULL)
            *mark = '.';
    }
    return rc;
}

void table_close(struct table_rows *t)
{
    csv_records_close(&t->own);
    imported_free(&t->from);
    free(t->name);
}
