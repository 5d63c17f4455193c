/* story.c - what a log says of its search
   SPDX-License-Identifier: MIT

   story.h declares it. */
#include "story.h"

#include "evolve/edit.h"

#include <stdlib.h>
#include <string.h>

const char *const method_names[3] = {"nsga2", "climb", "random"};

static void put(struct story *story, const char *key, const char *value)
{
    struct archive_story *line = &story->line[story->n++];
    line->key = key;
    line->value = xstrdup(value);
}

static void put_number(struct story *story, const char *key, double value)
{
    char text[32];
    put(story, key, double_text(value, text));
}

static void put_hash_of_file(struct story *story, const char *key, const char *path)
{
    struct buf text = {NULL, 0, 0};
    char hex[65] = "";
    if (read_file(path, (size_t)1 << 26, &text) == 0)
        sha256_hex(text.s, text.n, hex);
    buf_free(&text);
    put(story, key, hex);
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
    put(story, "kernel", o->kernel);
    put(story, "function", o->function);
    put(story, "harness", o->harness);
    put(story, "cflags", or_else(o->cflags, ""));
    put(story, "oracle", or_else(o->oracle, "exact"));
    put(story, "baseline", s->passes->name);
    ir_hash(s->ir, hex);
    put(story, "module", hex);
    put_hash_of_file(story, "harness_sha256", o->harness);
    put_number(story, "timeout_ms", (double)o->timeout_ms);
    put_number(story, "memory_mb", (double)o->memory_mb);
    put(story, "method", method_names[plan->method]);
    put_number(story, "population", (double)plan->population);
    put_number(story, "elite", (double)plan->elite);
    put_number(story, "first_edits", (double)plan->first_edits);
    put_number(story, "crossover", plan->crossover);
    put_number(story, "mutation", plan->mutation);
    put_number(story, "seed", (double)plan->seed);
}

static const char *const keys[] = {
    "kernel", "function",       "harness",    "cflags",    "oracle", "baseline",
    "module", "harness_sha256", "timeout_ms", "memory_mb", "method", "population",
    "elite",  "first_edits",    "crossover",  "mutation",  "seed",   NULL};

static void story_copy(struct story *story, const struct archive *log)
{
    memset(story, 0, sizeof *story);
    for (size_t i = 0; keys[i] != NULL; i++)
        if (archive_value(log, keys[i]) != NULL)
            put(story, keys[i], archive_value(log, keys[i]));
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

static int number_of(const struct archive *log, const char *path, const char *key, long *out)
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

/* Is it read from the kernel or the harness, and not from the command line? */
static int is_found(const char *key)
{
    return strcmp(key, "module") == 0 || strcmp(key, "harness_sha256") == 0;
}

static int story_options(const struct archive *log, const char *path, struct session_options *o)
{
    memset(o, 0, sizeof *o);
    for (size_t i = 0; keys[i] != NULL; i++)
        if (archive_value(log, keys[i]) == NULL)
            return fail("%s: its first lines have no \"%s\"", path, keys[i]);
    o->kernel = archive_value(log, "kernel");
    o->function = archive_value(log, "function");
    o->harness = archive_value(log, "harness");
    o->cflags = archive_value(log, "cflags");
    o->oracle = archive_value(log, "oracle");
    o->baseline = archive_value(log, "baseline");
    if (number_of(log, path, "timeout_ms", &o->timeout_ms) != 0
        || number_of(log, path, "memory_mb", &o->memory_mb) != 0)
        return -1;
    return number_of(log, path, "seed", &o->seed);
}

/* The log's story, with what the session found in the files that it names */
static void story_now(struct story *story, const struct archive *log, const struct session *s)
{
    struct story now;
    story_copy(story, log);
    story_of(&now, s, &search_defaults);
    for (size_t i = 0; i < story->n; i++)
        for (size_t k = 0; k < now.n; k++)
            if (strcmp(story->line[i].key, now.line[k].key) == 0 && is_found(now.line[k].key)) {
                free_value(&story->line[i]);
                story->line[i].value = xstrdup(now.line[k].value);
            }
    story_free(&now);
}

static int open_to_add(const char *path, struct logged *run)
{
    struct story story;
    story_now(&story, run->log, &run->session);
    const int rc = archive_open(&run->archive, path, 1, story.line, ir_operators);
    story_free(&story);
    return rc;
}

int logged_open(struct logged *run, const char *path, long jobs)
{
    struct session_options o;
    memset(run, 0, sizeof *run);
    if (archive_read(&run->log, path, ir_operators) != 0)
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
