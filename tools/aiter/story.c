/* story.c - see story.h
   SPDX-License-Identifier: MIT */
#include "story.h"

#include "base/quote.h"

#include <string.h>

static const char *plural(size_t n)
{
    return n == 1 ? "" : "s";
}

/* ---- the summary ---- */

static void note_family(const struct rows_family *f, enum family_id family)
{
    struct buf b = {NULL, 0, 0};
    if (f->shapes == 0)
        return;
    buf_printf(&b, "%s: %zu shape%s with %zu (N, K): %zu row%s", families[family].name, f->shapes,
               plural(f->shapes), f->pairs, f->n, plural(f->n));
    if (f->kept != 0)
        buf_printf(&b, "; %zu left out that --installed has", f->kept);
    if (f->served != 0)
        buf_printf(&b, "; %zu left out within a fine step of a row of --installed", f->served);
    note("%s", b.s);
    buf_free(&b);
}

void story_note(const struct asked *a, const struct rows *r)
{
    note("%zu line%s, %zu of them AITER's: %zu shape%s to predict for", a->lines, plural(a->lines),
         a->calls, a->n, plural(a->n));
    for (int i = 0; i < N_FAMILIES; i++)
        note_family(&r->of[i], (enum family_id)i);
    tally_note(&a->left_out, "shape is left out", "shapes are left out");
    tally_note(&r->left_out, "M is left out", "M are left out");
    tally_note(&a->cut, "line", "lines");
}

/* ---- variables ---- */

/* A line of any length, which a shell could run */
static void print_variable(const char *name, const char *files)
{
    struct buf line = {NULL, 0, 0};
    buf_printf(&line, "  export %s=", name);
    quote(&line, files, '*');
    fprintf(stderr, "%s\n", line.s);
    buf_free(&line);
}

static int is_base(const char *path, const char *merge_name)
{
    const size_t n = strlen(merge_name);
    const char *name = base_name(path);
    return strncmp(name, merge_name, n) == 0 && strcmp(name + n, ".csv") == 0;
}

/* The base file comes first, as in AITER. */
static void add_installed(const struct installed_family *f, const char *merge_name, struct buf *b)
{
    for (int is_rest = 0; is_rest < 2; is_rest++)
        for (size_t i = 0; i < f->paths.n; i++)
            if (is_base(f->paths.v[i].s, merge_name) != is_rest)
                buf_printf(b, "%s:", f->paths.v[i].s);
}

/* Those of AITER at the commit of families.h; one that is not there does AITER no harm. */
static void add_known(const struct family *f, struct buf *b)
{
    buf_printf(b, "aiter/configs/%s.csv:", f->merge_name);
    for (const char *p = f->files, *next; *p != '\0'; p = next) {
        const size_t n = strcspn(p, " ");
        buf_printf(b, "aiter/configs/model_configs/%.*s.csv:", (int)n, p);
        next = p + n + (p[n] == ' ');
    }
}

static void note_variable(const struct installed_family *in, const struct family *f,
                          const char *path)
{
    struct buf files = {NULL, 0, 0};
    if (in->paths.n != 0)
        add_installed(in, f->merge_name, &files);
    else
        add_known(f, &files);
    buf_puts(&files, path);
    print_variable(f->variable, files.s);
    buf_free(&files);
}

void story_variables(const struct installed *in, char *const path[N_FAMILIES])
{
    int n = 0, lacks = 0;
    for (int i = 0; i < N_FAMILIES; i++) {
        if (path[i] == NULL)
            continue;
        if (n++ == 0)
            note("AITER reads the files that its variable lists, and no others:");
        note_variable(&in->of[i], &families[i], path[i]);
        lacks |= in->of[i].paths.n == 0;
    }
    if (lacks)
        note("aiter/configs is that folder of AITER's package. Its tables were not given: with "
             "--installed, no key of theirs is written; AITER refuses a key that comes twice");
}
