/* tune.c - see tune.h
   SPDX-License-Identifier: MIT */
#include "tune.h"

#include "loop.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_STEPS = 1 << 20 };

struct tune { /* of a kernel */
    const struct tune_options *o;
    int is_library; /* it is one of several */
    const char *path, *problems_path, *output;
    struct loop loop;
};

/* ---- options ---- */

/* "I/N": part I of N, counted from 1. Of one problem after the other, part 1 gets the first. */
static int read_shard(const char *text, struct loop *l)
{
    char first[24] = "";
    int64_t i = 0, n = 0;
    l->shard = 0;
    l->n_shards = 1;
    if (text == NULL)
        return 0;
    const size_t slash = strcspn(text, "/");
    if (slash < sizeof first && text[slash] == '/') {
        memcpy(first, text, slash);
        if (parse_int(first, 1, 1000000, &i) == 0
            && parse_int(text + slash + 1, i, 1000000, &n) == 0) {
            l->shard = (size_t)i - 1;
            l->n_shards = (size_t)n;
            return 0;
        }
    }
    return fail("--shard: value \"%s\": is not an I/N with I from 1 to N", text);
}

static int read_options(struct tune *t)
{
    const struct tune_options *o = t->o;
    struct loop *l = &t->loop;
    const char *command = l->runner.command;
    if (command[strspn(command, " \t\r\n")] == '\0')
        return fail("%s: the command is empty", l->runner.is_server ? "--server" : "--run");
    l->runner.timeout = 60;
    l->repeat = (size_t)o->repeat;
    l->seed = (uint64_t)o->seed;
    if (budget_read(o->budget, &l->budget) != 0 || stop_at_read(o->stop_at, &l->stop_at) != 0
        || read_shard(o->shard, l) != 0)
        return -1;
    return o->timeout != NULL ? duration_read("--timeout", o->timeout, &l->runner.timeout) : 0;
}

/* ---- the kernel ---- */

/* Rows of failures are failures in a spec of times alone. */
static int open_kernel(struct tune *t)
{
    struct loop *l = &t->loop;
    if (spec_load(&l->spec, t->path) != 0 || default_features_give(&l->spec, NULL) != 0)
        return -1;
    if (l->spec.format != SPEC_TIMED)
        return fail("%s: format = %s: tune writes times: it needs `format = timed` in [data]",
                    l->spec.path, spec_formats[l->spec.format]);
    if (model_from_spec(&l->model, &l->spec, "none") != 0)
        return -1;
    (void)clauses_note_slips(&l->model.clauses, &l->spec);
    return 0;
}

/* A rule `listed` allows what the data have. */
static int list_tuples(struct tune *t)
{
    struct loop *l = &t->loop;
    const struct dataset *d = &l->known.data;
    if (!spec_is_listed(&l->spec))
        return 0;
    if (t->is_library)
        return fail("%s: rule = listed: --all needs a rule that says which tuples are legal",
                    l->spec.path);
    if (!l->known.has_data)
        return fail("%s: rule = listed: --data has to say which tuples are legal", l->spec.path);
    return model_list(&l->model, d->problem, d->target, d->n);
}

static int no_tuple(const struct tune *t, const int32_t *problem, long line)
{
    const struct loop *l = &t->loop;
    size_t steps = MOST_STEPS;
    struct buf text = {0};
    const struct clause *c = any_tuple_culprit(&l->model.clauses, &l->spec, problem, &steps);
    fail("%s:%ld: no tuple is legal for the problem %s%s%s", t->problems_path, line,
         assign_problem_text(&l->spec, problem, &text), c != NULL ? ": always false is " : "",
         c != NULL ? c->text : "");
    buf_free(&text);
    return -1;
}

/* Before anything is measured */
static int check_problems(const struct tune *t)
{
    const struct problems *p = &t->loop.problems;
    for (size_t i = 0; i < p->n; i++)
        if (tuples_any(&t->loop.model.m, p->v + i * p->n_fields) == 0)
            return no_tuple(t, p->v + i * p->n_fields, p->line[i]);
    return 0;
}

/* ---- the command ---- */

static int open_all(struct tune *t)
{
    const struct tune_options *o = t->o;
    struct loop *l = &t->loop;
    if (open_kernel(t) != 0 || known_open(&l->known, &l->spec, o->model, &o->data, o->readers) != 0
        || list_tuples(t) != 0
        || problems_read(t->problems_path, &l->spec, t->is_library, &l->problems) != 0
        || check_problems(t) != 0 || talk_ready() != 0
        || results_open(&l->results, t->output, &l->spec, l->runner.command, o->force) != 0)
        return -1;
    const size_t n = l->problems.n;
    if (l->shard >= n)
        note("--shard %s: there %s %zu %s: this part has none", o->shard,
             as_counted(n, "is", "are"), n, as_counted(n, "problem", "problems"));
    return 0;
}

static void close_all(struct loop *l, int failed)
{
    results_close(l->results, failed);
    problems_free(&l->problems);
    known_close(&l->known);
    model_free(&l->model);
    spec_free(&l->spec);
}

/* Has all that was measured failed? If nothing was, what earlier runs measured counts. */
static int check_failures(const struct progress *p, const char *paths)
{
    const int is_new = p->measured != 0;
    const size_t n = is_new ? p->measured : p->resumed,
                 failed = is_new ? p->failed : p->resumed_failed;
    return n == 0 || failed < n ? 0
                                : fail("%s: all failed: %zu %s", paths, n,
                                       as_counted(n, "measurement", "measurements"));
}

/* `rc` is that of the loop: there was a message, unless a signal ended it. 0, or -1. */
static int sum_up(struct progress *p, const char *paths, int rc)
{
    const int is_told = rc != 0 && !talk_must_stop();
    if ((rc == 0 || p->measured > 0) && progress_sum(p, paths, is_told) != 0)
        rc = -1;
    table_free(&p->ends);
    return rc == 0 ? check_failures(p, paths) : rc;
}

/* A signal that ends this ends the program by itself, which may have begun to measure. */
static void end_by_signal(const struct tune_options *o, int has_begun)
{
    if (talk_must_stop() && has_begun)
        note_command("interrupted: this goes on", o->line);
    talk_die_of_signal();
}

/* ---- a kernel, or a whole library ---- */

/* One for each spec, or one for all if `may_be_one` */
static int check_count(const char *option, const struct opt_texts *given, size_t n, int may_be_one)
{
    if (given->n == n || (may_be_one && given->n == 1))
        return 0;
    return fail("%s: %zu of them for %zu spec%s: give one for each%s", option, given->n, n,
                as_counted(n, "", "s"), may_be_one ? ", or one for all" : "");
}

static int check_lists(const struct tune_lists *l)
{
    const size_t n = l->specs.n;
    return check_count("--problems", &l->problems, n, 0) || check_count("-o", &l->outputs, n, 0)
           || check_count(l->is_server ? "--server" : "--run", &l->commands, n, 1);
}

/* No output is another one, or read for any spec. */
static int check_paths(const struct tune_options *o, const struct tune_lists *l)
{
    const size_t n = l->outputs.n;
    struct output *to = xcalloc(n + 1, sizeof *to);
    for (size_t i = 0; i < n; i++)
        to[i] = (struct output){"-o", l->outputs.v[i]};
    const int is_bad = outputs_check_apart(to, n) != 0
                       || outputs_check_inputs(to, n, "SPEC", &l->specs) != 0
                       || outputs_check_inputs(to, n, "--problems", &l->problems) != 0
                       || outputs_check_input(to, n, "--model", o->model) != 0
                       || outputs_check_inputs(to, n, "--data", &o->data) != 0;
    free(to);
    return is_bad ? -1 : 0;
}

static int tune(struct tune *t, size_t n)
{
    struct loop **loops = xcalloc(n, sizeof *loops);
    struct buf paths = {0};
    int rc = 0;
    for (size_t i = 0; i < n && rc == 0; i++) {
        loops[i] = &t[i].loop;
        buf_printf(&paths, "%s%s", i > 0 ? ", " : "", t[i].output);
        rc = open_all(&t[i]);
    }
    if (rc == 0)
        rc = sum_up(t->loop.progress, paths.s, loop_run(loops, n, t->is_library));
    if (t->loop.known.n_strange > 0)
        note("%s: does not know a token of %zu problem%s: these were tuned without it", t->o->model,
             t->loop.known.n_strange, as_counted(t->loop.known.n_strange, "", "s"));
    buf_free(&paths);
    free(loops);
    return rc;
}

static int run_lists(const struct tune_options *o, const struct tune_lists *l, int is_library)
{
    const size_t n = l->specs.n;
    struct progress progress;
    struct tune *t = xcalloc(n, sizeof *t);
    int rc = 0, is_wrong = 0;
    for (size_t i = 0; i < n && !is_wrong; i++) {
        t[i] = (struct tune){.o = o, .is_library = is_library};
        t[i].path = l->specs.v[i];
        t[i].problems_path = l->problems.v[i];
        t[i].output = l->outputs.v[i];
        t[i].loop.progress = &progress;
        t[i].loop.runner.command = l->commands.v[l->commands.n == 1 ? 0 : i];
        t[i].loop.runner.is_server = l->is_server;
        is_wrong = read_options(&t[i]) != 0;
    }
    if (!is_wrong)
        rc = check_paths(o, l) != 0 ? -1 : tune(t, n);
    const int has_begun = n > 0 && t->loop.results != NULL;
    for (size_t i = 0; i < n; i++)
        close_all(&t[i].loop, rc != 0);
    end_by_signal(o, has_begun);
    free(t);
    return is_wrong ? 2 : rc != 0;
}

int tune_all_run(const struct tune_options *o, const struct tune_lists *l)
{
    return check_lists(l) != 0 ? 2 : run_lists(o, l, 1);
}

int tune_run(const struct tune_options *o)
{
    const char *command = o->run != NULL ? o->run : o->server, *spec = o->spec,
               *problems = o->problems, *output = o->output;
    const struct tune_lists one = {
        {1, &spec}, {1, &problems}, {1, &command}, {1, &output}, o->server != NULL};
    if ((o->run != NULL) == (o->server != NULL))
        return (fail("give one of --run and --server"), 2);
    return run_lists(o, &one, 0);
}
