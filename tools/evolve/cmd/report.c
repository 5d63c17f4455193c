/* report.c - `kpred-evolve report`: what searches found, and how they went
   SPDX-License-Identifier: MIT */
#include "evolve_commands.h"

#include "front.h"

#include "base/outputs.h"
#include "base/plot.h"

#include <stdlib.h>
#include <string.h>

static const char help[] =
    "usage: kpred-evolve report RUN.log... [--plot FILE.svg] [--csv|--json]\n"
    "\n"
    "The front of each search: the lists that no other is better than in time and error.\n"
    "\n"
    "  RUN.log...       logs of search; several are compared\n"
    "  --plot FILE.svg  the best time so far, in percent of the baseline, against evaluations: a\n"
    "                   curve for each log; gnuplot draws it\n"
    "  --csv            as CSV, columns "
    "log,method,seed,evaluations,point,time,gain,low,high,error,\n"
    "                   edits,effort,list\n"
    "  --json           as JSON, an array of objects with the same names\n"
    "\n"
    "time: the mean over the cases of the candidate's time by the baseline's. gain: how many\n"
    "percent it saves, low and high: the 95 % interval.\n";

struct report_options {
    struct opt_texts logs;
    const char *plot;
    struct table_form form;
};

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

static int read_logs(const struct report_options *o, struct table *t, struct plot *plot)
{
    for (size_t i = 0; i < o->logs.n; i++) {
        struct archive *a;
        if (archive_read(&a, o->logs.v[i], edit_operators) != 0)
            return -1;
        front_rows(t, o->logs.v[i], a);
        add_curve(plot, i, o->logs.v[i], a);
        archive_close(a);
    }
    return 0;
}

static int run(const struct report_options *o)
{
    const struct output to = {"--plot", o->plot};
    struct table t = {0};
    struct plot plot;
    memset(&plot, 0, sizeof plot);
    if (outputs_check_inputs(&to, 1, "RUN.log", &o->logs) != 0
        || (o->plot != NULL && plot_check() != 0))
        return -1;
    front_heading(&t);
    int rc = read_logs(o, &t, &plot);
    if (rc == 0 && o->plot != NULL)
        rc = plot_write(&plot, "best time so far", "evaluations", "percent of the baseline's time",
                        o->plot);
    if (rc == 0)
        rc = front_print(&t, o->form);
    else
        table_free(&t);
    plot_free(&plot);
    return rc;
}

int cmd_report(int argc, char **argv)
{
    struct report_options o;
    const struct opt table[] = {
        {.name = "RUN.log", .kind = OPT_TEXTS, .to = &o.logs, .is_required = 1},
        {.name = "--plot", .kind = OPT_TEXT, .to = &o.plot},
        {.name = "--csv", .kind = OPT_FLAG, .to = &o.form.csv},
        {.name = "--json", .kind = OPT_FLAG, .to = &o.form.json},
        {.name = NULL},
    };
    memset(&o, 0, sizeof o);
    int status = opts_parse(table, help, argc, argv);
    if (status < 0)
        status = table_form_check(&o.form) != 0 ? 2 : run(&o) != 0;
    free(o.logs.v);
    return status;
}
