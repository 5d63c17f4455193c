/* table_columns.c - which columns of a table hold times, and what these are
   SPDX-License-Identifier: MIT */
#include "table_forms.h"

#include "base/names.h"

#include <stdlib.h>
#include <string.h>

/* ---- which columns have the times ---- */

static void add_slot(struct table_forms *t, size_t at)
{
    t->slots = xrealloc(t->slots, t->n_slots + 1, sizeof *t->slots);
    memset(&t->slots[t->n_slots], 0, sizeof *t->slots);
    t->slots[t->n_slots++].at = at;
}

static int has_figures(const struct table_seen *s)
{
    return s->n_figures > 0 && 2 * s->n_figures >= s->n - s->n_empty - s->n_failures;
}

/* The columns of this pattern, if their numbers count from 0 or 1; how many there are */
static size_t find_repeats(const struct table_forms *t, const char *pattern, size_t *at)
{
    char other[128];
    long number, least = 2, most = 0;
    size_t n = 0;
    for (size_t i = 0; i < t->raw->n_header; i++) {
        if (table_role(t, table_name(t, i)) != TABLE_OTHER
            || !column_pattern(table_name(t, i), other, &number) || strcmp(pattern, other) != 0
            || !(has_figures(&t->seen[i]) || t->seen[i].n_figures == 0))
            continue;
        at[n++] = i;
        least = number < least ? number : least;
        most = number > most ? number : most;
    }
    return n > 1 && least < 2 && most == least + (long)n - 1 ? n : 0;
}

/* Takes all columns of the pattern; 0: there are none. */
static size_t take_repeats(struct table_forms *t, const char *pattern)
{
    size_t *at = xcalloc(t->raw->n_header, sizeof *at);
    const size_t n = find_repeats(t, pattern, at);
    for (size_t i = 0; i < n; i++)
        add_slot(t, at[i]);
    if (n > 0)
        snprintf(t->pattern, sizeof t->pattern, "%s", pattern);
    free(at);
    return n;
}

/* Is the column the first of repeats? */
static int is_first_repeat(const struct table_forms *t, size_t i, char pattern[128], int *is_repeat)
{
    long number;
    size_t *at = xcalloc(t->raw->n_header, sizeof *at);
    *is_repeat =
        column_is_repeat(table_name(t, i), pattern, &number) && find_repeats(t, pattern, at) > 0;
    const int is_first = *is_repeat && at[0] == i;
    free(at);
    return is_first;
}

struct candidates {
    size_t n[METRIC_RATE + 1], at[METRIC_RATE + 1];
    struct buf names[METRIC_RATE + 1];
};

static void see_candidate(const struct table_forms *t, size_t i, struct candidates *c)
{
    char pattern[128];
    int is_repeat;
    const int is_first = is_first_repeat(t, i, pattern, &is_repeat);
    enum metric_kind kind = metric_of_name(is_first ? pattern : table_name(t, i)).kind;
    if (is_first && kind == METRIC_NONE)
        kind = METRIC_TIME;
    if (kind == METRIC_NONE || (is_repeat && !is_first) || !has_figures(&t->seen[i]))
        return;
    if (c->n[kind]++ == 0)
        c->at[kind] = i;
    buf_printf(&c->names[kind], "%s\"%s\"", c->names[kind].n > 0 ? ", " : "",
               is_first ? pattern : table_name(t, i));
}

static void take_candidate(struct table_forms *t, size_t i)
{
    char pattern[128];
    int is_repeat;
    if (!is_first_repeat(t, i, pattern, &is_repeat) || take_repeats(t, pattern) == 0)
        add_slot(t, i);
}

/* A column that is called a time, but whose cells nobody can read */
static int check_readable(const struct table_forms *t, size_t i)
{
    const struct table_seen *s = &t->seen[i];
    return metric_of_name(table_name(t, i)).kind == METRIC_NONE || has_figures(s)
                   || 2 * s->n_odd <= s->n
               ? 0
               : fail("%s:%ld: %s: value \"%s\": is not a number, like most of the column, whose "
                      "name is that of a time or a speed: --ignore leaves it out",
                      t->raw->path, s->odd.line, table_name(t, i), s->odd.cell);
}

/* One column of times is preferred to all rates. */
static int find_metric(struct table_forms *t)
{
    struct candidates c = {0};
    int rc = 0;
    for (size_t i = 0; i < t->raw->n_header && rc == 0; i++)
        if (table_role(t, table_name(t, i)) == TABLE_OTHER && !table_status_may(&t->status, i)) {
            see_candidate(t, i, &c);
            rc = check_readable(t, i);
        }
    const enum metric_kind kind = c.n[METRIC_TIME] > 0 ? METRIC_TIME : METRIC_RATE;
    if (rc == 0 && c.n[kind] > 1)
        rc = table_fail(t, "the columns %s could all be the %s: which one counts? " COLUMN_CHOICE,
                        c.names[kind].s, kind == METRIC_TIME ? "time" : "speed");
    else if (c.n[kind] == 1)
        take_candidate(t, c.at[kind]);
    t->has_found = t->n_slots > 0;
    buf_free(&c.names[METRIC_TIME]);
    buf_free(&c.names[METRIC_RATE]);
    return rc;
}

/* ---- wide tables ---- */

/* The columns that may be tuples */
static int may_be_tuple(const struct table_forms *t, size_t i)
{
    const char *name = table_name(t, i);
    return table_role(t, name) == TABLE_OTHER && !column_is_counter(name)
           && !table_status_may(&t->status, i)
           && (t->asked->spec == NULL || column_is_tuple_of(t->asked->spec, name));
}

/* Do they say tuples of the same parameters? */
static enum tuple_form form_of(const struct table_forms *t, struct column_tuple *first)
{
    struct column_tuple *next = xmalloc(sizeof *next);
    first->form = TUPLE_NONE;
    size_t n = 0;
    for (size_t i = 0; i < t->raw->n_header && (n == 0 || first->form != TUPLE_NONE); i++) {
        if (!may_be_tuple(t, i))
            continue;
        int is_same = column_tuple(table_name(t, i), n == 0 ? first : next);
        is_same = is_same && (n == 0 || (next->form == first->form && next->n == first->n));
        for (size_t p = 0; is_same && n > 0 && p < first->n && first->form != TUPLE_NUMBERS; p++)
            is_same = strcmp(first->name[p], next->name[p]) == 0;
        if (!is_same)
            first->form = TUPLE_NONE;
        n++;
    }
    free(next);
    return first->form;
}

/* Do the cells look like times, and not like values of parameters? Fractions do, of which most are
   different. */
static int are_times(const struct table_seen *s, int is_sure)
{
    const size_t n_distinct = s->distinct.n - (s->n_empty > 0);
    if (s->n_figures == 0)
        return is_sure && s->n_empty + s->n_failures == s->n;
    if (!has_figures(s))
        return 0;
    return is_sure
           || (2 * s->n_fractions > s->n_figures
               && (n_distinct >= TABLE_MOST_DISTINCT - 1 || 2 * n_distinct > s->n_figures));
}

static int is_wide(const struct table_forms *t, const struct column_tuple *first)
{
    /* a single number, or one with letters before it, may be the name of any column */
    const int is_sure = t->wanted != NULL || t->asked->spec != NULL || first->form == TUPLE_PAIRS
                        || (first->form != TUPLE_NONE && first->n > 1);
    size_t n = 0;
    for (size_t i = 0; i < t->raw->n_header; i++) {
        if (table_role(t, table_name(t, i)) == TABLE_PARAM)
            return 0;
        if (!may_be_tuple(t, i))
            continue;
        const int is_measured = metric_of_name(table_name(t, i)).kind != METRIC_NONE;
        if ((is_measured && first->form == TUPLE_NONE) || !are_times(&t->seen[i], is_sure))
            return 0;
        n++;
    }
    return n >= 2;
}

static void take_names(struct table_forms *t, const struct column_tuple *first)
{
    const struct spec *spec = t->asked->spec;
    t->n_params = first->form == TUPLE_NONE ? 1 : first->n;
    const int is_spec =
        first->form >= TUPLE_NUMBERS && spec != NULL && spec->n_params == t->n_params;
    for (size_t p = 0; p < t->n_params; p++) {
        char name[24];
        snprintf(name, sizeof name, first->form == TUPLE_NONE ? "kernel" : "p%zu", p + 1);
        (void)intern_text(&t->names, is_spec                       ? spec->params[p].name
                                     : first->form < TUPLE_NUMBERS ? first->name[p]
                                                                   : name);
    }
}

static void take_tuple(struct table_forms *t, size_t i, enum tuple_form form,
                       struct column_tuple *tuple)
{
    add_slot(t, i);
    struct table_slot *slot = &t->slots[t->n_slots - 1];
    if (form == TUPLE_NONE) {
        slot->value[0] = column_fit_value(table_name(t, i));
        return;
    }
    (void)column_tuple(table_name(t, i), tuple);
    for (size_t p = 0; p < t->n_params; p++)
        slot->value[p] = xstrdup(tuple->value[p]);
}

static int same_tuple(const struct table_forms *t, const struct table_slot *a,
                      const struct table_slot *b)
{
    for (size_t p = 0; p < t->n_params; p++)
        if (strcmp(a->value[p], b->value[p]) != 0)
            return 0;
    return 1;
}

static int check_tuples(const struct table_forms *t)
{
    for (size_t i = 0; i < t->n_slots; i++)
        for (size_t k = 0; k < i; k++)
            if (same_tuple(t, &t->slots[i], &t->slots[k]))
                return table_fail(t, "columns \"%s\" and \"%s\" are one tuple",
                                  table_name(t, t->slots[k].at), table_name(t, t->slots[i].at));
    return 0;
}

static int take_wide(struct table_forms *t)
{
    struct column_tuple *first = xmalloc(sizeof *first), *tuple = xmalloc(sizeof *tuple);
    const enum tuple_form form = form_of(t, first);
    t->is_wide = is_wide(t, first);
    if (t->is_wide) {
        take_names(t, first);
        snprintf(t->pattern, sizeof t->pattern, "%s", t->wanted != NULL ? t->wanted : "time");
        for (size_t i = 0; i < t->raw->n_header; i++)
            if (may_be_tuple(t, i))
                take_tuple(t, i, form, tuple);
    }
    free(first);
    free(tuple);
    return t->is_wide ? check_tuples(t) : 0;
}

/* ---- the choice ---- */

/* The user's column, or those of the pattern; a name that is there not is that of a wide table. */
static int take_asked(struct table_forms *t, int at)
{
    const char *metric = t->wanted;
    if (at >= 0)
        add_slot(t, (size_t)at);
    else if (strchr(metric, '*') == NULL || take_repeats(t, metric) == 0)
        return take_wide(t);
    return 0;
}

static int no_such_metric(const struct table_forms *t)
{
    struct names_near near = {.text = t->wanted};
    struct buf question = {0};
    for (size_t i = 0; i < t->raw->n_header; i++)
        names_offer(&near, table_name(t, i), table_name(t, i));
    table_fail(t, "there is no column \"%s\" of times or speeds%s", t->wanted,
               names_question(&near, &question));
    buf_free(&question);
    return -1;
}

int table_choose(struct table_forms *t, int plain)
{
    const char *metric = t->wanted;
    const int at = metric != NULL ? csv_records_find(t->raw, metric) : plain;
    if (metric != NULL || at >= 0)
        return take_asked(t, at) != 0 ? -1 : t->n_slots > 0 ? 0 : no_such_metric(t);
    if (find_metric(t) != 0)
        return -1;
    return t->n_slots == 0 && (t->asked->has_fields || t->asked->spec != NULL) ? take_wide(t) : 0;
}

/* ---- what a comma means in a column ---- */

/* Verdict on a column of which nothing proves what its marks are. `is_integer`: no fraction makes
   sense there. 0, or -1 if they contradict each other. */
static int guess_mark(const struct table_forms *t, const struct table_seen *s, const char *name,
                      int is_integer, char *mark)
{
    const struct table_cell *either =
        s->either_comma.line > 0 ? &s->either_comma : &s->either_point;
    const char is = either == &s->either_comma ? ',' : '.', other = is == ',' ? '.' : ',';
    *mark = '.';
    if (s->either_comma.line > 0 && s->either_point.line > 0)
        return -1;
    if (either->line == 0 || (is == '.' && (!is_integer || t->raw->separator == ',')))
        return 0;
    const int is_decimal = is == ',' && t->raw->separator != ',' && !is_integer;
    *mark = is_decimal ? is : other;
    table_tell(t, either->line, "column \"%s\": value \"%s\": the %s is taken as %s", name,
               either->cell, is == ',' ? "comma" : "point",
               is_decimal ? "a decimal comma" : "a mark between thousands");
    return 0;
}

int table_mark(const struct table_forms *t, const struct table_seen *s, const char *name,
               int is_integer, char *mark)
{
    *mark = s->comma.line > 0 ? ',' : '.';
    if (s->comma.line > 0 || s->point.line > 0)
        return s->comma.line > 0 && s->point.line > 0 ? -1 : 0;
    return guess_mark(t, s, name, is_integer, mark);
}

/* ---- the times ---- */

void table_show(struct table_cell *s, long line, const char *cell)
{
    if (s->line != 0)
        return;
    s->line = line;
    snprintf(s->cell, sizeof s->cell, "%s", cell);
}

static void see_all_slots(const struct table_forms *t, struct table_seen *all)
{
    memset(all, 0, sizeof *all);
    for (size_t i = 0; i < t->n_slots; i++) {
        const struct table_seen *s = &t->seen[t->slots[i].at];
        const struct table_cell *from[] = {&s->point,        &s->comma, &s->either_point,
                                           &s->either_comma, &s->unit,  &s->bare};
        struct table_cell *to[] = {&all->point,        &all->comma, &all->either_point,
                                   &all->either_comma, &all->unit,  &all->bare};
        for (size_t k = 0; k < sizeof to / sizeof *to; k++)
            if (from[k]->line > 0)
                table_show(to[k], from[k]->line, from[k]->cell);
    }
}

static struct metric unit_of_cell(const char *cell)
{
    struct figure f;
    (void)figure_see(cell, &f);
    return metric_of_unit(f.unit);
}

static void tell_kind(const struct table_forms *t, const char *name)
{
    if (t->is_rate)
        table_tell(t, t->raw->at,
                   "column \"%s\": is a speed, so a time is a constant divided by it: only ratios "
                   "within one problem count",
                   name);
    else if (!t->kind.has_unit)
        table_tell(t, t->raw->at,
                   "%s%s%s: has no unit: it is taken as microseconds, and only ratios within one "
                   "problem count",
                   t->is_wide ? "a column for each tuple" : "column \"", t->is_wide ? "" : name,
                   t->is_wide ? "" : "\"");
    else if (t->has_found && t->asked->spec == NULL)
        table_tell(t, t->raw->at, "column \"%s\": is the column of times", name);
}

/* Where the column's name does not say the unit, all cells do, or none. */
static int choose_unit(struct table_forms *t, const struct table_seen *all, const char *name)
{
    if (!t->kind.has_unit && all->unit.line > 0) {
        if (all->bare.line > 0)
            return fail("%s:%ld: %s: value \"%s\": has no unit, but \"%s\" in line %ld has one",
                        t->raw->path, all->bare.line, name, all->bare.cell, all->unit.cell,
                        all->unit.line);
        t->kind = unit_of_cell(all->unit.cell);
    }
    t->is_rate = t->kind.kind == METRIC_RATE;
    if (t->kind.kind == METRIC_NONE)
        t->kind.kind = METRIC_TIME;
    tell_kind(t, name);
    return 0;
}

/* What the times are called in messages, and in the spec */
const char *table_metric_name(const struct table_forms *t)
{
    return *t->pattern != '\0' ? t->pattern : table_name(t, t->slots[0].at);
}

static int contradiction(const struct table_forms *t, const struct table_seen *s, const char *name)
{
    const struct table_cell *point = s->point.line > 0 ? &s->point : &s->either_point;
    const struct table_cell *comma = s->comma.line > 0 ? &s->comma : &s->either_comma;
    return fail("%s:%ld: %s: value \"%s\": is written with a decimal comma, but \"%s\" in line %ld "
                "with a decimal point",
                t->raw->path, comma->line, name, comma->cell, point->cell, point->line);
}

int table_read_times(struct table_forms *t)
{
    struct table_seen all;
    const char *name = table_metric_name(t);
    see_all_slots(t, &all);
    t->kind = metric_of_name(name);
    if (table_mark(t, &all, name, 0, &t->mark) != 0)
        return contradiction(t, &all, name);
    return choose_unit(t, &all, name);
}
