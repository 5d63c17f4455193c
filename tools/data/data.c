/* data.c - a sorted dataset: its rows, what was left out of it, and what it prints
   SPDX-License-Identifier: MIT */
#include "data.h"

#include "base/numbers.h"
#include "model/model.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#undef DATA_DROP_NAME

static void free_rows(struct dataset *d)
{
    free(d->problem);
    free(d->target);
    free(d->time_us);
    free(d->unknown);
    free(d->file);
    free(d->row);
    free(d->narrow);
}

void data_free(struct dataset *d)
{
    for (size_t i = 0; i < d->n_files; i++)
        free(d->files[i].name);
    free(d->files);
    for (size_t i = 0; i < d->n_unknown * d->n_params; i++)
        free(d->unknown_text[i]);
    free(d->unknown_text);
    free(d->failed.problem);
    free(d->failed.target);
    free(d->failures);
    free_rows(d);
    memset(d, 0, sizeof *d);
}

void data_open_rows(struct dataset *d, size_t n, int is_timed, int has_narrow)
{
    d->n = n;
    d->problem = xcalloc(n * d->n_fields, sizeof *d->problem);
    d->target = xcalloc(n, d->n_params);
    d->file = xcalloc(n, sizeof *d->file);
    d->row = xcalloc(n, sizeof *d->row);
    d->time_us = is_timed ? xcalloc(n, sizeof *d->time_us) : NULL;
    d->unknown = is_timed ? xcalloc(n, sizeof *d->unknown) : NULL;
    d->narrow = has_narrow ? xcalloc(n, 1) : NULL;
}

struct dataset data_new_rows(const struct dataset *d, size_t n)
{
    struct dataset to = *d;
    data_open_rows(&to, n, d->time_us != NULL, d->narrow != NULL);
    return to;
}

void data_take_rows(struct dataset *d, const struct dataset *rows)
{
    free_rows(d);
    *d = *rows;
}

void data_copy_row(struct dataset *to, size_t i, const struct dataset *from, size_t row)
{
    memmove(to->problem + i * to->n_fields, from->problem + row * to->n_fields,
            to->n_fields * sizeof *to->problem);
    memmove(to->target + i * to->n_params, from->target + row * to->n_params, to->n_params);
    to->file[i] = from->file[row];
    to->row[i] = from->row[row];
    if (to->time_us != NULL) {
        to->time_us[i] = from->time_us[row];
        to->unknown[i] = from->unknown[row];
    }
    if (to->narrow != NULL)
        to->narrow[i] = from->narrow[row];
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

static int is_problem(const int32_t *problems, size_t at, size_t n_fields, const int32_t *problem)
{
    return !memcmp(problems + at * n_fields, problem, n_fields * sizeof *problem);
}

/* Where it stands, or would, among n that are sorted by their fields as numbers */
static size_t place_of(const int32_t *problems, size_t n, size_t n_fields, const int32_t *problem)
{
    size_t low = 0, f;
    while (low < n) {
        const size_t mid = low + (n - low) / 2;
        const int32_t *p = problems + mid * n_fields;
        for (f = 0; f < n_fields && p[f] == problem[f];)
            f++;
        if (f < n_fields && p[f] < problem[f])
            low = mid + 1;
        else
            n = mid;
    }
    return low;
}

double data_distance(const struct spec *spec, const int32_t *a, const int32_t *b)
{
    double sum = 0;
    for (size_t f = 0; f < spec->n_fields; f++)
        if (spec->fields[f].n_tokens == 0)
            sum += fabs(num_log2(a[f] + 1.0) - num_log2(b[f] + 1.0));
        else if (a[f] != b[f])
            sum += strcmp(spec->fields[f].name, "gpu") == 0 ? 1 : 4;
    return sum;
}

size_t data_find_problem(const struct dataset *d, const int32_t *problem)
{
    const size_t at = place_of(d->problem, d->n, d->n_fields, problem);
    return at < d->n && is_problem(d->problem, at, d->n_fields, problem) ? at : d->n;
}

size_t data_find_failures(const struct dataset *d, const int32_t *problem, size_t *end)
{
    const struct data_failures *f = &d->failed;
    const size_t first = place_of(f->problem, f->n, d->n_fields, problem);
    for (*end = first; *end < f->n && is_problem(f->problem, *end, d->n_fields, problem);)
        ++*end;
    return first;
}

size_t data_count_problems(const struct dataset *d)
{
    size_t n = 0;
    for (size_t i = 0; i < d->n; i = data_problem_end(d, i))
        n++;
    return n;
}

double data_round_time(double us)
{
    char text[32];
    snprintf(text, sizeof text, "%.15g", us);
    return strtod(text, NULL);
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
            note("dropped %zu %s%s: %s%s%s%s", d->dropped[i], i == DROP_FILE ? "file" : "row",
                 as_counted(d->dropped[i], "", "s"), i == DROP_RETIRED ? d->retired : "", texts[i],
                 i == DROP_FAILED_TIME && d->failures != NULL ? ": " : "",
                 i == DROP_FAILED_TIME && d->failures != NULL ? d->failures : "");
    const size_t unknown = count_unknown(d);
    if (unknown != 0)
        note("%zu row%s an option that the spec does not know: kept, never predicted", unknown,
             as_counted(unknown, " names", "s name"));
}

/* ---- writing ---- */

static void add_heading(struct table *t, const struct spec *s)
{
    struct buf names = {0};
    for (size_t i = 0; i < s->n_fields; i++)
        buf_printf(&names, "%s,", s->fields[i].name);
    for (size_t i = 0; i < s->n_params; i++)
        buf_printf(&names, "%s,", s->params[i].name);
    if (spec_is_timed(s))
        buf_puts(&names, "time_us,");
    table_heading(t, names.s);
    buf_free(&names);
}

/* A target as it is called, or of an option that the spec does not know as it was read. */
static void add_target(struct table *t, const struct spec *s, size_t i, unsigned char target,
                       char *const *unknown)
{
    char number[12];
    const struct spec_param *p = &s->params[i];
    const char *text = target == DATA_UNKNOWN ? unknown[i] : spec_value_text(p, target, number);
    if (p->names[0] != NULL)
        table_text(t, text);
    else
        table_number(t, "%s", text);
}

static void add_row(struct table *t, const struct spec *s, const struct dataset *d, size_t row)
{
    const int32_t *problem = d->problem + row * d->n_fields;
    const uint32_t option = d->unknown != NULL ? d->unknown[row] : 0;
    char *const *unknown = option != 0 ? d->unknown_text + (option - 1) * d->n_params : NULL;
    for (size_t i = 0; i < s->n_fields; i++)
        if (s->fields[i].n_tokens != 0)
            table_text(t, s->fields[i].tokens[problem[i]]);
        else
            table_number(t, "%ld", (long)problem[i]);
    for (size_t i = 0; i < s->n_params; i++)
        add_target(t, s, i, d->target[row * d->n_params + i], unknown);
    if (d->time_us != NULL)
        table_number(t, "%.15g", d->time_us[row]);
}

void data_write(const struct spec *spec, const struct dataset *d, struct table_form form, FILE *f)
{
    struct table t = {0};
    add_heading(&t, spec);
    for (size_t i = 0; i < d->n; i++)
        add_row(&t, spec, d, i);
    table_print(&t, f, form);
    table_free(&t);
}

/* ---- problems without a tuple ---- */

enum { MAX_STEPS = 1 << 24 }; /* for all problems together: some seconds */

struct dead {
    unsigned char *is_out; /* a flag a row */
    size_t problems;
    size_t first; /* row: the one that stands first in the first file */
    size_t steps;
};

/* Is one of the tuples that were measured for it legal? */
static int has_legal_row(const struct model *model, const struct dataset *d, size_t first,
                         size_t end)
{
    for (size_t i = first; i < end; i++)
        if (data_is_known(d, i)
            && model_allows(model, d->problem + i * d->n_fields, d->target + i * d->n_params))
            return 1;
    return 0;
}

int data_stands_before(const struct dataset *d, size_t a, size_t b)
{
    return d->file[a] != d->file[b] ? d->file[a] < d->file[b] : d->row[a] < d->row[b];
}

static void find_dead(const struct model *model, const struct dataset *d, struct dead *dead)
{
    for (size_t i = 0, end; i < d->n; i = end) {
        end = data_problem_end(d, i);
        if (has_legal_row(model, d, i, end)
            || any_tuple(&model->clauses, model->spec, d->problem + i * d->n_fields, &dead->steps)
                   != 0)
            continue;
        for (size_t row = i; row < end; row++) {
            dead->is_out[row] = 1;
            if ((dead->problems == 0 && row == i) || data_stands_before(d, row, dead->first))
                dead->first = row;
        }
        dead->problems++;
    }
}

/* "gpu = gfx906_60, rows = 16" */
static const char *problem_text(const struct spec *s, const int32_t *problem, struct buf *b)
{
    for (size_t i = 0; i < s->n_fields; i++) {
        buf_printf(b, "%s%s = ", i > 0 ? ", " : "", s->fields[i].name);
        if (s->fields[i].n_tokens != 0)
            buf_puts(b, s->fields[i].tokens[problem[i]]);
        else
            buf_printf(b, "%ld", (long)problem[i]);
    }
    return b->s;
}

static int data_refuse(const struct model *model, const struct dataset *d, struct dead *dead)
{
    const struct spec *s = model->spec;
    const int32_t *problem = d->problem + dead->first * d->n_fields;
    const struct clause *c = any_tuple_culprit(&model->clauses, s, problem, &dead->steps);
    const size_t n = data_count_problems(d);
    struct buf fields = {0}, why = {0};
    buf_printf(&why,
               model->own_spec != NULL ? "in the spec of %s, line %ld: " : "%s:%ld: ", s->path,
               c != NULL ? c->line : s->restricts.line);
    if (c != NULL)
        buf_printf(&why, "%s: is false for all tuples", c->text);
    else
        buf_puts(&why, "the conditions of [restrict] contradict each other");
    fail("%s:%lld: %s: no tuple is legal for this problem: %s (it is so for %zu of %zu problem%s; "
         "--lenient leaves such rows out)",
         d->files[d->file[dead->first]].name, (long long)d->row[dead->first],
         problem_text(s, problem, &fields), why.s, dead->problems, n, as_counted(n, "", "s"));
    buf_free(&fields);
    buf_free(&why);
    return -1;
}

static int drop_dead(const struct model *model, struct dataset *d, const struct dead *dead)
{
    size_t kept = 0;
    for (size_t i = 0; i < d->n; i++)
        if (dead->is_out[i]) {
            d->dropped[DROP_NO_TUPLE]++;
            d->files[d->file[i]].rows--;
        } else {
            data_copy_row(d, kept++, d, i);
        }
    d->n = kept;
    if (kept > 0)
        return 0;
    data_note_drops(d);
    return fail("%s: no row of %s is left to use", d->files[0].name, model->m.name);
}

int no_tuple_check(const struct model *model, struct dataset *d, int lenient)
{
    struct dead dead = {NULL, 0, 0, MAX_STEPS};
    int rc = 0;
    if (model->clauses.n == 0 && !model->clauses.kernels)
        return 0;
    dead.is_out = xcalloc(d->n, 1);
    find_dead(model, d, &dead);
    if (dead.problems > 0)
        rc = lenient ? drop_dead(model, d, &dead) : data_refuse(model, d, &dead);
    free(dead.is_out);
    return rc;
}
