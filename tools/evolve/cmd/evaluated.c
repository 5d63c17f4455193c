/* evaluated.c - a session whose candidates are run by an evaluator, and what a log says of it
   SPDX-License-Identifier: MIT

   evolve_commands.h declares it. */
#include "evolve_commands.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- options ---- */

static int check_alone(const struct session_options *o)
{
    const struct {
        const char *name;
        int is_set;
    } needs[] = {{"--target", o->target != NULL},
                 {"--cpu", o->cpu != NULL},
                 {"--form", o->form != 0},
                 {"--barriers", o->barriers}};
    if (o->cases == NULL)
        return fail("HARNESS.c is missing, or --evaluate COMMAND in its place");
    for (size_t i = 0; i < sizeof needs / sizeof *needs; i++)
        if (needs[i].is_set)
            return fail("%s: needs --evaluate: a harness runs on this machine", needs[i].name);
    return 0;
}

int evaluated_check(const struct session_options *o)
{
    if (o->evaluate == NULL)
        return check_alone(o);
    if (o->cases != NULL)
        return fail("--evaluate: takes the place of %s", o->cases);
    if (o->oracle != NULL)
        return fail("--oracle: with --evaluate, the evaluator says what is right");
    if (o->jobs > 1)
        return fail("--jobs %ld: an evaluator takes one candidate at a time", o->jobs);
    return 0;
}

/* ---- baselines ---- */

static struct evaluator_code code_of(const struct session *s, struct ir *ir)
{
    return (struct evaluator_code){ir, &s->source, (enum ir_form)s->options.form};
}

/* In place of what the session had */
static int evaluated_take(struct session *s, const struct ir_passes *passes)
{
    struct ir *ir;
    if (ir_open(&ir, &s->source, passes) != 0)
        return -1;
    ir_close(s->ir);
    s->ir = ir;
    s->passes = passes;
    const struct evaluator_code code = code_of(s, ir);
    return evaluator_take(s->evaluator, &code);
}

struct race {
    size_t best;  /* so far */
    double least; /* its time by that of the first one */
};

/* Times one beside the first, which the evaluator has; NULL: the source. */
static int race(struct session *s, size_t i, struct ir *ir, struct race *r)
{
    const struct evaluator_code code = code_of(s, ir);
    const char *why;
    double ratio;
    if (evaluator_race(s->evaluator, &code, &ratio, s->us[i], &why) != 0)
        return -1;
    s->sizes[i] = !isfinite(ratio) ? 0 : ir != NULL ? ir_size(ir) : 1;
    if (!isfinite(ratio))
        note("%s: the baseline %s is left out: %s", s->options.evaluate,
             i < IR_BASELINES ? ir_baselines[i].name : "source", why);
    if (ratio < r->least)
        r->least = ratio, r->best = i;
    return 0;
}

static int race_passes(struct session *s, size_t i, struct race *r)
{
    struct ir *ir;
    if (ir_open(&ir, &s->source, &ir_baselines[i]) != 0)
        return -1;
    const int rc = race(s, i, ir, r);
    ir_close(ir);
    return rc;
}

/* OpenCL has a compiler of its own, which may make more of the source than of its IR. */
static int has_compiler(const struct session *s)
{
    return s->options.target != NULL && strncmp(s->options.target, "spir", 4) == 0
           && ends_with(s->options.program, ".cl");
}

static int take_source(struct session *s)
{
    const struct evaluator_code code = code_of(s, NULL);
    s->has_source = 1;
    return evaluator_take_baseline(s->evaluator, &code);
}

/* The fastest one; a GPU's are not native to this machine. */
static int evaluated_choose(struct session *s)
{
    struct race of_passes = {0, 1}, of_source = {0, 1};
    int rc = evaluated_take(s, &ir_baselines[0]);
    s->sizes[0] = rc == 0 ? ir_size(s->ir) : 0;
    for (const struct known_case *c = s->cases->v; rc == 0 && c < s->cases->v + s->cases->n; c++)
        s->us[0][c - s->cases->v] = c->held_out ? 0 : c->us;
    for (size_t i = 1; rc == 0 && i < IR_BASELINES; i++)
        if (s->options.target == NULL || !ir_baselines[i].is_native)
            rc = race_passes(s, i, &of_passes);
    if (rc == 0 && of_passes.best != 0)
        rc = evaluated_take(s, &ir_baselines[of_passes.best]);
    if (rc == 0 && has_compiler(s))
        rc = race(s, IR_BASELINES, NULL, &of_source);
    return rc == 0 && of_source.best != 0 ? take_source(s) : rc;
}

/* "O3", or "O3+source": candidates begin at O3, and are timed with the source */
static int choose_named(struct session *s)
{
    char name[32] = "";
    const char *text = s->options.baseline, *plus = strchr(text, '+');
    const size_t n = plus != NULL ? (size_t)(plus - text) : strlen(text);
    snprintf(name, sizeof name, "%.*s", (int)n, text);
    const struct ir_passes *passes = ir_baseline_of(name);
    const int has_source = plus != NULL && strcmp(plus, "+source") == 0 && has_compiler(s);
    if (passes == NULL || (plus != NULL && !has_source))
        return fail("--baseline \"%s\": is none of O2, O3 and O3-native, each with or without "
                    "-scalar, nor with +source for OpenCL C of spir64",
                    text);
    const int rc = evaluated_take(s, passes);
    return rc == 0 && has_source ? take_source(s) : rc;
}

int evaluated_open(struct session *s)
{
    const struct evaluator_plan plan = {s->options.evaluate, s->plan.limits.seconds,
                                        s->options.timeout_ms > 0, s->plan.limits.memory_bytes};
    if (evaluator_open(&s->evaluator, &plan) != 0)
        return -1;
    s->cases = evaluator_cases(s->evaluator);
    s->task.trial = s->evaluator;
    s->task.evaluate = evaluator_evaluate;
    s->task.compare = evaluator_compare;
    s->task.batch = 8;
    s->task.gave_up = evaluator_gave_up(s->evaluator);
    return s->options.baseline != NULL ? choose_named(s) : evaluated_choose(s);
}

/* ---- what a log says of it ---- */

static const char *text(const char *of_option)
{
    return of_option != NULL ? of_option : "";
}

static void form_name(int form, char *name, size_t size)
{
    const char *at = IR_FORM_NAMES;
    for (; form > 0; form--)
        at = strchr(at, '|') + 1;
    snprintf(name, size, "%.*s", (int)strcspn(at, "|"), at);
}

void evaluated_story(struct story *story, const struct session *s)
{
    const struct session_options *o = &s->options;
    struct buf cases = {0};
    char form[16];
    evaluator_tell(s->evaluator, &cases);
    story_put(story, "evaluate", o->evaluate);
    story_put(story, "target", text(o->target));
    story_put(story, "cpu", text(o->cpu));
    form_name(o->form, form, sizeof form);
    story_put(story, "form", form);
    story_put_number(story, "barriers", o->barriers);
    story_put(story, "cases", cases.s);
    buf_free(&cases);
}

static const char *option(const struct archive *log, const char *key)
{
    const char *value = archive_value(log, key);
    return value != NULL && *value != '\0' ? value : NULL;
}

static int read_form(const char *path, const char *name, int *form)
{
    char known[16];
    for (*form = IR_TEXT; *form <= IR_CODE_OBJECT; ++*form) {
        form_name(*form, known, sizeof known);
        if (strcmp(known, name) == 0)
            return 0;
    }
    return fail("%s: form \"%s\": there is none of that name", path, name);
}

int evaluated_options(const struct archive *log, const char *path, struct session_options *o)
{
    const char *form;
    long barriers;
    const struct story_text texts[] = {{"form", &form}, {NULL, NULL}};
    o->evaluate = option(log, "evaluate");
    o->target = option(log, "target");
    o->cpu = option(log, "cpu");
    if (story_texts(log, path, texts) != 0 || story_number(log, path, "barriers", &barriers) != 0)
        return -1;
    o->barriers = barriers != 0;
    return read_form(path, form, &o->form);
}
