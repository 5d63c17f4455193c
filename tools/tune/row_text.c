/* row_text.c - see row_text.h
   SPDX-License-Identifier: MIT */
#include "row_text.h"

#include "assign.h"

#include "data/formats.h"
#include "model/same_gpu.h"

#include <math.h>
#include <string.h>

void row_add_names(const struct spec *spec, struct buf *b)
{
    for (size_t i = 0; i < spec->n_fields; i++)
        buf_printf(b, "%s,", spec->fields[i].name);
    for (size_t i = 0; i < spec->n_params; i++)
        buf_printf(b, "%s,", spec->params[i].name);
    buf_puts(b, "time_us\n");
}

static void add_time(const struct answer *a, struct buf *b)
{
    static const char *const words[] = {
        [OUTCOME_FAILED] = "failed", [OUTCOME_TIMEOUT] = "timeout", [OUTCOME_INVALID] = "invalid"};
    if (a->outcome == OUTCOME_TIME)
        buf_printf(b, "%.15g", a->us);
    else
        buf_puts(b, words[a->outcome]);
}

void row_add(const struct spec *spec, const int32_t *problem, const uint16_t *value,
             const struct answer *a, struct buf *b)
{
    char number[12];
    for (size_t i = 0; i < spec->n_fields; i++)
        buf_printf(b, "%s,", assign_field_text(&spec->fields[i], problem[i], number));
    for (size_t i = 0; i < spec->n_params; i++) {
        csv_add_cell(b, spec_value_text(&spec->params[i], value[i], number));
        buf_puts(b, ",");
    }
    add_time(a, b);
}

int row_check_names(const struct spec *spec, struct csv_records *c)
{
    struct buf want = {0}, is = {0};
    int rc = csv_records_next(c);
    if (rc <= 0)
        return rc < 0 ? -1 : fail("%s: has no header", c->path);
    row_add_names(spec, &want);
    for (size_t i = 0; i < c->n; i++) {
        buf_puts(&is, i > 0 ? "," : "");
        csv_add_cell(&is, c->cell[i]);
    }
    buf_puts(&is, "\n");
    rc = 0;
    if (strcmp(want.s, is.s) != 0)
        rc = fail("%s:%ld: is the output of another spec: its columns are %.*s, those of %s %.*s",
                  c->path, c->at, (int)is.n - 1, is.s, spec->path, (int)want.n - 1, want.s);
    buf_free(&want);
    buf_free(&is);
    return rc;
}

static int bad_value(const struct csv_records *c, const char *name, const char *cell)
{
    return fail("%s:%ld: %s: value \"%s\": is none of the spec: the row is of another spec, or "
                "damaged",
                c->path, c->at, name, cell);
}

static int ragged(const struct csv_records *c)
{
    struct buf why = {0};
    fail("%s:%ld: %s", c->path, c->at, csv_records_ragged(c, &why));
    buf_free(&why);
    return -1;
}

static int read_field(const struct spec_field *f, const char *cell, int32_t *out)
{
    int64_t v = -1;
    if (f->n_tokens != 0)
        v = field_token(f, cell);
    else if (parse_int(cell, f->least, f->most, &v) != 0)
        v = -1;
    *out = (int32_t)v;
    return v >= 0 ? 0 : -1;
}

int row_read(const struct spec *spec, const struct csv_records *c, int32_t *problem,
             uint16_t *value, double *time)
{
    char **cell = c->cell;
    if (c->n != c->n_header)
        return ragged(c);
    for (size_t i = 0; i < spec->n_fields; i++, cell++)
        if (read_field(&spec->fields[i], *cell, &problem[i]) != 0)
            return bad_value(c, spec->fields[i].name, *cell);
    for (size_t i = 0; i < spec->n_params; i++, cell++) {
        const int v = spec_value_index(&spec->params[i], *cell);
        if (v < 0)
            return bad_value(c, spec->params[i].name, *cell);
        value[i] = (uint16_t)v;
    }
    const int is_time = load_time_text(*cell, time);
    if (is_time == 0)
        *time = HUGE_VAL;
    return is_time >= 0 ? 0 : bad_value(c, "time_us", *cell);
}
