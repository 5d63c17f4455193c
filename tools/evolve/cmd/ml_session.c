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

static int open_trial(const struct session *s, enum exam_part part, double most_error)
{
    struct module *m = s->module;
    struct trial_plan plan = s->plan;
    plan.oracle = (struct oracle){ORACLE_HARNESS, most_error, 0};
    if (host_own(&m->host[part], exam_harness(part), s->options.program) != 0)
        return -1;
    return trial_open(&m->trial[part], m->host[part], &s->code, &plan);
}

static int measure_errors(const struct session *s)
{
    struct module *m = s->module;
    for (int part = 0; part < EXAM_PARTS; part++) {
        m->error[part] = exam_error(&m->exam, s->code.baseline, (enum exam_part)part);
        if (m->error[part] < 0)
            return -1;
    }
    return 0;
}

/* Does the module get more right than it would by chance? Three standard deviations count. */
static int check_better_than_chance(const struct session *s)
{
    const struct module *m = s->module;
    const double n = (double)m->exam.part[EXAM_SEARCH].n;
    const double chance = exam_chance(&m->exam, EXAM_SEARCH), right = 1 - m->error[EXAM_SEARCH];
    if (right > chance + 3 * sqrt(chance * (1 - chance) / n))
        return 0;
    return fail("%s: gets %.1f %% of %.0f images right, which is no more than chance: %.1f %% "
                "have the most frequent label",
                s->options.program, 100 * right, n, 100 * chance);
}

static int compile_module(struct session *s)
{
    enum outcome why;
    s->code.self = s->module->program;
    s->code.compile = tensor_compile;
    s->code.forget = tensor_forget;
    s->code.baseline = s->code.reference = tensor_compile(s->code.self, &edits_none, &why);
    if (s->code.baseline == NULL)
        return fail("%s: MLIR makes no code of it", s->options.program);
    return 0;
}

static int open_all(struct session *s, const struct images *all)
{
    struct module *m = s->module;
    const struct session_options *o = &s->options;
    const struct exam_plan plan = {o->program, o->cases, (int)o->split - 1, o->steps,
                                   (uint64_t)o->seed};
    if (engine_open(&m->engine) != 0
        || tensor_open(&m->program, m->engine, o->program, o->function) != 0
        || exam_open(&m->exam, m->program, all, &plan) != 0 || compile_module(s) != 0
        || measure_errors(s) != 0 || check_better_than_chance(s) != 0)
        return -1;
    return open_trial(s, EXAM_SEARCH, m->error[EXAM_SEARCH] + (double)o->worse / 100);
}

static int open_module(struct session *s)
{
    struct images all;
    s->module = xcalloc(1, sizeof *s->module);
    if (images_read(&all, s->options.cases) != 0)
        return -1;
    const int rc = open_all(s, &all);
    images_free(&all);
    s->task.program = s->module->program;
    s->task.propose = tensor_propose;
    s->task.applies = tensor_applies;
    s->task.steps = tensor_steps;
    s->task.trial = s->module->trial[EXAM_SEARCH];
    s->task.evaluate = repeat_evaluate;
    s->task.compare = repeat_compare;
    return rc;
}

static void close_module(struct session *s)
{
    struct module *m = s->module;
    for (int part = 0; part < EXAM_PARTS; part++) {
        trial_close(m->trial[part]);
        host_close(m->host[part]);
    }
    exam_close(&m->exam);
    tensor_close(m->program);
    engine_close(m->engine);
    free(m);
}

/* ---- other parts ---- */

double ml_error(const struct session *s, enum exam_part part, const struct edits *list)
{
    struct result r = {.outcome = OUTCOME_UNCOMPILED};
    struct trial **trial = &s->module->trial[part];
    if (*trial == NULL && open_trial(s, part, 1) != 0)
        return -1;
    trial_evaluate(*trial, list, 1, EFFORT_SEARCH, result_keep, &r);
    return r.outcome == OUTCOME_VALID ? r.error : HUGE_VAL;
}

/* ---- the log ---- */

static void tell_module(struct story *story, const struct session *s)
{
    const struct session_options *o = &s->options;
    char hex[65];
    story_put(story, "network", o->program);
    story_put(story, "function", tensor_function(s->module->program));
    story_put(story, "data", o->cases);
    story_put_number(story, "split", (double)o->split);
    story_put_number(story, "worse", (double)o->worse);
    story_put_number(story, "steps", (double)o->steps);
    tensor_hash(s->module->program, hex);
    story_put(story, "module", hex);
    story_put_hash_of_file(story, "data_sha256", o->cases);
}

static int recall_module(const struct archive *log, const char *path, struct session_options *o)
{
    const struct story_text texts[] = {
        {"network", &o->program}, {"function", &o->function}, {"data", &o->cases}, {NULL, NULL}};
    return story_texts(log, path, texts) != 0 || story_number(log, path, "split", &o->split) != 0
                   || story_number(log, path, "worse", &o->worse) != 0
               ? -1
               : story_number(log, path, "steps", &o->steps);
}

const struct session_way of_module = {"ml-export",        "network",        "data",
                                      "the log's module", "the log's data", open_module,
                                      close_module,       tell_module,      recall_module};

/* ---- kpred-evolve ml ---- */

int cmd_ml(int argc, char **argv)
{
    struct searching o;
    struct session_options *m = &o.session;
    const struct opt table[] = {
        OPT_SAYS("Looks for edits of a network's tensor operations that save time, and sees how "
                 "many labels become wrong by them (needs MLIR)."),
        OPT(TEXT, "MODULE.mlir", &m->program,
            "an MLIR module with linalg on tensors, or TOSA: from a batch of images to a number "
            "for each label, the largest for the likeliest; or a step of training, as network "
            "--step writes it"),
        OPT(TEXT, "--data IMAGES.csv", &m->cases,
            "labelled images as CSV; the first column is label, from 0 on"),
        OPT(TEXT, "[--function NAME]", &m->function,
            "the function (default: the only one of the module)"),
        SPLIT_ROW(&m->split),
        OPT_RANGE(COUNT, "[--worse POINTS]", &m->worse, 0, 100,
                  "the most points of error more than the module's, in percent of the images that "
                  "the search sees"),
        OPT_RANGE(COUNT, "[--steps N]", &m->steps, 1, 100000,
                  "of training, before the network that is trained is asked for labels"),
        SEARCH_ROWS(o),
        SESSION_ROWS(o.session, ""),
        {.usage = NULL},
    };
    searching_begin(&o);
    m->split = 1;
    m->worse = 10;
    m->steps = 100;
    const int status = opts_parse(table, argc, argv);
    if (status >= 0)
        return status;
    const struct output to = {"-o", o.log};
    if (search_plan_of(&o, 1) != 0)
        return 2;
    return outputs_check_input(&to, 1, "MODULE.mlir", m->program) != 0
           || outputs_check_input(&to, 1, "--data", m->cases) != 0
           || search_session(&o, &of_module) != 0;
}
