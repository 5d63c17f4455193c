/* csv.c - from tables to rows, whoever wrote them
   SPDX-License-Identifier: MIT */
#include "readers.h"

#include "base/names.h"
#include "model/gpus.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- the best tuples ---- */

/* A spec whose data have no times takes each row as an optimum. A table of all that was timed reads
   just as well, and a network trained on it has learnt nothing. Two things tell: a column of times
   (the importer refuses it), and two tuples for one problem. */

struct best_rows {
    size_t start;             /* the file's first row of the loader's rows */
    struct interned problems; /* with what the GPU was called */
    uint32_t *problem;        /* of each row from there on, its number */
    size_t cap;
};

#define TABLE_OF_TIMES                                                                 \
    "for a table of times write `format = timed` into the spec and call their column " \
    "\"time_us\" or \"time_ms\""

/* ---- the best tuples: two tuples for a problem ---- */

/* The row that the loader has taken last; `gpu` is the text of its GPU, or NULL. GPUs of two names
   are two, even if they are one for the spec: --nearest makes them so. */
static void best_rows_keep(struct best_rows *b, const struct loader *l, const char *gpu)
{
    const size_t n = l->n - 1 - b->start;
    const int32_t *problem = l->rows[l->n - 1].problem;
    struct buf key = {0};
    if (gpu != NULL)
        (void)gpu_key(gpu, &key);
    buf_add(&key, (const char *)problem, sizeof l->rows->problem);
    b->problem = xgrow(b->problem, n, &b->cap, sizeof *b->problem);
    b->problem[n] = (uint32_t)intern(&b->problems, key.s, key.n);
    buf_free(&key);
}

/* "tile = 1, mode = small": what the row has where another has something else */
static const char *tuple_text(const struct spec *s, const struct load_row *row,
                              const struct load_row *other, struct buf *b)
{
    char number[12];
    for (size_t i = 0; i < s->n_params; i++)
        if (row->target[i] != other->target[i])
            buf_printf(b, "%s%s = %s", b->n > 0 ? ", " : "", s->params[i].name,
                       spec_value_text(&s->params[i], row->target[i], number));
    return b->s;
}

/* Verdict on a row of a problem that has a row already. */
static int check_tuple(struct loader *l, const struct load_row *first, const struct load_row *row)
{
    struct buf was = {0}, is = {0};
    if (memcmp(first->target, row->target, sizeof row->target) == 0)
        return 0;
    const int rc = load_bad(
        l, row->row, DROP_OTHER_TUPLE, "row", tuple_text(l->spec, row, first, &is),
        "%s:%lld has %s for the same problem, but for the spec's `format = csv` each row is the "
        "best tuple of its problem: keep the fastest one, or give each tuning run as a file of its "
        "own; " TABLE_OF_TIMES,
        l->path, (long long)first->row, tuple_text(l->spec, first, row, &was));
    buf_free(&was);
    buf_free(&is);
    return rc;
}

/* A problem's first row stays, and with it those that have the same tuple. */
static int check_tuples(const struct best_rows *b, struct loader *l)
{
    struct load_row *rows = l->rows + b->start;
    const size_t n = l->n - b->start;
    size_t *first = xcalloc(b->problems.n, sizeof *first), n_problems = 0, kept = 0;
    int rc = 0;
    for (size_t i = 0; i < n && rc >= 0; i++) {
        const uint32_t problem = b->problem[i];
        if (problem == n_problems)
            first[n_problems++] = kept;
        else
            rc = check_tuple(l, &rows[first[problem]], &rows[i]);
        if (rc == 0)
            rows[kept++] = rows[i];
        rc = rc < 0 ? -1 : 0;
    }
    l->n = b->start + kept;
    free(first);
    return rc;
}

/* ---- columns ---- */

/* The first record names the columns: those of the spec's fields and parameters, and of timed data
   time_us (with format = timed what tables.h takes for the times), in any order; others are told
   and ignored. All columns of a tuner's file but the time are parameters (tuner.h): of these the
   spec may lack those that have one value throughout, and has one value of those that it has
   beside them. A field is one of the file's GPU (tuner_gpu), if it is called gpu and has names; a
   column; a size of the file's problem; what --set gives. */

struct csv_field { /* of the spec */
    int column;    /* -1: its value is the same in all rows: */
    int64_t value;
    const char *word; /* the cell of the last row, whose name has this value; NULL: there is none */
};

struct csv {
    struct loader *l;
    struct csv_records raw;
    struct csv_records *r; /* the record at hand */
    struct table_rows table;
    struct best_rows best;
    struct csv_field field[KPRED_MAX_FIELDS];
    int param[KPRED_MAX_TUPLE]; /* their columns */
    int time;                   /* of timed data; otherwise -1 */
    int gpu_at;                 /* the column of the GPU's name, or -1 */
    int drop; /* of a table of import_rows.c, that which says why a row is left out; else -1 */
    unsigned char *is_known; /* has the spec each of the columns? */
    int is_tuner;
    const char **only; /* of a tuner's file, the value of each column that the spec lacks, */
    long first;        /* as the row in this line has it */
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

/* What the header lacks of the names that the spec has */
struct lacking {
    const char *name[KPRED_MAX_FIELDS + KPRED_MAX_TUPLE];
    size_t n, n_near; /* and of how many of these the header has one that is nearly the same */
};

static void see_name(const struct csv_records *r, const char *name, struct lacking *all)
{
    struct names_near near = {.text = name};
    if (csv_records_find(r, name) >= 0)
        return;
    for (size_t i = 0; i < r->n; i++)
        names_offer(&near, r->cell[i], r->cell[i]);
    all->name[all->n++] = name;
    all->n_near += near.n > 0;
}

enum { TOLD_COLUMNS = 5 };

/* Names that are all nearly there are spelled in another way; else the table is of something else,
   which is told before anything of it is called wrong. */
static int refuse_table(const struct csv *c, const struct lacking *all)
{
    const size_t told = all->n < TOLD_COLUMNS + 2 ? all->n : TOLD_COLUMNS;
    struct buf b = {0};
    if (all->n_near == all->n)
        return no_column(c->r, all->name[0]);
    for (size_t i = 0; i < told; i++)
        buf_printf(&b, "%s\"%s\"", i > 0 ? ", " : "", all->name[i]);
    if (told < all->n)
        buf_printf(&b, " and %zu more", all->n - told);
    fail("%s:%ld: there %s %s: is this a table of %s?", c->r->path, c->r->at,
         as_counted(all->n, "is no column", "are no columns"), b.s, c->l->spec->name);
    buf_free(&b);
    return -1;
}

/* The GPU's name, which a file's name may say */
static int is_gpu(const struct spec_field *f)
{
    return strcmp(f->name, "gpu") == 0 && f->n_tokens != 0;
}

/* A column each. The names of a wide table's columns say the parameters: it has none of them. 0, or
   -1 with a message. */
static int check_names(const struct csv *c, int may_be_wide)
{
    const struct spec *s = c->l->spec;
    struct lacking all = {.n = 0};
    int64_t v;
    for (size_t i = 0; i < s->n_fields; i++)
        if (!is_gpu(&s->fields[i]) && !load_given(c->l, i, &v))
            see_name(c->r, s->fields[i].name, &all);
    const int is_wide = may_be_wide && all.n == 0;
    for (size_t i = 0; i < s->n_params; i++)
        see_name(c->r, s->params[i].name, &all);
    return all.n > 0 && !(is_wide && all.n == s->n_params) ? refuse_table(c, &all) : 0;
}

/* The column of that name, which the spec knows; -1: there is none */
static int map_column(struct csv *c, const char *name)
{
    const int at = csv_records_find(c->r, name);
    if (at >= 0)
        c->is_known[at] = 1;
    return at;
}

/* The GPU of the whole file: as its importer says, else by --gpu or the file's name */
static int map_device(struct csv *c, size_t i)
{
    const char *device = imported_said(&c->table.from, "device");
    struct buf b = {0};
    if (device == NULL || c->l->options->gpu != NULL)
        return load_file_gpu(c->l, i, &c->field[i].value);
    const int rc = load_token(c->l, c->r->at, i, gpu_name(device, &b), &c->field[i].value);
    buf_free(&b);
    return rc;
}

/* The same of a tuner's file, which says it first */
static int map_tuner_gpu(struct csv *c, size_t i)
{
    struct loader *l = c->l;
    const char *device = imported_said(&c->table.from, "device"), *asked = l->options->gpu;
    const int is_named = device != NULL && *device != '\0';
    struct buf b = {0}, from = {0};
    const char *name = tuner_gpu(device, asked, l->path, &b);
    int rc;
    l->gpu_is_named |= is_named;
    l->gpu_is_used |= !is_named;
    if (is_named)
        buf_printf(&from, "the file's device is \"%s\"", device);
    else
        buf_puts(&from, asked != NULL ? "from --gpu" : "from the file's name");
    if (name == NULL)
        rc = fail("%s: gpu: neither the file nor its name has it: give it with --gpu", l->path);
    else
        rc = load_named_gpu(l, i, name, from.s, &c->field[i].value);
    buf_free(&b);
    buf_free(&from);
    return rc;
}

static int map_gpu(struct csv *c, size_t i)
{
    if (c->is_tuner)
        return map_tuner_gpu(c, i);
    c->gpu_at = c->field[i].column = map_column(c, c->l->spec->fields[i].name);
    if (c->gpu_at < 0)
        return map_device(c, i);
    c->l->gpu_is_named |= c->drop >= 0;
    if (c->l->options->gpu != NULL && c->drop < 0)
        return fail("%s:%ld: there is a column \"gpu\", so --gpu is not allowed", c->r->path,
                    c->r->at);
    return 0;
}

/* A size of the problem that all rows of the file have */
static int is_size(const struct csv *c, const struct spec_field *f, int64_t *out)
{
    const struct import_line *line = NULL;
    while ((line = imported_next(&c->table.from, line, "size")) != NULL)
        if (strcmp(imported_text(&c->table.from, line, 0), f->name) == 0)
            return f->n_tokens == 0
                   && parse_int(imported_text(&c->table.from, line, 1), INT64_MIN, INT64_MAX, out)
                          == 0;
    return 0;
}

static int map_field(struct csv *c, size_t i)
{
    const struct spec_field *f = &c->l->spec->fields[i];
    struct csv_field *to = &c->field[i];
    to->column = -1;
    if (is_gpu(f))
        return map_gpu(c, i);
    to->column = map_column(c, f->name);
    if (to->column >= 0 || is_size(c, f, &to->value) || load_given(c->l, i, &to->value))
        return 0;
    return c->is_tuner ? fail("%s: field %s: the file does not have it: give it with --set "
                              "%s=VALUE",
                              c->l->path, f->name, f->name)
                       : no_column(c->r, f->name);
}

/* A tuner's file may lack a parameter that has one value. */
static int map_param(struct csv *c, size_t i)
{
    const struct spec_param *p = &c->l->spec->params[i];
    c->param[i] = map_column(c, p->name);
    if (c->param[i] >= 0 || (c->is_tuner && p->n_values == 1))
        return 0;
    return c->is_tuner ? fail("%s: the file has no parameter %s, which has %zu values in the spec: "
                              "is this a file of %s?",
                              c->l->path, p->name, p->n_values, c->l->spec->name)
                       : no_column(c->r, p->name);
}

static int map_each(struct csv *c, int (*map)(struct csv *c, size_t i), size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (map(c, i) != 0)
            return -1;
    return 0;
}

/* Of a tuner's file the parameters that another kernel lacks are told before any field. */
static int map_columns(struct csv *c)
{
    const struct spec *s = c->l->spec;
    c->best.start = c->l->n;
    c->is_known = xcalloc(c->r->n_header + 1, 1);
    c->only = xcalloc(c->r->n_header + 1, sizeof *c->only);
    c->gpu_at = -1;
    c->time = spec_is_timed(s) ? c->table.time : -1;
    c->drop = c->table.is_imported ? map_column(c, IMPORT_DROP) : -1;
    if (c->time >= 0)
        c->is_known[c->time] = 1;
    if ((c->is_tuner && map_each(c, map_param, s->n_params) != 0)
        || map_each(c, map_field, s->n_fields) != 0
        || (!c->is_tuner && map_each(c, map_param, s->n_params) != 0))
        return -1;
    return c->time >= 0 || !spec_is_timed(s) ? 0 : no_column(c->r, "time_us");
}

/* ---- columns that the spec does not name ---- */

/* They must not make a difference in a tuner's file. */
static int check_unused(struct csv *c)
{
    const struct csv_records *r = c->r;
    if (c->first == 0)
        c->first = r->at;
    for (size_t i = 0; i < r->n; i++) {
        if (c->is_known[i])
            continue;
        if (c->only[i] == NULL)
            c->only[i] = r->cell[i];
        else if (strcmp(c->only[i], r->cell[i]) != 0)
            return fail("%s:%ld:%ld: the spec has no parameter %s, which is %s here and %s in line "
                        "%ld",
                        r->path, r->at, c->table.column, r->header[i], r->cell[i], c->only[i],
                        c->first);
    }
    return 0;
}

static void note_unused(const struct csv *c)
{
    const struct csv_records *r = c->r;
    struct buf names = {0};
    for (size_t i = 0; i < r->n_header; i++)
        if (c->only[i] != NULL)
            note("%s: the spec does not name %s, which is always %s: ignored", r->path,
                 r->header[i], c->only[i]);
        else if (!c->is_known[i])
            buf_printf(&names, "%s\"%s\"", names.n > 0 ? ", " : "", r->header[i]);
    if (names.n > 0 && c->l->n > c->best.start)
        note("%s:1: the spec does not name %s: ignored", r->path, names.s);
    buf_free(&names);
}

/* ---- rows ---- */

/* Why the row is left out; "": it is not */
static char *drop_of(const struct csv *c)
{
    static char none[] = "";
    return c->drop >= 0 ? c->r->cell[c->drop] : none;
}

/* Verdict on one field's cell, which is empty where a row is left out before it is known. Most rows
   share a name with the one before: a GPU's takes its time. */
static int read_field(struct csv *c, size_t i, int64_t *out)
{
    const struct spec_field *f = &c->l->spec->fields[i];
    struct csv_field *field = &c->field[i];
    const char *cell = field->column >= 0 ? c->r->cell[field->column] : NULL;
    int rc = 0;
    *out = field->value;
    if (cell == NULL || (*cell == '\0' && *drop_of(c) != '\0'))
        return 0;
    if (f->n_tokens == 0)
        return parse_whole(cell, INT64_MIN, INT64_MAX, out) == 0
                   ? 0
                   : load_bad(c->l, c->r->at, DROP_BROKEN, f->name, cell, "is not an integer");
    if (field->word == NULL || strcmp(field->word, cell) != 0) {
        rc = load_token(c->l, c->r->at, i, cell, &field->value);
        field->word = rc == 0 ? cell : NULL;
    }
    *out = field->value;
    return rc;
}

enum { MOST_RUNS = 64 };

static void take_runs(struct loader *l, const char *cell)
{
    double us[MOST_RUNS];
    size_t n = 0;
    for (char *end; n < MOST_RUNS; cell = end) {
        us[n] = strtod(cell, &end);
        if (end == cell)
            break;
        n += us[n] > 0 && us[n] < HUGE_VAL; /* else it was too short to be measured, or failed */
    }
    if (n > 1)
        load_runs(l, us, n);
}

/* Verdict on a row with its time. In a tuner's file this is a figure, or else a failure of which no
   more is known. */
static int add_timed(struct csv *c, const int64_t *problem, const char *const *params)
{
    const struct csv_records *r = c->r;
    const char *cell = r->cell[c->time];
    double time = c->is_tuner ? strtod(cell, NULL) : 0;
    int rc = c->is_tuner ? 0 : load_figure(c->l, r->at, r->header[c->time], cell, &time);
    if (rc == 0)
        rc = load_add_timed(c->l, r->at, problem, params, time * c->table.us);
    if (rc == 0 && c->table.has_runs)
        take_runs(c->l, c->table.runs);
    return rc;
}

static int add_best(struct csv *c, const int64_t *problem, const char *const *params)
{
    const int rc = load_add(c->l, c->r->at, problem, params);
    if (rc == 0 && c->l->spec->format == SPEC_CSV)
        best_rows_keep(&c->best, c->l, c->gpu_at >= 0 ? c->r->cell[c->gpu_at] : NULL);
    return rc;
}

static int read_row(struct csv *c)
{
    const struct spec *s = c->l->spec;
    const struct csv_records *r = c->r;
    int64_t problem[KPRED_MAX_FIELDS];
    const char *params[KPRED_MAX_TUPLE];
    char number[KPRED_MAX_TUPLE][12];
    int rc = 0;
    c->l->column = c->table.column;
    if (r->n != r->n_header)
        return load_ragged(c->l, r);
    if (c->is_tuner && check_unused(c) != 0)
        return -1;
    for (size_t i = 0; i < s->n_fields && rc == 0; i++)
        rc = read_field(c, i, &problem[i]);
    if (rc != 0)
        return rc;
    for (size_t i = 0; i < s->n_params; i++)
        params[i] =
            c->param[i] >= 0 ? r->cell[c->param[i]] : spec_value_text(&s->params[i], 0, number[i]);
    if (*drop_of(c) != '\0')
        return import_drop(c->l, r->at, drop_of(c));
    if (*c->table.failure != '\0')
        return load_failed(c->l, c->table.failure);
    return spec_is_timed(s) ? add_timed(c, problem, params) : add_best(c, problem, params);
}

static int ragged(void *to, const struct csv_records *r)
{
    return load_ragged(to, r);
}

static int open_table(struct csv *c)
{
    const struct spec *s = c->l->spec;
    const int is_table = s->format == SPEC_TIMED;
    const struct table_asked asked = {
        .spec = s, .is_lenient = c->l->options->lenient, .is_best = !is_table, .metric = s->metric};
    if (table_header(&c->table, &c->raw, &asked) != 0 || check_names(c, is_table) != 0)
        return -1;
    c->table.time = csv_records_find(c->r, "time_us");
    if (!is_table && spec_is_timed(s))
        return 0;
    if (table_open(&c->table, &asked, ragged, c->l) != 0)
        return -1;
    imported_note(&c->table.from);
    c->r = c->table.r;
    return check_names(c, 0);
}

/* Quotes that are wrong are told as those of any table. */
static int import_rest(struct csv *c, const char *importer)
{
    int rc;
    while ((rc = csv_records_next(&c->raw)) > 0)
        ;
    return rc < 0 || import_table(c->l, importer, &c->table.from) != 0
               ? -1
               : table_take(&c->table, c->l->path);
}

static int open_csv(struct csv *c, struct buf *bytes)
{
    int rc = csv_records_open(&c->raw, c->l->path, bytes);
    if (rc == 0)
        rc = csv_records_next(&c->raw);
    if (rc <= 0)
        return rc < 0 ? -1 : fail("%s: has no header", c->l->path);
    const char *importer = import_table_of(c->l->spec, &c->raw);
    return importer != NULL ? import_rest(c, importer) : open_table(c);
}

static int take_rows(struct csv *c)
{
    int rc;
    if (map_columns(c) != 0)
        return -1;
    while ((rc = table_next(&c->table, c->r)) > 0)
        if (read_row(c) < 0)
            return -1;
    if (rc < 0)
        return -1;
    if (tuner_lacks_unit(&c->table.from, c->l->options->unit, &c->l->unit_is_used))
        note("%s: " TUNER_NO_UNIT, c->l->path);
    note_unused(c);
    return c->l->spec->format == SPEC_CSV && c->l->n > c->best.start ? check_tuples(&c->best, c->l)
                                                                     : 0;
}

/* ---- a file ---- */

/* A file that is opened so, into c->table */
static int read_opened(struct loader *l, struct buf *bytes, int is_tuner,
                       int (*open)(struct csv *c, struct buf *bytes))
{
    struct csv c = {.l = l, .r = &c.raw, .is_tuner = is_tuner};
    l->row_prefix = ":";
    int rc = open(&c, bytes);
    c.r = c.table.r;
    if (rc == 0)
        rc = take_rows(&c);
    l->column = 0;
    intern_free(&c.best.problems);
    free(c.best.problem);
    free(c.is_known);
    free(c.only);
    table_close(&c.table);
    csv_records_close(&c.raw);
    return rc;
}

/* With a field `gpu`, tables may be of several devices. */
static int is_of_other_environment(struct loader *l, const struct buf *bytes)
{
    return l->spec->format == SPEC_TIMED && spec_field_index(l->spec, "gpu") < 0
           && environment_is_other(&l->environment, l->path, bytes->s);
}

int csv_read(struct loader *l, struct buf *bytes)
{
    return is_of_other_environment(l, bytes) ? 0 : read_opened(l, bytes, 0, open_csv);
}

/* ---- a file of a tuner ---- */

/* Rows of another stage or precision of CLBlast are rarely meant, but may be one kernel's. */
static void note_kernel(struct loader *l, const struct imported *from)
{
    const char *kind = imported_said(from, "kind"), *said = imported_said(from, "kernel");
    const char *kernel = said != NULL ? said : "";
    if (kind == NULL || strcmp(kind, "CLBlast results") != 0)
        return;
    if (l->kernel[0] == '\0') {
        snprintf(l->kernel, sizeof l->kernel, "%s", kernel);
        l->kernel_path = l->path;
    } else if (strncmp(l->kernel, kernel, sizeof l->kernel - 1) != 0) {
        note("%s: is of %s, but %s of %s: another stage or precision has times of its own", l->path,
             kernel, l->kernel_path, l->kernel);
    }
}

/* The fields that a key of Triton may have: what --set gives is not in it. */
static void name_key(const struct loader *l, struct buf *names)
{
    const struct spec *s = l->spec;
    int64_t v;
    for (size_t i = 0; i < s->n_fields; i++)
        if (!is_gpu(&s->fields[i]) && !set_fields_value(s, &l->options->set, i, &v))
            import_name(names, s->fields[i].name);
}

static int open_tuner(struct csv *c, struct buf *bytes)
{
    struct loader *l = c->l;
    struct buf names = {0};
    (void)bytes;
    name_key(l, &names);
    int rc = tuner_import(l->path, l->options->unit, names.s, &c->table.from);
    if (rc == 0)
        rc = tuner_take(&c->table, l->path, &l->types);
    if (rc == 0)
        note_kernel(l, &c->table.from);
    buf_free(&names);
    return rc;
}

int tuner_rows_read(struct loader *l, struct buf *bytes)
{
    return read_opened(l, bytes, 1, open_tuner);
}

/* ---- a Triton configuration file ---- */

static int open_config(struct csv *c, struct buf *bytes)
{
    (void)bytes;
    return import_config(c->l, &c->table.from) != 0 ? -1 : table_take(&c->table, c->l->path);
}

int triton_json_read(struct loader *l, struct buf *bytes)
{
    return read_opened(l, bytes, 0, open_config);
}
