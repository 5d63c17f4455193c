/* load.c - see load.h
   SPDX-License-Identifier: MIT */
#include "load.h"

#include "model/products.h"
#include "model/same_gpu.h"
#include "model/unseen.h"

#include <ctype.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

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

int load_ragged(struct loader *l, const struct csv_records *r)
{
    struct buf what = {0};
    const int rc =
        load_bad(l, r->at, DROP_BROKEN, "row", r->cell[0], "%s", csv_records_ragged(r, &what));
    buf_free(&what);
    return rc;
}

/* ---- GPU names ---- */

/* Of a GPU without a token: of a bare arch the one with most units, or if asked for the nearest;
   -1: none, and *nearest (-1: no GPU's name) is what comes closest. */
static int other_gpu(const struct loader *l, const struct spec_field *f, const char *text,
                     int *nearest)
{
    struct buf b = {0};
    const char *name = gpu_name(text, &b);
    kpred_field field = {.name = "gpu", .tokens = f->tokens, .n_tokens = (int32_t)f->n_tokens};
    kpred_model model = {
        .fields = &field,
        .n_fields = 1,
        .runs_on = l->spec->runs_on[0] != NULL ? l->spec->runs_on : NULL,
    };
    size_t digits = strncmp(name, "gfx1", 4) == 0 ? 4 : 3;
    int exact = 0;
    const int32_t closest = kpred_gpu_token(&model, name, 0, &exact);
    *nearest = (int)unseen_or_nearest(l->spec, text, closest);
    int is_bare = strlen(name) == 3 + digits && strspn(name + 3, "0123456789abcdef") == digits;
    buf_free(&b);
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
    int token = field_token(f, text);
    if (token < 0 && is_gpu)
        token = other_gpu(l, f, text, &nearest);
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

int load_named_gpu(const struct loader *l, size_t field, const char *name, const char *from,
                   int64_t *out)
{
    const struct spec_field *f = &l->spec->fields[field];
    struct buf b = {0};
    int nearest = -1, rc = 0;
    int token = gpu_token(f, name);
    if (token < 0)
        token = other_gpu(l, f, name, &nearest);
    *out = token;
    if (token < 0)
        rc = fail("%s: gpu: value \"%s\" (%s): %s", l->path, name, from,
                  gpu_trouble(f, nearest, &b));
    buf_free(&b);
    return rc;
}

int load_file_gpu(struct loader *l, size_t field, int64_t *out)
{
    const char *name = base_name(l->path), *asked = l->options->gpu;
    struct buf gpu = {0};
    if (asked != NULL)
        buf_puts(&gpu, asked);
    else
        buf_add(&gpu, name, gpu_piece(name));
    l->gpu_is_used = 1;
    const int rc = load_named_gpu(
        l, field, gpu.s, asked != NULL ? "from --gpu" : "from the file's name, --gpu overrides it",
        out);
    buf_free(&gpu);
    return rc;
}

/* ---- what the command line says ---- */

int load_given(struct loader *l, size_t field, int64_t *out)
{
    const int is_given = set_fields_value(l->spec, &l->options->set, field, out);
    if (is_given)
        l->is_used[field] = 1;
    return is_given;
}

void load_note_unused(const struct loader *l)
{
    int64_t v;
    for (size_t i = 0; i < l->spec->n_fields; i++)
        if (!l->is_used[i] && set_fields_value(l->spec, &l->options->set, i, &v))
            note("--set %s=... is not used: all files say what it is", l->spec->fields[i].name);
    if (l->options->gpu != NULL && l->gpu_is_named && !l->gpu_is_used)
        note("--gpu %s is not used: all files name their GPU", l->options->gpu);
}

void load_note_chips(const struct loader *l)
{
    const int f = spec_field_index(l->spec, "gpu");
    const char *names[KPRED_MAX_VALUES];
    unsigned char is_there[KPRED_MAX_VALUES] = {0};
    struct buf b = {0};
    size_t n = 0;
    if (f < 0 || l->spec->fields[f].n_tokens == 0)
        return;
    for (size_t i = 0; i < l->n; i++)
        is_there[l->rows[i].problem[f]] = 1;
    for (size_t i = 0; i < l->spec->fields[f].n_tokens; i++)
        if (is_there[i])
            names[n++] = l->spec->fields[f].tokens[i];
    if (*gpu_chips(names, n, &b) != '\0')
        note("gpu: %s: " GPU_CHIPS_TOLD, b.s);
    buf_free(&b);
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
    if (is_number && parse_int(text, INT32_MIN, INT32_MAX, &v) != 0)
        rc = load_bad(l, row, DROP_PARAMS, p->name, text, "is no integer");
    else if (keeps_unknown(l->spec)
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
    l->unknown = xgrow(l->unknown, l->n_unknown, &l->unknown_cap, sizeof *l->unknown);
    memmove(l->unknown + at + 1, l->unknown + at, (l->n_unknown - at) * sizeof *l->unknown);
    l->unknown[at] = (struct load_unknown){text.s, (uint32_t)++l->n_unknown};
    return l->unknown[at].id;
}

/* ---- rows ---- */

static struct load_row *new_row(struct loader *l)
{
    l->rows = xgrow(l->rows, l->n, &l->cap, sizeof *l->rows);
    memset(&l->rows[l->n], 0, sizeof *l->rows);
    return &l->rows[l->n++];
}

static void check_limit(struct loader *l, int is_failed)
{
    const struct row_lists all = {l->rows, l->failed, &l->n, &l->n_failed};
    row_limit_check(&l->limit, &all, is_failed);
}

static int add_row(struct loader *l, int64_t row, const int64_t *problem, const char *const *params,
                   double time)
{
    const struct spec *s = l->spec;
    unsigned char target[KPRED_MAX_TUPLE];
    int rc = 0;
    for (size_t i = 0; i < s->n_fields && rc == 0; i++)
        rc = check_field(l, row, &s->fields[i], problem[i]);
    for (size_t i = 0; i < s->n_params && rc == 0; i++)
        rc = check_param(l, row, &s->params[i], params[i], &target[i]);
    if (rc != 0)
        return rc;
    struct load_row *r = new_row(l);
    for (size_t i = 0; i < s->n_fields; i++)
        r->problem[i] = (int32_t)problem[i];
    memcpy(r->target, target, s->n_params);
    if (memchr(target, DATA_UNKNOWN, s->n_params) != NULL)
        r->unknown = unknown_id(l, params);
    r->time = time;
    r->file = l->file;
    r->row = row;
    check_limit(l, 0);
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
    struct load_row r;
    int is_covered = s->format == SPEC_TIMED;
    memset(&r, 0, sizeof r);
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
        r.row = row;
        l->failed[l->n_failed++] = r;
        check_limit(l, 1);
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
    snprintf(text, sizeof text, "%.15g", time);
    if (!(time > 0) || !isfinite(time))
        return load_bad(l, row, DROP_BROKEN, "time_us", text, "is no time");
    return add_row(l, row, problem, params, time);
}

enum { TOLD_FAILURES = 5 };
#define FAILED_TIME 1e19 /* old versions of Kernel Tuner write 1e20 */

/* What tuners write in the place of a time: of a failure, or of a tuple that was never run */
int load_is_failure(const char *text)
{
    static const char *const words[] = {"",
                                        "failed",
                                        "error",
                                        "invalid",
                                        "timeout",
                                        "inf",
                                        "-inf",
                                        "nan",
                                        "-nan",
                                        "infinity",
                                        "-infinity",
                                        "none",
                                        "null",
                                        "-",
                                        "n/a",
                                        "na",
                                        "CompilationFailedConfig",
                                        "RuntimeFailedConfig",
                                        "InvalidConfig"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strcasecmp(text, words[i]) == 0)
            return 1;
    return 0;
}

/* A finite number of at least 0 */
static int is_figure(const char *text, double *out)
{
    char *end;
    *out = strtod(text, &end);
    return strspn(text, "0123456789.eE+-") == strlen(text) && end != text && *end == '\0'
           && *out >= 0 && isfinite(*out);
}

int load_time_text(const char *text, double *out)
{
    if (load_is_failure(text))
        return 0;
    return is_figure(text, out) ? *out > 0 && *out < FAILED_TIME : -1;
}

/* What a failure left in the place of its time: it begins with a letter, of any language, or has no
   digit. A number with something behind it or before it, such as 1,5 or 12us, is a mistake. */
static int is_message(const char *text)
{
    const unsigned char first = (unsigned char)*text;
    return isalpha(first) || first > '~' || strpbrk(text, "0123456789") == NULL;
}

int load_table_time(const char *text, double *out)
{
    const int is_time = load_time_text(text, out);
    return is_time < 0 && is_message(text) ? 0 : is_time;
}

/* For load_note_failures */
static void keep_failure(struct loader *l, const char *text)
{
    struct load_failures *f = &l->failures;
    f->n_rows++;
    if (f->texts.n == LOAD_MOST_FAILURES && intern_find_text(&f->texts, text) == INTERN_NONE)
        return;
    f->rows[intern_text(&f->texts, text)]++;
}

int load_figure(struct loader *l, int64_t row, const char *column, const char *text, double *out)
{
    const int is_table = l->spec->format == SPEC_TIMED;
    const int is_good = is_table                        ? load_table_time(text, out)
                        : l->spec->format == SPEC_AITER ? load_time_text(text, out)
                        : is_figure(text, out)          ? *out > 0
                                                        : -1;
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
               text[n] != '\0' ? "..." : "", f->rows[i], f->rows[i] == 1 ? "" : "s");
    f->n_rows -= f->rows[i];
    f->rows[i] = 0;
}

void load_note_failures(struct loader *l)
{
    struct load_failures *f = &l->failures;
    const size_t n = f->texts.n, others = n > TOLD_FAILURES ? n - TOLD_FAILURES : 0;
    struct buf b = {0};
    for (size_t i = others; i < n; i++)
        add_failure(f, find_most(f), &b);
    if (others > 0)
        buf_printf(&b, ", and %zu%s other%s in %zu row%s", others,
                   n == LOAD_MOST_FAILURES ? " or more" : "", others == 1 ? "" : "s", f->n_rows,
                   f->n_rows == 1 ? "" : "s");
    if (n > 0)
        note("taken as failures, in the place of times: %s", b.s);
    buf_free(&b);
}
