/* lines.c - the lines of the table: which peers there are, by which bodies, for which k
   SPDX-License-Identifier: MIT */
#include "lines.h"

#include "base/util.h"

#include <string.h>

enum { BEAMS = 3 };

static const size_t beams[BEAMS] = {1, 10, 100};

static const struct kind {
    const char *name, *object, *variant, *package;
    size_t n_beams;
} kinds[] = {
    {"hybrid2", "paper", "hybrid2", NULL, 2},
    {"encdec", "paper", "encdec", NULL, 2},
    {"xgboost", "xgboost", "", "libxgboost-dev", 2},
    {"compiled", "compiled", "", "the trees of bench_models.py", 2},
    {"forest", "forest", "", NULL, 2},
    {"nearest-db", "sqlite", "", "libsqlite3-dev", 2},
    {"nearest", "nearest", "", NULL, 2},
    {"torch", "torch", "", "libtorch-dev", 2},
};

/* Is one of two names in the list? */
static int is_asked_for(const char *only, const char *kind, const char *name)
{
    for (const char *at = only; at; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL) {
        const size_t n = strcspn(at, ",");
        if ((strlen(kind) == n && strncmp(at, kind, n) == 0)
            || (strlen(name) == n && strncmp(at, name, n) == 0))
            return 1;
    }
    return !only;
}

static void add(struct lines *lines, const struct peer_task *task, const struct kind *kind,
                const char *name)
{
    for (size_t i = 0; i < kind->n_beams && lines->n < MAX_LINES; i++) {
        struct line *line = &lines->v[lines->n];
        if (task->k && task->k != beams[i])
            continue;
        snprintf(lines->name[lines->n], LINE_NAME, "%s", name);
        line->name = lines->name[lines->n++];
        line->object = kind->object;
        line->package = kind->package;
        line->task = *task;
        line->task.variant = kind->variant;
        line->task.k = beams[i];
    }
}

static void add_bodies(struct lines *lines, const struct peer_task *task, const char *only)
{
    for (int body = 0; body < KPRED_BODIES; body++) {
        const char *variant = kpred_body_name((kpred_body)body);
        const struct kind kind = {"kpred", "kpred", variant, NULL, BEAMS};
        char name[LINE_NAME];
        snprintf(name, sizeof name, "kpred-%s", variant);
        if (is_asked_for(only, "kpred", name))
            add(lines, task, &kind, name);
    }
}

int lines_make(struct lines *lines, const struct peer_task *task, const char *only)
{
    memset(lines, 0, sizeof *lines);
    add_bodies(lines, task, only);
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (is_asked_for(only, kinds[i].name, kinds[i].name))
            add(lines, task, &kinds[i], kinds[i].name);
    return lines->n ? 0 : fail("--only \"%s\": names no peer with such a k", only ? only : "");
}
