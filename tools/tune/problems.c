/* problems.c - the problems to tune for, from a CSV file
   SPDX-License-Identifier: MIT */
#include "loop.h"

#include <stdlib.h>
#include <string.h>

struct reading {
    const struct spec *spec;
    struct csv_records r;
    int column[KPRED_MAX_FIELDS];
    int takes_counts, count_column; /* -1: there is none */
    struct interned seen;
    struct problems *out;
    size_t cap, cap_line, cap_count, n_twice;
};

/* ---- the header ---- */

static void note_others(const struct reading *in)
{
    if (in->takes_counts && in->count_column < 0)
        note("%s:%ld: %s: each problem counts once", in->r.path, in->r.at,
             spec_field_index(in->spec, "count") < 0 ? "there is no column \"count\""
                                                     : "\"count\" is a field of the spec");
    for (size_t i = 0; i < in->r.n; i++)
        if (spec_field_index(in->spec, in->r.cell[i]) < 0 && (int)i != in->count_column)
            note("%s:%ld: column \"%s\" is not a field of %s: ignored", in->r.path, in->r.at,
                 in->r.cell[i], in->spec->name);
}

static int read_header(struct reading *in)
{
    const int rc = csv_records_next(&in->r);
    if (rc <= 0)
        return rc < 0 ? -1 : fail("%s: has no header", in->r.path);
    if (csv_records_check_header(&in->r) != 0)
        return -1;
    for (size_t i = 0; i < in->spec->n_fields; i++) {
        in->column[i] = csv_records_find(&in->r, in->spec->fields[i].name);
        if (in->column[i] < 0)
            return fail("%s:%ld: there is no column \"%s\", a field of %s", in->r.path, in->r.at,
                        in->spec->fields[i].name, in->spec->name);
    }
    in->count_column = -1;
    if (in->takes_counts && spec_field_index(in->spec, "count") < 0)
        in->count_column = csv_records_find(&in->r, "count");
    note_others(in);
    return 0;
}

/* ---- rows ---- */

static int bad_cell(const struct reading *in, const struct spec_field *f, const char *cell)
{
    struct buf b = {0};
    if (f->n_tokens != 0)
        fail("%s:%ld: %s: value \"%s\": is not one of %s", in->r.path, in->r.at, f->name, cell,
             spec_tokens_text(f, &b));
    else
        fail("%s:%ld: %s: value \"%s\": is not an integer of %ld..%ld", in->r.path, in->r.at,
             f->name, cell, (long)f->least, (long)f->most);
    buf_free(&b);
    return -1;
}

static int read_cell(const struct reading *in, size_t i, int32_t *out)
{
    const struct spec_field *f = &in->spec->fields[i];
    const char *cell = in->r.cell[in->column[i]];
    return assign_field_read(f, cell, out) == 0 ? 0 : bad_cell(in, f, cell);
}

static int read_count(const struct reading *in, int64_t *out)
{
    const char *cell = in->count_column >= 0 ? in->r.cell[in->count_column] : "1";
    if (parse_whole(cell, 1, 1000000000, out) == 0)
        return 0;
    return fail("%s:%ld: count: value \"%s\": is not an integer of 1..1000000000", in->r.path,
                in->r.at, cell);
}

static void add_problem(struct reading *in, const int32_t *problem, int64_t count)
{
    struct problems *p = in->out;
    const size_t i = intern(&in->seen, problem, p->n_fields * sizeof *problem);
    if (i < p->n) {
        in->n_twice++;
        p->count[i] += in->count_column >= 0 ? (double)count : 0;
        return;
    }
    while (in->cap < (p->n + 1) * p->n_fields)
        p->v = xgrow(p->v, in->cap, &in->cap, sizeof *p->v);
    memcpy(p->v + p->n * p->n_fields, problem, p->n_fields * sizeof *problem);
    p->line = xgrow(p->line, p->n, &in->cap_line, sizeof *p->line);
    p->count = xgrow(p->count, p->n, &in->cap_count, sizeof *p->count);
    p->count[p->n] = (double)count;
    p->line[p->n++] = in->r.at;
}

static int read_row(struct reading *in)
{
    int32_t problem[KPRED_MAX_FIELDS];
    int64_t count;
    if (csv_records_check_row(&in->r) != 0)
        return -1;
    for (size_t i = 0; i < in->spec->n_fields; i++)
        if (read_cell(in, i, &problem[i]) != 0)
            return -1;
    if (read_count(in, &count) != 0)
        return -1;
    add_problem(in, problem, count);
    return 0;
}

static int read_rows(struct reading *in)
{
    int rc = read_header(in);
    while (rc == 0 && (rc = csv_records_next(&in->r)) > 0)
        rc = read_row(in);
    if (rc == 0 && in->out->n == 0)
        rc = fail("%s: has no problem", in->r.path);
    if (rc == 0 && in->n_twice > 0)
        note("%s: %zu line%s an earlier problem: %s", in->r.path, in->n_twice,
             as_counted(in->n_twice, " repeats", "s repeat"),
             in->count_column >= 0 ? "the counts are summed up" : "it counts once");
    return rc;
}

int problems_read(const char *path, const struct spec *spec, int counts, struct problems *out)
{
    struct reading in = {.spec = spec, .takes_counts = counts, .out = out};
    struct buf text = {0};
    *out = (struct problems){.n_fields = spec->n_fields};
    int rc = data_read(path, &text);
    if (rc == 0) {
        rc = csv_records_open(&in.r, path, &text);
        if (rc == 0)
            rc = read_rows(&in);
        csv_records_close(&in.r);
    }
    intern_free(&in.seen);
    buf_free(&text);
    if (rc != 0)
        problems_free(out);
    return rc;
}

void problems_free(struct problems *p)
{
    free(p->v);
    free(p->line);
    free(p->count);
    memset(p, 0, sizeof *p);
}
