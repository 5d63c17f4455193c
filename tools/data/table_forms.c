/* table_forms.c - tables as people make them, handed out in one form
   SPDX-License-Identifier: MIT

   What a column's commas and its name mean is seen when all its cells are: where a table may be
   odd, its text is read twice. */
#include "table_forms.h"

#include "formats.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

static const char plain_figure[] = "0123456789.eE+-";

/* ---- cells ---- */

/* A name of several lines has blanks between them, so that it can stand in a spec. */
static void join_lines(const struct csv_records *r)
{
    for (size_t i = 0; i < r->n; i++)
        for (char *p = r->cell[i]; *p != '\0'; p++)
            *p = *p == '\n' || *p == '\r' || *p == '\t' ? ' ' : *p;
}

static void see_figure(struct table_seen *s, const struct figure *f, long line, const char *cell)
{
    s->n_figures++;
    s->n_plain += f->is_plain != 0;
    s->n_fractions += f->is_fraction || *f->unit != '\0';
    table_show(*f->unit != '\0' ? &s->unit : &s->bare, line, cell);
    if (f->proves != 0)
        table_show(f->proves == ',' ? &s->comma : &s->point, line, cell);
    if (f->either != 0)
        table_show(f->either == ',' ? &s->either_comma : &s->either_point, line, cell);
}

static void see_cell(struct table_seen *s, long line, const char *cell)
{
    struct figure f;
    s->n++;
    if (s->distinct.n < TABLE_MOST_DISTINCT)
        (void)intern_text(&s->distinct, cell);
    if (*cell == '\0')
        s->n_empty++;
    else if (figure_see(cell, &f)
             && (*f.unit == '\0' || metric_of_unit(f.unit).kind != METRIC_NONE))
        see_figure(s, &f, line, cell);
    else if (load_is_failure(cell))
        s->n_failures++;
    else if (strchr("0123456789.+-~", *cell) != NULL) {
        s->n_odd++;
        table_show(&s->odd, line, cell);
    }
}

/* Reads the rows for what they tell; the reader reads them again. */
static int see_all(struct table_forms *t)
{
    struct csv_records r;
    struct buf copy = {0};
    int rc;
    t->seen = xcalloc(t->raw->n_header, sizeof *t->seen);
    csv_records_again(t->raw, &copy, &r);
    while ((rc = table_next_copy(t, &r)) > 0)
        for (size_t i = 0; i < r.n; i++)
            see_cell(&t->seen[i], r.at, r.cell[i]);
    csv_records_close(&r);
    buf_free(&copy);
    return rc;
}

/* ---- what a comma means in a field or a parameter ---- */

/* Has the spec names for this parameter's values that look like such figures? */
static int has_odd_names(const struct spec_param *p)
{
    for (size_t i = 0; i < p->n_values && p->names[i] != NULL; i++)
        if (strpbrk(p->names[i], ", '_") != NULL)
            return 1;
    return 0;
}

static int is_integer_column(const struct table_forms *t, size_t at)
{
    const struct spec *spec = t->asked->spec;
    const char *name = table_name(t, at);
    const int param = spec != NULL ? spec_param_index(spec, name) : -1;
    return param >= 0 ? spec->params[param].names[0] == NULL : table_role(t, name) == TABLE_FIELD;
}

/* Of a field or a parameter: only figures, of which some are odd, are read as such. Two numbers
   with a comma between them may well be a name where commas separate the cells. */
static char column_mark(const struct table_forms *t, size_t at)
{
    const struct table_seen *s = &t->seen[at];
    const struct spec *spec = t->asked->spec;
    const int param = spec != NULL ? spec_param_index(spec, table_name(t, at)) : -1;
    char mark;
    if (s->n_figures + s->n_empty < s->n || s->unit.line > 0
        || (s->n_plain == s->n_figures && !(s->either_point.line > 0 && is_integer_column(t, at)))
        || table_role(t, table_name(t, at)) == TABLE_IGNORED
        || (param >= 0 && has_odd_names(&spec->params[param])))
        return 0;
    if (t->raw->separator == ',' && s->comma.line > 0)
        return 0;
    return table_mark(t, s, table_name(t, at), is_integer_column(t, at), &mark) == 0 ? mark : 0;
}

/* ---- the header that is handed out ---- */

static void open_view(struct table_forms *t)
{
    struct csv_records *v = &t->view;
    *v = *t->raw;
    v->n = 0;
    v->cell = xcalloc(t->raw->n_header + t->n_params + 1, sizeof *v->cell);
    v->header = xcalloc(t->raw->n_header + t->n_params + 1, sizeof *v->header);
    for (size_t i = 0; i < t->n_columns; i++)
        v->header[v->n++] = t->raw->header[t->column[i].at];
    for (size_t p = 0; p < t->n_params; p++)
        v->header[v->n++] = t->names.v[p].s;
    t->time = (int)v->n;
    v->header[v->n++] = t->pattern;
    v->n_header = v->n;
    memcpy(v->cell, v->header, v->n * sizeof *v->cell);
    t->r = v;
    t->slot = t->n_slots;
    t->is_in = xcalloc(t->n_slots, 1);
}

static int is_slot(const struct table_forms *t, size_t at)
{
    for (size_t i = 0; i < t->n_slots; i++)
        if (t->slots[i].at == at)
            return 1;
    return 0;
}

static void choose_columns(struct table_forms *t)
{
    t->column = xcalloc(t->raw->n_header, sizeof *t->column);
    for (size_t i = 0; i < t->raw->n_header; i++)
        if (!is_slot(t, i))
            t->column[t->n_columns++] = (struct table_column){i, column_mark(t, i)};
    t->time = t->n_slots == 1 && !t->is_wide ? (int)t->slots[0].at : -1;
    if (t->n_slots > 1)
        open_view(t);
}

/* ---- the whole header ---- */

static int open_odd(struct table_forms *t, int plain)
{
    if (see_all(t) < 0 || table_choose(t, plain) != 0)
        return -1;
    if (t->n_slots > 0 && table_read_times(t) != 0)
        return -1;
    t->us = 1;
    if (table_status_decide(t) != 0)
        return -1;
    choose_columns(t);
    if (t->n_slots > 0 && plain < 0 && !t->is_wide && t->wanted == NULL)
        t->metric = table_metric_name(t);
    return 0;
}

static int is_padded(const struct csv_records *r)
{
    for (size_t i = 0; i < r->n; i++)
        if (r->cell[i][0] == ' ' || ends_with(r->cell[i], " "))
            return 1;
    return 0;
}

static const char *wanted_metric(const struct csv_records *raw, const struct table_asked *asked)
{
    const char *metric = asked->metric;
    char pattern[128];
    long number;
    int is_there = metric == NULL || asked->spec == NULL || csv_records_find(raw, metric) >= 0;
    for (size_t i = 0; i < raw->n && !is_there; i++)
        is_there = column_pattern(raw->cell[i], pattern, &number) && strcmp(pattern, metric) == 0;
    return is_there
                   || (csv_records_find(raw, "time_us") < 0 && csv_records_find(raw, "time_ms") < 0)
               ? metric
               : NULL;
}

int table_forms_header(struct table_forms *t, struct csv_records *raw,
                       const struct table_asked *asked)
{
    *t = (struct table_forms){.raw = raw, .r = raw, .asked = asked, .time = -1};
    if (csv_records_check_header(raw) != 0)
        return -1;
    join_lines(raw);
    t->is_trimmed = raw->separator != ',' || is_padded(raw);
    if (t->is_trimmed) {
        table_trim(raw);
        memcpy(raw->header, raw->cell, raw->n * sizeof *raw->cell);
        if (csv_records_check_header(raw) != 0)
            return -1;
    }
    return 0;
}

int table_forms_times(struct table_forms *t)
{
    const struct csv_records *raw = t->raw;
    t->metric = t->wanted = wanted_metric(raw, t->asked);
    const int at =
        t->wanted == NULL ? column_find_time(raw, &t->us) : csv_records_find(raw, t->wanted);
    if (at < -1)
        return -1;
    const int plain = at >= 0 && column_is_time(raw->cell[at]) ? at : -1;
    if (table_status_see(t) < 0)
        return -1;
    if (t->is_trimmed || plain < 0 || t->status.n > 0 || figure_may_be_odd(raw->next, raw->end))
        return open_odd(t, plain);
    t->kind = metric_of_name(raw->cell[plain]);
    t->us = t->kind.power > 0 ? 1000 : 1;
    t->mark = '.';
    t->time = plain;
    return 0;
}

int table_forms_open(struct table_forms *t, struct csv_records *raw,
                     const struct table_asked *asked)
{
    return table_forms_header(t, raw, asked) != 0 ? -1 : table_forms_times(t);
}

int table_forms_open_best(struct table_forms *t, struct csv_records *raw,
                          const struct table_asked *asked)
{
    *t = (struct table_forms){.raw = raw, .r = raw, .asked = asked, .time = -1};
    return table_status_see(t) < 0 || table_status_decide(t) != 0 ? -1 : 0;
}

/* ---- rows ---- */

/* A line of units, or the header once more, in the place of a row */
static int check_second_header(const struct table_forms *t, const char *cell, const char *name)
{
    if (t->asked->is_lenient)
        return 0;
    if (strcmp(cell, name) == 0)
        return table_fail(t, "%s: value \"%s\": the row repeats the header: leave it out", name,
                          cell);
    if (metric_of_unit(cell).kind != METRIC_NONE)
        return table_fail(t,
                          "%s: value \"%s\": is a unit, so this is a second header: write the unit "
                          "into the first, behind the name, and leave this line out",
                          name, cell);
    return 0;
}

static void tell_unit(struct table_forms *t, struct metric unit, const char *cell, const char *name)
{
    if (t->told_unit || (unit.power == t->kind.power) || !metric_of_name(name).has_unit)
        return;
    t->told_unit = 1;
    table_tell(t, t->raw->at,
               "%s: value \"%s\": its own unit counts, not that of the column's name", name, cell);
}

/* A cell of times as a plain table has it: a figure in the column's unit, what is none as it is */
static int plain_time(struct table_forms *t, char **cell, const char *name)
{
    struct figure f;
    struct metric unit;
    double x;
    if (!figure_see(*cell, &f) || **cell == '-')
        return check_second_header(t, *cell, name);
    if (!table_figure(t, *cell, &unit, &x))
        return 0;
    tell_unit(t, unit, *cell, name);
    snprintf(t->number, sizeof t->number, "%.17g",
             x > 0 && x < FAILED_TIME ? metric_us(unit, x) / t->us : x);
    *cell = t->number;
    return 0;
}

/* In plain tables nearly all cells are plain. */
static int read_time(struct table_forms *t, char **cell, const char *name)
{
    if (t->seen == NULL && (*cell)[strspn(*cell, plain_figure)] == '\0')
        return 0;
    return plain_time(t, cell, name);
}

static void read_column(const struct table_column *c, char *cell)
{
    struct figure f;
    if (c->mark != 0 && figure_see(cell, &f))
        figure_write(cell, &f, c->mark, cell);
}

static int next_raw(struct table_forms *t)
{
    const int rc = csv_records_next(t->raw);
    if (rc <= 0 || t->raw->n != t->raw->n_header)
        return rc;
    if (t->is_trimmed)
        table_trim(t->raw);
    table_status_read(t);
    for (size_t i = 0; i < t->n_columns; i++)
        read_column(&t->column[i], t->raw->cell[t->column[i].at]);
    return rc;
}

/* ---- several columns of times ---- */

/* A figure that is not 0 */
static int has_time(const char *cell)
{
    struct figure f;
    return figure_see(cell, &f) && strcspn(cell, "123456789") < f.n;
}

/* Of repeats those with a time count; if none has one, the first failure does, once. */
static void choose_slots(struct table_forms *t, unsigned char *is_in)
{
    size_t n = 0, first = 0;
    for (size_t i = t->n_slots; i-- > 0;) {
        const char *cell = t->raw->cell[t->slots[i].at];
        is_in[i] = (unsigned char)(t->is_wide ? *cell != '\0'
                                              : has_time(cell) && *t->status.failure == '\0');
        n += is_in[i];
        first = *cell != '\0' ? i : first;
    }
    if (n == 0 && !t->is_wide)
        is_in[first] = 1;
}

static int is_ragged(const struct table_forms *t)
{
    return t->raw->n != t->raw->n_header;
}

/* Steps to the next column of times that counts; 0: the raw record has no more of them. */
static int next_slot(struct table_forms *t)
{
    while (t->slot < t->n_slots && !t->is_in[t->slot])
        t->slot++;
    return t->slot < t->n_slots;
}

static int fill_view(struct table_forms *t)
{
    const struct table_slot *slot = &t->slots[t->slot++];
    struct csv_records *v = &t->view;
    char *time = *t->status.failure != '\0' ? t->status.failure : t->raw->cell[slot->at];
    size_t n = 0;
    for (size_t i = 0; i < t->n_columns; i++)
        v->cell[n++] = t->raw->cell[t->column[i].at];
    for (size_t p = 0; p < t->n_params; p++)
        v->cell[n++] = slot->value[p];
    if (plain_time(t, &time, table_name(t, slot->at)) != 0)
        return -1;
    v->cell[n] = time;
    v->at = t->raw->at;
    t->r = v;
    return 1;
}

static int next_of_view(struct table_forms *t)
{
    while (!next_slot(t)) {
        const int rc = next_raw(t);
        if (rc <= 0 || is_ragged(t)) {
            t->r = t->raw;
            return rc;
        }
        choose_slots(t, t->is_in);
        t->slot = 0;
    }
    return fill_view(t);
}

int table_forms_next(struct table_forms *t)
{
    if (t->n_slots > 1)
        return next_of_view(t);
    const int rc = next_raw(t);
    if (rc <= 0 || t->time < 0 || is_ragged(t))
        return rc;
    if (*t->status.failure != '\0') {
        t->raw->cell[t->time] = t->status.failure;
        return rc;
    }
    return read_time(t, &t->raw->cell[t->time], table_name(t, (size_t)t->time)) != 0 ? -1 : rc;
}

void table_forms_close(struct table_forms *t)
{
    for (size_t i = 0; t->seen != NULL && i < t->raw->n_header; i++)
        intern_free(&t->seen[i].distinct);
    for (size_t i = 0; i < t->n_slots; i++)
        for (size_t p = 0; p < KPRED_MAX_TUPLE; p++)
            free(t->slots[i].value[p]);
    intern_free(&t->names);
    table_status_close(&t->status);
    free(t->seen);
    free(t->slots);
    free(t->column);
    free(t->is_in);
    free(t->view.cell);
    free(t->view.header);
}
