/* results.c - what was measured of each peer, as a table
   SPDX-License-Identifier: MIT */
#include "results.h"

#include <stdlib.h>
#include <string.h>

static int by_value(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

/* The instructions of a line, as the text has them; else an empty cell */
static void add_instructions(struct table *t, const struct line *line, const char *counts)
{
    char key[64];
    snprintf(key, sizeof key, "%s,%zu,", line->name, line->task.k);
    for (const char *at = counts; at; at = strchr(at, '\n'), at += at != NULL)
        if (strncmp(at, key, strlen(key)) == 0) {
            table_number(t, "%ld", atol(at + strlen(key)));
            return;
        }
    table_text(t, "");
}

/* One tuple says nothing of ten. */
static void add_shares(struct table *t, const struct entry *e)
{
    const struct peer *peer = e->open.peer;
    const int is_brief = peer->is_brief && peer->is_brief(e->open.state);
    for (int i = 0; i < 2; i++)
        if (is_brief || (i == 1 && e->line->task.k < 10))
            table_text(t, "");
        else
            table_number(t, "%.2f", 100.0 * (double)e->hits[i] / (double)e->predictions);
}

static void add_entry(struct table *t, struct entry *e, size_t rounds, const char *counts)
{
    qsort(e->ns, rounds, sizeof *e->ns, by_value);
    table_text(t, e->line->name);
    table_number(t, "%zu", e->line->task.k);
    table_number(t, "%.0f", e->ns[rounds / 2]);
    table_number(t, "%.0f", e->ns[rounds * 5 / 100]);
    table_number(t, "%.0f", e->ns[rounds * 95 / 100]);
    add_instructions(t, e->line, counts);
    table_number(t, "%.1f", (double)e->allocations / (double)e->predictions);
    table_number(t, "%ld", e->loaded.resident / 1024);
    table_number(t, "%.2f", e->loaded.ms);
    table_number(t, "%zu", e->loaded.model);
    table_number(t, "%zu", e->loaded.code);
    table_number(t, "%zu", e->predictions);
    add_shares(t, e);
}

void results_print(struct entry *entry, size_t n, size_t rounds, const char *counts,
                   struct table_form form)
{
    struct table t = {0, {NULL, 0, 0}};
    table_heading(&t, "peer,k,ns,ns_p5,ns_p95,instructions,allocations,resident,load_ms,model,code,"
                      "n,pft1,pft10");
    for (size_t i = 0; i < n; i++)
        add_entry(&t, &entry[i], rounds, counts);
    table_print(&t, stdout, form);
    table_free(&t);
}
