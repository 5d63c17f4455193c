/* load.c - takes rows from the readers, checks them against the spec, and keeps so many
   SPDX-License-Identifier: MIT */
#include "formats.h"

#include "base/numbers.h"

#include <math.h>
#include <stdarg.h>
#include <string.h>

/* ---- too many rows ---- */

enum { MANY_ROWS = 100 }; /* of a problem */

static uint64_t hash_of(const struct loader *l, const struct load_row *r)
{
    uint64_t hash = 0;
    for (size_t i = 0; i < l->spec->n_fields; i++)
        hash = num_mix(hash, i, (uint64_t)r->problem[i]);
    for (size_t i = 0; l->limit.by_tuple && i < l->spec->n_params; i++)
        hash = num_mix(hash, i, r->target[i]);
    return hash;
}

static int are_large(const struct load_row *rows, size_t n)
{
    struct interned problems = {0};
    for (size_t i = 0; i < n; i++)
        (void)intern(&problems, rows[i].problem, sizeof rows[i].problem);
    const int is = n > MANY_ROWS * problems.n;
    intern_free(&problems);
    return is;
}

static int has_left(const struct loader *l, const struct load_row *r)
{
    return l->limit.halvings > 0 && hash_of(l, r) >> (64 - l->limit.halvings) != 0;
}

/* Of a list of rows, from that number on */
static void drop_left(struct loader *l, struct load_row *rows, size_t *n, size_t from)
{
    size_t kept = from;
    for (size_t i = from; i < *n; i++)
        if (!has_left(l, &rows[i]))
            rows[kept++] = rows[i];
    l->limit.left += *n - kept;
    *n = kept;
}

/* Looks at a row that was just added at the end of a list. */
static void check_limit(struct loader *l, struct load_row *rows, size_t *n)
{
    struct row_limit *t = &l->limit;
    drop_left(l, rows, n, *n - 1);
    while (t->most > 0 && l->n + l->n_failed > t->most && t->halvings < 63) {
        t->by_tuple = t->halvings > 0 ? t->by_tuple : are_large(l->rows, l->n);
        t->halvings++;
        drop_left(l, l->rows, &l->n, 0);
        drop_left(l, l->failed, &l->n_failed, 0);
    }
}

void row_limit_note(const struct row_limit *t, size_t kept)
{
    if (t->left > 0)
        note("%zu of %zu rows are used, drawn by %s: the limit is %zu", kept, kept + t->left,
             t->by_tuple ? "tuples, of all problems" : "whole problems", t->most);
}

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
    buf_printf(&text, "%s%s%lld", l->path, l->row_prefix, (long long)row);
    if (l->column > 0)
        buf_printf(&text, ":%ld", l->column);
    buf_printf(&text, ": %s: value \"%s\": %s (--lenient leaves such rows out)", column, value,
               what);
    fail("%s", text.s);
    buf_free(&text);
    return -1;
}

int load_ragged(struct loader *l, const struct csv_records *r)
{
    struct buf what = {0};
    const int rc =
        load_bad(l, r->at, DROP_BROKEN, "row", r->cell[0], "%s", csv_records_ragged(r, &what));
    buf_free(&what);
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

/* MIOpen and Tensile time kernels that a spec may lack. Who writes a table of times and its spec
   knows all values, so that another one is a mistake in either. */
static int keeps_unknown(const struct spec *s)
{
    return spec_is_timed(s) && s->format != SPEC_TIMED && s->format != SPEC_AITER;
}

/* Verdict on one parameter's value; of timed data it may be unknown. */
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
    if (is_number && parse_whole(text, INT32_MIN, INT32_MAX, &v) != 0)
        rc = load_bad(l, row, DROP_PARAMS, p->name, text, "is not an integer");
    else if (keeps_unknown(l->spec)
             && (is_number || (*text != '\0' && strchr(text, LOAD_SEPARATOR) == NULL)))
        return 0;
    else
        rc = load_bad(l, row, DROP_PARAMS, p->name, text, "is not one of %s",
                      spec_values_text(p, &b));
    buf_free(&b);
    return rc;
}

/* ---- options that the spec does not know ---- */

static void add_option_text(const struct spec *s, const char *const *params, struct buf *b)
{
    const char separator = LOAD_SEPARATOR;
    int64_t v = 0;
    for (size_t i = 0; i < s->n_params; i++) {
        if (i != 0)
            buf_add(b, &separator, 1);
        if (s->params[i].names[0] == NULL && parse_whole(params[i], INT32_MIN, INT32_MAX, &v) == 0)
            buf_printf(b, "%ld", (long)v);
        else
            buf_puts(b, params[i]);
    }
}

static uint32_t unknown_id(struct loader *l, const char *const *params)
{
    struct buf text = {0};
    add_option_text(l->spec, params, &text);
    const size_t number = intern_text(&l->unknown, text.s);
    buf_free(&text);
    return (uint32_t)number + 1;
}

/* ---- rows ---- */

static int add_row(struct loader *l, int64_t row, const int64_t *problem, const char *const *params,
                   double time)
{
    const struct spec *s = l->spec;
    struct load_row r = {.time = time, .file = l->file, .row = row};
    int rc = 0;
    for (size_t i = 0; i < s->n_fields && rc == 0; i++) {
        rc = check_field(l, row, &s->fields[i], problem[i]);
        r.problem[i] = (int32_t)problem[i];
    }
    for (size_t i = 0; i < s->n_params && rc == 0; i++)
        rc = check_param(l, row, &s->params[i], params[i], &r.target[i]);
    if (rc != 0)
        return rc;
    if (memchr(r.target, DATA_UNKNOWN, s->n_params) != NULL)
        r.unknown = unknown_id(l, params);
    l->rows = xgrow(l->rows, l->n, &l->cap, sizeof *l->rows);
    l->rows[l->n++] = r;
    check_limit(l, l->rows, &l->n);
    return 0;
}

int load_add(struct loader *l, int64_t row, const int64_t *problem, const char *const *params)
{
    enum data_drop why;
    if (is_documented_drop(l->spec, problem, params, &why))
        return load_drop(l, why);
    return add_row(l, row, problem, params, 0);
}

/* Verdict on an option that gave no time: it is dropped, and with format = timed noted among the
   failures if the spec names all of it. */
static int add_failed(struct loader *l, int64_t row, const int64_t *problem,
                      const char *const *params)
{
    const struct spec *s = l->spec;
    struct load_row r = {.row = row};
    int is_covered = s->format == SPEC_TIMED;
    for (size_t i = 0; i < s->n_fields; i++) {
        is_covered &= problem[i] >= s->fields[i].least && problem[i] <= s->fields[i].most;
        r.problem[i] = (int32_t)problem[i];
    }
    for (size_t i = 0; i < s->n_params; i++) {
        const int v = spec_value_index(&s->params[i], params[i]);
        is_covered &= v >= 0;
        r.target[i] = (unsigned char)v;
    }
    if (is_covered) {
        l->failed = xgrow(l->failed, l->n_failed, &l->failed_cap, sizeof *l->failed);
        l->failed[l->n_failed++] = r;
        check_limit(l, l->failed, &l->n_failed);
    }
    return load_drop(l, DROP_FAILED_TIME);
}

/* To 15 digits, which reading what is printed restores. */
int load_add_timed(struct loader *l, int64_t row, const int64_t *problem, const char *const *params,
                   double time_us)
{
    char text[32];
    const double time = data_round_time(time_us);
    if (time_us == 0.0)
        return add_failed(l, row, problem, params);
    if (time > 0 && isfinite(time))
        return add_row(l, row, problem, params, time);
    snprintf(text, sizeof text, "%.15g", time);
    return load_bad(l, row, DROP_BROKEN, "time_us", text, "is not a time");
}

enum { TOLD_FAILURES = 5 };
/* For load_note_failures */
static void keep_failure(struct loader *l, const char *text)
{
    struct load_failures *f = &l->failures;
    f->n_rows++;
    if (f->texts.n == LOAD_MOST_FAILURES && intern_find_text(&f->texts, text) == INTERN_NONE)
        return;
    f->rows[intern_text(&f->texts, text)]++;
}

int load_failed(struct loader *l, const char *text)
{
    keep_failure(l, text);
    return load_drop(l, DROP_FAILED_TIME);
}

int load_figure(struct loader *l, int64_t row, const char *column, const char *text, double *out)
{
    const enum spec_format format = l->spec->format;
    const int is_table = format == SPEC_TIMED;
    const int is_good = is_table ? load_table_time(text, out)
                        : format == SPEC_AITER
                            ? load_time_text(text, out)
                            : load_figure_text(text, format == SPEC_TENSILE, out);
    if (is_good < 0)
        return load_bad(l, row, DROP_BROKEN, column, text,
                        is_table ? LOAD_NO_TIME : LOAD_NO_FIGURE);
    if (is_good)
        return 0;
    *out = 0;
    if (is_table)
        keep_failure(l, text);
    return 0;
}

/* The text of most rows */
static size_t find_most(const struct load_failures *f)
{
    size_t most = 0;
    for (size_t i = 1; i < f->texts.n; i++)
        if (f->rows[i] > f->rows[most])
            most = i;
    return most;
}

/* "TEXT" in N rows, with the first line of the text, as far as that goes beside others; these rows
   are told then. */
static void add_failure(struct load_failures *f, size_t i, struct buf *b)
{
    const char *text = f->texts.v[i].s;
    const size_t line = strcspn(text, "\r\n"), n = line < 40 ? line : 40;
    buf_printf(b, "%s\"%.*s%s\" in %zu row%s", b->n > 0 ? ", " : "", (int)n, text,
               text[n] != '\0' ? "..." : "", f->rows[i], as_counted(f->rows[i], "", "s"));
    f->n_rows -= f->rows[i];
    f->rows[i] = 0;
}

char *load_failures_text(struct loader *l)
{
    struct load_failures *f = &l->failures;
    const size_t n = f->texts.n, others = n > TOLD_FAILURES ? n - TOLD_FAILURES : 0;
    struct buf b = {0};
    for (size_t i = others; i < n; i++)
        add_failure(f, find_most(f), &b);
    if (others > 0)
        buf_printf(&b, ", and %zu%s other%s in %zu row%s", others,
                   n == LOAD_MOST_FAILURES ? " or more" : "", as_counted(others, "", "s"),
                   f->n_rows, as_counted(f->n_rows, "", "s"));
    return b.s;
}
