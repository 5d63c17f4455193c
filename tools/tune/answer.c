/* answer.c - see answer.h
   SPDX-License-Identifier: MIT */
#include "answer.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
    size_t keep = n < TAIL_BYTES ? TAIL_BYTES - n : 0;
    keep = keep < t->n ? keep : t->n;
    t->is_cut |= t->n + n > TAIL_BYTES;
    memmove(t->s, t->s + (t->n - keep), keep);
    if (n > TAIL_BYTES) {
        bytes += n - TAIL_BYTES;
        n = TAIL_BYTES;
    }
    memcpy(t->s + keep, bytes, n);
    t->n = keep + n;
}

static int is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

/* One number and nothing else? No hexadecimal, no infinity. */
static int is_number(const char *s, double *x)
{
    char *end;
    *x = strtod(s, &end);
    return end != s && *end == '\0' && s[strspn(s, "0123456789.eE+-")] == '\0';
}

void line_answer(const char *line, struct answer *a)
{
    double x = 0;
    a->us = 0;
    if (*line == '\0')
        answer_set(a, OUTCOME_INVALID, "it printed no time");
    else if (strcmp(line, "failed") == 0)
        answer_set(a, OUTCOME_FAILED, "it printed \"failed\"");
    else if (!is_number(line, &x))
        answer_set(a, OUTCOME_INVALID, "it printed \"%.80s\", which is no time in microseconds",
                   line);
    else if (x < 0)
        answer_set(a, OUTCOME_INVALID, "it printed \"%.80s\", a negative time", line);
    else if (!(x >= least_us && x <= most_us))
        answer_set(a, OUTCOME_INVALID, "it printed \"%.80s\": a time lies in %g..%g microseconds",
                   line, least_us, most_us);
    else
        *a = (struct answer){OUTCOME_TIME, x, ""};
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
    if (a->outcome == OUTCOME_TIME && from == 0 && t->is_cut)
        answer_set(a, OUTCOME_INVALID, "the last line that it printed is too long to be a time");
}
