/* story.c - what a log says of its search
   SPDX-License-Identifier: MIT

   story.h declares it. */
#include "story.h"

#include "evolve/task.h"

#include <stdlib.h>
#include <string.h>

const char *const method_names[3] = {"nsga2", "climb", "random"};

void story_put(struct story *story, const char *key, const char *value)
{
    struct archive_story *line = &story->line[story->n++];
    line->key = key;
    line->value = xstrdup(value);
}

void story_put_number(struct story *story, const char *key, double value)
{
    char text[32];
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

void story_put_plan(struct story *story, const struct search_plan *plan)
{
    story_put(story, "method", method_names[plan->method]);
    story_put_number(story, "population", (double)plan->population);
    story_put_number(story, "elite", (double)plan->elite);
    story_put_number(story, "first_edits", (double)plan->first_edits);
    story_put_number(story, "crossover", plan->crossover);
    story_put_number(story, "mutation", plan->mutation);
    story_put_number(story, "seed", (double)plan->seed);
}

static const char *or_else(const char *text, const char *other)
{
    return text != NULL ? text : other;
}

void story_of(struct story *story, const struct session *s, const struct search_plan *plan)
{
    const struct session_options *o = &s->options;
    char hex[65];
    memset(story, 0, sizeof *story);
    story_put(story, "kernel", o->kernel);
    story_put(story, "function", o->function);
    story_put(story, "harness", o->harness);
    story_put(story, "cflags", or_else(o->cflags, ""));
    story_put(story, "oracle", or_else(o->oracle, "exact"));
    story_put(story, "baseline", s->passes->name);
    ir_hash(s->ir, hex);
    story_put(story, "module", hex);
    story_put_hash_of_file(story, "harness_sha256", o->harness);
    story_put_number(story, "timeout_ms", (double)o->timeout_ms);
    story_put_number(story, "memory_mb", (double)o->memory_mb);
    story_put_plan(story, plan);
}

static void free_value(struct archive_story *line)
{
    free((void *)(uintptr_t)line->value);
}

void story_free(struct story *story)
{
    for (size_t i = 0; i < story->n; i++)
        free_value(&story->line[i]);
    memset(story, 0, sizeof *story);
}

int story_number(const struct archive *log, const char *path, const char *key, long *out)
{
    int64_t value;
    const char *text = archive_value(log, key);
    if (text == NULL)
        return fail("%s: its first lines have no \"%s\"", path, key);
    if (parse_int(text, 0, INT32_MAX, &value) != 0)
        return fail("%s: %s \"%s\": is no number", path, key, text);
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

static int story_options(const struct archive *log, const char *path, struct session_options *o)
{
    const struct story_text texts[] = {{"kernel", &o->kernel},
                                       {"function", &o->function},
                                       {"harness", &o->harness},
                                       {"cflags", &o->cflags},
                                       {"oracle", &o->oracle},
                                       {"baseline", &o->baseline},
                                       {NULL, NULL}};
    memset(o, 0, sizeof *o);
    if (story_texts(log, path, texts) != 0
        || story_number(log, path, "timeout_ms", &o->timeout_ms) != 0
        || story_number(log, path, "memory_mb", &o->memory_mb) != 0)
        return -1;
    return story_number(log, path, "seed", &o->seed);
}

/* Is it read from the files, and not from the command line? */
static int is_found(const char *key)
{
    return strcmp(key, "module") == 0 || ends_with(key, "_sha256");
}

int story_retell(struct story *story, const struct archive *log, const char *path)
{
    for (size_t i = 0; i < story->n; i++) {
        struct archive_story *line = &story->line[i];
        const char *value = archive_value(log, line->key);
        if (value == NULL)
            return fail("%s: its first lines have no \"%s\"", path, line->key);
        if (is_found(line->key))
            continue;
        free_value(line);
        line->value = xstrdup(value);
    }
    return 0;
}

static int open_to_add(const char *path, struct logged *run)
{
    struct story story;
    story_of(&story, &run->session, &search_defaults);
    int rc = story_retell(&story, run->log, path);
    if (rc == 0)
        rc = archive_open(&run->archive, path, 1, story.line, edit_operators);
    story_free(&story);
    return rc;
}

int logged_open(struct logged *run, const char *path, long jobs)
{
    struct session_options o;
    memset(run, 0, sizeof *run);
    if (archive_read(&run->log, path, edit_operators) != 0)
        return -1;
    int rc = story_options(run->log, path, &o);
    o.jobs = jobs;
    if (rc == 0)
        rc = session_open(&run->session, &o);
    if (rc == 0)
        rc = open_to_add(path, run);
    if (rc != 0)
        logged_close(run);
    return rc;
}

void logged_close(struct logged *run)
{
    if (run->archive != NULL)
        archive_close(run->archive);
    session_close(&run->session);
    if (run->log != NULL)
        archive_close(run->log);
    memset(run, 0, sizeof *run);
}
