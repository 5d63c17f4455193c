/* environment.c - tables of another device, driver or library are told
   SPDX-License-Identifier: MIT */
#include "formats.h"

#include <stdlib.h>
#include <string.h>

static const char *const begins[ENVIRONMENT_LINES] = {"# device:", "# driver:", "# library:"};

/* A copy of the comment that begins so, among those at the beginning; NULL: there is none. */
static char *find_line(const char *text, const char *begin)
{
    while (*text == '#' && strncmp(text, begin, strlen(begin)) != 0) {
        text += strcspn(text, "\n");
        text += *text == '\n';
    }
    if (*text != '#')
        return NULL;
    const size_t n = strcspn(text, "\n");
    struct buf line = {0};
    buf_add(&line, text, n - (text[n - 1] == '\r'));
    return line.s;
}

int environment_names(const char *line)
{
    for (int i = 0; i < ENVIRONMENT_LINES; i++)
        if (strncmp(line, begins[i], strlen(begins[i])) == 0)
            return 1;
    return 0;
}

/* Of a column called gpu, in the first line that is not a comment */
static int has_gpu(const char *text)
{
    while (*text == '#') {
        text += strcspn(text, "\n");
        text += *text == '\n';
    }
    for (const char *end = text + strcspn(text, "\r\n"); text < end; text++) {
        const size_t n = strcspn(text, ",\r\n");
        if (n == 3 && memcmp(text, "gpu", n) == 0)
            return 1;
        text += n;
    }
    return 0;
}

int environment_is_other(struct environment *e, const char *path, const char *text)
{
    char *line[ENVIRONMENT_LINES] = {NULL};
    int is_other = 0;
    if (has_gpu(text))
        return 0;
    for (int i = 0; i < ENVIRONMENT_LINES && !is_other; i++) {
        line[i] = find_line(text, begins[i]);
        is_other = line[i] != NULL && e->line[i] != NULL && strcmp(line[i], e->line[i]) != 0;
        if (is_other)
            note("%s: left out: \"%s\" is not the \"%s\" of %s, and times of two do not compare",
                 path, line[i], e->line[i], e->path[i]);
    }
    for (int i = 0; i < ENVIRONMENT_LINES; i++)
        if (line[i] != NULL && e->line[i] == NULL && !is_other) {
            e->line[i] = line[i];
            e->path[i] = xstrdup(path);
        } else {
            free(line[i]);
        }
    return is_other;
}

void environment_free(struct environment *e)
{
    for (int i = 0; i < ENVIRONMENT_LINES; i++) {
        free(e->line[i]);
        free(e->path[i]);
    }
}
