/* helion.c - makes a plain table of what Helion measured (measurements_HARDWARE.csv)
   SPDX-License-Identifier: MIT

   A cell of such a table has a configuration as JSON, with lists in it, and another one the shapes
   of the arguments. Each member becomes a column, and of lists each item: NAME_0, NAME_1. What is
   null, "" or missing is -1 in a column of integers and else `none`; a column without anything else
   is left out. */
#include "tuner.h"

#include "base/csv_records.h"

#include <stdlib.h>
#include <string.h>

static const char *const header[] = {"config", "shape_features", "timing_ms", "kernel_name"};
enum { CONFIG, SHAPE, TIME, KERNEL, N_CELLS };

static int is_of_helion(const struct buf *text)
{
    const char *line = text->s != NULL ? text->s : "", *end = line + strcspn(line, "\n");
    for (size_t i = 0; i < N_CELLS; i++) {
        const char *at = strstr(line, header[i]);
        if (at == NULL || at > end)
            return 0;
    }
    return 1;
}

#ifdef HAVE_JANSSON

#include "base/json.h"

enum { MOST_COLUMNS = 512 };

struct column {
    int is_shape, has_value, has_name; /* not integers alone */
    int varies;
    size_t first; /* of its texts, and whether there is another */
};

struct row {
    long line;
    char *time;
    size_t n;
    struct cell {
        size_t column, text;
    } * cell;
};

struct flat {
    const char *path;
    long line; /* of the record at hand */
    struct interned names, texts;
    struct column column[MOST_COLUMNS];
    struct row *rows;
    size_t n, cap, cells_cap;
    char *kernel;
};

/* ---- one record ---- */

/* A name as a spec has them: without torch., and with _ for what else cannot be in one */
static void add_plain(struct buf *b, const char *text)
{
    const char *p = strncmp(text, "torch.", strlen("torch.")) == 0 ? strchr(text, '.') + 1 : text;
    for (; *p != '\0'; p++) {
        const int is_good = strchr("_.+-", *p) != NULL || (*p >= '0' && *p <= '9')
                            || (*p >= 'A' && *p <= 'Z') || (*p >= 'a' && *p <= 'z');
        buf_printf(b, "%c", is_good ? *p : '_');
    }
}

static int keep(struct flat *f, const char *name, const char *text, int is_shape)
{
    struct row *r = &f->rows[f->n - 1];
    int64_t v;
    const size_t at = intern_text(&f->names, name);
    if (at == MOST_COLUMNS)
        return fail("%s:%ld: has more than %d members", f->path, f->line, MOST_COLUMNS);
    struct column *c = &f->column[at];
    if (*text == '\0') /* it has its place among the columns */
        return 0;
    const size_t value = intern_text(&f->texts, text);
    if (!c->has_value)
        c->first = value;
    c->has_value = 1;
    c->is_shape = is_shape;
    c->varies |= c->first != value;
    c->has_name |= parse_int(text, INT64_MIN, INT64_MAX, &v) != 0;
    r->cell = xgrow(r->cell, r->n, &f->cells_cap, sizeof *r->cell);
    r->cell[r->n++] = (struct cell){at, value};
    return 0;
}

static int add_scalar(struct flat *f, const char *name, const json_t *v, int is_shape)
{
    struct buf raw = {NULL, 0, 0}, text = {NULL, 0, 0};
    int bad = 0;
    if (!json_is_null(v) && !json_scalar(v, &raw))
        bad = fail("%s:%ld: %s: is neither a number nor a string", f->path, f->line, name);
    add_plain(&text, raw.n != 0 ? raw.s : "");
    if (!bad)
        bad = keep(f, name, text.n != 0 ? text.s : "", is_shape);
    buf_free(&raw);
    buf_free(&text);
    return bad;
}

/* Adds the columns of a value; the depth is that of a few lists. */
static int add_value(struct flat *f, const char *name, const json_t *v, int is_shape)
{
    struct buf item = {NULL, 0, 0};
    int bad = 0;
    if (!json_is_array(v))
        return add_scalar(f, name, v, is_shape);
    for (size_t i = 0; i < json_array_size(v) && !bad; i++) {
        item.n = 0;
        buf_printf(&item, "%s_%zu", name, i);
        bad = strlen(name) > 60 ? fail("%s:%ld: %s: is too long a name", f->path, f->line, name)
                                : add_value(f, item.s, json_array_get(v, i), is_shape);
    }
    buf_free(&item);
    return bad;
}

static int add_object(struct flat *f, const char *cell, int which)
{
    json_error_t e;
    json_t *v = json_loads(cell, JSON_REJECT_DUPLICATES, &e);
    int bad = json_is_object(v) ? 0
                                : fail("%s:%ld: %s: value \"%.60s\": is not an object of JSON",
                                       f->path, f->line, header[which], cell);
    for (void *i = json_object_iter(v); i && !bad; i = json_object_iter_next(v, i))
        bad = add_value(f, json_object_iter_key(i), json_object_iter_value(i), which == SHAPE);
    json_decref(v);
    return bad;
}

static int add_record(struct flat *f, const struct csv_records *r, const int at[N_CELLS])
{
    const char *kernel = r->cell[at[KERNEL]];
    f->line = r->at;
    f->rows = xgrow(f->rows, f->n, &f->cap, sizeof *f->rows);
    f->rows[f->n++] = (struct row){.line = r->at, .time = xstrdup(r->cell[at[TIME]])};
    f->cells_cap = 0;
    if (f->kernel == NULL)
        f->kernel = xstrdup(kernel);
    if (strcmp(f->kernel, kernel) != 0)
        return fail("%s:%ld: kernel_name: value \"%s\": other rows are of %s: a spec is of one "
                    "kernel, so leave the rows of one",
                    f->path, r->at, kernel, f->kernel);
    return add_object(f, r->cell[at[SHAPE]], SHAPE) || add_object(f, r->cell[at[CONFIG]], CONFIG)
               ? -1
               : 0;
}

/* ---- the table ---- */

/* measurements_cuda_NVIDIA_H100_80GB_HBM3_12.4.csv: the GPU's name, "" if the name has none */
static const char *gpu_of_name(const char *path, struct buf *b)
{
    static const char start[] = "measurements_";
    const char *name = base_name(path), *end = strstr(name, ".csv");
    struct buf piece = {NULL, 0, 0};
    const char *gpu = "";
    if (strncmp(name, start, strlen(start)) == 0 && end != NULL) {
        const char *from = strchr(name + strlen(start), '_');
        while (end > name && *end != '_')
            end--;
        if (from != NULL && from < end) {
            buf_add(&piece, from + 1, (size_t)(end - from - 1));
            gpu = gpu_name(piece.s, b);
        }
    }
    buf_free(&piece);
    return gpu;
}

static void write_row(const struct flat *f, const struct row *r, const char *gpu, struct buf *out)
{
    for (size_t i = 0; i < f->names.n; i++) {
        if (!f->column[i].has_value)
            continue;
        const char *text = f->column[i].has_name || f->column[i].is_shape ? "none" : "-1";
        for (size_t k = 0; k < r->n; k++)
            if (r->cell[k].column == i)
                text = f->texts.v[r->cell[k].text].s;
        buf_printf(out, "%s,", text);
    }
    buf_printf(out, "%s%s", gpu, *gpu != '\0' ? "," : "");
    csv_add_cell(out, r->time);
    buf_puts(out, "\n");
}

/* Each row in the line where it was */
static void write_table(const struct flat *f, const char *gpu, struct buf *out)
{
    long line = 2;
    for (size_t i = 0; i < f->names.n; i++)
        if (f->column[i].has_value) {
            csv_add_cell(out, f->names.v[i].s);
            buf_puts(out, ",");
        }
    buf_printf(out, "%stime_ms\n", *gpu != '\0' ? "gpu," : "");
    for (size_t i = 0; i < f->n; i++) {
        for (; line < f->rows[i].line; line++)
            buf_puts(out, "\n");
        write_row(f, &f->rows[i], gpu, out);
        line++;
    }
}

/* Sizes that vary are what a problem is; how many elements there are follows from them. */
static void name_fields(const struct flat *f, struct helion_table *t)
{
    for (size_t i = 0; i < f->names.n; i++) {
        const struct column *c = &f->column[i];
        const char *name = f->names.v[i].s;
        if (c->is_shape && c->has_value)
            (void)intern_text(c->varies && !ends_with(name, "_numel") ? &t->fields : &t->others,
                              name);
    }
}

static int read_all(struct flat *f, struct buf *text)
{
    struct csv_records r;
    int at[N_CELLS] = {0}, rc = csv_records_open(&r, f->path, text);
    if (rc == 0)
        rc = csv_records_next(&r);
    for (size_t i = 0; i < N_CELLS && rc > 0; i++)
        if ((at[i] = csv_records_find(&r, header[i])) < 0)
            rc = fail("%s:%ld: there is no column %s", f->path, r.at, header[i]);
    while (rc > 0 && (rc = csv_records_next(&r)) > 0)
        rc = csv_records_check_row(&r) != 0 || add_record(f, &r, at) != 0 ? -1 : 1;
    csv_records_close(&r);
    return rc;
}

static void free_flat(struct flat *f)
{
    for (size_t i = 0; i < f->n; i++) {
        free(f->rows[i].time);
        free(f->rows[i].cell);
    }
    free(f->rows);
    intern_free(&f->names);
    intern_free(&f->texts);
}

int helion_flatten(const char *path, const char *asked_gpu, struct buf *text,
                   struct helion_table *out)
{
    struct flat *f;
    struct buf gpu = {NULL, 0, 0}, table = {NULL, 0, 0};
    if (!is_of_helion(text))
        return 0;
    f = xcalloc(1, sizeof *f);
    f->path = path;
    const int rc = read_all(f, text);
    if (rc == 0) {
        write_table(f, asked_gpu == NULL ? gpu_of_name(path, &gpu) : "", &table);
        name_fields(f, out);
        buf_free(text);
        *text = table;
    }
    out->kernel = f->kernel;
    free_flat(f);
    free(f);
    buf_free(&gpu);
    return rc == 0 ? 1 : -1;
}

#else

int helion_flatten(const char *path, const char *asked_gpu, struct buf *text,
                   struct helion_table *out)
{
    (void)asked_gpu;
    (void)out;
    return is_of_helion(text) ? fail_without(path, "jansson", "libjansson-dev") : 0;
}

#endif

void helion_free(struct helion_table *t)
{
    intern_free(&t->fields);
    intern_free(&t->others);
    free(t->kernel);
}
