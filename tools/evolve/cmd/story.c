/* story.c - what a log says of its search, line by line, and a session made again from it
   SPDX-License-Identifier: MIT

   evolve_commands.h declares it. */
#include "evolve_commands.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- telling ---- */

static const char *const method_names[3] = {"nsga2", "climb", "random"};

void story_put(struct story *story, const char *key, const char *value)
{
    struct log_pair *line = &story->line[story->n++];
    line->key = key;
    line->value = xstrdup(value);
}

void story_put_number(struct story *story, const char *key, double value)
{
    char text[NUMBER_TEXT];
    story_put(story, key, double_text(value, text));
}

void story_put_hash_of_file(struct story *story, const char *key, const char *path)
{
    struct buf text = {NULL, 0, 0};
    char hex[65] = "";
    if (read_text(path, (size_t)1 << 26, &text) == 0)
        sha256_hex(text.s, text.n, hex);
    buf_free(&text);
    story_put(story, key, hex);
}

/* The method and its settings */
static void story_put_plan(struct story *story, const struct search_plan *plan)
{
    story_put(story, "method", method_names[plan->method]);
    story_put_number(story, "population", (double)plan->population);
    story_put_number(story, "elite", (double)plan->elite);
    story_put_number(story, "first_edits", (double)plan->first_edits);
    story_put_number(story, "crossover", plan->crossover);
    story_put_number(story, "mutation", plan->mutation);
    story_put_number(story, "seed", (double)plan->seed);
}

static void free_value(struct log_pair *line)
{
    free((void *)(uintptr_t)line->value);
}

void story_free(struct story *story)
{
    for (size_t i = 0; i < story->n; i++)
        free_value(&story->line[i]);
    memset(story, 0, sizeof *story);
}

/* ---- reading ---- */

int story_number(const struct archive *log, const char *path, const char *key, long *out)
{
    int64_t value;
    const char *text = archive_value(log, key);
    if (text == NULL)
        return fail("%s: its first lines have no \"%s\"", path, key);
    if (parse_int(text, 0, INT32_MAX, &value) != 0)
        return fail("%s: %s \"%s\": is not a number", path, key, text);
    *out = (long)value;
    return 0;
}

int story_texts(const struct archive *log, const char *path, const struct story_text *texts)
{
    for (; texts->key != NULL; texts++)
        if ((*texts->to = archive_value(log, texts->key)) == NULL)
            return fail("%s: its first lines have no \"%s\"", path, texts->key);
    return 0;
}

/* A file that a log names: *path stays if it is there, else it is beside the log, *found, to be
   freed; -1 after a message: it is neither */
static int story_find(const char *log, const char *key, const char **path, char **found)
{
    struct buf beside = {NULL, 0, 0};
    buf_add(&beside, log, (size_t)(base_name(log) - log));
    buf_puts(&beside, *path);
    if (access(*path, F_OK) != 0 && access(beside.s, F_OK) != 0) {
        fail("%s: %s \"%s\": is neither in this folder nor beside the log: call this where the "
             "search was",
             log, key, *path);
        buf_free(&beside);
        return -1;
    }
    if (access(*path, F_OK) == 0)
        buf_free(&beside);
    else
        *path = *found = beside.s;
    return 0;
}

/* ---- going on ---- */

/* The log's values in place of those of a command line; what is read from files stays. -1 after a
   message */
static int story_retell(struct story *story, const struct archive *log, const char *path)
{
    for (size_t i = 0; i < story->n; i++) {
        struct log_pair *line = &story->line[i];
        const char *value = archive_value(log, line->key);
        if (value == NULL)
            return fail("%s: its first lines have no \"%s\"", path, line->key);
        /* Is it read from the files, and not from the command line? */
        if (strcmp(line->key, "module") == 0 || strcmp(line->key, "cases") == 0
            || ends_with(line->key, "_sha256"))
            continue;
        free_value(line);
        line->value = xstrdup(value);
    }
    return 0;
}

/* Opens the log to go on with it. Frees the story; -1 after a message */
static int story_go_on(struct story *story, const struct archive *log, const char *path,
                       struct archive **archive)
{
    int rc = story_retell(story, log, path);
    if (rc == 0)
        rc = archive_open(archive, path, 1, story->line, edit_operators);
    story_free(story);
    return rc;
}

/* ---- of a kernel ---- */

static const char *or_else(const char *text, const char *other)
{
    return text != NULL ? text : other;
}

static void form_name(int form, char *name, size_t size)
{
    const char *at = IR_FORM_NAMES;
    for (; form > 0; form--)
        at = strchr(at, '|') + 1;
    snprintf(name, size, "%.*s", (int)strcspn(at, "|"), at);
}

static void evaluated_story(struct story *story, const struct session *s)
{
    const struct session_options *o = &s->options;
    struct buf cases = {0};
    char form[16];
    evaluator_tell(s->evaluator, &cases);
    story_put(story, "evaluate", o->evaluate);
    story_put(story, "target", or_else(o->target, ""));
    story_put(story, "cpu", or_else(o->cpu, ""));
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

static int evaluated_options(const struct archive *log, const char *path, struct session_options *o)
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

static void tell_kernel(struct story *story, const struct session *s)
{
    const struct session_options *o = &s->options;
    char hex[65];
    story_put(story, "kernel", o->program);
    story_put(story, "function", o->function);
    if (o->evaluate != NULL)
        evaluated_story(story, s);
    else {
        story_put(story, "harness", o->cases);
        story_put(story, "oracle", or_else(o->oracle, "exact"));
        story_put_hash_of_file(story, "harness_sha256", o->cases);
    }
    story_put(story, "cflags", or_else(o->cflags, ""));
    story_put(story, "baseline", s->baseline);
    ir_hash(s->ir, hex);
    story_put(story, "module", hex);
}

static int recall_kernel(const struct archive *log, const char *path, struct session_options *o)
{
    const struct story_text texts[] = {{"kernel", &o->program},
                                       {"function", &o->function},
                                       {"cflags", &o->cflags},
                                       {"baseline", &o->baseline},
                                       {NULL, NULL}};
    const struct story_text of_harness[] = {
        {"harness", &o->cases}, {"oracle", &o->oracle}, {NULL, NULL}};
    if (story_texts(log, path, texts) != 0)
        return -1;
    return archive_value(log, "evaluate") != NULL ? evaluated_options(log, path, o)
                                                  : story_texts(log, path, of_harness);
}

const struct session_way of_kernel = {
    "export",    "kernel",     "harness",   "the log's kernel", "the log's harness",
    kernel_open, kernel_close, tell_kernel, recall_kernel};

void story_of(struct story *story, const struct session *s, const struct search_plan *plan)
{
    const struct session_options *o = &s->options;
    memset(story, 0, sizeof *story);
    s->way->tell(story, s);
    story_put_number(story, "timeout_ms",
                     o->evaluate != NULL ? (double)o->timeout_ms : (double)session_timeout_ms(o));
    story_put_number(story, "memory_mb", (double)o->memory_mb);
    story_put_plan(story, plan);
}

/* ---- a session made again from a log ---- */

/* The options that the log tells; its files are beside it where they are not in this folder. */
static int recall(struct logged *run, const char *path, const struct session_way *way,
                  struct session_options *o)
{
    if (way->recall(run->log, path, o) != 0
        || story_number(run->log, path, "timeout_ms", &o->timeout_ms) != 0
        || story_number(run->log, path, "memory_mb", &o->memory_mb) != 0
        || story_number(run->log, path, "seed", &o->seed) != 0
        || story_find(path, way->key, &o->program, &run->found[0]) != 0)
        return -1;
    return o->cases == NULL ? 0 : story_find(path, way->key_of_cases, &o->cases, &run->found[1]);
}

int logged_open(struct logged *run, const char *path, const struct session_way *way, long jobs,
                const struct output *to, size_t n_to)
{
    struct session_options o = {.jobs = jobs};
    struct story story;
    memset(run, 0, sizeof *run);
    if (archive_read(&run->log, path, edit_operators) == 0 && recall(run, path, way, &o) == 0
        && outputs_check_input(to, n_to, way->input, o.program) == 0
        && outputs_check_input(to, n_to, way->input_of_cases, o.cases) == 0
        && session_open(&run->session, &o, way) == 0) {
        story_of(&story, &run->session, &search_defaults);
        if (story_go_on(&story, run->log, path, &run->archive) == 0)
            return 0;
    }
    logged_close(run);
    return -1;
}

void logged_close(struct logged *run)
{
    archive_close(run->archive);
    if (run->session.way != NULL)
        session_close(&run->session);
    archive_close(run->log);
    free(run->found[0]);
    free(run->found[1]);
    memset(run, 0, sizeof *run);
}
