/* search.c - `kpred-evolve check` and `search`: does the harness run, and edits that make a kernel
   faster, into a log
   SPDX-License-Identifier: MIT */
#include "evolve_commands.h"

#include "base/util.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- the options that commands with a kernel and a harness share ---- */

enum { KERNEL_OPTIONS = 11 };

/* What --help says of them */
static const char kernel_options_help[] =
    "  KERNEL             C (.c), OpenCL C (.cl), LLVM IR (.ll) or bitcode (.bc)\n"
    "  HARNESS.c          cases, buffers and the call: see tools/evolve/README.md\n"
    "  --evaluate COMMAND a program that runs candidates, in place of HARNESS.c, such as on a "
    "GPU:\n"
    "                     see tools/evolve/examples/evaluator.h\n"
    "  --form FORM        what it gets: ir (default), bitcode, asm, object, code-object\n"
    "  --target TRIPLE    of what it gets, such as amdgcn-amd-amdhsa (default: this machine)\n"
    "  --cpu NAME         a processor of the target, such as gfx90a\n"
    "  --barriers         barriers may be edited, too\n"
    "  --function NAME    the function of KERNEL\n"
    "  --cflags=TEXT      more options for clang, separated by blanks, such as \"-DN=4 -g\"\n"
    "  --oracle WHAT      which outputs are right: exact (default), bit for bit; REL,FLOOR: the\n"
    "                     error |got - want| / max(|want|, FLOOR) is at most REL; harness,MOST:\n"
    "                     what the harness's own function returns is at most MOST\n"
    "  --baseline NAME    what the times are compared with, such as O3-native (default: the "
    "fastest\n"
    "                     of six, which check prints)\n"
    "  --jobs N           candidates at a time (default: one for each processor)\n"
    "  --timeout TIME     the most time that one candidate runs, in seconds or as 200ms, 5s or 2m\n"
    "                     (default 10s; an answer of an evaluator 1s and twice what the first one\n"
    "                     took for the unedited kernel)\n"
    "  --memory MB        the most memory of one candidate (default 1024)\n"
    "  --seed N           of all that is drawn (default 1)\n";

/* Their lines of a table for opts_parse, with the defaults put into *o; the end comes behind. */
static void kernel_options(struct opt table[KERNEL_OPTIONS], struct session_options *o)
{
    const struct opt lines[KERNEL_OPTIONS] = {
        {.name = "KERNEL", .kind = OPT_TEXT, .to = &o->program, .is_required = 1},
        {.name = "HARNESS.c", .kind = OPT_TEXT, .to = &o->cases},
        {.name = "--evaluate", .kind = OPT_TEXT, .to = &o->evaluate},
        {.name = "--form", .kind = OPT_CHOICE, .to = &o->form, .choices = IR_FORM_NAMES},
        {.name = "--target", .kind = OPT_TEXT, .to = &o->target},
        {.name = "--cpu", .kind = OPT_TEXT, .to = &o->cpu},
        {.name = "--barriers", .kind = OPT_FLAG, .to = &o->barriers},
        {.name = "--function", .kind = OPT_TEXT, .to = &o->function, .is_required = 1},
        {.name = "--cflags", .kind = OPT_TEXT, .to = &o->cflags},
        {.name = "--oracle", .kind = OPT_TEXT, .to = &o->oracle},
        {.name = "--baseline", .kind = OPT_TEXT, .to = &o->baseline},
    };
    memset(o, 0, sizeof *o);
    memcpy(table, lines, sizeof lines);
}

/* To be freed */
static char *help_of(const char *head, const char *tail)
{
    struct buf text = {0};
    buf_printf(&text, "%s%s", head, tail);
    return text.s;
}

/* ---- kpred-evolve check ---- */

static const char check_head[] =
    "usage: kpred-evolve check KERNEL [HARNESS.c] --function NAME [--evaluate COMMAND]\n"
    "                          [--form FORM] [--target TRIPLE] [--cpu NAME] [--barriers]\n"
    "                          [--cflags=TEXT] [--oracle WHAT] [--baseline NAME] [--jobs N]\n"
    "                          [--timeout TIME] [--memory MB] [--seed N] [--csv|--json]\n"
    "\n"
    "Compiles the kernel and the harness, runs every case with the unmodified kernel, and "
    "compares\n"
    "the baselines. Names the blocks of the kernel that no case enters.\n"
    "\n";
static const char check_tail[] =
    "  --csv              as CSV, columns baseline,instructions,case,held_out,us: the lower\n"
    "                     quartile of the case's time in microseconds\n"
    "  --json             as JSON, an array of objects with the same names\n";

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
    struct table t;
    struct buf blocks = {0};
    if (session_unentered(s, &blocks) != 0)
        return -1;
    memset(&t, 0, sizeof t);
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
    struct session_options o;
    struct table_form form = {0, 0};
    struct session s;
    enum { OWN = KERNEL_OPTIONS + SESSION_OPTIONS };
    struct opt table[OWN + 3] = {{0}};
    kernel_options(table, &o);
    session_options(table + KERNEL_OPTIONS, &o);
    table[OWN] = (struct opt){.name = "--csv", .kind = OPT_FLAG, .to = &form.csv};
    table[OWN + 1] = (struct opt){.name = "--json", .kind = OPT_FLAG, .to = &form.json};
    char *head = help_of(check_head, kernel_options_help), *help = help_of(head, check_tail);
    int status = opts_parse(table, help, argc, argv);
    free(head);
    free(help);
    if (status >= 0)
        return status;
    if (table_form_check(&form) != 0 || evaluated_check(&o) != 0)
        return 2;
    if (session_open(&s, &o, &of_kernel) != 0)
        return 1;
    status = show(&s, form) != 0;
    session_close(&s);
    return status;
}

/* ---- what commands that search share: options ---- */

static const char search_options_help[] =
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

enum { SEARCH_OPTIONS = 10 };

/* Their lines of a table for opts_parse, with the defaults put into *o; the end comes behind. */
static void search_options(struct opt table[SEARCH_OPTIONS], struct searching *o)
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
    o->plan = search_defaults;
    o->method = (int)search_defaults.method;
    o->crossover = (long)(100 * search_defaults.crossover + 0.5);
    o->mutation = (long)(100 * search_defaults.mutation + 0.5);
    memcpy(table, lines, sizeof lines);
}

int search_parse(struct searching *o, const struct opt *own, size_t n_own, const char *head,
                 int argc, char **argv)
{
    struct opt *table = xcalloc(n_own + SESSION_OPTIONS + SEARCH_OPTIONS + 1, sizeof *table);
    char *help = help_of(head, search_options_help);
    memcpy(table, own, n_own * sizeof *own);
    session_options(table + n_own, &o->session);
    search_options(table + n_own + SESSION_OPTIONS, o);
    const int status = opts_parse(table, help, argc, argv);
    free(help);
    free(table);
    return status;
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
    const int is_shown = front_print(&t, (struct table_form){0, 0}) == 0;
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

static const char search_head[] =
    "usage: kpred-evolve search KERNEL [HARNESS.c] --function NAME -o RUN.log [--resume]\n"
    "                           [--evaluate COMMAND] [--form FORM] [--target TRIPLE] [--cpu NAME]\n"
    "                           [--barriers]\n"
    "                           [--method nsga2|climb|random] [--evaluations N] [--time S]\n"
    "                           [--population N] [--elite N] [--first-edits N]\n"
    "                           [--crossover PERCENT] [--mutation PERCENT] [--cflags=TEXT]\n"
    "                           [--oracle WHAT] [--baseline NAME] [--jobs N] [--timeout TIME]\n"
    "                           [--memory MB] [--seed N]\n"
    "\n"
    "Looks for edits of the kernel's LLVM IR that make it faster while its outputs stay right on\n"
    "every case that is not held out. Each evaluation is a line of the log.\n"
    "\n";
int cmd_search(int argc, char **argv)
{
    struct searching o;
    struct oracle oracle;
    struct opt own[KERNEL_OPTIONS];
    kernel_options(own, &o.session);
    char *help = help_of(search_head, kernel_options_help);
    const int status = search_parse(&o, own, KERNEL_OPTIONS, help, argc, argv);
    free(help);
    if (status >= 0)
        return status;
    if (oracle_parse(o.session.oracle, &oracle) != 0 || evaluated_check(&o.session) != 0
        || search_plan_of(&o, oracle.most) != 0)
        return 2;
    return search_session(&o, &of_kernel) != 0;
}
