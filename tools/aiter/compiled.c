/* compiled.c - see compiled.h
   SPDX-License-Identifier: MIT */
#include "compiled.h"

#include <string.h>

static const size_t most_bytes = (size_t)1 << 30;

/* ---- --compiled ---- */

static char *trim(char *s)
{
    s += strspn(s, " \t\r");
    s[strcspn(s, " \t\r")] = '\0';
    return s;
}

static int is_kernel(const struct target *t, const char *name)
{
    for (int i = 0; i < N_FAMILIES; i++)
        if (t->model[i] != NULL && kpred_kernel_named(t->model[i], name) >= 0)
            return 1;
    return 0;
}

/* A line may hold anything, as what `strings` prints does; of these, kernels alone are kept. */
static int read_names(struct interned *names, const struct target *t, const char *path,
                      struct buf *text)
{
    struct buf first = {NULL, 0, 0};
    size_t lines = 0;
    if (strlen(text->s) != text->n)
        return fail("%s: is no text: it holds a NUL byte", path);
    for (char *at = text->s, *line; (line = next_line(&at)) != NULL;) {
        const char *name = trim(line);
        lines++;
        if (is_kernel(t, name))
            intern_text(names, name);
        else if (first.n == 0 && *name != '\0')
            buf_printf(&first, "%s:%zu: \"%.100s\": ", path, lines, name);
    }
    const int rc = names->n != 0 ? 0
                                 : fail("%sno line names a kernel of a model for %s",
                                        first.n != 0 ? first.s : "--compiled: ", t->token);
    buf_free(&first);
    return rc;
}

int compiled_read(struct interned *names, const struct target *t, const char *path)
{
    struct buf text = {NULL, 0, 0};
    int rc = read_text(path, most_bytes, &text);
    if (rc == 0)
        rc = read_names(names, t, path, &text);
    buf_free(&text);
    return rc;
}

/* ---- kernels ---- */

static const char *library_of(const kpred_model *m, int32_t kernel)
{
    int32_t values[KPRED_MAX_TUPLE] = {0};
    kpred_kernel_values(m, kernel, values);
    for (uint32_t p = 0; p < m->n_params; p++)
        if (strcmp(m->params[p].name, "library") == 0)
            return m->params[p].names[values[p]];
    return "";
}

static int needs_build(const char *library)
{
    return strcmp(library, "asm") != 0 && strcmp(library, "triton") != 0
           && strcmp(library, "flydsl") != 0;
}

static int may_run(const struct interned *names, const struct installed_family *in,
                   enum family_id family, const char *library, const char *kernel)
{
    const char *usual = families[family].kernel;
    if (!needs_build(library))
        return 1;
    if (names->n != 0)
        return intern_find_text(names, kernel) != INTERN_NONE;
    if (in->paths.n != 0)
        return intern_find_text(&in->kernels, kernel) != INTERN_NONE
               || (usual != NULL && strcmp(usual, kernel) == 0);
    return 1;
}

/* What is told where --compiled is not given */
static void note_source(const struct installed_family *in, const struct target *t,
                        enum family_id family)
{
    if (in->paths.n == 0)
        note(
            "%s: neither --compiled nor a table of --installed tells which kernels AITER was built "
            "with: all of its list are taken, and it refuses to run those that it lacks",
            families[family].name);
    else if (in->kernels.n == 0)
        note("%s: the tables of --installed name no kernel for %s: of those that are compiled in, "
             "none is known but AITER's default",
             families[family].name, t->token);
}

unsigned char *compiled_flags(const struct interned *names, const struct installed *in,
                              const struct target *t, enum family_id family, int only_ck, size_t *n)
{
    const kpred_model *m = t->model[family];
    unsigned char *flags = xcalloc(m->names->n, 1);
    *n = 0;
    for (uint32_t i = 0; i < m->names->n; i++) {
        const char *library = library_of(m, (int32_t)i);
        flags[i] = (!only_ck || strcmp(library, "ck") == 0)
                   && may_run(names, &in->of[family], family, library, m->names->names[i]);
        *n += flags[i];
    }
    if (names->n == 0)
        note_source(&in->of[family], t, family);
    return flags;
}
