/* data.c - loads data files into one sorted set of rows
   SPDX-License-Identifier: MIT */
#include "data.h"

#include "base/bz2.h"
#include "load.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_FILES = 1 << 16 };
static const size_t max_bytes = (size_t)1 << 30; /* of one file, unpacked */

/* ---- rows left out ---- */

int load_drop(struct loader *l, enum data_drop why)
{
    l->dropped[why] += l->at_once;
    return 1;
}

int load_bad(struct loader *l, int64_t row, enum data_drop why, const char *column,
             const char *value, const char *fmt, ...)
{
    struct buf text = {0};
    va_list args;
    char what[1024];
    if (l->options->lenient)
        return load_drop(l, why);
    va_start(args, fmt);
    vsnprintf(what, sizeof what, fmt, args);
    va_end(args);
    buf_printf(&text, "%s%s%lld: %s: value \"%s\": %s (--lenient leaves such rows out)", l->path,
               l->row_prefix, (long long)row, column, value, what);
    fail("%s", text.s);
    buf_free(&text);
    return -1;
}

int load_ragged(struct loader *l, const struct records *r, size_t n_header)
{
    return load_bad(l, r->at, DROP_BROKEN, "row", r->cell[0], "has %zu cell%s, the header has %zu",
                    r->n, r->n == 1 ? "" : "s", n_header);
}

/* ---- GPU names ---- */

/* The token that a GPU's name stands for: itself, or of a bare arch the one with most units, or if
   asked for the nearest; -1: none, and *nearest (-1: no GPU's name) is what comes closest. */
static int gpu_token(const struct loader *l, const struct spec_field *f, const char *name,
                     int *nearest)
{
    kpred_field field = {.name = "gpu", .tokens = f->tokens, .n_tokens = (int32_t)f->n_tokens};
    kpred_model model = {.fields = &field, .n_fields = 1};
    size_t digits = strncmp(name, "gfx1", 4) == 0 ? 4 : 3;
    int token = spec_token(f, name), exact = 0;
    if (token >= 0)
        return token;
    *nearest = (int)kpred_gpu_token(&model, name, 0, &exact);
    int is_bare = strlen(name) == 3 + digits && strspn(name + 3, "0123456789abcdef") == digits;
    return l->options->nearest || (is_bare && exact) ? *nearest : -1;
}

static const char *gpu_trouble(const struct spec_field *f, int nearest, struct buf *b)
{
    buf_puts(b, "is no GPU of the spec, which has ");
    spec_tokens_text(f, b);
    if (nearest >= 0)
        buf_printf(b, "; the nearest is %s", f->tokens[nearest]);
    return b->s;
}

int load_token(struct loader *l, int64_t row, size_t field, const char *text, int64_t *out)
{
    const struct spec_field *f = &l->spec->fields[field];
    int is_gpu = strcmp(f->name, "gpu") == 0, nearest = -1, rc = 0;
    int token = is_gpu ? gpu_token(l, f, text, &nearest) : spec_token(f, text);
    *out = token;
    if (token < 0) {
        struct buf b = {0};
        if (!is_gpu)
            buf_puts(&b, "is none of ");
        rc = load_bad(l, row, DROP_OUTSIDE, f->name, text, "%s",
                      is_gpu ? gpu_trouble(f, nearest, &b) : spec_tokens_text(f, &b));
        buf_free(&b);
    }
    return rc;
}

int load_file_gpu(const struct loader *l, size_t field, int64_t *out)
{
    const struct spec_field *f = &l->spec->fields[field];
    const char *name = base_name(l->path);
    struct buf gpu = {0}, b = {0};
    int nearest = -1, rc = 0;
    if (l->options->gpu != NULL)
        buf_puts(&gpu, l->options->gpu);
    else
        buf_add(&gpu, name, strcspn(name, ".-"));
    int token = gpu_token(l, f, gpu.s, &nearest);
    *out = token;
    if (token < 0)
        rc = fail("%s: gpu: value \"%s\" (%s): %s", l->path, gpu.s,
                  l->options->gpu != NULL ? "from --gpu"
                                          : "from the file's name, --gpu overrides it",
                  gpu_trouble(f, nearest, &b));
    buf_free(&gpu);
    buf_free(&b);
    return rc;
}

/* ---- checks ---- */

/* MIOpen's databases hold rows that are no optimum any more; the spec says which. */
static int is_documented_drop(const struct spec *s, const int64_t *problem,
                              const char *const *params, enum data_drop *why)
{
    *why = DROP_RETIRED;
    if (s->retired != NULL && problem[s->retired_field] == s->retired_value)
        return 1;
    *why = DROP_FAILED_SEARCH;
    size_t i = 0;
    while (i < s->n_params && s->failed[i] != NULL && strcmp(params[i], s->failed[i]) == 0)
        i++;
    return i == s->n_params;
}

/* Verdict on one field's value. */
static int check_field(struct loader *l, int64_t row, const struct spec_field *f, int64_t v)
{
    char text[24];
    if (v >= f->least && v <= f->most)
        return 0;
    snprintf(text, sizeof text, "%lld", (long long)v);
    return load_bad(l, row, DROP_OUTSIDE, f->name, text, "is outside of %ld..%ld", (long)f->least,
                    (long)f->most);
}

/* Verdict on one parameter's value; one of timed data may be unknown. */
static int check_param(struct loader *l, int64_t row, const struct spec_param *p, const char *text,
                       unsigned char *index)
{
    int64_t v;
    struct buf b = {0};
    const int i = spec_value_index(p, text), is_number = p->names[0] == NULL;
    int rc = 0;
    *index = i >= 0 ? (unsigned char)i : DATA_UNKNOWN;
    if (i >= 0)
        return 0;
    if (is_number && parse_int(text, INT32_MIN, INT32_MAX, &v) != 0)
        rc = load_bad(l, row, DROP_PARAMS, p->name, text, "is no integer");
    else if (spec_is_timed(l->spec)
             && (is_number || (*text != '\0' && strchr(text, LOAD_SEPARATOR) == NULL)))
        return 0;
    else
        rc = load_bad(l, row, DROP_PARAMS, p->name, text, "is none of %s", spec_values_text(p, &b));
    buf_free(&b);
    return rc;
}

/* ---- options that the spec does not know ---- */

static void add_option_text(const struct spec *s, const char *const *params, char separator,
                            struct buf *b)
{
    int64_t v = 0;
    for (size_t i = 0; i < s->n_params; i++) {
        if (i != 0)
            buf_add(b, &separator, 1);
        if (s->params[i].names[0] == NULL && parse_int(params[i], INT32_MIN, INT32_MAX, &v) == 0)
            buf_printf(b, "%ld", (long)v); /* numbers with zeros before them are the same */
        else
            buf_puts(b, params[i]);
    }
}

/* Where the text is or belongs among the known ones. */
static size_t find_unknown(const struct loader *l, const char *text, int *is_there)
{
    size_t low = 0, high = l->n_unknown;
    *is_there = 0;
    while (low < high && !*is_there) {
        const size_t mid = low + (high - low) / 2;
        const int c = strcmp(text, l->unknown[mid].text);
        *is_there = c == 0;
        if (c <= 0)
            high = mid;
        else
            low = mid + 1;
    }
    return high;
}

static uint32_t unknown_id(struct loader *l, const char *const *params)
{
    struct buf text = {0};
    int is_there;
    add_option_text(l->spec, params, LOAD_SEPARATOR, &text);
    const size_t at = find_unknown(l, text.s, &is_there);
    if (is_there) {
        buf_free(&text);
        return l->unknown[at].id;
    }
    if (l->n_unknown == l->unknown_cap) {
        l->unknown_cap = l->unknown_cap != 0 ? 2 * l->unknown_cap : 64;
        l->unknown = xrealloc(l->unknown, l->unknown_cap, sizeof *l->unknown);
    }
    memmove(l->unknown + at + 1, l->unknown + at, (l->n_unknown - at) * sizeof *l->unknown);
    l->unknown[at] = (struct load_unknown){text.s, (uint32_t)++l->n_unknown};
    return l->unknown[at].id;
}

/* ---- rows ---- */

static struct load_row *new_row(struct loader *l)
{
    if (l->n == l->cap) {
        l->cap = l->cap != 0 ? 2 * l->cap : 1024;
        l->rows = xrealloc(l->rows, l->cap, sizeof *l->rows);
    }
    memset(&l->rows[l->n], 0, sizeof *l->rows);
    return &l->rows[l->n++];
}

static int add_row(struct loader *l, int64_t row, const int64_t *problem, const char *const *params,
                   double time)
{
    const struct spec *s = l->spec;
    struct load_row *r;
    unsigned char target[KPRED_MAX_PARAMS];
    int rc = 0;
    for (size_t i = 0; i < s->n_fields && rc == 0; i++)
        rc = check_field(l, row, &s->fields[i], problem[i]);
    for (size_t i = 0; i < s->n_params && rc == 0; i++)
        rc = check_param(l, row, &s->params[i], params[i], &target[i]);
    if (rc != 0)
        return rc;
    r = new_row(l);
    for (size_t i = 0; i < s->n_fields; i++)
        r->problem[i] = (int32_t)problem[i];
    memcpy(r->target, target, s->n_params);
    if (memchr(target, DATA_UNKNOWN, s->n_params) != NULL)
        r->unknown = unknown_id(l, params);
    r->time = time;
    r->file = l->file;
    r->row = row;
    return 0;
}

int load_add(struct loader *l, int64_t row, const int64_t *problem, const char *const *params)
{
    enum data_drop why;
    if (is_documented_drop(l->spec, problem, params, &why))
        return load_drop(l, why);
    return add_row(l, row, problem, params, 0);
}

/* To 15 digits, which reading what is printed restores. */
int load_add_timed(struct loader *l, int64_t row, const int64_t *problem, const char *const *params,
                   double time_us)
{
    char text[32];
    snprintf(text, sizeof text, "%.15g", time_us);
    const double time = strtod(text, NULL);
    if (!(time > 0) || !isfinite(time))
        return load_bad(l, row, DROP_BROKEN, "time_us", text, "is no time");
    return add_row(l, row, problem, params, time);
}

int load_figure(struct loader *l, int64_t row, const char *column, const char *text, double *out)
{
    char *end;
    *out = strtod(text, &end);
    if (strspn(text, "0123456789.eE+-") != strlen(text) || end == text || *end != '\0'
        || !(*out >= 0) || !isfinite(*out))
        return load_bad(l, row, DROP_BROKEN, column, text, "is no finite number of at least 0");
    return *out > 0 ? 0 : load_drop(l, DROP_FAILED_TIME);
}

/* ---- one option of a problem twice in a file ---- */

/* Of timed rows: is it the same option of the same problem? */
static int compare_options(const struct load_row *a, const struct load_row *b)
{
    for (size_t i = 0; i < KPRED_MAX_FIELDS; i++)
        if (a->problem[i] != b->problem[i])
            return a->problem[i] < b->problem[i] ? -1 : 1;
    int c = memcmp(a->target, b->target, sizeof a->target);
    return c != 0 ? c : (a->unknown > b->unknown) - (a->unknown < b->unknown);
}

static int by_option_and_time(const void *pa, const void *pb)
{
    const struct load_row *a = pa, *b = pb;
    const int c = compare_options(a, b);
    if (c != 0)
        return c;
    if (a->time < b->time || a->time > b->time)
        return a->time < b->time ? -1 : 1;
    return (a->row > b->row) - (a->row < b->row);
}

/* Verdict on a row that follows one of the same option: equal times are one measurement. */
static int check_twice(struct loader *l, const struct load_row *first, const struct load_row *r)
{
    char time[32];
    if (!(r->time > first->time))
        return 1;
    snprintf(time, sizeof time, "%.15g", r->time);
    return load_bad(l, r->row, DROP_TWICE, "time_us", time,
                    "the same option of the same problem took %.15g in line %lld", first->time,
                    (long long)first->row);
}

/* Of the rows from `start` on, those of one file, keeps the fastest of each problem and option. */
static int drop_twice(struct loader *l, size_t start)
{
    struct load_row *r = l->rows;
    size_t kept = start;
    if (!spec_is_timed(l->spec) || l->n == start)
        return 0;
    qsort(r + start, l->n - start, sizeof *r, by_option_and_time);
    for (size_t i = start; i < l->n; i++) {
        const int is_same = kept > start && compare_options(&r[kept - 1], &r[i]) == 0;
        const int rc = is_same ? check_twice(l, &r[kept - 1], &r[i]) : 0;
        if (rc < 0)
            return -1;
        if (rc == 0)
            r[kept++] = r[i];
    }
    l->n = kept;
    return 0;
}

/* ---- files ---- */

enum kind { DATABASE, TEXT, TABLE };

static const struct {
    const char *tail;
    enum kind kind;
    int packed;
} formats[] = {
    {".db", DATABASE, 0},  {".db.bz2", DATABASE, 1}, {".txt", TEXT, 0},
    {".txt.bz2", TEXT, 1}, {".csv", TABLE, 0},       {".csv.bz2", TABLE, 1},
};
enum { N_FORMATS = sizeof formats / sizeof *formats };

static int find_format(const struct spec *s, const char *path, size_t *out)
{
    size_t i = 0;
    while (i < N_FORMATS && !ends_with(base_name(path), formats[i].tail))
        i++;
    if (i == N_FORMATS)
        return fail("%s: its name ends in none of .db .txt .csv, nor in these with .bz2", path);
    if (formats[i].kind != TABLE && s->format != SPEC_MIOPEN
        && (formats[i].kind == DATABASE || s->format != SPEC_FIND_DB))
        return fail("%s: the spec's data have format = %s, this is a perf-db%s", path,
                    spec_formats[s->format], formats[i].kind == TEXT ? " or find-db" : "");
    *out = i;
    return 0;
}

static int read_kind(struct loader *l, enum kind kind, struct buf *bytes)
{
    switch (kind) {
    case DATABASE: return perfdb_read(l, bytes);
    case TEXT:
        return l->spec->format == SPEC_FIND_DB ? finddb_read(l, bytes) : textdb_read(l, bytes);
    case TABLE: break;
    }
    return csv_read(l, bytes);
}

static int same_file_before(const struct dataset *d, const char *path)
{
    for (size_t i = 0; i + 1 < d->n_files; i++)
        if (strcmp(d->files[i].sha256, d->files[d->n_files - 1].sha256) == 0)
            return fail("%s: the same data as %s: given twice", path, d->files[i].name);
    return 0;
}

static int load_file(struct loader *l, struct dataset *d, const char *path)
{
    struct data_file *file = &d->files[d->n_files];
    struct buf raw = {0}, unpacked = {0};
    size_t format = 0, before = l->n;
    if (find_format(l->spec, path, &format) != 0)
        return -1;
    if (read_file(path, max_bytes, &raw) != 0) {
        buf_free(&raw);
        return -1;
    }
    l->path = path;
    l->file = (uint32_t)d->n_files++;
    file->name = xstrdup(base_name(path));
    sha256_hex(raw.s, raw.n, file->sha256);
    int rc = same_file_before(d, path);
    if (rc == 0 && formats[format].packed)
        rc = bunzip(path, &raw, max_bytes, &unpacked);
    if (rc == 0)
        rc = read_kind(l, formats[format].kind, formats[format].packed ? &unpacked : &raw);
    if (rc == 0)
        rc = drop_twice(l, before);
    file->rows = l->n - before;
    buf_free(&raw);
    buf_free(&unpacked);
    return rc;
}

/* ---- one order, whatever the order on the command line ---- */

static int compare_files(const void *pa, const void *pb)
{
    const struct data_file *const *a = pa, *const *b = pb;
    int c = strcmp((*a)->name, (*b)->name);
    return c != 0 ? c : strcmp((*a)->sha256, (*b)->sha256);
}

static void sort_files(struct dataset *d, struct loader *l)
{
    size_t n = d->n_files;
    struct data_file **order = xcalloc(n, sizeof *order), *sorted = xcalloc(n, sizeof *sorted);
    uint32_t *rank = xcalloc(n, sizeof *rank);
    for (size_t i = 0; i < n; i++)
        order[i] = &d->files[i];
    qsort(order, n, sizeof *order, compare_files);
    for (size_t i = 0; i < n; i++) {
        sorted[i] = *order[i];
        rank[order[i] - d->files] = (uint32_t)i;
    }
    for (size_t i = 0; i < l->n; i++)
        l->rows[i].file = rank[l->rows[i].file];
    free(d->files);
    d->files = sorted;
    free(order);
    free(rank);
}

/* Problem and target first, then time; file and row only make the order total. */
static int compare_rows(const void *pa, const void *pb)
{
    const struct load_row *a = pa, *b = pb;
    int c = compare_options(a, b);
    if (c != 0)
        return c;
    if (a->time < b->time || a->time > b->time)
        return a->time < b->time ? -1 : 1;
    if (a->file != b->file)
        return a->file < b->file ? -1 : 1;
    return (a->row > b->row) - (a->row < b->row);
}

/* The unknown options in the order of their texts, whatever the order in which they came. */
static void take_unknown(struct dataset *d, struct loader *l)
{
    uint32_t *rank = xcalloc(l->n_unknown + 1, sizeof *rank);
    d->n_unknown = l->n_unknown;
    d->unknown_text = xcalloc(l->n_unknown * d->n_params + 1, sizeof *d->unknown_text);
    for (size_t i = 0; i < l->n_unknown; i++) {
        char *text = l->unknown[i].text;
        rank[l->unknown[i].id] = (uint32_t)i + 1;
        for (size_t p = 0; p < d->n_params; p++) {
            char *end = strchr(text, LOAD_SEPARATOR);
            if (end != NULL)
                *end = '\0';
            d->unknown_text[i * d->n_params + p] = xstrdup(text);
            text = end != NULL ? end + 1 : text;
        }
    }
    for (size_t i = 0; i < l->n; i++)
        l->rows[i].unknown = rank[l->rows[i].unknown];
    free(rank);
}

static void take_times(struct dataset *d, const struct loader *l)
{
    d->time_us = xcalloc(d->n, sizeof *d->time_us);
    d->unknown = xcalloc(d->n, sizeof *d->unknown);
    for (size_t i = 0; i < d->n; i++) {
        d->time_us[i] = l->rows[i].time;
        d->unknown[i] = l->rows[i].unknown;
    }
}

static void take_rows(struct dataset *d, struct loader *l)
{
    const size_t f = d->n_fields, p = d->n_params;
    take_unknown(d, l);
    qsort(l->rows, l->n, sizeof *l->rows, compare_rows);
    d->n = l->n;
    d->problem = xcalloc(d->n * f, sizeof *d->problem);
    d->target = xcalloc(d->n * p, 1);
    d->file = xcalloc(d->n, sizeof *d->file);
    d->row = xcalloc(d->n, sizeof *d->row);
    for (size_t i = 0; i < d->n; i++) {
        memcpy(d->problem + i * f, l->rows[i].problem, f * sizeof *d->problem);
        memcpy(d->target + i * p, l->rows[i].target, p);
        d->file[i] = l->rows[i].file;
        d->row[i] = l->rows[i].row;
    }
    if (spec_is_timed(l->spec))
        take_times(d, l);
    memcpy(d->dropped, l->dropped, sizeof d->dropped);
}

/* ---- interface ---- */

static int load_all(struct loader *l, struct dataset *d, const char *const *paths, size_t n)
{
    if (n == 0 || n > MAX_FILES)
        return fail("%s", n == 0 ? "no data file given" : "too many data files");
    d->files = xcalloc(n, sizeof *d->files);
    for (size_t i = 0; i < n; i++)
        if (load_file(l, d, paths[i]) != 0)
            return -1;
    if (l->n != 0)
        return 0;
    memcpy(d->dropped, l->dropped, sizeof d->dropped);
    data_note_drops(d);
    return fail("%s%s: no row of %s is left to use", paths[0], n > 1 ? " and the other files" : "",
                l->spec->solver != NULL ? l->spec->solver : l->spec->name);
}

int data_load(const struct spec *spec, const char *const *paths, size_t n,
              const struct data_options *options, struct dataset *out)
{
    struct loader l = {.spec = spec, .options = options, .at_once = 1};
    memset(out, 0, sizeof *out);
    out->retired = spec->retired;
    out->n_fields = spec->n_fields;
    out->n_params = spec->n_params;
    int rc = load_all(&l, out, paths, n);
    if (rc == 0) {
        sort_files(out, &l);
        take_rows(out, &l);
    } else {
        data_free(out);
    }
    for (size_t i = 0; i < l.n_unknown; i++)
        free(l.unknown[i].text);
    free(l.unknown);
    free(l.rows);
    return rc;
}

void data_free(struct dataset *d)
{
    for (size_t i = 0; i < d->n_files; i++)
        free(d->files[i].name);
    free(d->files);
    free(d->problem);
    free(d->target);
    free(d->time_us);
    free(d->unknown);
    for (size_t i = 0; i < d->n_unknown * d->n_params; i++)
        free(d->unknown_text[i]);
    free(d->unknown_text);
    free(d->file);
    free(d->row);
    memset(d, 0, sizeof *d);
}

size_t data_problem_end(const struct dataset *d, size_t row)
{
    const int32_t *problem = d->problem + row * d->n_fields, *p = problem;
    do {
        row++;
        p += d->n_fields;
    } while (row < d->n && memcmp(p, problem, d->n_fields * sizeof *p) == 0);
    return row;
}

size_t data_count_problems(const struct dataset *d)
{
    size_t n = 0;
    for (size_t i = 0; i < d->n; i = data_problem_end(d, i))
        n++;
    return n;
}

double data_best_time(const struct dataset *d, size_t first, size_t n, const double *counts)
{
    double best = 0;
    for (size_t i = 0; i < n; i++)
        if (counts[i] > 0 && (best == 0 || d->time_us[first + i] < best))
            best = d->time_us[first + i];
    return best;
}

/* Rows of options that the spec does not know. */
static size_t count_unknown(const struct dataset *d)
{
    size_t n = 0;
    for (size_t i = 0; i < d->n && d->unknown != NULL; i++)
        n += d->unknown[i] != 0;
    return n;
}

void data_note_drops(const struct dataset *d)
{
#define DROP_TEXT(name, text) text,
    static const char *const texts[] = {DATA_DROPS(DROP_TEXT)};
#undef DROP_TEXT
    for (size_t i = 0; i < DATA_N_DROPS; i++)
        if (d->dropped[i] != 0)
            note("dropped %zu row%s: %s%s", d->dropped[i], d->dropped[i] == 1 ? "" : "s",
                 i == DROP_RETIRED ? d->retired : "", texts[i]);
    const size_t unknown = count_unknown(d);
    if (unknown != 0)
        note("%zu row%s an option that the spec does not know: kept, never predicted", unknown,
             unknown == 1 ? " names" : "s name");
}
