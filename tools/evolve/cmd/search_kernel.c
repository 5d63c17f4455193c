/* search_kernel.c - `kpred-evolve search`: edits that make a kernel faster, into a log
   SPDX-License-Identifier: MIT */
#include "evolve_commands.h"

#include "front.h"
#include "kernel_options.h"
#include "story.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char head[] =
    "usage: kpred-evolve search KERNEL HARNESS.c --function NAME -o RUN.log [--resume]\n"
    "                           [--method nsga2|climb|random] [--evaluations N] [--time S]\n"
    "                           [--population N] [--elite N] [--first-edits N]\n"
    "                           [--crossover PERCENT] [--mutation PERCENT] [--cflags=TEXT]\n"
    "                           [--oracle WHAT] [--baseline NAME] [--jobs N] [--timeout MS]\n"
    "                           [--memory MB] [--seed N]\n"
    "\n"
    "Looks for edits of the kernel's LLVM IR that make it faster while its outputs stay right on\n"
    "every case that is not held out. Each evaluation is a line of the log.\n"
    "\n";
static const char tail[] =
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

struct search_options {
    struct session_options kernel;
    struct search_plan plan;
    const char *log;
    int resume, method;
    long crossover, mutation, seconds;
};

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

static int search(const struct search_options *o, const struct session *s, struct archive *a)
{
    const int is_terminal = isatty(STDERR_FILENO);
    const struct search_news news = {is_terminal ? show_progress : NULL,
                                     (void *)(uintptr_t)&o->plan};
    size_t counts[N_OUTCOMES];
    signal(SIGINT, stop_soon);
    signal(SIGTERM, stop_soon);
    const int rc = search_run(&o->plan, &s->task, a, &stop, &news);
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

/* Is nothing there that could be a log? */
static int is_new(const char *path)
{
    struct stat st;
    return stat(path, &st) != 0 || (S_ISREG(st.st_mode) && st.st_size == 0);
}

static int run(const struct search_options *o)
{
    struct session_options kernel = o->kernel;
    struct archive *a = NULL, *log = NULL;
    struct session s;
    struct story story;
    if (!o->resume && !is_new(o->log)) /* now, and not after the long work */
        return fail("%s: is there already: go on from it with --resume, or name another file",
                    o->log);
    /* The baseline was chosen when the log began: another measurement may choose another one. */
    if (!is_new(o->log)) {
        if (archive_read(&log, o->log, ir_operators) != 0)
            return -1;
        if (kernel.baseline == NULL)
            kernel.baseline = archive_value(log, "baseline");
    }
    int rc = session_open(&s, &kernel);
    if (rc == 0) {
        story_of(&story, &s, &o->plan);
        rc = archive_open(&a, o->log, o->resume, story.line, ir_operators);
        story_free(&story);
        rc = rc == 0 ? search(o, &s, a) : -1;
        if (a != NULL)
            archive_close(a);
        session_close(&s);
    }
    if (log != NULL)
        archive_close(log);
    return rc;
}

static void set_defaults(struct search_options *o)
{
    o->plan = search_defaults;
    o->method = (int)search_defaults.method;
    o->crossover = (long)(100 * search_defaults.crossover + 0.5);
    o->mutation = (long)(100 * search_defaults.mutation + 0.5);
}

static int finish_plan(struct search_options *o)
{
    struct oracle oracle;
    if (oracle_parse(o->kernel.oracle, &oracle) != 0)
        return -1;
    o->plan.method = (enum method)o->method;
    o->plan.crossover = (double)o->crossover / 100;
    o->plan.mutation = (double)o->mutation / 100;
    o->plan.seconds = (double)o->seconds;
    o->plan.seed = (uint64_t)o->kernel.seed;
    o->plan.most_error = oracle.most;
    if (o->plan.elite >= o->plan.population)
        return fail("--elite %ld: is not less than the population, %ld", o->plan.elite,
                    o->plan.population);
    return 0;
}

int cmd_search(int argc, char **argv)
{
    struct search_options o;
    struct search_plan *p = &o.plan;
    memset(&o, 0, sizeof o);
    const struct opt own[] = {
        {.name = "-o", .kind = OPT_TEXT, .to = &o.log, .is_required = 1},
        {.name = "--resume", .kind = OPT_FLAG, .to = &o.resume},
        {.name = "--method", .kind = OPT_CHOICE, .to = &o.method, .choices = "nsga2|climb|random"},
        {.name = "--evaluations",
         .kind = OPT_COUNT,
         .to = &p->evaluations,
         .least = 1,
         .most = 100000000},
        {.name = "--time", .kind = OPT_COUNT, .to = &o.seconds, .least = 1, .most = 100000000},
        {.name = "--population",
         .kind = OPT_COUNT,
         .to = &p->population,
         .least = 4,
         .most = 65536},
        {.name = "--elite", .kind = OPT_COUNT, .to = &p->elite, .least = 0, .most = 65536},
        {.name = "--first-edits", .kind = OPT_COUNT, .to = &p->first_edits, .least = 1, .most = 64},
        {.name = "--crossover", .kind = OPT_COUNT, .to = &o.crossover, .least = 0, .most = 100},
        {.name = "--mutation", .kind = OPT_COUNT, .to = &o.mutation, .least = 0, .most = 100},
        {.name = NULL},
    };
    struct opt table[KERNEL_OPTIONS + sizeof own / sizeof *own];
    kernel_options(table, &o.kernel);
    memcpy(table + KERNEL_OPTIONS, own, sizeof own);
    set_defaults(&o);
    char *help = kernel_help(head, tail);
    const int status = opts_parse(table, help, argc, argv);
    free(help);
    if (status >= 0)
        return status;
    return finish_plan(&o) != 0 ? 2 : run(&o) != 0;
}
