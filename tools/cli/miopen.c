/* miopen.c - `kpred miopen`: a log to a user perf-db, of text or in SQLite
   SPDX-License-Identifier: MIT */
#include "commands.h"

#include "miopen/user_db.h"
#include "model/gpus.h"

#include <stdlib.h>
#include <string.h>

struct options {
    const char *gpu, *system, *output, *sqlite;
    struct opt_texts logs;
    long beam;
    int nearest, lenient, force; /* lenient: for scripts that give it */
};

/* ---- logs ---- */

struct logs {
    struct coverage *to;
    const char *gpu;
    struct gpu_told told;
};

/* Nobody knows what call the rest of a line would have held. */
static int scan_line(struct logs *s, struct log_line *l)
{
    struct driver_call call;
    enum driver_kind kind;
    struct coverage *c = s->to;
    char *at = l->text;
    gpu_told_line(&s->told, s->gpu, at, (struct place){l->path, l->number});
    if (l->is_cut) {
        driver_cut(&call, LOG_LINE_MOST);
        return coverage_add(c, l->path, l->number, DRIVER_BROKEN, &call);
    }
    while ((kind = driver_next(&at, &call)) != DRIVER_NONE)
        if (coverage_add(c, l->path, l->number, kind, &call) != 0)
            return -1;
    return 0;
}

static int scan_log(struct logs *s, const char *path)
{
    struct log_line l;
    int rc;
    if (log_line_open(&l, path) != 0)
        return -1;
    while ((rc = log_line_read(&l)) > 0 && (rc = scan_line(s, &l)) == 0)
        ;
    return log_line_end(&l, rc, &s->to->lines);
}

/* A line that no model covers is one to predict for; a broken one is not. */
static int check_calls(const struct options *o, const struct coverage *c)
{
    const struct gap_count *first = c->gaps;
    if (c->calls == 0)
        return fail("%s: no line calls MIOpenDriver, as MIOpen logs it with "
                    "MIOPEN_ENABLE_LOGGING_CMD=1: there is nothing to predict for",
                    log_line_called(o->logs.v, o->logs.n));
    if (c->calls == c->broken)
        return fail("%s:%zu: %s: no driver line can be read: there is nothing to predict for",
                    first->log, first->line, first->broken);
    return 0;
}

static int scan_logs(const struct options *o, struct coverage *c)
{
    struct logs s = {.to = c, .gpu = o->gpu};
    if (o->logs.n == 0 && scan_log(&s, "-") != 0)
        return -1;
    for (size_t i = 0; i < o->logs.n; i++) {
        const size_t before = c->calls;
        if (scan_log(&s, o->logs.v[i]) != 0)
            return -1;
        if (c->calls == before && o->logs.n > 1)
            note("%s: no line calls MIOpenDriver", log_line_called(&o->logs.v[i], 1));
    }
    return check_calls(o, c) == 0 ? gpu_told_check(&s.told, o->gpu, o->force) : -1;
}

/* What MIOpen's own database has is the result of tuning: no prediction is to hide it. */
static int leave_out(const struct options *o, struct coverage *c)
{
    struct user_db known;
    size_t n = 0;
    if (user_db_read(&known, o->system, 1) != 0)
        return -1;
    for (size_t i = 0; i < known.n; i++)
        if (known.lines[i].entries != NULL)
            n += coverage_leave_out(c, known.lines[i].key, known.lines[i].entries);
    note("%s: has %zu of the entries, which %s left out", o->system, n, as_counted(n, "is", "are"));
    user_db_free(&known);
    return 0;
}

/* ---- output ---- */

static void add_lines(const struct coverage *c, struct user_db *u)
{
    for (size_t i = 0; i < c->n; i++)
        if (c->problems[i].entries != NULL)
            user_db_add(u, c->problems[i].key, c->problems[i].entries);
}

/* `old` is what the output holds: a file of text as it was before, a database as it is now. */
static int write_out(const struct options *o, struct user_db *u, struct user_db_counts *counts,
                     struct user_db *old)
{
    if (o->sqlite != NULL)
        return user_db_write_sqlite(u, o->sqlite, o->force, counts, old);
    if (o->output != NULL)
        return user_db_merge(u, o->output, o->force, counts);
    user_db_write(u, 0, stdout, counts);
    return flush_stdout();
}

static int run_logs(const struct options *o, struct coverage *c)
{
    const char *path = o->sqlite != NULL ? o->sqlite : o->output;
    struct user_db u = {0}, old = {0};
    struct user_db_counts counts;
    /* Is it a perf-db? That shows before the logs are read, and what is broken in it. */
    int rc = o->output != NULL ? user_db_read(&old, o->output, 0) : 0;
    if (rc == 0)
        rc = scan_logs(o, c);
    if (rc == 0)
        coverage_note(c);
    if (rc == 0 && o->system != NULL)
        rc = leave_out(o, c);
    if (rc == 0) {
        add_lines(c, &u);
        rc = write_out(o, &u, &counts, &old);
    }
    if (rc == 0)
        kept_note(c, &old, o->force && o->sqlite == NULL);
    if (rc == 0 && (o->sqlite != NULL || counts.before != 0))
        note("%s: %zu %s added, %zu replaced, %zu kept", path, counts.added,
             as_counted(counts.added, "entry", "entries"), counts.replaced, counts.kept);
    user_db_free(&u);
    user_db_free(&old);
    return rc;
}

static int miopen_run(const struct options *o)
{
    struct coverage c;
    if (o->output != NULL && o->sqlite != NULL) {
        fail("miopen: -o and --sqlite: one output is enough");
        return 2;
    }
    int bad = coverage_open(&c, o->gpu, o->nearest, (size_t)o->beam);
    if (!bad)
        bad = run_logs(o, &c);
    coverage_close(&c);
    return bad ? 1 : 0;
}

int cmd_miopen(int argc, char **argv)
{
    struct options o = {.beam = 1};
    const struct opt table[] = {
        OPT_SAYS("Turns the MIOpen driver lines of logs into a user perf-db of predicted "
                 "parameters: the best tuple of every built-in model that runs the problem."),
        OPT(TEXT, "--gpu GPU", &o.gpu,
            "the GPU that the perf-db is for; which one a product has is told on standard error"),
        NEAREST_OPTION(&o.nearest),
        OPT_RANGE(COUNT, "[--beam B]", &o.beam, 1, KPRED_MAX_BEAM,
                  "beam width; 4 finds a better first tuple a little more often"),
        OPT(FLAG, "[--lenient]", &o.lenient,
            "changes nothing: broken driver lines are left out and counted anyhow"),
        OPT(TEXT, "[--system FILE.txt]", &o.system,
            "leave out what this perf-db (of text) has: MIOpen's own, which the user's would take "
            "precedence over"),
        OPT(TEXT, "[-o FILE", &o.output,
            "merge into FILE, written whole or not at all, which keeps what it has; default: "
            "standard output"),
        OPT(TEXT, "|--sqlite FILE", &o.sqlite,
            "merge into a SQLite perf-db in place of one of text, or make one, where kpred was "
            "built with SQLite"),
        OPT(FLAG, "[--force]]", &o.force,
            "replace what FILE says for the same problem and solver; go on where a log names "
            "another GPU"),
        OPT(TEXTS, "[LOG...]", &o.logs,
            "logs, or scripts with calls of MIOpenDriver; none, or -: standard input"),
        OPT_SAYS("MIOpen logs its calls with MIOPEN_ENABLE_LOGGING_CMD=1. What was covered, and "
                 "why the rest was not, is counted on standard error, and so are entries that "
                 "stay; those of them that the kernel's rule calls illegal are told.\nExample:\n  "
                 "kpred miopen --gpu gfx906_60 -o gfx906_60.HIP.3_2_0_1a2b3c4d.udb.txt train.log"),
        {.usage = NULL},
    };
    const int status = opts_parse(table, argc, argv);
    return opts_free(table, status < 0 ? miopen_run(&o) : status);
}
