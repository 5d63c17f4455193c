/* ml_report.c - `kpred-evolve ml-report`: the front of a network, what is chosen from it, and how
   good that is on images that nothing has seen
   SPDX-License-Identifier: MIT */
#include "evolve_commands.h"

#include "ml_session.h"

#include "base/plot.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { BY_TIME, BY_ERROR };

struct report_options {
    const char *log, *plot, *module;
    long bound, jobs;
    int choice; /* BY_TIME, BY_ERROR */
    struct table_form form;
};

struct chosen {
    struct minimised m;
    size_t point, n_before; /* its number in the front; its edits there */
    double validate, test;
};

/* ---- rows ---- */

/* An error of a part, in percent; nothing where it was not looked at */
static void add_error(struct table *t, double error)
{
    if (isfinite(error))
        table_number(t, "%.2f", 100 * error);
    else
        table_text(t, "");
}

static void add_row(struct table *t, const char *point, const struct result *r, double validate,
                    double test, const struct edits *list)
{
    table_text(t, point);
    cells_of_time(t, r);
    add_error(t, r->error);
    add_error(t, validate);
    add_error(t, test);
    table_number(t, "%zu", list->n);
    cell_of_list(t, list);
}

/* ---- choosing ---- */

enum { OF_MODULE, OF_SEARCH, OF_VALIDATE }; /* curves */

static void add_points(struct plot *plot, const struct result *r, double validate)
{
    plot_point(plot, OF_SEARCH, "front, search part", 100 * r->time, 100 * r->error);
    if (isfinite(validate))
        plot_point(plot, OF_VALIDATE, "front, validation part", 100 * r->time, 100 * validate);
}

/* Rows of the front; *list becomes the point with no more than that validation error that is the
   fastest, or has the least error. Its number, 0 if there is none, -1 after a message */
static long ml_report_choose(struct session *s, const struct archive *a, double most, int is_least,
                             struct table *t, struct plot *plot, struct edits *list)
{
    const struct entry **front;
    const size_t n = archive_front(a, &front);
    long found = 0;
    double error = 0;
    for (size_t i = 0; i < n; i++) {
        char point[24];
        const struct entry *e = front[i];
        error = ml_error(s, EXAM_VALIDATE, &e->list);
        if (error < 0)
            break;
        snprintf(point, sizeof point, "%zu", i + 1);
        add_row(t, point, &e->result, error, HUGE_VAL, &e->list);
        add_points(plot, &e->result, error);
        if (found == 0 ? error <= most : is_least && error < most) {
            edits_copy(list, &e->list);
            found = (long)i + 1;
            most = error;
        }
    }
    free(front);
    return error < 0 ? -1 : found;
}

/* ---- what is chosen ---- */

static int examine(struct session *s, struct archive *a, const struct edits *list, struct chosen *c)
{
    c->n_before = list->n;
    if (list->n == 0)
        return fail("what is chosen is the module as it is: no point is better");
    if (search_minimise(&s->task, a, list, &c->m) != 0 || minimised_check(&c->m, c->n_before) != 0)
        return -1;
    c->validate = ml_error(s, EXAM_VALIDATE, &c->m.list);
    c->test = ml_error(s, EXAM_TEST, &c->m.list);
    return c->validate < 0 || c->test < 0 ? -1 : 0;
}

static int has_gain(const struct result *r)
{
    return r->time + 1.96 * r->spread < 1;
}

static void say_without(double error, double with)
{
    if (isfinite(error))
        printf("without it %.2f in place of %.2f %% of the search part are wrong\n", 100 * error,
               100 * with);
    else
        printf("without it the list is not valid\n");
}

static void say_edits(const struct chosen *c)
{
    for (size_t i = 0; i < c->m.list.n; i++) {
        printf("%zu. %s\n   ", i + 1, c->m.steps[i].what);
        if (has_gain(&c->m.after)) {
            kept_print(&c->m.kept[i]);
            printf("; ");
        }
        say_without(c->m.kept[i].error, c->m.after.error);
    }
}

static void ml_report_say(const struct session *s, const struct chosen *c)
{
    const struct result *r = &c->m.after;
    const size_t n = s->module->exam.part[EXAM_TEST].n;
    printf("\nchosen: point %zu\n", c->point);
    say_edits(c);
    gain_print(&c->m, r, c->n_before, has_gain(r) ? "" : ": none beyond the noise",
               "the module's time");
    printf("wrong labels of %zu test %s: %.2f %%, of the module %.2f %%\n", n,
           as_counted(n, "image", "images"), 100 * c->test, 100 * s->module->error[EXAM_TEST]);
}

/* ---- all of it ---- */

static void add_module(const struct session *s, struct table *t, struct plot *plot)
{
    const struct result r = {
        .outcome = OUTCOME_VALID, .time = 1, .error = s->module->error[EXAM_SEARCH]};
    plot_point(plot, OF_MODULE, "module as it is", 100, 100 * s->module->error[EXAM_VALIDATE]);
    add_row(t, "module", &r, s->module->error[EXAM_VALIDATE], s->module->error[EXAM_TEST],
            &edits_none);
}

static int ml_report_report(const struct report_options *o, struct session *s, struct archive *a)
{
    struct table t = {0};
    struct plot plot = {0};
    struct buf text = {0};
    struct edits list = {0};
    struct chosen c = {.point = 0};
    table_heading(&t, "point,time,gain,low,high,search,validate,test,edits,list");
    add_module(s, &t, &plot);
    const double most = s->module->error[EXAM_VALIDATE] + (double)o->bound / 100;
    const long found = ml_report_choose(s, a, most, o->choice == BY_ERROR, &t, &plot, &list);
    int rc = found > 0    ? 0
             : found == 0 ? fail("%s: no point of the front keeps to the bound", o->log)
                          : -1;
    c.point = (size_t)found;
    if (rc == 0)
        rc = examine(s, a, &list, &c);
    if (rc == 0)
        add_row(&t, "chosen", &c.m.after, c.validate, c.test, &c.m.list);
    if (found >= 0)
        front_print(&t, o->form);
    if (rc == 0 && o->plot != NULL)
        rc = plot_write(&plot, "front", "percent of the module's time", "percent of wrong labels",
                        o->plot);
    if (rc == 0 && o->module != NULL)
        rc = tensor_emit(s->module->program, &c.m.list, &text) == 0 ? out_whole(o->module, &text)
                                                                    : -1;
    if (rc == 0 && !o->form.csv && !o->form.json)
        ml_report_say(s, &c);
    rc |= flush_stdout();
    minimised_free(&c.m);
    buf_free(&text);
    edits_free(&list);
    plot_free(&plot);
    table_free(&t);
    return rc;
}

static int run(const struct report_options *o)
{
    const struct output to[] = {{"--plot", o->plot}, {"-o", o->module}};
    struct logged run;
    if (outputs_check_apart(to, 2) != 0 || outputs_check_input(to, 2, "RUN.log", o->log) != 0
        || logged_open(&run, o->log, &of_module, o->jobs, to, 2) != 0)
        return -1;
    const int rc = ml_report_report(o, &run.session, run.archive);
    logged_close(&run);
    return rc;
}

int cmd_ml_report(int argc, char **argv)
{
    struct report_options o = {.bound = 2};
    const struct opt table[] = {
        OPT_SAYS("The front of a search of kpred-evolve ml with its errors on the validation part "
                 "of the images; from it one is chosen. Its edits are minimised, and said in "
                 "words, and its errors on the test part are told, which neither the search nor "
                 "the choice has seen."),
        LOG_ROW(&o.log),
        OPT_RANGE(COUNT, "[--bound POINTS]", &o.bound, 0, 100,
                  "the most points of validation error more than the module's"),
        OPT(CHOICE, "[--choose time|error]", &o.choice,
            "time: the fastest within the bound; error: the one with the least validation error, "
            "of equal ones the fastest"),
        OPT(TEXT, "[-o FILE.mlir]", &o.module, "what is chosen, as a module"),
        JOBS_ROW(&o.jobs),
        OPT(TEXT, "[--plot FILE.svg]", &o.plot, "time against error, with the module as it is"),
        FORM_OPTIONS(
            o.form, ", columns point,time,gain,low,high,search,validate,test,edits,list: the first "
                    "line is the module, the last one what is chosen, minimised"),
        OPT_SAYS("time: by the module's. gain: how many percent it saves, low and high: the 95 % "
                 "interval. search, validate, test: the wrong labels of each part, in percent."),
        {.usage = NULL},
    };
    const int status = opts_parse(table, argc, argv);
    return status < 0 ? run(&o) != 0 : status;
}
