/* best_rows.c - see best_rows.h
   SPDX-License-Identifier: MIT */
#include "best_rows.h"

#include "column_names.h"
#include "split.h"

#include "model/same_gpu.h"

#include <stdlib.h>
#include <string.h>

struct best_column {
    size_t at; /* of the record's cells */
    char *name;
    size_t n_number, n_other; /* of its cells that are not empty */
};

/* ---- columns ---- */

void best_rows_open(struct best_rows *b, const struct loader *l, const struct csv_records *header,
                    const unsigned char *is_known)
{
    memset(b, 0, sizeof *b);
    b->start = l->n;
    b->column = xcalloc(header->n, sizeof *b->column);
    for (size_t i = 0; i < header->n; i++)
        if (!is_known[i]) {
            b->column[b->n].at = i;
            b->column[b->n++].name = xstrdup(header->cell[i]);
        }
}

void best_rows_close(struct best_rows *b)
{
    for (size_t i = 0; i < b->n; i++)
        free(b->column[i].name);
    free(b->column);
    free(b->gpu);
}

static int is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* A number, maybe with a unit behind it: "0.25", "1e-3", "12 us", "nan". A date is none. */
static int is_number(const char *cell)
{
    char *end;
    (void)strtod(cell, &end);
    if (end == cell)
        return 0;
    while (is_letter(*end) || *end == ' ' || *end == '%' || *end == '/' || (*end & 0x80) != 0)
        end++;
    return *end == '\0';
}

void best_rows_see(struct best_rows *b, const struct csv_records *r)
{
    for (size_t i = 0; i < b->n; i++) {
        struct best_column *c = &b->column[i];
        const char *cell = r->cell[c->at];
        if (*cell == '\0')
            continue;
        ++*(is_number(cell) ? &c->n_number : &c->n_other);
    }
}

/* ---- columns of times ---- */

#define TABLE_OF_TIMES                                                                 \
    "for a table of times write `format = timed` into the spec and call their column " \
    "\"time_us\" or \"time_ms\""

static int refuse_times(const struct loader *l, const char *column)
{
    return fail(
        "%s:1: column \"%s\": is a measurement, but for the spec's `format = %s` each row is "
        "the best tuple of its problem: " TABLE_OF_TIMES
        "; if each row is the best, leave the column out (--lenient ignores it)",
        l->path, column, spec_formats[l->spec->format]);
}

static int check_columns(const struct best_rows *b, const struct loader *l)
{
    struct buf ignored = {0};
    for (size_t i = 0; i < b->n; i++) {
        const struct best_column *c = &b->column[i];
        if (!l->options->lenient && !spec_is_timed(l->spec) && c->n_number > c->n_other
            && column_is_measurement(c->name)) {
            buf_free(&ignored);
            return refuse_times(l, c->name);
        }
        buf_printf(&ignored, "%s\"%s\"", i > 0 ? ", " : "", c->name);
    }
    if (b->n > 0 && l->n > b->start)
        note("%s:1: the spec does not name %s: ignored", l->path, ignored.s);
    buf_free(&ignored);
    return 0;
}

/* ---- two tuples for a problem ---- */

void best_rows_keep(struct best_rows *b, const struct loader *l, const char *gpu)
{
    const size_t n = l->n - 1 - b->start;
    struct buf key = {0};
    b->gpu = xgrow(b->gpu, n, &b->cap, sizeof *b->gpu);
    if (gpu != NULL)
        (void)gpu_key(gpu, &key);
    b->gpu[n] = gpu != NULL ? split_hash(key.s, key.n) : 0;
    buf_free(&key);
}

struct seen {
    const struct load_row *row;
    uint64_t gpu;
};

static int same_problem(const struct seen *a, const struct seen *b)
{
    return a->gpu == b->gpu
           && memcmp(a->row->problem, b->row->problem, sizeof a->row->problem) == 0;
}

/* Rows of one problem stand together, in the order of the file. GPUs of two names are two, even if
   they are one for the spec: --nearest makes them so. */
static int by_problem(const void *pa, const void *pb)
{
    const struct seen *a = pa, *b = pb;
    if (a->gpu != b->gpu)
        return a->gpu < b->gpu ? -1 : 1;
    const int c = memcmp(a->row->problem, b->row->problem, sizeof a->row->problem);
    return c != 0 ? c : (a->row > b->row) - (a->row < b->row);
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

/* Of the file's rows, those with a flag go. */
static void drop_rows(struct loader *l, size_t start, const unsigned char *is_out)
{
    size_t kept = start;
    for (size_t i = start; i < l->n; i++)
        if (!is_out[i - start])
            l->rows[kept++] = l->rows[i];
    l->n = kept;
}

/* For each of the file's rows, the first row of the same problem. */
static const struct load_row **find_first(const struct best_rows *b, const struct loader *l)
{
    const struct load_row *rows = l->rows + b->start, **first;
    const size_t n = l->n - b->start;
    struct seen *seen = xcalloc(n, sizeof *seen);
    first = xcalloc(n, sizeof *first);
    for (size_t i = 0; i < n; i++)
        seen[i] = (struct seen){&rows[i], b->gpu[i]};
    qsort(seen, n, sizeof *seen, by_problem);
    for (size_t i = 0, start = 0; i < n; i++) {
        if (!same_problem(&seen[start], &seen[i]))
            start = i;
        first[seen[i].row - rows] = seen[start].row;
    }
    free(seen);
    return first;
}

static int check_tuples(const struct best_rows *b, struct loader *l)
{
    const struct load_row **first = find_first(b, l);
    const size_t n = l->n - b->start;
    unsigned char *is_out = xcalloc(n, 1);
    int rc = 0;
    for (size_t i = 0; i < n && rc >= 0; i++) {
        rc = check_tuple(l, first[i], &l->rows[b->start + i]);
        is_out[i] = rc > 0;
    }
    if (rc >= 0)
        drop_rows(l, b->start, is_out);
    free(is_out);
    free(first);
    return rc < 0 ? -1 : 0;
}

int best_rows_check(struct best_rows *b, struct loader *l)
{
    if (check_columns(b, l) != 0)
        return -1;
    return l->spec->format == SPEC_CSV && l->n > b->start ? check_tuples(b, l) : 0;
}
