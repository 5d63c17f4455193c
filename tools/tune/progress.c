/* progress.c - how much may be measured, and what is told while it is, and at the end
   SPDX-License-Identifier: MIT */
#include "loop.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

/* ---- budgets and durations ---- */

static const double most_seconds = 1e8; /* three years */

int budget_read(const char *text, struct budget *out)
{
    int64_t n = 0;
    *out = (struct budget){0, 0};
    if (text == NULL)
        return 0;
    if (text[strspn(text, "0123456789")] != '\0')
        return duration_read("--budget", text, &out->seconds);
    if (parse_int(text, 1, 1000000000, &n) != 0)
        return fail("--budget: value \"%s\": is not a number of launches, 1..1000000000, and no "
                    "duration such as 90s, 30m or 2h",
                    text);
    out->launches = (long)n;
    return 0;
}

int stop_at_read(const char *text, double *share)
{
    char *end;
    *share = 0;
    if (text == NULL)
        return 0;
    const double percent = strtod(text, &end);
    const size_t digits = strspn(text, "0123456789.");
    if (digits == 0 || end != text + digits || strcmp(end, "%") != 0 || !(percent >= 0.1)
        || percent > 50)
        return fail("--stop-at: value \"%s\": is not a percentage from 0.1%% to 50%%, such as 2%%",
                    text);
    *share = percent / 100;
    return 0;
}

const char *duration_text(double seconds, char text[32])
{
    const long s = seconds < most_seconds ? (long)(seconds + 0.5) : (long)most_seconds;
    if (s < 3600)
        snprintf(text, 32, "%ld:%02ld", s / 60, s % 60);
    else
        snprintf(text, 32, "%ld:%02ld:%02ld", s / 3600, s / 60 % 60, s % 60);
    return text;
}

/* ---- progress ---- */

enum { MOST_TOLD = 10 };

void progress_begin(struct progress *p, size_t n_problems, double deadline)
{
    *p = (struct progress){.is_terminal = isatty(STDERR_FILENO),
                           .start = clock_seconds(),
                           .deadline = deadline,
                           .n_problems = n_problems};
}

void progress_end(struct progress *p)
{
    line_wipe();
    buf_free(&p->best_text);
}

void progress_problem(struct progress *p, size_t to_do, size_t later)
{
    p->problem++;
    p->done = 0;
    p->to_do = to_do;
    p->later = later;
    p->best = HUGE_VAL;
    p->best_text.n = 0;
}

void progress_time(struct progress *p, const struct assign *a, double us)
{
    if (!(us < p->best))
        return;
    p->best = us;
    p->best_text.n = 0;
    if (p->is_terminal)
        assign_text(a, a->spec->n_fields, &p->best_text);
}

void progress_failure(struct progress *p, const struct assign *a, const struct answer *why)
{
    struct buf text = {0};
    if (++p->told[why->outcome] > MOST_TOLD)
        return;
    note("%s: %s%s", assign_text(a, 0, &text), why->why,
         p->told[why->outcome] == MOST_TOLD ? " (more failures of this kind are not told)" : "");
    buf_free(&text);
}

void progress_less(struct progress *p, size_t n)
{
    p->measured -= n;
    p->failed = p->failed > p->measured ? p->measured : p->failed;
    if (n > 0)
        table_free(&p->ends);
}

/* ---- the line ---- */

/* As long as each launch takes what the others have taken, or until the deadline */
static double seconds_left(const struct progress *p, double now)
{
    const double left = (double)(p->to_do - p->done) + (double)p->later;
    const double needed =
        p->launches > 0 ? (now - p->start) / (double)p->launches * left : HUGE_VAL;
    return needed < p->deadline - now ? needed : p->deadline - now;
}

static void add_line(const struct progress *p, double now, struct buf *line)
{
    const double left = seconds_left(p, now);
    char text[32];
    buf_printf(line, "problem %zu of %zu, launch %zu of %zu", p->problem, p->n_problems, p->done,
               p->to_do);
    if (left < HUGE_VAL)
        buf_printf(line, ", %s left", duration_text(left, text));
    if (p->best < HUGE_VAL)
        buf_printf(line, ", best %.6g us: %s", p->best, p->best_text.s);
}

void progress_show(struct progress *p)
{
    const double now = p->is_terminal ? clock_seconds() : 0;
    struct buf line = {0};
    if (!p->is_terminal || now < p->shown + 0.1)
        return;
    p->shown = now;
    add_line(p, now, &line);
    line_show(line.s);
    buf_free(&line);
}

/* ---- the end ---- */

static double own_seconds(void)
{
    struct rusage use = {0};
    (void)getrusage(RUSAGE_SELF, &use);
    return (double)(use.ru_utime.tv_sec + use.ru_stime.tv_sec)
           + (double)(use.ru_utime.tv_usec + use.ru_stime.tv_usec) / 1e6;
}

static void print_ends(struct progress *p)
{
    line_wipe();
    if (p->ends.columns > 0)
        table_print(&p->ends, stdout, (struct table_form){0});
}

int progress_sum(struct progress *p, const char *path, int is_told)
{
    struct buf text = {0};
    print_ends(p);
    const int rc = is_told ? fflush(stdout) : flush_stdout();
    buf_printf(&text, "%s: %zu tuple%s measured", path, p->measured,
               as_counted(p->measured, "", "s"));
    if (p->failed > 0)
        buf_printf(&text, ", of which %zu failed", p->failed);
    if (p->resumed > 0)
        buf_printf(&text, ", %zu were there", p->resumed);
    if (p->launches > 0)
        buf_printf(&text, "; %zu %s, %.2g ms of kpred's own time for each", p->launches,
                   as_counted(p->launches, "launch", "launches"),
                   own_seconds() * 1000 / (double)p->launches);
    note("%s", text.s);
    buf_free(&text);
    return rc;
}
