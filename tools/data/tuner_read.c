/* tuner_read.c - reads other tuners' files, measurement by measurement, and makes rows of them
   SPDX-License-Identifier: MIT */
#include "tuner.h"

#include "readers.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* ---- names ---- */

const char *const tuner_sizes[TUNER_MAX_SIZES] = {
    "problem_size_x", "problem_size_y", "problem_size_z", "problem_size_3",
    "problem_size_4", "problem_size_5", "problem_size_6", "problem_size_7"};

/* T4 says what the file is, and would be a GPU's name. */
static int is_gpu(const char *piece)
{
    return strcasecmp(piece, "T4") != 0 && gpu_is_in_name(piece);
}

static const char *gpu_of_name(const char *path, struct buf *b)
{
    struct buf piece = {0};
    const char *at = base_name(path), *found = NULL;
    while (*at != '\0' && found == NULL) {
        const size_t n = gpu_piece(at);
        piece.n = 0;
        buf_add(&piece, at, n);
        if (piece.n > 3 && ends_with(piece.s, "_T4"))
            piece.s[piece.n - 3] = '\0';
        if (is_gpu(piece.s))
            found = gpu_name(piece.s, b);
        at += n + (at[n] != '\0');
    }
    buf_free(&piece);
    return found;
}

const char *tuner_gpu(const char *device, const char *asked, const char *path, struct buf *b)
{
    if (*gpu_name(device, b) != '\0')
        return b->s;
    return asked != NULL ? gpu_name(asked, b) : gpu_of_name(path, b);
}

int tuner_check_unit(const char *unit)
{
    static const char units[] = " ns nsec nsecs nanosecond nanoseconds us usec usecs microsecond"
                                " microseconds ms msec msecs millisecond milliseconds milisecond"
                                " miliseconds s sec secs second seconds ";
    char word[NAMES_FOLDED];
    names_fold(unit != NULL ? unit : "", word);
    return unit == NULL || names_has_word(units, word)
               ? 0
               : fail("--unit: value \"%s\": is none of s, ms, us, ns", unit);
}

/* ---- a file ---- */

/* A file while its measurements are read */
struct reading {
    struct imported *from;
    struct tuner_head head;
    struct tuner_param *params;
    struct csv_records r;
    const char **value;    /* of the row at hand */
    int has_no_unit, runs; /* runs: the column of single times; 0: there is none */
};

static void take_sizes(struct reading *f)
{
    const struct import_line *line = NULL;
    while (f->head.n_sizes < TUNER_MAX_SIZES
           && (line = imported_next(f->from, line, "size")) != NULL) {
        const size_t i = f->head.n_sizes++;
        f->head.size_name[i] = imported_text(f->from, line, 0);
        (void)parse_int(imported_text(f->from, line, 1), INT64_MIN, INT64_MAX, &f->head.size[i]);
    }
}

/* The parameters are the columns; their domains, what the file declares. */
static void take_params(struct reading *f)
{
    f->runs = csv_records_find(&f->r, IMPORT_RUNS);
    f->runs = f->runs < 0 ? 0 : f->runs;
    f->head.n_params = f->r.n - 2 - (f->runs > 0);
    f->params = xcalloc(f->head.n_params + 1, sizeof *f->params);
    f->value = xcalloc(f->head.n_params + 1, sizeof *f->value);
    for (size_t i = 0; i < f->head.n_params; i++) {
        f->params[i].name = f->r.header[1 + i];
        const struct import_line *line = NULL;
        while ((line = imported_next(f->from, line, "values")) != NULL
               && strcmp(imported_text(f->from, line, 0), f->params[i].name) != 0)
            ;
        if (line == NULL)
            continue;
        f->params[i].n_values = line->n - 1;
        f->params[i].values = f->from->texts + line->text + 1;
    }
    f->head.param = f->params;
}

static const char *said(const struct reading *f, const char *word)
{
    const char *text = imported_said(f->from, word);
    return text != NULL ? text : "";
}

/* Two files of other types are two problems. */
static int check_types(const struct reading *f, struct tuner_types *seen)
{
    const struct import_line *line = imported_next(f->from, NULL, "types");
    if (line == NULL)
        return 0;
    const char *types = imported_text(f->from, line, 0);
    if (seen == NULL)
        return fail("%s:%s:%s: key: its values have no names: `kpred-train ingest` makes a table "
                    "of it",
                    f->head.path, imported_text(f->from, line, 1), imported_text(f->from, line, 2));
    if (seen->path == NULL) {
        snprintf(seen->text, sizeof seen->text, "%s", types);
        seen->path = f->head.path;
    }
    return strncmp(seen->text, types, sizeof seen->text - 1) == 0
               ? 0
               : fail("%s:%s:%s: key: the tensors are %s here and %s in %s: a field `" TUNER_TYPES
                      "` tells them apart",
                      f->head.path, imported_text(f->from, line, 1),
                      imported_text(f->from, line, 2), types, seen->text, seen->path);
}

static void take_runs(const char *cell, struct tuner_measurement *m)
{
    char *end;
    for (; m->n_runs < TUNER_MAX_RUNS; cell = end) {
        const double us = strtod(cell, &end);
        if (end == cell)
            return;
        m->run[m->n_runs++] = us;
    }
}

static int measure(struct reading *f, const struct tuner_visitor *visitor)
{
    char *const *cell = f->r.cell, *end;
    const char *time = cell[f->r.n - 1];
    struct tuner_measurement m = {.value = f->value, .has_no_unit = f->has_no_unit};
    for (size_t i = 0; i < f->head.n_params; i++)
        f->value[i] = cell[1 + i];
    m.line = strtol(cell[0], &end, 10);
    m.column = *end == ':' ? strtol(end + 1, NULL, 10) : 1;
    m.is_rejected = strcmp(time, IMPORT_REJECTED) == 0;
    m.time_us = m.is_rejected || strcmp(time, IMPORT_FAILED) == 0 ? 0 : strtod(time, NULL);
    if (f->runs > 0)
        take_runs(cell[f->runs], &m);
    return visitor->measurement(visitor->to, &f->head, &m);
}

static int read_table(struct reading *f, const struct tuner_visitor *visitor)
{
    int rc = csv_records_open(&f->r, f->head.path, &f->from->csv);
    if (rc == 0)
        rc = csv_records_next(&f->r);
    if (rc <= 0)
        return rc;
    if (f->r.n < 2)
        return fail(NO_TABLE, f->head.path);
    f->head.kind = strncmp(said(f, "kind"), "CLBlast", 7) == 0 ? TUNER_CLBLAST : TUNER_OTHER;
    f->head.kernel = said(f, "kernel");
    f->head.device = said(f, "device");
    f->has_no_unit = imported_next(f->from, NULL, "untold") != NULL;
    take_sizes(f);
    take_params(f);
    if (check_types(f, visitor->types) != 0 || visitor->head(visitor->to, &f->head) != 0)
        return -1;
    size_t n = 0;
    for (; (rc = csv_records_next(&f->r)) > 0; n++)
        if (csv_records_check_row(&f->r) != 0 || measure(f, visitor) != 0)
            return -1;
    return rc == 0 && n == 0 ? fail(NO_TABLE, f->head.path) : rc;
}

/* The importer is told the unit, and the names for Triton's keys. */
int tuner_import(const char *path, const struct tuner_told *told, struct imported *out)
{
    struct import_options options = {.list = {0}};
    struct buf names = {0};
    for (size_t i = 0; i < told->n_names; i++)
        import_name(&names, told->name[i]);
    import_option(&options, "--unit", told->unit);
    import_option(&options, "--names", names.s);
    const int rc = importer_read(path, &options.list, out);
    if (rc == 0)
        imported_note(out);
    import_options_free(&options);
    buf_free(&names);
    return rc;
}

int tuner_read(const char *path, struct imported *from, const struct tuner_visitor *visitor)
{
    struct reading f = {.head.path = path, .from = from};
    const int rc = t1_is(from) ? fail("%s: is a T1 input, which has no measurements: "
                                      "`kpred-train init` takes it",
                                      path)
                               : read_table(&f, visitor);
    csv_records_close(&f.r);
    free(f.params);
    free(f.value);
    return rc;
}

/* ---- making rows ---- */

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
    int has_no_unit;
};

/* ---- making rows: what is what ---- */

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
        if (strcmp(head->size_name[i], name) == 0)
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
        rc = fail("%s: gpu: neither the file nor its name has it: give it with --gpu", head->path);
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
    return fail("%s: field %s: the file does not have it: give it with --set %s=VALUE", head->path,
                f->name, f->name);
}

static int map_param(struct rows *r, const struct tuner_head *head, size_t i)
{
    const struct spec_param *p = &r->l->spec->params[i];
    r->param[i] = find_param(head, p->name);
    if (r->param[i] >= 0)
        r->is_used[r->param[i]] = 1;
    else if (p->n_values > 1)
        return fail("%s: the file has no parameter %s, which has %zu values in the spec: is this a "
                    "file of %s?",
                    head->path, p->name, p->n_values, r->l->spec->name);
    return 0;
}

/* Rows of another stage or precision of CLBlast are rarely meant, but may be one kernel's. */
static void note_kernel(struct loader *l, const struct tuner_head *head)
{
    if (head->kind != TUNER_CLBLAST)
        return;
    if (l->kernel[0] == '\0') {
        snprintf(l->kernel, sizeof l->kernel, "%s", head->kernel);
        l->kernel_path = head->path;
    } else if (strncmp(l->kernel, head->kernel, sizeof l->kernel - 1) != 0) {
        note("%s: is of %s, but %s of %s: another stage or precision has times of its own",
             head->path, head->kernel, l->kernel_path, l->kernel);
    }
}

static int see_head(void *to, const struct tuner_head *head)
{
    struct rows *r = to;
    int rc = 0;
    note_kernel(r->l, head);
    r->n = head->n_params;
    r->is_used = xcalloc(r->n, 1);
    r->name = xcalloc(r->n, sizeof *r->name);
    r->only = xcalloc(r->n, sizeof *r->only);
    for (size_t i = 0; i < r->l->spec->n_params && rc == 0; i++)
        rc = map_param(r, head, i); /* what another kernel lacks is told before any value */
    for (size_t i = 0; i < r->l->spec->n_fields && rc == 0; i++)
        rc = map_field(r, head, i);
    return rc;
}

/* ---- making rows: rows ---- */

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
    if (parse_whole(text, INT64_MIN, INT64_MAX, out) != 0)
        return load_bad(r->l, m->column, DROP_BROKEN, f->name, text, "is not an integer");
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
    r->has_no_unit |= m->has_no_unit;
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

/* Of the first file whose times have no unit, if nothing says it */
static void tell_unit(struct loader *l)
{
    if (l->options->unit == NULL && !l->unit_is_used)
        note("%s: " TUNER_NO_UNIT, l->path);
    l->unit_is_used = 1;
}

/* The fields that a key of Triton may have: what --set gives is not in it. */
static size_t name_key(const struct loader *l, const char *name[KPRED_MAX_FIELDS])
{
    const struct spec *s = l->spec;
    size_t n = 0;
    for (size_t i = 0; i < s->n_fields; i++) {
        const int is_gpu = s->fields[i].n_tokens != 0 && strcmp(s->fields[i].name, "gpu") == 0;
        if (!is_gpu && !set_fields_has(&l->options->set, s->fields[i].name))
            name[n++] = s->fields[i].name;
    }
    return n;
}

/* Parameters are those of the file by name. A field is, of these, the first that there is: of names
   and called gpu, the file's GPU (tuner_gpu); one of the file's parameters; problem_size_x, _y, _z,
   problem_size_3 and so on, a size of the file's problem; what --set gives. A parameter of the file
   that the spec does not name has one value throughout. */
int tuner_rows_read(struct loader *l, struct buf *bytes)
{
    (void)bytes;
    struct rows r;
    const char *names[KPRED_MAX_FIELDS];
    const struct tuner_told told = {l->options->unit, name_key(l, names), names};
    const struct tuner_visitor visitor = {&r, see_head, see_measurement, &l->types};
    struct imported from = {0};
    memset(&r, 0, sizeof r);
    r.l = l;
    l->row_prefix = ":";
    int rc = tuner_import(l->path, &told, &from);
    if (rc == 0)
        rc = tuner_read(l->path, &from, &visitor);
    if (rc == 0 && r.has_no_unit)
        tell_unit(l);
    close_unused(&r, rc);
    imported_free(&from);
    return rc;
}
