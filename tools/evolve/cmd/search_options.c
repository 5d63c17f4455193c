/* search_options.c - what the commands that search share
   SPDX-License-Identifier: MIT

   search_options.h declares it. */
#include "search_options.h"

#include "front.h"

#include "base/util.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- options ---- */

const char search_options_help[] =
    "  -o RUN.log         the log, which is not there yet\n"
    "  --resume           goes on from the log: nothing in it is evaluated again\n"
    "  --method NAME      nsga2 (default), as GEVO does; climb: hill climbing; random\n"
    "  --evaluations N    the most candidates that run (default 20000)\n"
    "  --time S           the most seconds (default: no limit)\n"
    "  --population N     of nsga2 (default 256)\n"
    "  --elite N          the best that survive a generation of nsga2 (default 4)\n"
    "  --first-edits N    the edits of each in its first generation (default 3)\n"
    "  --crossover PERCENT  the chance that two parents are crossed (default 80)\n"
    "  --mutation PERCENT   the chance that a child gets one more edit (default 30)\n";

void search_options(struct opt table[SEARCH_OPTIONS], struct search_options *o)
{
    struct search_plan *p = &o->plan;
    const struct opt lines[SEARCH_OPTIONS] = {
        {.name = "-o", .kind = OPT_TEXT, .to = &o->log, .is_required = 1},
        {.name = "--resume", .kind = OPT_FLAG, .to = &o->resume},
        {.name = "--method", .kind = OPT_CHOICE, .to = &o->method, .choices = "nsga2|climb|random"},
        {.name = "--evaluations",
         .kind = OPT_COUNT,
         .to = &p->evaluations,
         .least = 1,
         .most = 100000000},
        {.name = "--time", .kind = OPT_COUNT, .to = &o->seconds, .least = 1, .most = 100000000},
        {.name = "--population",
         .kind = OPT_COUNT,
         .to = &p->population,
         .least = 4,
         .most = 65536},
        {.name = "--elite", .kind = OPT_COUNT, .to = &p->elite, .least = 0, .most = 65536},
        {.name = "--first-edits", .kind = OPT_COUNT, .to = &p->first_edits, .least = 1, .most = 64},
        {.name = "--crossover", .kind = OPT_COUNT, .to = &o->crossover, .least = 0, .most = 100},
        {.name = "--mutation", .kind = OPT_COUNT, .to = &o->mutation, .least = 0, .most = 100},
    };
    memset(o, 0, sizeof *o);
    o->plan = search_defaults;
    o->method = (int)search_defaults.method;
    o->crossover = (long)(100 * search_defaults.crossover + 0.5);
    o->mutation = (long)(100 * search_defaults.mutation + 0.5);
    memcpy(table, lines, sizeof lines);
}

int search_options_plan(struct search_options *o, long seed, double most_error)
{
    o->plan.method = (enum method)o->method;
    o->plan.crossover = (double)o->crossover / 100;
    o->plan.mutation = (double)o->mutation / 100;
    o->plan.seconds = (double)o->seconds;
    o->plan.seed = (uint64_t)seed;
    o->plan.most_error = most_error;
    if (o->plan.elite >= o->plan.population)
        return fail("--elite %ld: is not less than the population, %ld", o->plan.elite,
                    o->plan.population);
    return 0;
}

int search_is_new(const char *path)
{
    struct stat st;
    return stat(path, &st) != 0 || (S_ISREG(st.st_mode) && st.st_size == 0);
}

int search_check_log(const struct search_options *o)
{
    if (!o->resume && !search_is_new(o->log))
        return fail("%s: is there already: go on from it with --resume, or name another file",
                    o->log);
    return 0;
}

/* ---- progress ---- */

static void show_progress(void *user, const struct search_state *s)
{
    const struct search_plan *plan = user;
    const struct entry **front;
    const size_t n = archive_front(s->archive, &front);
    fprintf(stderr, "\r%ld of %ld evaluations", s->evaluations, plan->evaluations);
    if (s->seconds > 0)
        fprintf(stderr, ", %.0f a second", (double)s->evaluations / s->seconds);
    if (s->generation > 0)
        fprintf(stderr, ", generation %ld", s->generation);
    if (n > 0)
        fprintf(stderr, "; front of %zu, best time %.4f \033[K", n, front[0]->result.time);
    free(front);
}

/* ---- the search ---- */

static volatile int stop;

static void stop_soon(int number)
{
    stop = 1;
    signal(number,
           SIG_DFL); /* the second one ends the program at once: the log is whole all the time */
}

int search_into(const struct search_options *o, const struct task *task, struct archive *a)
{
    const int is_terminal = isatty(STDERR_FILENO);
    const struct search_news news = {is_terminal ? show_progress : NULL,
                                     (void *)(uintptr_t)&o->plan};
    size_t counts[N_OUTCOMES];
    signal(SIGINT, stop_soon);
    signal(SIGTERM, stop_soon);
    const int rc = search_run(&o->plan, task, a, &stop, &news);
    if (is_terminal)
        fputs("\r\033[K", stderr);
    if (rc != 0)
        return -1;
    if (stop)
        note("stopped; --resume goes on from %s", o->log);
    archive_counts(a, counts);
    outcomes_print(counts, stderr);
    struct table t = {0};
    front_heading(&t);
    front_rows(&t, o->log, a);
    return front_print(&t, (struct table_form){0, 0}) != 0 || stop ? -1 : 0;
}
