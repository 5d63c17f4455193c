/* t1.c - T1 inputs, as their importer gives them
   SPDX-License-Identifier: MIT */
#include "tuner.h"

#include <stdlib.h>
#include <string.h>

int t1_is(const struct imported *from)
{
    const char *kind = imported_said(from, "kind");
    return kind != NULL && strcmp(kind, "T1 input") == 0;
}

static void add_param(struct t1 *t, const struct import_line *line)
{
    const size_t n = t->params.n;
    (void)intern_text(&t->params, imported_text(&t->from, line, 0));
    if (t->params.n == n)
        return;
    t->values = xrealloc(t->values, n + 1, sizeof *t->values);
    memset(&t->values[n], 0, sizeof *t->values);
    for (size_t i = 1; i < line->n; i++)
        (void)intern_text(&t->values[n], imported_text(&t->from, line, i));
}

static void add_condition(struct t1 *t, const struct import_line *line)
{
    struct t1_condition c = {.text = imported_text(&t->from, line, 2)};
    c.line = strtol(imported_text(&t->from, line, 0), NULL, 10);
    c.column = strtol(imported_text(&t->from, line, 1), NULL, 10);
    t->conditions = xrealloc(t->conditions, t->n_conditions + 1, sizeof *t->conditions);
    t->conditions[t->n_conditions++] = c;
}

void t1_take(struct t1 *t, const char *path, struct imported *from)
{
    *t = (struct t1){.path = path, .from = *from};
    memset(from, 0, sizeof *from);
    t->kernel = imported_said(&t->from, "kernel");
    t->kernel = t->kernel != NULL ? t->kernel : "";
    for (size_t i = 0; i < t->from.n; i++) {
        const struct import_line *line = &t->from.line[i];
        if (strcmp(line->word, "values") == 0)
            add_param(t, line);
        else if (strcmp(line->word, "condition") == 0)
            add_condition(t, line);
    }
}

void t1_free(struct t1 *t)
{
    for (size_t i = 0; i < t->params.n; i++)
        intern_free(&t->values[i]);
    intern_free(&t->params);
    free(t->values);
    free(t->conditions);
    imported_free(&t->from);
}
