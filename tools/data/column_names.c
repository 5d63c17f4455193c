/* column_names.c - see column_names.h
   SPDX-License-Identifier: MIT */
#include "column_names.h"

#include "metric.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

int column_is_measurement(const char *name)
{
    return metric_is_told(name);
}

int column_is_counter(const char *name)
{
    static const char *const names[] = {"id",     "index", "idx",    "row",        "run",
                                        "run_id", "rowid", "row_id", "Unnamed: 0", "#"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcasecmp(name, names[i]) == 0)
            return 1;
    return 0;
}

/* ---- repeats ---- */

int column_pattern(const char *name, char pattern[128], long *number)
{
    size_t end = strlen(name);
    while (end > 0 && !isdigit((unsigned char)name[end - 1]))
        end--;
    size_t at = end;
    while (at > 0 && isdigit((unsigned char)name[at - 1]))
        at--;
    if (end == 0 || end - at > 6)
        return 0;
    *number = strtol(name + at, NULL, 10);
    snprintf(pattern, 128, "%.*s*%s", (int)(at < 60 ? at : 60), name, name + end);
    return 1;
}

int column_is_repeat(const char *name, char pattern[128], long *number)
{
    return column_pattern(name, pattern, number)
           && (metric_of_name(pattern).kind != METRIC_NONE || metric_is_repeat(pattern));
}

/* ---- tuples ---- */

static const char between[] = " ;,/|&()[]{}_";

/* Cuts off the end of a value: a mark, or a low line if another pair follows it. */
static char *end_of_value(char *p)
{
    for (; *p != '\0'; p++) {
        if (*p != '_' && strchr(between, *p) != NULL)
            return p;
        if (*p == '_' && isalpha((unsigned char)p[1]) && p[1 + strcspn(p + 1, "=: _;,")] == '=')
            return p;
    }
    return p;
}

/* Ends a text here, and goes on behind it. */
static char *cut(char *p)
{
    char *next = p + (*p != '\0');
    *p = '\0';
    return next;
}

static int read_pairs(char *p, struct column_tuple *t)
{
    for (p += strspn(p, between); *p != '\0'; p += strspn(p, between), t->n++) {
        const size_t n = strcspn(p, "=: ;,");
        if (t->n == KPRED_MAX_TUPLE || n == 0 || (p[n] != '=' && p[n] != ':'))
            return 0;
        t->name[t->n] = p;
        p = cut(p + n);
        t->value[t->n] = p;
        p = cut(end_of_value(p));
        if (!is_identifier(t->name[t->n]) || *t->value[t->n] == '\0')
            return 0;
    }
    return t->n > 0;
}

static char *add_text(char **to, const char *from, size_t n)
{
    char *at = memcpy(*to, from, n);
    at[n] = '\0';
    *to += n + 1;
    return at;
}

/* Letters and a number, several times */
static int read_letters(const char *p, struct column_tuple *t)
{
    char *to = t->text;
    for (p += strspn(p, "_- "); *p != '\0'; p += strspn(p, "_- ;,"), t->n++) {
        size_t letters = 0;
        while (isalpha((unsigned char)p[letters]))
            letters++;
        const size_t digits = strspn(p + letters, "0123456789");
        if (t->n == KPRED_MAX_TUPLE || letters == 0 || digits == 0 || digits > 8)
            return 0;
        t->name[t->n] = add_text(&to, p, letters);
        t->value[t->n] = add_text(&to, p + letters, digits);
        p += letters + digits;
    }
    return t->n > 0;
}

static int read_numbers(char *p, struct column_tuple *t)
{
    static const char marks[] = " x,*;_/:()[]X-";
    for (p += strspn(p, "([ "); *p != '\0'; p += strspn(p, marks), t->n++) {
        const size_t digits = strspn(p, "0123456789");
        if (t->n == KPRED_MAX_TUPLE || digits == 0 || digits > 8
            || (p[digits] != '\0' && strchr(marks, p[digits]) == NULL))
            return 0;
        t->value[t->n] = p;
        p = cut(p + digits);
    }
    return t->n > 0;
}

int column_tuple(const char *name, struct column_tuple *t)
{
    t->form = TUPLE_NONE;
    if (strlen(name) > 200)
        return 0;
    for (int form = TUPLE_PAIRS; form < TUPLE_NONE && t->form == TUPLE_NONE; form++) {
        t->n = 0;
        snprintf(t->text, sizeof t->text, "%s", name);
        if (form == TUPLE_PAIRS     ? read_pairs(t->text, t)
            : form == TUPLE_LETTERS ? read_letters(name, t)
                                    : read_numbers(t->text, t))
            t->form = (enum tuple_form)form;
    }
    return t->form != TUPLE_NONE;
}

char *column_fit_value(const char *text)
{
    char *name = xstrdup(text);
    for (char *p = name; *p != '\0'; p++)
        if (*p < ' ' || *p > '~' || strchr("\\\"?", *p) != NULL || (*p == '/' && p[1] == '*')
            || (*p == '*' && p[1] == '/'))
            *p = '_';
    return name;
}

int column_is_tuple_of(const struct spec *spec, const char *name)
{
    struct column_tuple *t = xmalloc(sizeof *t);
    int is = column_tuple(name, t) && t->n == spec->n_params;
    for (size_t p = 0; is && t->form < TUPLE_NUMBERS && p < t->n; p++)
        is = spec_param_index(spec, t->name[p]) >= 0;
    free(t);
    if (is || spec->n_params != 1)
        return is;
    char *value = column_fit_value(name);
    is = spec_value_index(&spec->params[0], value) >= 0;
    free(value);
    return is;
}

int column_is_tuning(const char *name)
{
    static const char *const parts[] = {"block", "tile",  "unroll", "thread",   "vec",
                                        "warp",  "wave",  "stage",  "group",    "use_",
                                        "shmem", "split", "lds",    "prefetch", "pad"};
    static const char *const wholes[] = {"bm", "bn", "bk", "bx", "by", "bz", "tx", "ty", "tz"};
    char low[64];
    size_t n = 0;
    for (; name[n] != '\0' && n < sizeof low - 1; n++)
        low[n] = (char)(name[n] >= 'A' && name[n] <= 'Z' ? name[n] | 0x20 : name[n]);
    low[n] = '\0';
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (strstr(low, parts[i]) != NULL)
            return 1;
    for (size_t i = 0; i < sizeof wholes / sizeof *wholes; i++)
        if (strcmp(low, wholes[i]) == 0)
            return 1;
    return 0;
}

int column_is_time(const char *name)
{
    return strcmp(name, "time_us") == 0 || strcmp(name, "time_ms") == 0;
}

int column_find_time(const struct csv_records *header, double *us)
{
    const int at = csv_records_find(header, "time_us"), ms = csv_records_find(header, "time_ms");
    *us = at < 0 && ms >= 0 ? 1000 : 1;
    if (at < 0 || ms < 0)
        return at >= 0 ? at : ms;
    fail("%s:%ld: there are columns \"time_us\" and \"time_ms\": which one counts? " COLUMN_CHOICE,
         header->path, header->at);
    return -2;
}

int column_no_time(const struct csv_records *header, const struct spec *spec)
{
    for (size_t i = 0; i < header->n; i++) {
        const char *name = header->cell[i];
        if (column_is_measurement(name) && spec_field_index(spec, name) < 0
            && spec_param_index(spec, name) < 0)
            return fail(
                "%s:%ld: there is no column of times, such as \"time_us\": `metric = %s` in "
                "[data] of the spec takes this column for it",
                header->path, header->at, name);
    }
    return fail("%s:%ld: there is no column \"time_us\" or \"time_ms\": for a table of the best "
                "tuple of each problem write `format = csv` into the spec",
                header->path, header->at);
}
