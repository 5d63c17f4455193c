/* environment.c - tables of another device, driver or library are told
   SPDX-License-Identifier: MIT */
#include "environment.h"

#include "base/util.h"

#include <stdlib.h>
#include <string.h>

static const char *const begins[ENVIRONMENT_LINES] = {"# device:", "# driver:", "# library:"};

/* The comment that begins so, among those at the beginning; NULL: there is none. */
static const char *find_line(const char *text, const char *begin, size_t *n)
{
    for (; *text == '#'; text += *n, text += *text == '\n') {
        *n = strcspn(text, "\n");
        if (strncmp(text, begin, strlen(begin)) == 0) {
            *n -= text[*n - 1] == '\r';
            return text;
        }
    }
    return NULL;
}

int environment_names(const char *line)
{
    for (int i = 0; i < ENVIRONMENT_LINES; i++)
        if (strncmp(line, begins[i], strlen(begins[i])) == 0)
            return 1;
    return 0;
}

static char *copy_line(const char *line, size_t n)
{
    char *copy = xcalloc(n + 1, 1);
    memcpy(copy, line, n);
    return copy;
}

static int is_line(const char *known, const char *line, size_t n)
{
    return strlen(known) == n && memcmp(known, line, n) == 0;
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
    const char *line[ENVIRONMENT_LINES];
    size_t n[ENVIRONMENT_LINES];
    if (has_gpu(text))
        return 0;
    for (int i = 0; i < ENVIRONMENT_LINES; i++) {
        line[i] = find_line(text, begins[i], &n[i]);
        if (line[i] != NULL && e->line[i] != NULL && !is_line(e->line[i], line[i], n[i])) {
            note("%s: left out: \"%.*s\" is not the \"%s\" of %s, and times of two do not compare",
                 path, (int)n[i], line[i], e->line[i], e->path[i]);
            return 1;
        }
    }
    for (int i = 0; i < ENVIRONMENT_LINES; i++)
        if (line[i] != NULL && e->line[i] == NULL) {
            e->line[i] = copy_line(line[i], n[i]);
            e->path[i] = xstrdup(path);
        }
    return 0;
}

void environment_free(struct environment *e)
{
    for (int i = 0; i < ENVIRONMENT_LINES; i++) {
        free(e->line[i]);
        free(e->path[i]);
    }
}
