/* registry.c - see registry.h
   SPDX-License-Identifier: MIT */
#include "registry.h"

#include "base/names.h"
#include "header.h"
#include "header_text.h"
#include "rule_slots.h"
#define BUILTIN_SPECS
#include "models.h" /* generated: every weights/NAME.h, the spec of each, BUILTIN_MODELS(X) */

#include <stdlib.h>
#include <string.h>

#define BUILTIN(name) {&kpred_model_##name, kpred_spec_##name, kpred_story_##name},
const struct builtin builtins[] = {BUILTIN_MODELS(BUILTIN){NULL, NULL, NULL}};

static int builtin_open(const struct builtin *b, struct model *out)
{
    struct buf text = {NULL, 0, 0};
    struct spec *spec = xcalloc(1, sizeof *spec);
    const char *const *line;
    for (line = b->spec; *line; line++)
        buf_puts(&text, *line);
    int bad =
        spec_parse(spec, text.s, b->model->name) || model_from_spec(out, spec, b->model->split);
    buf_free(&text);
    out->own_spec = spec;
    if (bad)
        model_free(out);
    else {
        rule_slots_release(out); /* its rule is compiled in: what is read may have the slot */
        out->m = *b->model;
    }
    return bad;
}

/* A built-in model by its own name, as it is written */
static const struct builtin *exact_builtin(const char *name)
{
    const struct builtin *b = builtins;
    while (b->model && strcmp(b->model->name, name))
        b++;
    return b->model ? b : NULL;
}

/* How many have the name or a kernel of that name, whatever the case; *found is the last. */
static size_t find_same(const char *name, const struct builtin **found, struct buf *list)
{
    size_t n = 0;
    for (const struct builtin *b = builtins; b->model; b++)
        if (names_same(b->model->name, name) || names_same(b->model->kernel, name)) {
            *found = b;
            buf_printf(list, " %s", b->model->name);
            n++;
        }
    return n;
}

static int unknown_model(const char *name)
{
    struct names_near near = {.text = name};
    struct buf known = {NULL, 0, 0}, question = {NULL, 0, 0};
    for (const struct builtin *b = builtins; b->model; b++) {
        buf_printf(&known, " %s", b->model->name);
        names_offer(&near, b->model->name, b->model->name);
        names_offer(&near, b->model->name, b->model->kernel);
    }
    if (near.n)
        fail("\"%s\" is neither a built-in model nor the path of a header (FILE.h)%s", name,
             names_question(&near, &question));
    else
        fail("\"%s\" is neither a built-in model (%s ) nor the path of a header (FILE.h)", name,
             known.s ? known.s : " none");
    buf_free(&known);
    buf_free(&question);
    return -1;
}

const struct builtin *builtin_find(const char *name)
{
    const struct builtin *b = exact_builtin(name);
    struct buf list = {NULL, 0, 0};
    if (b)
        return b;
    const size_t n = find_same(name, &b, &list);
    if (n == 0)
        unknown_model(name);
    if (n > 1)
        fail("\"%s\" may be any of%s", name, list.s);
    buf_free(&list);
    return n == 1 ? b : NULL;
}

int model_open(const char *name, struct model *out)
{
    memset(out, 0, sizeof *out);
    if (ends_with(name, ".h"))
        return header_read(name, out);
    const struct builtin *b = builtin_find(name);
    return b ? builtin_open(b, out) : -1;
}

/* The same lines of a file: from the first blank one to that of the id */
static int read_story(const char *path, struct buf *out)
{
    struct buf file = {NULL, 0, 0};
    if (read_text(path, HEADER_MAX_BYTES, &file))
        return -1;
    char *story = header_between(file.s, "\n\n", "\n   id ");
    buf_puts(out, story ? story : "");
    free(story);
    buf_free(&file);
    return 0;
}

int model_story(const char *name, struct buf *out)
{
    if (ends_with(name, ".h"))
        return read_story(name, out);
    const struct builtin *b = builtin_find(name);
    for (const char *const *line = b ? b->story : NULL; line && *line; line++)
        buf_puts(out, *line);
    return b ? 0 : -1;
}
