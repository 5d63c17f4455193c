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
    if (o->harness == NULL)
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
    if (o->harness != NULL)
        return fail("--evaluate: takes the place of %s", o->harness);
    if (o->oracle != NULL)
        return fail("--oracle: with --evaluate, the evaluator says what is right");
    if (o->jobs > 1)
        return fail("--jobs %ld: an evaluator takes one candidate at a time", o->jobs);
    return 0;
}

/* ---- baselines ---- */

struct made { /* what candidates are made of */
    struct ir *ir;
    enum ir_form form;
};

static enum outcome write_list(void *self, const struct edits *list, const char *path)
{
    const struct made *made = self;
    return ir_write(made->ir, list, made->form, path);
}

static const struct {
    const char *name, *ending;
} forms[] = {[IR_TEXT] = {"ir", ".ll"},
             [IR_BITCODE] = {"bitcode", ".bc"},
             [IR_ASSEMBLY] = {"asm", ".s"},
             [IR_OBJECT] = {"object", ".o"},
             [IR_CODE_OBJECT] = {"code-object", ".co"}};

static struct evaluator_code code_of(struct made *made)
{
    return (struct evaluator_code){made, write_list, forms[made->form].ending};
}

/* One that stays as long as the session */
static struct made *make_of(const struct session *s, const struct ir_passes *passes)
{
    struct made *made = xcalloc(1, sizeof *made);
    made->form = (enum ir_form)s->options.form;
    if (ir_open(&made->ir, &s->source, passes) == 0)
        return made;
    free(made);
    return NULL;
}

static void drop(struct made *made)
{
    if (made != NULL)
        ir_close(made->ir);
    free(made);
}

static int take(struct session *s, const struct ir_passes *passes, struct made *made)
{
    const struct evaluator_code code = code_of(made);
    s->passes = passes;
    s->ir = made->ir;
    s->made = made;
    return evaluator_take(s->evaluator, &code);
}

/* Times one beside the first, which the evaluator has: it stays if it is the fastest so far. */
static int race(struct session *s, size_t i, size_t *best, double *least)
{
    double ratio = HUGE_VAL;
    struct made *made = make_of(s, &ir_baselines[i]);
    if (made == NULL)
        return -1;
    const struct evaluator_code code = code_of(made);
    const int rc = evaluator_race(s->evaluator, &code, &ratio);
    drop(made);
    if (ratio < *least)
        *least = ratio, *best = i;
    return rc;
}

/* The fastest one; a GPU's are not native to this machine. */
static int choose(struct session *s)
{
    size_t best = 0;
    double least = 1;
    struct made *first = make_of(s, &ir_baselines[0]);
    int rc = first != NULL ? take(s, &ir_baselines[0], first) : -1;
    for (size_t i = 1; rc == 0 && i < IR_BASELINES; i++)
        if (s->options.target == NULL || !ir_baselines[i].is_native)
            rc = race(s, i, &best, &least);
    if (rc != 0)
        return -1;
    drop(first);
    s->ir = NULL;
    s->made = NULL;
    struct made *made = make_of(s, &ir_baselines[best]);
    return made != NULL ? take(s, &ir_baselines[best], made) : -1;
}

static int choose_named(struct session *s)
{
    const struct ir_passes *passes = ir_baseline_of(s->options.baseline);
    if (passes == NULL)
        return fail("--baseline \"%s\": is none of O2, O3 and O3-native, each with or without "
                    "-scalar",
                    s->options.baseline);
    struct made *made = make_of(s, passes);
    return made != NULL ? take(s, passes, made) : -1;
}

int evaluated_open(struct session *s)
{
    const struct evaluator_plan plan = {s->options.evaluate, s->plan.limits.seconds,
                                        s->plan.limits.memory_bytes};
    if (evaluator_open(&s->evaluator, &plan) != 0)
        return -1;
    s->task.trial = s->evaluator;
    s->task.evaluate = evaluator_evaluate;
    s->task.compare = evaluator_compare;
    s->task.batch = 8;
    s->task.gave_up = evaluator_gave_up(s->evaluator);
    return s->options.baseline != NULL ? choose_named(s) : choose(s);
}

/* ---- what a log says of it ---- */

static const char *text(const char *of_option)
{
    return of_option != NULL ? of_option : "";
}

void evaluated_story(struct story *story, const struct session *s)
{
    const struct session_options *o = &s->options;
    struct buf cases = {0};
    evaluator_tell(s->evaluator, &cases);
    story_put(story, "evaluate", o->evaluate);
    story_put(story, "target", text(o->target));
    story_put(story, "cpu", text(o->cpu));
    story_put(story, "form", forms[o->form].name);
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
    const size_t n = sizeof forms / sizeof *forms;
    size_t i = 0;
    while (i < n && strcmp(forms[i].name, name) != 0)
        i++;
    *form = (int)i;
    return i < n ? 0 : fail("%s: form \"%s\": there is none of that name", path, name);
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
