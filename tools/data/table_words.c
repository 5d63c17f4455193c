/* table_words.c - what cells and columns' names tell: figures, units, repeats, tuples
   SPDX-License-Identifier: MIT */
#include "table_forms.h"

#include "base/util.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* ---- words of a name ---- */

static int is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* How many bytes a sign for micro has here: the Greek letter, or the one of its own */
static size_t micro_sign(const char *p)
{
    return strncmp(p, "\xc2\xb5", 2) == 0 || strncmp(p, "\xce\xbc", 2) == 0 ? 2 : 0;
}

/* A slash belongs to a word: "gb/s". */
size_t column_word(const char **name, char word[TABLE_WORD])
{
    const char *p = *name;
    size_t n = 0, micro;
    while (*p != '\0' && !is_letter(*p) && micro_sign(p) == 0)
        p++;
    while ((micro = micro_sign(p)) > 0 || is_letter(*p)
           || (n > 0 && *p == '/' && is_letter(p[1]))) {
        if (n > 0 && *p >= 'A' && *p <= 'Z' && p[-1] >= 'a' && p[-1] <= 'z' && p[1] != '/')
            break;
        const char c = micro > 0 ? 'u' : *p == '/' ? '/' : (char)(*p | 0x20);
        if (n < TABLE_WORD - 1)
            word[n++] = c;
        p += micro > 0 ? micro : 1;
    }
    word[n] = '\0';
    *name = p;
    return n;
}

static int is_one_of(const char *word, const char *const *words)
{
    for (; *words != NULL; words++)
        if (strcmp(word, *words) == 0)
            return 1;
    return 0;
}

/* ---- units ---- */

static const struct {
    const char *words[8];
    int power;
} time_units[] = {
    {{"ns", "nsec", "nsecs", "nanosecond", "nanoseconds", NULL}, -3},
    {{"us", "usec", "usecs", "microsecond", "microseconds", NULL}, 0},
    {{"ms", "msec", "msecs", "millisecond", "milliseconds", "milisecond", "miliseconds", NULL}, 3},
    {{"s", "sec", "secs", "second", "seconds", NULL}, 6},
};
static const struct metric none = {METRIC_NONE, 0, 0};

static struct metric time_unit(const char *word)
{
    for (size_t i = 0; i < sizeof time_units / sizeof *time_units; i++)
        if (is_one_of(word, time_units[i].words))
            return (struct metric){METRIC_TIME, 1, time_units[i].power};
    return none;
}

/* "gflops", "tflop/s", "gb/s", "gib/s", "tops", "gbps"; of "flops" alone it is not known. */
static struct metric rate_unit(const char *word)
{
    static const char *const rates[] = {"flops",  "flop/s",  "flops/s",  "b/s",    "bps",
                                        "byte/s", "bytes/s", "ib/s",     "ops",    "ops/s",
                                        "op/s",   "cells/s", "points/s", "elem/s", NULL};
    static const char prefixes[] = "kmgt";
    const char *prefix = *word != '\0' ? strchr(prefixes, *word) : NULL;
    if (prefix != NULL && is_one_of(word + 1, rates))
        return (struct metric){METRIC_RATE, 1, 3 * (int)(prefix - prefixes) - 6};
    if (strchr(word, '/') != NULL && is_one_of(word, rates))
        return (struct metric){METRIC_RATE, 1, -9};
    if (ends_with(word, "/s") || ends_with(word, "/sec") || ends_with(word, "/second")
        || strcmp(word, "fps") == 0)
        return (struct metric){METRIC_RATE, 1, 0};
    return none;
}

struct metric metric_of_unit(const char *text)
{
    char word[TABLE_WORD];
    const char *p = text + strspn(text, "([{ ");
    if ((!is_letter(*p) && micro_sign(p) == 0) || column_word(&p, word) == 0
        || p[strspn(p, ")]}. ")] != '\0')
        return none;
    const struct metric time = time_unit(word);
    return time.kind != METRIC_NONE ? time : rate_unit(word);
}

/* ---- names ---- */

static const char *const time_words[] = {"time",    "times",    "timing",  "timings", "duration",
                                         "latency", "elapsed",  "runtime", "cycles",  "walltime",
                                         "zeit",    "laufzeit", "temps",   NULL};
static const char *const rate_words[] = {"bandwidth", "throughput",  "speed", "speedup",
                                         "perf",      "performance", NULL};
/* What is measured beside them */
static const char *const sensor_words[] = {"energy",      "joules",    "power", "watts",
                                           "temperature", "occupancy", NULL};
/* Of such a column it is said what is not a time of the kernel. */
static const char *const other_words[] = {
    "std",      "stddev",    "stdev", "sd",      "var",         "err",      "error", "sigma",
    "variance", "deviation", "stamp", "compile", "compilation", "overhead", "limit", NULL};

/* A unit tells more than a word. */
static void see_word(const char *word, int is_per, struct metric *m)
{
    const struct metric time = time_unit(word), rate = rate_unit(word);
    if (rate.kind != METRIC_NONE)
        *m = rate;
    else if (is_per && time.kind != METRIC_NONE)
        *m = (struct metric){METRIC_RATE, 1, 0};
    else if (m->has_unit)
        return;
    else if (time.kind != METRIC_NONE)
        *m = time;
    else if (is_one_of(word, rate_words))
        m->kind = METRIC_RATE;
    else if (is_one_of(word, time_words) && m->kind == METRIC_NONE)
        m->kind = METRIC_TIME;
}

/* A single s is that of a plural, or a parameter, unless the name speaks of a time. */
struct metric metric_of_name(const char *name)
{
    struct metric m = none;
    char word[TABLE_WORD];
    int is_second = 0, is_per = 0;
    for (const char *p = name; column_word(&p, word) > 0; is_per = strcmp(word, "per") == 0) {
        if (is_one_of(word, other_words))
            return none;
        if (strcmp(word, "s") == 0 && !is_per)
            is_second = 1;
        else
            see_word(word, is_per, &m);
    }
    return is_second && m.kind == METRIC_TIME && !m.has_unit ? time_unit("s") : m;
}

/* Does the name speak of a time or a speed, be it that of a compilation or an error, or of what is
   measured beside them, as energy? */
static int metric_is_told(const char *name)
{
    char word[TABLE_WORD];
    for (const char *p = name; column_word(&p, word) > 0;)
        if (is_one_of(word, time_words) || is_one_of(word, rate_words)
            || is_one_of(word, sensor_words)
            || (time_unit(word).kind != METRIC_NONE && strcmp(word, "s") != 0)
            || rate_unit(word).kind != METRIC_NONE)
            return 1;
    return 0;
}

/* Is its first word one for a repeat: run, rep, trial? */
static int metric_is_repeat(const char *name)
{
    static const char *const words[] = {"run",   "rep",       "repeat",      "repetition",
                                        "trial", "sample",    "measurement", "measure",
                                        "iter",  "iteration", NULL};
    char word[TABLE_WORD];
    return column_word(&name, word) > 0 && is_one_of(word, words);
}

double metric_us(struct metric m, double figure)
{
    const double ten = pow(10, fabs((double)m.power));
    const double x = m.power < 0 ? figure / ten : figure * ten;
    return m.kind == METRIC_RATE ? 1e6 / x : x;
}

/* ---- figures ---- */

/* What stands between thousands, beside a point or a comma: how many bytes it has */
static size_t thousands_mark(const char *p)
{
    static const char *const marks[] = {
        " ", "'", "_", "\xc2\xa0", "\xe2\x80\xaf", "\xe2\x80\x89", "\xe2\x80\x99"};
    for (size_t i = 0; i < sizeof marks / sizeof *marks; i++)
        if (strncmp(p, marks[i], strlen(marks[i])) == 0)
            return strlen(marks[i]);
    return 0;
}

static int is_digit(char c)
{
    return c >= '0' && c <= '9';
}

enum { MOST_GROUPS = 12 };

/* The digits of a number, and between them . , or ' for other marks */
struct groups {
    size_t n; /* marks; there is one group more */
    char mark[MOST_GROUPS];
    size_t digits[MOST_GROUPS + 1];
    int has_exponent, is_zero; /* the first digit is 0 */
};

static const char *read_groups(const char *p, struct groups *g)
{
    memset(g, 0, sizeof *g);
    g->is_zero = *p == '0';
    for (;;) {
        const size_t other = thousands_mark(p);
        if (is_digit(*p)) {
            g->digits[g->n]++;
            p++;
        } else if (g->n < MOST_GROUPS && (*p == '.' || *p == ',')) {
            g->mark[g->n++] = *p++;
        } else if (g->n < MOST_GROUPS && other > 0 && is_digit(p[other]) && g->digits[g->n] > 0) {
            g->mark[g->n++] = '\'';
            p += other;
        } else {
            return p;
        }
    }
}

/* Are marks first..last-1 of one kind, between thousands? */
static int are_thousands(const struct groups *g, size_t last)
{
    if (g->digits[0] == 0 || g->digits[0] > 3)
        return 0;
    for (size_t i = 0; i < last; i++)
        if (g->mark[i] != g->mark[0] || g->digits[i + 1] != 3)
            return 0;
    return 1;
}

static int one_mark(const struct groups *g, struct figure *f)
{
    const int may_be_thousands = are_thousands(g, 1) && !g->is_zero && !g->has_exponent;
    if (g->mark[0] == '\'')
        return may_be_thousands;
    f->is_fraction = 1;
    if (may_be_thousands)
        f->either = g->mark[0];
    else
        f->proves = g->mark[0];
    return g->digits[0] + g->digits[1] > 0;
}

static int see_marks(const struct groups *g, struct figure *f)
{
    const char last = g->n > 0 ? g->mark[g->n - 1] : 0;
    if (g->n == 0)
        return g->digits[0] > 0;
    if (g->n == 1)
        return one_mark(g, f);
    if (last == g->mark[0]) { /* 1,234,567 */
        f->proves = last == ',' ? '.' : last == '.' ? ',' : 0;
        return are_thousands(g, g->n);
    }
    f->proves = last; /* 1,234.5 */
    f->is_fraction = 1;
    return last != '\'' && are_thousands(g, g->n - 1);
}

int figure_see(const char *cell, struct figure *f)
{
    struct groups g;
    const char *p = cell + (*cell == '-' || *cell == '+');
    memset(f, 0, sizeof *f);
    p = read_groups(p, &g);
    const char *e = p + 1 + (*p != '\0' && (p[1] == '-' || p[1] == '+'));
    if ((*p | 0x20) == 'e' && is_digit(*e)) {
        g.has_exponent = 1;
        for (p = e; is_digit(*p);)
            p++;
    }
    f->n = (size_t)(p - cell);
    while (*p == ' ' || strncmp(p, "\xc2\xa0", 2) == 0 || strncmp(p, "\xe2\x80\xaf", 3) == 0)
        p += thousands_mark(p);
    f->unit = p;
    f->is_plain = cell[f->n] == '\0' && (g.n == 0 || (g.n == 1 && g.mark[0] == '.'));
    return see_marks(&g, f);
}

void figure_write(const char *cell, const struct figure *f, char mark, char *out)
{
    const char *end = cell + f->n;
    while (cell < end) {
        const size_t other = thousands_mark(cell);
        if (other > 0)
            cell += other;
        else if (*cell == mark)
            *out++ = '.', cell++;
        else if (*cell == '.' || *cell == ',')
            cell++;
        else
            *out++ = *cell++;
    }
    *out = '\0';
}

/* Do digits end here that begin a cell, or a word of it, and three more follow the mark? */
static int are_groups(const char *text, const char *p, const char *behind)
{
    const char *first = p;
    while (first > text && is_digit(first[-1]))
        first--;
    return p - first >= 1 && p - first <= 3 && is_digit(behind[0]) && is_digit(behind[1])
           && is_digit(behind[2]) && !is_digit(behind[3])
           && (first == text || strchr(",;\t|\"\n+- ", first[-1]) != NULL);
}

int figure_may_be_odd(const char *text, const char *end)
{
    int is_quoted = 0;
    for (const char *p = text; p < end; p++) {
        const unsigned char c = (unsigned char)*p;
        if (c >= '-' && c != '_' && c < 0x80) /* nearly all */
            continue;
        if (c == '"')
            is_quoted ^= 1;
        else if (p > text && is_digit(p[-1])
                 && ((c == ',' && is_quoted && is_digit(p[1]))
                     || (thousands_mark(p) > 0 && are_groups(text, p, p + thousands_mark(p)))))
            return 1;
    }
    return 0;
}

/* ---- names of columns ---- */

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

/* ---- names of columns: repeats ---- */

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

/* ---- names of columns: tuples ---- */

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
    return fail("%s:%ld: there is no column of times, \"time_us\" or \"time_ms\": for a table of "
                "the best tuple of each problem write `format = csv` into the spec",
                header->path, header->at);
}
