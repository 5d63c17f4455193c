/* table_cells.c - what all that read a table share: its columns' names, messages, rows, and times
   SPDX-License-Identifier: MIT */
#include "table_forms.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

int table_fail(const struct table_forms *t, const char *fmt, ...)
{
    char text[1024];
    va_list args;
    va_start(args, fmt);
    vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    return fail("%s:%ld: %s", t->raw->path, t->raw->at, text);
}

void table_tell(const struct table_forms *t, long line, const char *fmt, ...)
{
    char text[1024];
    const int n = snprintf(text, sizeof text, "%.500s:%ld: ", t->raw->path, line);
    va_list args;
    va_start(args, fmt);
    vsnprintf(text + n, sizeof text - (size_t)n, fmt, args);
    va_end(args);
    if (t->asked->tell != NULL)
        t->asked->tell(t->asked->to, text);
    else
        note("%s", text);
}

const char *table_name(const struct table_forms *t, size_t at)
{
    return t->raw->header[at];
}

/* ---- what a column is, beforehand ---- */

static int is_in(const struct interned *names, const char *name)
{
    return names != NULL && intern_find_text(names, name) != INTERN_NONE;
}

enum table_role table_role(const struct table_forms *t, const char *name)
{
    const struct table_asked *a = t->asked;
    if (*name == '\0' || is_in(a->ignored, name))
        return TABLE_IGNORED;
    if (is_in(a->fields, name) || strcmp(name, "gpu") == 0)
        return TABLE_FIELD;
    if (a->spec == NULL)
        return TABLE_OTHER;
    return spec_field_index(a->spec, name) >= 0   ? TABLE_FIELD
           : spec_param_index(a->spec, name) >= 0 ? TABLE_PARAM
                                                  : TABLE_OTHER;
}

/* ---- rows ---- */

static void trim_cell(char **cell)
{
    size_t n;
    *cell += strspn(*cell, " ");
    for (n = strlen(*cell); n > 0 && (*cell)[n - 1] == ' ';)
        (*cell)[--n] = '\0';
}

void table_trim(struct csv_records *r)
{
    for (size_t i = 0; i < r->n; i++)
        trim_cell(&r->cell[i]);
}

int table_next_copy(const struct table_forms *t, struct csv_records *r)
{
    int rc = csv_records_next(r);
    while (rc > 0 && r->n != r->n_header)
        rc = csv_records_next(r);
    if (rc > 0 && t->is_trimmed)
        table_trim(r);
    return rc;
}

/* ---- times ---- */

int table_figure(const struct table_forms *t, const char *cell, struct metric *unit, double *x)
{
    struct figure f;
    if (!figure_see(cell, &f) || *cell == '-')
        return 0;
    *unit = *f.unit != '\0' ? metric_of_unit(f.unit) : t->kind;
    char *copy = xcalloc(f.n + 1, 1);
    figure_write(cell, &f, t->mark, copy);
    *x = strtod(copy, NULL);
    free(copy);
    return unit->kind == t->kind.kind && isfinite(*x);
}

double table_row_us(const struct table_forms *t, char *const *cell)
{
    struct metric unit;
    double x, least = 0;
    for (size_t i = 0; i < t->n_slots; i++)
        if (table_figure(t, cell[t->slots[i].at], &unit, &x) && x > 0 && x < FAILED_TIME) {
            const double us = metric_us(unit, x);
            least = least > 0 && least < us ? least : us;
        }
    return least;
}
