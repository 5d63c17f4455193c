/* story.c - what a log says of its search, line by line
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

int story_find(const char *log, const char *key, const char **path, char **found)
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

/* Is it read from the files, and not from the command line? */
static int is_found(const char *key)
{
    return strcmp(key, "module") == 0 || strcmp(key, "cases") == 0 || ends_with(key, "_sha256");
}

/* The log's values in place of those of a command line; what is read from files stays. -1 after a
   message */
static int story_retell(struct story *story, const struct archive *log, const char *path)
{
    for (size_t i = 0; i < story->n; i++) {
        struct log_pair *line = &story->line[i];
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

int story_go_on(struct story *story, const struct archive *log, const char *path,
                struct archive **archive)
{
    int rc = story_retell(story, log, path);
    if (rc == 0)
        rc = archive_open(archive, path, 1, story->line, edit_operators);
    story_free(story);
    return rc;
}
