/* ml_session.c - a module with labelled images ready to be searched, and `kpred-evolve ml`: edits
   that make a network faster, or more right
   SPDX-License-Identifier: MIT

   ml_session.h declares what others use. */
#include "ml_session.h"
#include "evolve_commands.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- opening ---- */

static int open_trial(struct ml_session *s, enum exam_part part, double most_error)
{
    struct trial_plan plan = s->plan;
    plan.oracle.most = most_error;
    if (host_own(&s->host[part], exam_harness(part), s->options.module) != 0)
        return -1;
    return trial_open(&s->trial[part], s->host[part], &s->code, &plan);
}

static int measure_errors(struct ml_session *s)
{
    for (int part = 0; part < EXAM_PARTS; part++) {
        s->error[part] = exam_error(&s->exam, s->code.baseline, (enum exam_part)part);
        if (s->error[part] < 0)
            return -1;
    }
    return 0;
}

/* Does the module get more right than it would by chance? Three standard deviations count. */
static int check_better_than_chance(const struct ml_session *s)
{
    const double n = (double)s->exam.part[EXAM_SEARCH].n;
    const double chance = exam_chance(&s->exam, EXAM_SEARCH), right = 1 - s->error[EXAM_SEARCH];
    if (right > chance + 3 * sqrt(chance * (1 - chance) / n))
        return 0;
    return fail("%s: gets %.1f %% of %.0f images right, which is no more than chance: %.1f %% "
                "have the most frequent label",
                s->options.module, 100 * right, n, 100 * chance);
}

static int compile_module(struct ml_session *s)
{
    static const struct edits none;
    enum outcome why;
    s->code.self = s->program;
    s->code.compile = tensor_compile;
    s->code.forget = tensor_forget;
    s->code.baseline = s->code.reference = tensor_compile(s->program, &none, &why);
    if (s->code.baseline == NULL)
        return fail("%s: MLIR makes no code of it", s->options.module);
    return 0;
}

static int open_all(struct ml_session *s, const struct images *all)
{
    const struct ml_options *o = &s->options;
    const struct exam_plan plan = {o->module, o->data, (int)o->split - 1, o->steps,
                                   (uint64_t)o->seed};
    if (engine_open(&s->engine) != 0
        || tensor_open(&s->program, s->engine, o->module, o->function) != 0
        || exam_open(&s->exam, s->program, all, &plan) != 0 || compile_module(s) != 0
        || measure_errors(s) != 0 || check_better_than_chance(s) != 0)
        return -1;
    return open_trial(s, EXAM_SEARCH, s->error[EXAM_SEARCH] + (double)o->worse / 100);
}

static void ml_session_close(struct ml_session *s)
{
    for (int part = 0; part < EXAM_PARTS; part++) {
        trial_close(s->trial[part]);
        host_close(s->host[part]);
    }
    exam_close(&s->exam);
    tensor_close(s->program);
    engine_close(s->engine);
    memset(s, 0, sizeof *s);
}

/* Reads module and images, compiles the module and tries it: 0, or -1 after a message */
static int ml_session_open(struct ml_session *s, const struct ml_options *options)
{
    struct images all;
    memset(s, 0, sizeof *s);
    s->options = *options;
    s->plan = session_plan(options->jobs, options->timeout_ms, options->memory_mb, options->seed);
    s->plan.oracle.kind = ORACLE_HARNESS;
    if (images_read(&all, options->data) != 0)
        return -1;
    const int rc = open_all(s, &all);
    images_free(&all);
    s->task = (struct task){edit_operators,
                            s->program,
                            tensor_propose,
                            tensor_applies,
                            tensor_simpler,
                            s->trial[EXAM_SEARCH],
                            repeat_evaluate,
                            repeat_compare,
                            0,
                            NULL};
    if (rc != 0)
        ml_session_close(s);
    return rc;
}

/* ---- other parts ---- */

double ml_error(struct ml_session *s, enum exam_part part, const struct edits *list)
{
    struct result r = {.outcome = OUTCOME_UNCOMPILED};
    if (s->trial[part] == NULL && open_trial(s, part, 1) != 0)
        return -1;
    trial_evaluate(s->trial[part], list, 1, EFFORT_SEARCH, result_keep, &r);
    return r.outcome == OUTCOME_VALID ? r.error : HUGE_VAL;
}

/* ---- the log ---- */

/* What has to be the same when a search goes on */
static void ml_story(struct story *story, const struct ml_session *s,
                     const struct search_plan *plan)
{
    const struct ml_options *o = &s->options;
    char hex[65];
    memset(story, 0, sizeof *story);
    story_put(story, "network", o->module);
    story_put(story, "function", tensor_function(s->program));
    story_put(story, "data", o->data);
    story_put_number(story, "split", (double)o->split);
    story_put_number(story, "worse", (double)o->worse);
    story_put_number(story, "steps", (double)o->steps);
    tensor_hash(s->program, hex);
    story_put(story, "module", hex);
    story_put_hash_of_file(story, "data_sha256", o->data);
    story_put_number(story, "timeout_ms", (double)o->timeout_ms);
    story_put_number(story, "memory_mb", (double)o->memory_mb);
    story_put_plan(story, plan);
}

/* The options that a log tells; texts are the log's. -1 after a message */
static int options_of(const struct archive *log, const char *path, struct ml_options *o)
{
    const struct story_text texts[] = {
        {"network", &o->module}, {"function", &o->function}, {"data", &o->data}, {NULL, NULL}};
    memset(o, 0, sizeof *o);
    return story_texts(log, path, texts) != 0 || story_number(log, path, "split", &o->split) != 0
                   || story_number(log, path, "worse", &o->worse) != 0
                   || story_number(log, path, "steps", &o->steps) != 0
                   || story_number(log, path, "timeout_ms", &o->timeout_ms) != 0
                   || story_number(log, path, "memory_mb", &o->memory_mb) != 0
               ? -1
               : story_number(log, path, "seed", &o->seed);
}

int ml_logged_open(struct ml_logged *run, const char *path, long jobs, const struct output *to,
                   size_t n_to)
{
    struct ml_options o;
    struct story story;
    memset(run, 0, sizeof *run);
    if (archive_read(&run->log, path, edit_operators) != 0)
        return -1;
    int rc = options_of(run->log, path, &o);
    o.jobs = jobs;
    if (rc == 0)
        rc = story_find(path, "network", &o.module, &run->found[0]);
    if (rc == 0)
        rc = story_find(path, "data", &o.data, &run->found[1]);
    if (rc == 0)
        rc = outputs_check_input(to, n_to, "the log's module", o.module);
    if (rc == 0)
        rc = outputs_check_input(to, n_to, "the log's data", o.data);
    if (rc == 0)
        rc = ml_session_open(&run->session, &o);
    if (rc == 0) {
        ml_story(&story, &run->session, &search_defaults);
        rc = story_go_on(&story, run->log, path, &run->archive);
    }
    if (rc != 0)
        ml_logged_close(run);
    return rc;
}

void ml_logged_close(struct ml_logged *run)
{
    archive_close(run->archive);
    ml_session_close(&run->session);
    archive_close(run->log);
    free(run->found[0]);
    free(run->found[1]);
    memset(run, 0, sizeof *run);
}

/* ---- kpred-evolve ml ---- */

static const char head[] =
    "usage: kpred-evolve ml MODULE.mlir --data IMAGES.csv -o RUN.log [--resume]\n"
    "                       [--function NAME] [--split N] [--worse POINTS] [--steps N]\n"
    "                       [--method nsga2|climb|random] [--evaluations N] [--time S]\n"
    "                       [--population N] [--elite N] [--first-edits N]\n"
    "                       [--crossover PERCENT] [--mutation PERCENT] [--jobs N]\n"
    "                       [--timeout TIME] [--memory MB] [--seed N]\n"
    "\n"
    "Looks for edits of a network's tensor operations that save time, and sees how many labels\n"
    "become wrong by them. Each evaluation is a line of the log.\n"
    "\n"
    "  MODULE.mlir        an MLIR module with linalg on tensors, or TOSA: from a batch of images\n"
    "                     to a number for each label, the largest for the likeliest; or a step of\n"
    "                     training, as network --step writes it\n"
    "  --data FILE        labelled images as CSV; the first column is label, from 0 on\n"
    "  --function NAME    the function (default: the only one of the module)\n"
    "  --split N          which fifth of the images is for tests alone: 1 to 5 (default 1)\n"
    "  --worse POINTS     the most points of error more than the module's, in percent of the\n"
    "                     images that the search sees (default 10)\n"
    "  --steps N          of training, before the network that is trained is asked for labels\n"
    "                     (default 100)\n"
    "  --jobs N           candidates at a time (default: one for each processor)\n"
    "  --timeout TIME     the most time that one candidate runs, in seconds or as 200ms, 5s or 2m\n"
    "                     (default 10s)\n"
    "  --memory MB        the most memory of one candidate (default 1024)\n"
    "  --seed N           of all that is drawn (default 1)\n";

struct ml_search {
    struct ml_options ml;
    struct search_options search;
};

static int search_module(const struct ml_search *o)
{
    struct ml_session s;
    struct story story;
    const struct output to = {"-o", o->search.log};
    if (outputs_check_input(&to, 1, "MODULE.mlir", o->ml.module) != 0
        || outputs_check_input(&to, 1, "--data", o->ml.data) != 0
        || search_check_log(&o->search) != 0 || ml_session_open(&s, &o->ml) != 0)
        return -1;
    ml_story(&story, &s, &o->search.plan);
    const int rc = search_of(&o->search, &story, &s.task);
    ml_session_close(&s);
    return rc;
}

int cmd_ml(int argc, char **argv)
{
    struct ml_search o = {.ml = {.split = 1, .worse = 10, .steps = 100, .seed = 1}};
    struct ml_options *m = &o.ml;
    const struct opt own[] = {
        {.name = "MODULE.mlir", .kind = OPT_TEXT, .to = &m->module, .is_required = 1},
        {.name = "--data", .kind = OPT_TEXT, .to = &m->data, .is_required = 1},
        {.name = "--function", .kind = OPT_TEXT, .to = &m->function},
        {.name = "--split", .kind = OPT_COUNT, .to = &m->split, .least = 1, .most = IMAGES_SPLITS},
        {.name = "--worse", .kind = OPT_COUNT, .to = &m->worse, .least = 0, .most = 100},
        {.name = "--steps", .kind = OPT_COUNT, .to = &m->steps, .least = 1, .most = 100000},
        {.name = "--jobs", .kind = OPT_COUNT, .to = &m->jobs, .least = 1, .most = 256},
        {.name = "--timeout",
         .kind = OPT_MILLISECONDS,
         .to = &m->timeout_ms,
         .least = 1,
         .most = 600000},
        {.name = "--memory", .kind = OPT_COUNT, .to = &m->memory_mb, .least = 1, .most = 1 << 20},
        {.name = "--seed", .kind = OPT_COUNT, .to = &m->seed, .least = 0, .most = INT32_MAX},
    };
    enum { OWN = sizeof own / sizeof *own };
    struct opt table[OWN + SEARCH_OPTIONS + 1];
    struct buf help = {0};
    memset(table, 0, sizeof table);
    memcpy(table, own, sizeof own);
    search_options(table + OWN, &o.search);
    m->timeout_ms = SESSION_TIMEOUT_MS;
    m->memory_mb = 1024;
    buf_puts(&help, head);
    buf_puts(&help, search_options_help);
    const int status = opts_parse(table, help.s, argc, argv);
    buf_free(&help);
    if (status >= 0)
        return status;
    if (search_options_plan(&o.search, m->seed, 1) != 0)
        return 2;
    return search_module(&o) != 0;
}
