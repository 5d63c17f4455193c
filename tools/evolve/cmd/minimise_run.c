/* minimise_run.c - `kpred-evolve minimise`: the edits that matter, judged with held-out cases
   SPDX-License-Identifier: MIT */
#include "evolve_commands.h"

#include "judge_list.h"
#include "story.h"

#include "base/opts.h"
#include "base/table.h"

#include <stdlib.h>
#include <string.h>

static const char help[] =
    "usage: kpred-evolve minimise RUN.log [--point N] [--jobs N] [--csv|--json]\n"
    "\n"
    "Leaves out the edits of a point of the front that the held-out cases refuse, then what it "
    "can\n"
    "do without, and says what each edit does that is left. Kernel and harness are those that the\n"
    "log names. What is timed with the baseline is appended to it.\n"
    "\n"
    "  RUN.log        the log of a search\n"
    "  --point N      of the front, as report numbers it (default: the fastest that the held-out\n"
    "                 cases accept)\n"
    "  --jobs N       candidates at a time (default: one for each processor)\n"
    "  --csv          as CSV, columns "
    "edit,line,what,share,alone,before,after,time,low,high,error:\n"
    "                 the last four are those of the whole list, the gain's in percent\n"
    "  --json         as JSON, an array of objects with the same names\n"
    "\n"
    "share: how much of the gain goes, in percent, when this edit alone is dropped. alone: "
    "whether\n"
    "it gains by itself.\n";

struct minimise_options {
    const char *log;
    long point, jobs;
    struct table_form form;
};

/* ---- what is said ---- */

static void add_edit(struct table *t, const struct kept_edit *k, const struct ir_step *step,
                     const struct result *r)
{
    struct edits one = {NULL, 0, 0};
    struct buf text = {NULL, 0, 0};
    edits_add(&one, &k->edit);
    edits_print(&one, edit_operators, &text);
    table_text(t, text.s);
    table_number(t, "%d", step->line);
    table_text(t, step->what);
    table_number(t, "%.1f", 100 * k->share);
    table_text(t, k->needs_others ? "no" : "yes");
    table_text(t, step->before);
    table_text(t, step->after);
    table_number(t, "%.4f", r->time);
    table_number(t, "%.2f", 100 * (1 - r->time - 1.96 * r->spread));
    table_number(t, "%.2f", 100 * (1 - r->time + 1.96 * r->spread));
    table_number(t, "%.3g", r->error);
    buf_free(&text);
    edits_free(&one);
}

static void print_lines(const char *title, const char *lines)
{
    printf("   %s\n", title);
    while (lines != NULL && *lines != '\0') {
        const size_t n = strcspn(lines, "\n");
        printf("      %.*s\n", (int)n, lines);
        lines += n + (lines[n] == '\n');
    }
}

static void print_edit(size_t i, const struct kept_edit *k, const struct ir_step *step)
{
    printf("%zu. %s", i + 1, step->what);
    if (step->line > 0)
        printf(" (line %d)", step->line);
    printf("\n   %.1f %% of the gain%s\n", 100 * k->share,
           k->needs_others ? ", only together with others" : "");
    print_lines("before:", step->before);
    print_lines("after:", step->after);
}

static void print_result(const struct session *s, const struct minimised *m, size_t n_before,
                         const struct result *r)
{
    printf("gain %.2f %% (95 %% interval %.2f to %.2f) of the time with %s; ", 100 * (1 - r->time),
           100 * (1 - r->time - 1.96 * r->spread), 100 * (1 - r->time + 1.96 * r->spread),
           s->passes->name);
    printf("edits: %zu of %zu\n", m->list.n, n_before);
    if (r->error > 0)
        printf("outputs are inexact: the largest error on all %zu cases is %.3g\n",
               trial_cases(s->trial), r->error);
    else
        printf("outputs are equal bit for bit on all %zu cases\n", trial_cases(s->trial));
}

static int show(struct session *s, const struct minimised *m, size_t n_before,
                const struct result *r, struct table_form form)
{
    struct ir_step *steps = xcalloc(m->list.n + 1, sizeof *steps);
    struct table t = {0};
    if (ir_steps(s->ir, &m->list, steps) != 0) {
        free(steps);
        return fail("a list that was valid does not apply any more");
    }
    table_heading(&t, "edit,line,what,share,alone,before,after,time,low,high,error");
    for (size_t i = 0; i < m->list.n; i++)
        add_edit(&t, &m->kept[i], &steps[i], r);
    if (form.csv || form.json)
        table_print(&t, stdout, form);
    else {
        for (size_t i = 0; i < m->list.n; i++)
            print_edit(i, &m->kept[i], &steps[i]);
        print_result(s, m, n_before, r);
    }
    table_free(&t);
    ir_steps_free(steps, m->list.n);
    free(steps);
    return flush_stdout();
}

/* ---- the work ---- */

/* 1: shown; 0: the held-out cases do not accept it; -1 after a message */
static int try_right(struct logged *run, const struct edits *list, size_t n_before,
                     struct table_form form)
{
    struct minimised m;
    struct result r;
    if (search_minimise(&run->session.task, run->archive, list, &m) != 0)
        return -1;
    int rc = judge_list(&run->session, run->archive, &m.list, &r);
    if (rc > 0 && m.list.n == 0)
        rc = fail("no gain beyond the noise: nothing is left of the list's %zu edits", n_before);
    else if (rc > 0)
        rc = show(&run->session, &m, n_before, &r, form) == 0 ? 1 : -1;
    minimised_free(&m);
    return rc;
}

/* As try_right; the edits that held-out cases refuse are left out. */
static int try_point(struct logged *run, const struct edits *list, struct table_form form)
{
    struct edits right;
    if (search_mend(&run->session.task, run->archive, list, &right) != 0)
        return -1;
    if (right.n < list->n)
        note("the held-out cases refuse %zu of %zu edits: these are left out", list->n - right.n,
             list->n);
    const int rc = right.n == 0 && list->n > 0 ? 0 : try_right(run, &right, list->n, form);
    edits_free(&right);
    return rc;
}

/* The lists of the front, copied, as the archive changes while they are tried */
static size_t copy_front(const struct archive *a, struct edits **lists)
{
    const struct entry **front;
    const size_t n = archive_front(a, &front);
    *lists = xcalloc(n + 1, sizeof **lists);
    for (size_t i = 0; i < n; i++)
        edits_copy(&(*lists)[i], &front[i]->list);
    free(front);
    return n;
}

static int try_front(struct logged *run, const struct minimise_options *o)
{
    struct edits *lists;
    const size_t n = copy_front(run->archive, &lists);
    size_t i = o->point > 0 ? (size_t)o->point - 1 : 0;
    const size_t end = o->point > 0 && i < n ? i + 1 : n;
    int rc = 0;
    if (i >= n)
        rc = fail("%s: --point %ld: the front has %zu", o->log, o->point, n);
    for (; rc == 0 && i < end; i++) {
        rc = try_point(run, &lists[i], o->form);
        if (rc == 0)
            note("point %zu: the held-out cases do not accept it", i + 1);
    }
    for (size_t k = 0; k < n; k++)
        edits_free(&lists[k]);
    free(lists);
    return rc > 0 ? 0 : rc < 0 ? -1 : fail("%s: no point of the front is accepted", o->log);
}

int cmd_minimise(int argc, char **argv)
{
    struct minimise_options o;
    struct logged run;
    const struct opt table[] = {
        {.name = "RUN.log", .kind = OPT_TEXT, .to = &o.log, .is_required = 1},
        {.name = "--point", .kind = OPT_COUNT, .to = &o.point, .least = 1, .most = 1000000},
        {.name = "--jobs", .kind = OPT_COUNT, .to = &o.jobs, .least = 1, .most = 256},
        {.name = "--csv", .kind = OPT_FLAG, .to = &o.form.csv},
        {.name = "--json", .kind = OPT_FLAG, .to = &o.form.json},
        {.name = NULL},
    };
    memset(&o, 0, sizeof o);
    int status = opts_parse(table, help, argc, argv);
    if (status >= 0)
        return status;
    if (table_form_check(&o.form) != 0)
        return 2;
    if (logged_open(&run, o.log, o.jobs) != 0)
        return 1;
    status = try_front(&run, &o) != 0;
    logged_close(&run);
    return status;
}
