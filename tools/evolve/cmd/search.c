/* search.c - `kpred-evolve check` and `search`: does the harness run, and edits that make a kernel
   faster, into a log
   SPDX-License-Identifier: MIT */
#include "evolve_commands.h"

#include "base/util.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- kpred-evolve check ---- */

static void add_row(struct table *t, const char *baseline, size_t instructions,
                    const struct known_case *c, double us)
{
    table_text(t, baseline);
    if (instructions > 0)
        table_number(t, "%zu", instructions);
    else
        table_text(t, "");
    table_text(t, c->label);
    table_text(t, c->held_out ? "yes" : "no");
    if (us > 0)
        table_number(t, "%.3f", us);
    else
        table_text(t, "");
}

/* The timed cases of every baseline that was compared */
static void add_compared(struct table *t, const struct session *s)
{
    for (size_t b = 0; b <= IR_BASELINES; b++)
        for (size_t i = 0; i < s->cases->n && s->sizes[b] > 0; i++)
            if (b < IR_BASELINES)
                add_row(t, ir_baselines[b].name, s->sizes[b], &s->cases->v[i], s->us[b][i]);
            else
                add_row(t, "source", 0, &s->cases->v[i], s->us[b][i]);
}

static int show(struct session *s, struct table_form form)
{
    struct table t = {0};
    struct buf blocks = {0};
    if (session_unentered(s, &blocks) != 0)
        return -1;
    table_heading(&t, "baseline,instructions,case,held_out,us");
    add_compared(&t, s);
    for (const struct known_case *c = s->cases->v; c < s->cases->v + s->cases->n; c++)
        if (s->sizes[0] == 0)
            add_row(&t, s->baseline, ir_size(s->ir), c, c->us);
    table_print(&t, stdout, form);
    table_free(&t);
    if (!form.csv && !form.json) {
        printf("\nbaseline: %s, %zu instructions; %zu %s twice\n", s->baseline, ir_size(s->ir),
               s->cases->n, as_counted(s->cases->n, "case, as it is", "cases, as they are"));
        unentered_print(NULL, blocks.s);
    }
    buf_free(&blocks);
    return flush_stdout();
}

int cmd_check_kernel(int argc, char **argv)
{
    struct session_options o = {.memory_mb = 1024, .seed = 1};
    struct table_form form = {0};
    struct session s;
    const struct opt table[] = {
        OPT_SAYS("Compiles the kernel and the harness, runs every case with the unmodified kernel, "
                 "and compares the baselines. Names the blocks of the kernel that no case enters, "
                 "as report and minimise do, unless an evaluator runs it."),
        KERNEL_ROWS(o),
        SESSION_ROWS(o, OF_ANSWERS),
        FORM_OPTIONS(
            form,
            ", columns baseline,instructions,case,held_out,us: the lower quartile of the case's "
            "time in microseconds"),
        {.usage = NULL},
    };
    int status = opts_parse(table, argc, argv);
    if (status >= 0)
        return status;
    if (evaluated_check(&o) != 0)
        return 2;
    if (session_open(&s, &o, &of_kernel) != 0)
        return 1;
    status = show(&s, form) != 0;
    session_close(&s);
    return status;
}

/* ---- what commands that search share ---- */

void searching_begin(struct searching *o)
{
    *o = (struct searching){.session.memory_mb = 1024,
                            .session.seed = 1,
                            .plan = search_defaults,
                            .method = (int)search_defaults.method,
                            .crossover = (long)(100 * search_defaults.crossover + 0.5),
                            .mutation = (long)(100 * search_defaults.mutation + 0.5)};
}

int search_plan_of(struct searching *o, double most_error)
{
    o->plan.method = (enum method)o->method;
    o->plan.crossover = (double)o->crossover / 100;
    o->plan.mutation = (double)o->mutation / 100;
    o->plan.seconds = (double)o->seconds;
    o->plan.seed = (uint64_t)o->session.seed;
    o->plan.most_error = most_error;
    if (o->plan.elite >= o->plan.population)
        return fail("--elite %ld: is not less than the population, %ld", o->plan.elite,
                    o->plan.population);
    return 0;
}

/* ---- what commands that search share: progress ---- */

static void show_progress(void *user, const struct search_state *s)
{
    const struct search_plan *plan = user;
    const struct entry **front;
    const size_t n = archive_front(s->archive, &front);
    struct buf line = {NULL, 0, 0};
    buf_printf(&line, "%ld of %ld %s", s->evaluations, plan->evaluations,
               as_counted((unsigned long long)plan->evaluations, "evaluation", "evaluations"));
    if (s->seconds > 0)
        buf_printf(&line, ", %.0f a second", (double)s->evaluations / s->seconds);
    if (s->generation > 0)
        buf_printf(&line, ", generation %ld", s->generation);
    if (n > 0)
        buf_printf(&line, "; front of %zu, best time %.4f", n, front[0]->result.time);
    free(front);
    line_show(line.s);
    buf_free(&line);
}

/* ---- what commands that search share: the search ---- */

static volatile int stop;

static void stop_soon(int number)
{
    stop = 1;
    signal(number,
           SIG_DFL); /* the second one ends the program at once: the log is whole all the time */
}

/* Searches, with progress on a terminal, until the budget is spent or a signal comes; then prints
   the front. */
static int search_into(const struct searching *o, const struct task *task, struct archive *a)
{
    const int is_terminal = isatty(STDERR_FILENO);
    const struct search_news news = {is_terminal ? show_progress : NULL,
                                     (void *)(uintptr_t)&o->plan};
    size_t counts[N_OUTCOMES];
    signal(SIGINT, stop_soon);
    signal(SIGTERM, stop_soon);
    const int rc = search_run(&o->plan, task, a, &stop, &news);
    line_wipe();
    if (rc != 0)
        return -1;
    if (stop)
        note("stopped; --resume goes on from %s", o->log);
    archive_counts(a, counts);
    outcomes_print(counts, stderr);
    struct table t = {0};
    front_heading(&t);
    front_rows(&t, o->log, a);
    const int is_shown = front_print(&t, (struct table_form){0}) == 0;
    table_free(&t);
    return is_shown && !stop ? 0 : -1;
}

/* A new log tells what no case enters of a kernel. */
static int search_opened(const struct searching *o, struct session *s, int is_first)
{
    struct story story;
    struct buf blocks = {0};
    struct archive *a = NULL;
    int rc = 0;
    story_of(&story, s, &o->plan);
    if (is_first && s->module == NULL && (rc = session_unentered(s, &blocks)) == 0)
        story_put(&story, unentered_key, blocks.n > 0 ? blocks.s : "");
    if (rc == 0)
        rc = archive_open(&a, o->log, o->resume, story.line, edit_operators);
    story_free(&story);
    buf_free(&blocks);
    if (rc == 0)
        rc = search_into(o, &s->task, a);
    archive_close(a);
    return rc;
}

int search_session(const struct searching *o, const struct session_way *way)
{
    struct session_options options = o->session;
    struct archive *log = NULL;
    struct session s;
    struct stat st; /* is nothing there that could be a log? */
    const int is_first = stat(o->log, &st) != 0 || (S_ISREG(st.st_mode) && st.st_size == 0);
    if (!o->resume && !is_first)
        return fail("%s: is there already: go on from it with --resume, or name another file",
                    o->log);
    /* The baseline was chosen when the log began: another measurement may choose another one. */
    if (!is_first && way == &of_kernel) {
        if (archive_read(&log, o->log, edit_operators) != 0)
            return -1;
        if (options.baseline == NULL)
            options.baseline = archive_value(log, "baseline");
    }
    int rc = session_open(&s, &options, way);
    if (rc == 0) {
        rc = search_opened(o, &s, is_first);
        session_close(&s);
    }
    archive_close(log);
    return rc;
}

/* ---- kpred-evolve search ---- */

int cmd_search(int argc, char **argv)
{
    struct searching o;
    struct oracle oracle;
    const struct opt table[] = {
        OPT_SAYS("Looks for edits of the kernel's LLVM IR that make it faster while its outputs "
                 "stay right on every case that is not held out."),
        KERNEL_ROWS(o.session),
        SEARCH_ROWS(o),
        SESSION_ROWS(o.session, OF_ANSWERS),
        {.usage = NULL},
    };
    searching_begin(&o);
    const int status = opts_parse(table, argc, argv);
    if (status >= 0)
        return status;
    if (oracle_parse(o.session.oracle, &oracle) != 0 || evaluated_check(&o.session) != 0
        || search_plan_of(&o, oracle.most) != 0)
        return 2;
    return search_session(&o, &of_kernel) != 0;
}
