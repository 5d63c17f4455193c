/* exchange.c - what a command is asked, as NAME=value, and the time in the last line it answers
   SPDX-License-Identifier: MIT */
#include "runner.h"

#include "model/gpus.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

extern char **environ;

/* Stands before each name in the environment, so that no spec sets LD_PRELOAD or PATH there. */
static const char prefix[] = "KPRED_";
enum { PREFIX = sizeof prefix - 1 };

const char *assign_field_text(const struct spec_field *f, int32_t value, char number[12])
{
    if (f->n_tokens != 0)
        return f->tokens[value];
    snprintf(number, 12, "%ld", (long)value);
    return number;
}

int assign_field_read(const struct spec_field *f, const char *text, int32_t *out)
{
    int64_t v = -1;
    if (f->n_tokens != 0)
        v = field_token(f, text);
    else if (parse_whole(text, f->least, f->most, &v) != 0)
        return -1;
    if (v >= 0)
        *out = (int32_t)v;
    return v >= 0 ? 0 : -1;
}

static void set(struct assign *a, size_t i, const char *name, const char *value)
{
    struct buf b = {0};
    buf_printf(&b, "%s%s=%s", prefix, name, value);
    free(a->environment[a->n_other + i]);
    a->environment[a->n_other + i] = b.s;
    a->word[i] = b.s + PREFIX;
}

/* Does an entry of the environment have the prefix and the name of a field or a parameter? */
static int is_ours(const struct spec *spec, const char *entry)
{
    char name[64];
    const size_t n = strcspn(entry, "=");
    if (strncmp(entry, prefix, PREFIX) != 0 || n - PREFIX >= sizeof name)
        return 0;
    memcpy(name, entry + PREFIX, n - PREFIX);
    name[n - PREFIX] = '\0';
    return spec_field_index(spec, name) >= 0 || spec_param_index(spec, name) >= 0;
}

void assign_open(struct assign *a, const struct spec *spec)
{
    size_t n = 0;
    *a = (struct assign){.spec = spec, .n = spec->n_fields + spec->n_params};
    while (environ[n] != NULL)
        n++;
    a->environment = xcalloc(n + a->n + 1, sizeof *a->environment);
    for (size_t i = 0; i < n; i++)
        if (!is_ours(spec, environ[i]))
            a->environment[a->n_other++] = environ[i];
}

void assign_problem(struct assign *a, const int32_t *problem)
{
    char number[12];
    for (size_t i = 0; i < a->spec->n_fields; i++) {
        const struct spec_field *f = &a->spec->fields[i];
        set(a, i, f->name, assign_field_text(f, problem[i], number));
    }
}

void assign_tuple(struct assign *a, const uint16_t *value)
{
    char number[12];
    for (size_t i = 0; i < a->spec->n_params; i++) {
        const struct spec_param *p = &a->spec->params[i];
        set(a, a->spec->n_fields + i, p->name, spec_value_text(p, value[i], number));
    }
}

void assign_free(struct assign *a)
{
    for (size_t i = 0; i < a->n; i++)
        free(a->environment[a->n_other + i]);
    free(a->environment);
    memset(a, 0, sizeof *a);
}

const char *assign_problem_text(const struct spec *spec, const int32_t *problem, struct buf *b)
{
    char number[12];
    for (size_t i = 0; i < spec->n_fields; i++)
        buf_printf(b, "%s%s=%s", i > 0 ? " " : "", spec->fields[i].name,
                   assign_field_text(&spec->fields[i], problem[i], number));
    return b->s;
}

const char *assign_text(const struct assign *a, size_t first, struct buf *b)
{
    for (size_t i = first; i < a->n; i++) {
        buf_puts(b, i > first ? " " : "");
        quote(b, a->word[i], '*');
    }
    return b->s;
}

/* ---- what it answers ---- */

/* A picosecond and eleven days: beyond them something is wrong with the clock or the unit. */
static const double least_us = 1e-6, most_us = 1e12;

void answer_set(struct answer *a, enum outcome outcome, const char *fmt, ...)
{
    va_list args;
    a->outcome = outcome;
    va_start(args, fmt);
    vsnprintf(a->why, sizeof a->why, fmt, args);
    va_end(args);
}

void tail_add(struct tail *t, const char *bytes, size_t n)
{
    const size_t over = t->n + n > TAIL_BYTES ? t->n + n - TAIL_BYTES : 0,
                 old = over < t->n ? over : t->n, skipped = over - old;
    t->is_cut |= over > 0;
    memmove(t->s, t->s + old, t->n - old);
    memcpy(t->s + (t->n - old), bytes + skipped, n - skipped);
    t->n += n - over;
}

static int is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

/* One number and nothing else? No hexadecimal, no infinity; is_stray: not these, either */
static int is_number(const char *s, double *x, int *is_stray)
{
    char *end;
    *x = strtod(s, &end);
    *is_stray = end == s || *end != '\0';
    return !*is_stray && s[strspn(s, "0123456789.eE+-")] == '\0';
}

const char *answer_tagged(const char *line)
{
    const size_t n = strlen(ANSWER_TAG);
    return strncmp(line, ANSWER_TAG, n) == 0 ? line + n + strspn(line + n, " \t") : NULL;
}

/* The answer in a line of its own */
static void line_answer(const char *line, struct answer *a)
{
    double x = 0;
    int is_stray = 0;
    if (answer_tagged(line) != NULL)
        line = answer_tagged(line);
    a->us = 0;
    if (*line == '\0' && (is_stray = 1))
        answer_set(a, OUTCOME_INVALID, "it printed no time");
    else if (strcmp(line, "failed") == 0)
        answer_set(a, OUTCOME_FAILED, "it printed \"failed\"");
    else if (strncmp(line, "failed: ", strlen("failed: ")) == 0)
        answer_set(a, OUTCOME_FAILED, "%.200s", line + strlen("failed: "));
    else if (!is_number(line, &x, &is_stray))
        answer_set(a, OUTCOME_INVALID, "it printed \"%.80s\", which is not a time in microseconds",
                   line);
    else if (x < 0)
        answer_set(a, OUTCOME_INVALID, "it printed \"%.80s\", a negative time", line);
    else if (!(x >= least_us && x <= most_us))
        answer_set(a, OUTCOME_INVALID, "it printed \"%.80s\": a time lies in %g..%g microseconds",
                   line, least_us, most_us);
    else
        *a = (struct answer){OUTCOME_TIME, x, "", 0};
    a->is_stray = is_stray;
}

void tail_answer(struct tail *t, struct answer *a)
{
    size_t end = t->n, from;
    while (end > 0 && is_blank(t->s[end - 1]))
        end--;
    t->s[end] = '\0';
    for (from = end; from > 0 && t->s[from - 1] != '\n'; from--)
        ;
    while (from < end && is_blank(t->s[from]))
        from++;
    line_answer(t->s + from, a);
    if (from > 0 || !t->is_cut)
        return;
    a->is_stray = 1;
    if (a->outcome == OUTCOME_TIME)
        answer_set(a, OUTCOME_INVALID, "the last line that it printed is too long to be a time");
}
