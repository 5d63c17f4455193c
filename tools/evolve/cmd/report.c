/* report.c - `kpred-evolve report` and `minimise`: what searches found, and the edits that matter
   SPDX-License-Identifier: MIT */
#include "evolve_commands.h"

#include "base/page.h"

#include <stdlib.h>
#include <string.h>

/* ---- times and edits ---- */

/* How many percent of the baseline's time a candidate saves, `z` standard deviations off */
static double gain(const struct result *r, double z)
{
    return 100 * (1 - r->time + z * r->spread);
}

static void cells_of_interval(struct table *t, const struct result *r)
{
    table_number(t, "%.2f", gain(r, -1.96));
    table_number(t, "%.2f", gain(r, 1.96));
}

void cells_of_time(struct table *t, const struct result *r)
{
    table_number(t, "%.4f", r->time);
    table_number(t, "%.2f", gain(r, 0));
    cells_of_interval(t, r);
}

void cell_of_list(struct table *t, const struct edits *list)
{
    struct buf text = {0};
    edits_print(list, edit_operators, &text);
    table_text(t, text.s);
    buf_free(&text);
}

int minimised_check(const struct minimised *m, size_t n_before)
{
    return m->list.n > 0 ? 0
                         : fail("no gain beyond the noise: nothing is left of the list's %zu %s",
                                n_before, as_counted(n_before, "edit", "edits"));
}

void kept_print(const struct kept_edit *k)
{
    printf("%.1f %% of the gain%s", 100 * k->share,
           k->needs_others ? ", only together with others" : "");
}

void gain_print(const struct minimised *m, const struct result *r, size_t n_before,
                const char *more, const char *of)
{
    printf("gain %.2f %% (95 %% interval %.2f to %.2f%s) of %s; edits: %zu of %zu\n", gain(r, 0),
           gain(r, -1.96), gain(r, 1.96), more, of, m->list.n, n_before);
}

/* ---- fronts ---- */

/* Candidates that ran */
static size_t count_run(const struct archive *a)
{
    size_t counts[N_OUTCOMES], n = 0;
    archive_counts(a, counts);
    for (size_t i = 0; i < N_OUTCOMES; i++)
        n += outcome_ran((enum outcome)i) ? counts[i] : 0;
    return n;
}

void front_heading(struct table *t)
{
    table_heading(t,
                  "log,method,seed,evaluations,point,time,gain,low,high,error,edits,effort,list");
}

static void add_search(struct table *t, const char *log, const struct archive *a)
{
    const char *method = archive_value(a, "method");
    const char *seed = archive_value(a, "seed");
    table_text(t, log);
    table_text(t, method != NULL ? method : "");
    table_number(t, "%s", seed != NULL ? seed : "0");
    table_number(t, "%zu", count_run(a));
}

static void add_point(struct table *t, size_t i, const struct entry *e)
{
    table_number(t, "%zu", i + 1);
    cells_of_time(t, &e->result);
    table_number(t, "%.3g", e->result.error);
    table_number(t, "%zu", e->list.n);
    table_text(t, effort_names[e->effort]);
    cell_of_list(t, &e->list);
}

void front_rows(struct table *t, const char *log, const struct archive *a)
{
    const struct entry **front;
    const size_t n = archive_front(a, &front);
    for (size_t i = 0; i < n; i++) {
        add_search(t, log, a);
        add_point(t, i, front[i]);
    }
    free(front);
}

int front_print(const struct table *t, struct table_form form)
{
    if (form.csv || form.json)
        table_print(t, stdout, form);
    else
        table_print_within(t, stdout, 140);
    return flush_stdout();
}

void outcomes_print(const size_t counts[N_OUTCOMES], FILE *f)
{
    size_t all = 0;
    for (size_t i = 0; i < N_OUTCOMES; i++)
        all += counts[i];
    fprintf(f, "%zu %s:", all, as_counted(all, "evaluation", "evaluations"));
    for (size_t i = 0, said = 0; i < N_OUTCOMES; i++)
        if (counts[i] > 0)
            fprintf(f, "%s %zu %s", said++ > 0 ? "," : "", counts[i], outcome_names[i]);
    fputc('\n', f);
}

/* ---- kpred-evolve report ---- */

struct report_options {
    struct opt_texts logs;
    const char *plot, *html;
    struct table_form form;
};

static const char plot_title[] = "best time so far", plot_x[] = "evaluations",
                  plot_y[] = "percent of the baseline's time";

/* The least time of those confirmed, behind each evaluation that lowers it */
static void add_curve(struct plot *plot, size_t index, const char *log, const struct archive *a)
{
    double best = 1;
    const size_t n = archive_size(a);
    plot_point(plot, index, log, 1, 100);
    for (size_t i = 0; i < n; i++) {
        const struct entry *e = archive_entry(a, i);
        if (e->result.outcome != OUTCOME_VALID || e->effort == EFFORT_SEARCH
            || e->result.time >= best)
            continue;
        best = e->result.time;
        plot_point(plot, index, log, (double)(i + 1), 100 * best);
    }
    plot_point(plot, index, log, (double)(n > 0 ? n : 1), 100 * best);
}

static int read_logs(const struct report_options *o, struct table *t, struct plot *plot,
                     struct buf *blocks)
{
    for (size_t i = 0; i < o->logs.n; i++) {
        struct archive *a;
        if (archive_read(&a, o->logs.v[i], edit_operators) != 0)
            return -1;
        front_rows(t, o->logs.v[i], a);
        add_curve(plot, i, o->logs.v[i], a);
        if (archive_value(a, unentered_key) != NULL)
            buf_puts(&blocks[i], archive_value(a, unentered_key));
        archive_close(a);
    }
    return 0;
}

static int page_report(const char *path, struct plot *plot, const struct table *t)
{
    struct buf page = {0};
    page_begin(&page, "kpred-evolve report");
    page_part(&page, "Searches");
    plot_svg(plot, plot_title, plot_x, plot_y, 0, &page);
    page_table(&page, "The fronts of the searches", t);
    page_end(&page);
    const int rc = out_whole(path, &page);
    buf_free(&page);
    return rc;
}

static int print_report(const struct report_options *o)
{
    const struct output to[] = {{"--plot", o->plot}, {"--html", o->html}};
    struct table t = {0};
    struct plot plot = {.is_steps = 1, .is_whole = 1};
    if (outputs_check_apart(to, 2) != 0 || outputs_check_inputs(to, 2, "RUN.log", &o->logs) != 0)
        return -1;
    struct buf *blocks = xcalloc(o->logs.n + 1, sizeof *blocks);
    front_heading(&t);
    int rc = read_logs(o, &t, &plot, blocks);
    if (rc == 0 && o->plot != NULL)
        rc = plot_write(&plot, plot_title, plot_x, plot_y, o->plot);
    if (rc == 0 && o->html != NULL)
        rc = page_report(o->html, &plot, &t);
    if (rc == 0)
        rc = front_print(&t, o->form);
    for (size_t i = 0; i < o->logs.n; i++) {
        if (rc == 0 && !o->form.csv && !o->form.json)
            unentered_print(o->logs.v[i], blocks[i].s);
        buf_free(&blocks[i]);
    }
    free(blocks);
    table_free(&t);
    plot_free(&plot);
    return rc == 0 ? flush_stdout() : rc;
}

int cmd_report(int argc, char **argv)
{
    struct report_options o = {0};
    const struct opt table[] = {
        OPT_SAYS("The front of each search: the lists of edits that no other is better than in "
                 "time and error."),
        OPT(TEXTS, "RUN.log...", &o.logs, "logs of search; several are compared"),
        OPT(TEXT, "[--plot FILE.svg]", &o.plot,
            "the best time so far, in percent of the baseline, against evaluations: a curve for "
            "each log"),
        OPT(TEXT, "[--html FILE.html]", &o.html,
            "a page of HTML in one file, with that plot and the table, which is sorted there"),
        FORM_OPTIONS(
            o.form, ", columns "
                    "log,method,seed,evaluations,point,time,gain,low,high,error,edits,effort,list"),
        OPT_SAYS("time: the mean over the cases of the candidate's time by the baseline's. gain: "
                 "how many percent it saves, low and high: the 95 % interval."),
        {.usage = NULL},
    };
    const int status = opts_parse(table, argc, argv);
    return opts_free(table, status < 0 ? print_report(&o) != 0 : status);
}

/* ---- kpred-evolve minimise ---- */

struct minimise_options {
    const char *log;
    long point, jobs;
    struct table_form form;
};

/* ---- minimise: what is said ---- */

static void add_edit(struct table *t, const struct kept_edit *k, const struct edit_step *step,
                     const struct result *r)
{
    struct edit edit = k->edit;
    const struct edits one = {&edit, 1, 1};
    cell_of_list(t, &one);
    table_number(t, "%d", step->line);
    table_text(t, step->what);
    table_number(t, "%.1f", 100 * k->share);
    table_text(t, k->needs_others ? "no" : "yes");
    table_text(t, step->before);
    table_text(t, step->after);
    table_number(t, "%.4f", r->time);
    cells_of_interval(t, r);
    table_number(t, "%.3g", r->error);
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

static void print_edit(size_t i, const struct kept_edit *k, const struct edit_step *step)
{
    printf("%zu. %s", i + 1, step->what);
    if (step->line > 0)
        printf(" (line %d)", step->line);
    printf("\n   ");
    kept_print(k);
    printf("\n");
    print_lines("before:", step->before);
    print_lines("after:", step->after);
}

static void print_outputs(const struct session *s, double error)
{
    const size_t n = s->cases->n;
    const char *cases = as_counted(n, "case", "cases");
    if (error > 0)
        printf("outputs are inexact: the largest error on all %zu %s is %.3g\n", n, cases, error);
    else
        printf("outputs are %s on all %zu %s\n",
               s->evaluator != NULL ? "right" : "equal bit for bit", n, cases);
}

static void print_words(const struct session *s, const struct minimised *m, size_t n_before,
                        const struct result *r)
{
    struct buf of = {0};
    buf_printf(&of, "the time with %s", s->baseline);
    for (size_t i = 0; i < m->list.n; i++)
        print_edit(i, &m->kept[i], &m->steps[i]);
    gain_print(m, r, n_before, "", of.s);
    print_outputs(s, r->error);
    buf_free(&of);
}

static int show(struct session *s, const struct minimised *m, size_t n_before,
                const struct result *r, struct table_form form)
{
    struct table t = {0};
    struct buf blocks = {0};
    if (minimised_check(m, n_before) != 0)
        return -1;
    table_heading(&t, "edit,line,what,share,alone,before,after,time,low,high,error");
    for (size_t i = 0; i < m->list.n; i++)
        add_edit(&t, &m->kept[i], &m->steps[i], r);
    const int rc = session_unentered(s, &blocks);
    if (form.csv || form.json)
        table_print(&t, stdout, form);
    else {
        print_words(s, m, n_before, r);
        unentered_print(NULL, blocks.s);
    }
    buf_free(&blocks);
    table_free(&t);
    return rc == 0 ? flush_stdout() : rc;
}

/* ---- minimise: the work ---- */

/* 1: shown; 0: the held-out cases do not accept it; -1 after a message */
static int try_right(struct logged *run, const struct edits *list, size_t n_before,
                     struct table_form form)
{
    struct minimised m;
    struct result r;
    if (search_minimise(&run->session.task, run->archive, list, &m) != 0)
        return -1;
    int rc = judge_list(&run->session, run->archive, &m.list, &r);
    if (rc > 0)
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
        note("the held-out cases refuse %zu of %zu %s left out", list->n - right.n, list->n,
             as_counted(list->n, "edit: it is", "edits: these are"));
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
    struct minimise_options o = {0};
    struct logged run;
    const struct opt table[] = {
        OPT_SAYS("Leaves out the edits of a point of the front that the held-out cases refuse, "
                 "then what it can do without, and says what each edit does that is left. Kernel "
                 "and harness are those that the log names, from this folder or beside the log."),
        LOG_ROW(&o.log),
        OPT_RANGE(COUNT, "[--point N]", &o.point, 1, 1000000,
                  "of the front, as report numbers it; by default the fastest that the held-out "
                  "cases accept"),
        JOBS_ROW(&o.jobs),
        FORM_OPTIONS(
            o.form,
            ", columns edit,line,what,share,alone,before,after,time,low,high,error: the last "
            "four are those of the whole list, the gain's in percent"),
        OPT_SAYS("share: how much of the gain goes, in percent, when this edit alone is dropped. "
                 "alone: whether it gains by itself."),
        {.usage = NULL},
    };
    int status = opts_parse(table, argc, argv);
    if (status >= 0)
        return status;
    if (logged_open(&run, o.log, &of_kernel, o.jobs, NULL, 0) != 0)
        return 1;
    status = try_front(&run, &o) != 0;
    logged_close(&run);
    return status;
}
