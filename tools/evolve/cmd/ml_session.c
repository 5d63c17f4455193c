/* ml_session.c - a module with labelled images, ready to be searched
   SPDX-License-Identifier: MIT

   ml_session.h declares it. */
#include "ml_session.h"

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

int ml_session_open(struct ml_session *s, const struct ml_options *options)
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
    s->task = (struct task){edit_operators,  s->program,     tensor_propose,
                            tensor_applies,  tensor_simpler, s->trial[EXAM_SEARCH],
                            repeat_evaluate, repeat_compare};
    if (rc != 0)
        ml_session_close(s);
    return rc;
}

void ml_session_close(struct ml_session *s)
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

void ml_story(struct story *story, const struct ml_session *s, const struct search_plan *plan)
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

static int open_to_add(const char *path, struct ml_logged *run)
{
    struct story story;
    ml_story(&story, &run->session, &search_defaults);
    int rc = story_retell(&story, run->log, path);
    if (rc == 0)
        rc = archive_open(&run->archive, path, 1, story.line, edit_operators);
    story_free(&story);
    return rc;
}

int ml_logged_open(struct ml_logged *run, const char *path, long jobs, const struct output *to,
                   size_t n_to)
{
    struct ml_options o;
    memset(run, 0, sizeof *run);
    if (archive_read(&run->log, path, edit_operators) != 0)
        return -1;
    int rc = options_of(run->log, path, &o);
    o.jobs = jobs;
    if (rc == 0)
        rc = outputs_check_input(to, n_to, "the log's module", o.module);
    if (rc == 0)
        rc = outputs_check_input(to, n_to, "the log's data", o.data);
    if (rc == 0)
        rc = ml_session_open(&run->session, &o);
    if (rc == 0)
        rc = open_to_add(path, run);
    if (rc != 0)
        ml_logged_close(run);
    return rc;
}

void ml_logged_close(struct ml_logged *run)
{
    if (run->archive != NULL)
        archive_close(run->archive);
    ml_session_close(&run->session);
    if (run->log != NULL)
        archive_close(run->log);
    memset(run, 0, sizeof *run);
}
