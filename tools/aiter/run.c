/* run.c - from AITER's log to tuned tables of predicted kernels, for the command aiter
   SPDX-License-Identifier: MIT */
#include "aiter.h"

#include <stdlib.h>
#include <string.h>

/* ---- the story: the summary ---- */

size_t answering_built_in(const struct answering *a, enum family_id family, size_t ranks)
{
    const struct rows_family *f = &a->rows.of[family];
    size_t n = 0;
    for (size_t i = 0; i < f->n; i++)
        n += f->v[i].rank <= ranks
             && names_has_word(families[family].built_in, f->v[i].best.library);
    return n;
}

static void note_nearest(const struct answering *a, enum family_id family)
{
    const char *name = families[family].name;
    const struct rows_family *f = &a->rows.of[family];
    const struct installed_family *in = &a->installed.of[family];
    const size_t n = answering_built_in(a, family, SIZE_MAX);
    if (n != 0)
        note("warning: %s: %zu row%s only after a rebuild (AITER_REBUILD=1)", name, n,
             as_counted(n, " acts", "s act"));
    if (families[family].remark != NULL && f->n != 0)
        note("%s: %s", name, families[family].remark);
    if (in->never != 0)
        note("%s: %zu row%s of %s in --installed %s not copied", name, in->never,
             as_counted(in->never, "", "s"), families[family].never,
             as_counted(in->never, "is", "are"));
}

static void note_family(const struct answering *a, enum family_id family)
{
    const struct rows_family *f = &a->rows.of[family];
    struct buf b = {NULL, 0, 0};
    if (f->shapes == 0)
        return;
    buf_printf(&b, "%s: %zu shape%s with %zu %s: %zu row%s", families[family].name, f->shapes,
               as_counted(f->shapes, "", "s"), f->pairs,
               families[family].ladder != LADDER_TOKENS ? "(N, K)"
               : f->pairs == 1                          ? "layer"
                                                        : "layers",
               f->n, as_counted(f->n, "", "s"));
    if (f->copied != 0)
        buf_printf(&b, ", %zu of nearest shapes", f->copied);
    note("%s", b.s);
    b.n = 0;
    if (rows_outside(f->v, f->n, SIZE_MAX, a->target.model[family], &b) != 0)
        note("%s: %s", families[family].name, b.s);
    buf_free(&b);
    if (f->kept + f->served != 0)
        note("%s: left out: %zu that --installed has, %zu within a fine step of its rows",
             families[family].name, f->kept, f->served);
    if (families[family].has_nearest)
        note_nearest(a, family);
}

static void story_note(const struct answering *all)
{
    const struct asked *a = &all->asked;
    const struct rows *r = &all->rows;
    const size_t measured = r->measured + a->n_found;
    size_t n = 0; /* distinct shapes of all families */
    note("%zu line%s, %zu of them AITER's: %zu shape%s to predict for", a->lines,
         as_counted(a->lines, "", "s"), a->calls, a->n, as_counted(a->n, "", "s"));
    for (int i = 0; i < N_FAMILIES; i++)
        note_family(all, (enum family_id)i);
    tally_note(&a->left_out, "shape is left out", "shapes are left out");
    tally_note(&r->left_out, "M is left out", "M are left out");
    tally_note(&a->cut, "line", "lines");
    for (size_t i = 0; i < a->left_out.words.n; i++)
        n += a->left_out.v[i].n;
    for (int i = 0; i < N_FAMILIES; i++)
        n += r->of[i].shapes;
    note("%zu shape%s in all: %zu predicted, %zu of nearest shapes, %zu in a table, %zu left out",
         n, as_counted(n, "", "s"), r->predicted, r->copied, measured,
         n - r->predicted - r->copied - measured);
}

/* The variable has `:` between the paths. 0; -1: a path has one, or is not one from the root. */
static int add_path(struct buf *b, const char *path)
{
    buf_puts(b, b->n != 0 ? ":" : "");
    const size_t before = b->n;
    return buf_add_absolute(b, path) == 0 && strchr(b->s + before, ':') == NULL ? 0 : -1;
}

/* The base file comes first, as in AITER, which may be started in any folder. */
static int add_files(struct buf *b, const struct installed_family *f, const char *merge_name,
                     const char *path)
{
    const size_t n = strlen(merge_name);
    int rc = 0;
    for (int is_rest = 0; is_rest < 2; is_rest++)
        for (size_t i = 0; i < f->paths.n; i++) {
            const char *name = base_name(f->paths.v[i].s);
            const int is_base = strncmp(name, merge_name, n) == 0
                                && strncmp(name + n, ".csv", 4) == 0; /* maybe packed */
            if (is_base != is_rest)
                rc |= add_path(b, f->paths.v[i].s);
        }
    return rc | add_path(b, path);
}

/* Where the variable is set, AITER reads no table that it does not list: none may be hidden. */
void answering_tell(const struct answering *a)
{
    int n = 0, lacks = 0;
    for (const struct table_file *f = a->files.v; f < a->files.v + a->files.n; f++) {
        const struct installed_family *in = &a->installed.of[f->family];
        const struct family *family = &families[f->family];
        struct buf files = {NULL, 0, 0};
        if (f->path == NULL)
            continue;
        const int rc = add_files(&files, in, family->merge_name, f->path);
        lacks |= !in->has_own;
        if (!in->has_own)
            note("%s: no line sets its variable, which would hide AITER's own tables",
                 family->name);
        else if (rc != 0)
            note("%s: no line sets its variable: AITER reads a path with : as two", family->name);
        else {
            if (n++ == 0)
                note("AITER reads the files that its variable lists, and no others:");
            print_export(family->variable, files.s);
        }
        buf_free(&files);
    }
    if (lacks)
        note("give AITER's own tables with --installed: then its lines are written");
}

/* ---- a run ---- */

void answering_free(struct answering *a)
{
    asked_free(&a->asked);
    installed_free(&a->installed);
    intern_free(&a->compiled);
    rows_free(&a->rows);
    files_free(&a->files);
}

static int run_check(const struct aiter_options *o)
{
    if (o->top != 0 && (o->output == NULL || ends_with(o->output, ".csv")))
        return fail("aiter: --top: candidates are written into a folder: -o DIR");
    if (o->top != 0 && o->schema != SCHEMA_CURRENT)
        return fail("aiter: --schema: candidates have columns of their own: not with --top");
    return 0;
}

static int read_all(struct answering *a, const struct aiter_options *o)
{
    struct target *t = &a->target;
    const enum family_id only = a->asked.from.only;
    struct buf known = {NULL, 0, 0};
    int rc = target_find(t, o->gpu);
    /* --family may name one that needs no model. */
    if (rc == 0 && only != FAMILY_NONE && t->model[only] == NULL && !families[only].has_nearest
        && *target_known(only, &known) != '\0')
        rc = fail("--gpu: value \"%s\": the model of %s does not know it (known: %s)", o->gpu,
                  families[only].name, known.s);
    buf_free(&known);
    if (rc != 0)
        return -1;
    if (o->compiled != NULL && (target_check(t, o->gpu) != 0 || compiled_read(a, o->compiled) != 0))
        return -1;
    a->asked.from.target = t;
    a->asked.from.force = o->force;
    if (inputs_read(&a->asked, o->inputs.v, o->inputs.n) != 0)
        return -1;
    for (size_t i = 0; i < a->asked.n; i++)
        if (families[a->asked.v[i].family].has_nearest) /* it may be answered without a model */
            return 0;
    return target_check(t, o->gpu);
}

static int run_predict(struct answering *a, const struct aiter_options *o)
{
    const struct rows_options options = {.is_exact = o->is_exact,
                                         .only_ck = o->schema >= SCHEMA_NO_LIBTYPE,
                                         .top = o->top != 0 ? (size_t)o->top : 1,
                                         .beam = (size_t)(o->beam > o->top ? o->beam : o->top)};
    if (installed_read(a, o->installed.v, o->installed.n, o->installed.n) != 0
        || rows_make(a, &options) != 0)
        return -1;
    story_note(a);
    /* Is there a family that can be answered? */
    if (a->asked.n == 0 || a->rows.without_gpu + a->rows.without_rows < a->asked.n)
        return 0;
    if (a->rows.without_rows == 0)
        return fail("--gpu: value \"%s\": no model of the families asked for knows it", o->gpu);
    return a->asked.found != 0 ? 0
                               : tally_fail(log_line_called(o->inputs.v, o->inputs.n),
                                            "predict for", &a->asked.left_out, NULL);
}

static int write_out(struct answering *a, const struct aiter_options *o)
{
    const struct files_options options = {.output = o->output,
                                          .force = o->force,
                                          .schema = o->top != 0 ? SCHEMA_CANDIDATES
                                                                : (enum write_schema)o->schema,
                                          .inputs = {o->inputs, o->installed},
                                          .compiled = o->compiled};
    const int rc = files_write(a, &options);
    if (rc == 0 && o->top == 0)
        answering_tell(a);
    return rc;
}

int aiter_run(const struct aiter_options *o)
{
    struct answering a = {.asked.from.only = FAMILY_NONE};
    if (run_check(o) != 0)
        return 2;
    if (o->family != NULL
        && (a.asked.from.only = family_asked("--family", o->family)) == FAMILY_NONE)
        return 1;
    const int bad = read_all(&a, o) != 0 || run_predict(&a, o) != 0 || write_out(&a, o) != 0;
    answering_free(&a);
    return bad;
}
