/* installed.c - the tuned tables that AITER has, and the kernels that it can run
   SPDX-License-Identifier: MIT */
#include "aiter.h"

#include "base/names.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { VERSION_BYTES = 1 << 16 };

/* ---- installed tables ---- */

static void add_key_of(struct buf *key, const char *gfx, int64_t cu_num,
                       const struct asked_shape *s)
{
    const int32_t mnk[3] = {s->m, s->n, s->k};
    buf_printf(key, "%s %" PRId64, gfx, cu_num);
    for (int i = 0; i < 3; i++)
        buf_printf(key, " %s %" PRId32, families[s->family].sizes[i], mnk[i]);
    buf_printf(key, "%s%s", *s->detail != '\0' ? " " : "", s->detail);
}

struct reading {
    struct installed_family *to;
    enum family_id family;
    struct answering *by;
    const char *path;
    struct spared spared;
    int is_own;
    size_t twice;      /* rows whose key is there already */
    struct buf second; /* the first of them, and where the other one is */
};

/* A merged table has 0 where one of its parts had no such column. */
static const char *tag_of(const struct tuned_row *row)
{
    return strcmp(row->tag, "0") == 0 || strcmp(row->tag, "0.0") == 0 ? "" : row->tag;
}

/* The row's key comes again: is it the row that AITER takes? Where it merges tables, that is the
   faster one (update_config_files of aiter/jit/core.py), but the first of two with other tags; with
   broken ones nobody knows. */
static int wins(struct reading *r, const struct installed_key *k, const struct tuned_row *row,
                const char *key)
{
    const struct place *at = &row->shape.at;
    if (row->is_broken || k->is_broken)
        return 0;
    const int has_other_tag = strcmp(k->tag, tag_of(row)) != 0;
    if (has_other_tag)
        note("%s:%zu: key %s: %s:%zu has the same key with another _tag: AITER takes the first",
             at->path, at->line, key, k->at.path, k->at.line);
    else if (r->twice++ == 0)
        buf_printf(&r->second, "%s:%zu: key %s: %s:%zu has the same key", at->path, at->line, key,
                   k->at.path, k->at.line);
    return !has_other_tag && strtod(row->us, NULL) < k->us;
}

static const char *kept(struct installed_family *f, const char *text)
{
    const size_t i = intern_text(&f->texts, text);
    return f->texts.v[i].s;
}

/* Of the target. A prediction is nothing to predict from. -1 with a message: it cannot be used. */
static int add_measured(const struct reading *r, const struct tuned_row *row,
                        struct installed_key *k)
{
    struct installed_family *f = r->to;
    struct buf detail = {NULL, 0, 0};
    struct measured x = {.m = row->shape.m, .n = row->shape.n, .k = row->shape.k};
    const char *id = families[r->family].id_column;
    if (tuned_is_predicted(row->us))
        return 0;
    if (names_has_word(families[r->family].never, row->libtype)) {
        f->never++;
        return 0;
    }
    if (*row->kernel == '\0')
        return fail("%s:%zu: %s: value \"\": is not a name", row->shape.at.path, row->shape.at.line,
                    families[r->family].kernel_column);
    if (tuned_number(row, families[r->family].split_column, row->split, &x.split) != 0)
        return -1;
    if (id != NULL && tuned_number(row, id, row->id, &x.id) != 0)
        return -1;
    x.kernel = kept(f, row->kernel);
    x.library = kept(f, row->libtype);
    buf_puts(&detail, row->shape.detail);
    family_look_up(&detail); /* AITER never looks for per_128x128, but its kernels are good ones */
    x.detail = kept(f, detail.s);
    buf_free(&detail);
    x.more = kept(f, row->more);
    if (k->measured == 0) {
        f->row = xgrow(f->row, f->n, &f->rows_cap, sizeof *f->row);
        k->measured = ++f->n;
    }
    f->row[k->measured - 1] = x;
    return 0;
}

/* Where the row goes; NULL: another one of its key stays. */
static struct installed_key *key_of(struct reading *r, const struct tuned_row *row)
{
    struct installed_family *f = r->to;
    struct buf key = {NULL, 0, 0};
    const size_t before = f->keys.n;
    add_key_of(&key, row->gfx, row->cu_num, &row->shape);
    const size_t i = intern(&f->keys, key.s, key.n);
    const int is_new = f->keys.n != before;
    if (is_new)
        f->at = xgrow(f->at, i, &f->cap, sizeof *f->at);
    struct installed_key *k = is_new || wins(r, &f->at[i], row, key.s) ? &f->at[i] : NULL;
    buf_free(&key);
    if (k != NULL)
        *k = (struct installed_key){row->shape.at,  kept(f, tag_of(row)),
                                    row->is_broken, strtod(row->us, NULL),
                                    NULL,           is_new ? 0 : k->measured};
    return k;
}

/* AITER does not read rows of fused MoE with this tag. */
static const char fallback[] = "flydsl_fallback";

static int add_row(void *to, const struct tuned_row *row)
{
    struct reading *r = to;
    const struct target *t = &r->by->target;
    if (r->family == FAMILY_FMOE && strcmp(row->tag, fallback) == 0)
        return 0;
    struct installed_key *k = key_of(r, row);
    if (k == NULL || row->cu_num != t->cu_num || strcmp(row->gfx, t->gfx) != 0)
        return 0;
    k->kernel = *row->kernel != '\0' ? kept(r->to, row->kernel) : NULL;
    r->spared.n +=
        families[r->family].has_nearest && !row->is_broken && add_measured(r, row, k) != 0;
    return 0;
}

/* FAMILY_NONE with a message */
static enum family_id family_of(const char *path, enum family_id only)
{
    const enum family_id named = family_of_file(path);
    const enum family_id family = named == FAMILY_BATCHED ? family_of_batched(only) : named;
    if (family == FAMILY_NONE && only == FAMILY_NONE)
        fail("--installed: %s: its name does not tell a family of AITER's: give it with "
             "--family (INPUT stands before --installed, or behind --)",
             path);
    return family == FAMILY_NONE ? only : family;
}

/* What is wrong stays in r->spared: nobody can mend a table that is installed. */
static void take_table(struct reading *r)
{
    struct installed *in = &r->by->installed;
    const struct asked *a = &r->by->asked;
    struct stat st;
    int is_asked = 0;
    if (strstr(base_name(r->path), "untuned") != NULL
        || (stat(r->path, &st) == 0 && !intern_file(&in->files, &st)))
        return;
    spare_begin(&r->spared);
    r->family = family_of(r->path, a->from.only);
    for (size_t i = 0; i < a->n; i++)
        is_asked |= a->v[i].family == r->family;
    if (r->family != FAMILY_NONE
        && (is_asked || (families[r->family].model != NULL && !families[r->family].has_nearest))) {
        r->to = &in->of[r->family];
        (void)tuned_read(r->path, r->family, &r->spared, add_row, r);
        /* AITER may read what cannot be read here: its variable has each file that is not empty. */
        if (stat(r->path, &st) == 0 && S_ISREG(st.st_mode) && st.st_size != 0) {
            intern_text(&r->to->paths, r->path);
            r->to->has_own |= r->is_own;
        }
    }
    spare_end();
    if (r->twice > 1)
        buf_printf(&r->second, " (%zu more likewise)", r->twice - 1);
    if (r->twice != 0)
        note("warning: %s: AITER takes the faster row; a newer one deletes the slower, and stops "
             "once",
             r->second.s);
    buf_free(&r->second);
}

/* That of the package in whose folder `configs` the table lies; 1: it is there. Of the commit that
   kpred knows no number is known, but that 0.1.7 is older. */
static int tell_version(const char *path)
{
    const size_t n = (size_t)(base_name(path) - path);
    struct buf at = {NULL, 0, 0}, text = {NULL, 0, 0};
    struct spared spared = {.n = 0}; /* most have none there */
    int a = 0, b = 0, c = 0;
    buf_printf(&at, "%.*s%s_version.py", (int)n, path,
               n > 14 && strncmp(path + n - 14, "model_configs/", 14) == 0 ? "../../" : "../");
    spare_begin(&spared);
    const int is_there = n >= 8 && strncmp(path + n - 8, "configs/", 8) == 0
                         && read_text(at.s, VERSION_BYTES, &text) == 0;
    const char *v = is_there ? strstr(text.s, "__version__ = ") : NULL;
    spare_end();
    v = v != NULL ? strpbrk(v, "'\"") : NULL;
    if (v != NULL && strstr(v, "g" AITER_COMMIT) == NULL)
        note("--installed: AITER is %.*s, %s its commit " AITER_COMMIT
             " of 2026-08-22, whose look-ups kpred knows",
             (int)strcspn(v + 1, "'\"\n"), v + 1,
             sscanf(v + 1, "%d.%d.%d", &a, &b, &c) == 3 && a == 0 && 10 * b + c <= 17
                 ? "older than"
                 : "maybe newer than");
    buf_free(&at);
    buf_free(&text);
    return v != NULL;
}

int installed_read(struct answering *a, const char *const *paths, size_t n, size_t n_own)
{
    struct reading *all = xcalloc(n + 1, sizeof *all);
    struct stat st;
    int rc = 0, is_told = 0;
    for (size_t i = 0; i < n_own && !is_told; i++)
        is_told = tell_version(paths[i]);
    for (size_t i = 0; i < n && rc == 0; i++) {
        all[i] = (struct reading){.by = a, .path = paths[i], .is_own = i < n_own};
        if (lstat(paths[i], &st) == 0)
            take_table(&all[i]);
        else /* such as a pattern that matches nothing */
            rc = fail("--installed: %s: cannot open: %s", paths[i], strerror(errno));
    }
    for (size_t i = 0; i < n && rc == 0; i++)
        spare_note(&all[i].spared);
    for (struct installed_family *f = a->installed.of; f < a->installed.of + N_FAMILIES; f++)
        for (size_t j = 0; j < f->keys.n; j++)
            if (f->at[j].kernel != NULL)
                intern_text(&f->kernels, f->at[j].kernel);
    free(all);
    return rc;
}

int installed_has(const struct answering *a, const struct asked_shape *s)
{
    struct buf key = {NULL, 0, 0};
    add_key_of(&key, a->target.gfx, a->target.cu_num, s);
    const int has = intern_find_text(&a->installed.of[s->family].keys, key.s) != INTERN_NONE;
    buf_free(&key);
    return has;
}

void installed_free(struct installed *in)
{
    for (struct installed_family *f = in->of; f < in->of + N_FAMILIES; f++) {
        intern_free(&f->keys);
        intern_free(&f->kernels);
        intern_free(&f->paths);
        intern_free(&f->texts);
        free(f->row);
        free(f->at);
    }
    intern_free(&in->files);
    memset(in, 0, sizeof *in);
}

/* ---- kernels that can run: --compiled ---- */

static const size_t most_bytes = (size_t)1 << 30;

/* A line may hold anything, as what `strings` prints does; of these, kernels alone are kept. */
int compiled_read(struct answering *a, const char *path)
{
    struct buf text = {NULL, 0, 0}, first = {NULL, 0, 0};
    size_t lines = 0;
    int rc = read_text(path, most_bytes, &text);
    if (rc == 0 && strlen(text.s) != text.n)
        rc = fail("%s: is not a text file: it holds a NUL byte", path);
    for (char *at = text.s, *line; rc == 0 && (line = next_line(&at)) != NULL;) {
        char *name = line + strspn(line, " \t\r");
        int is_kernel = 0;
        name[strcspn(name, " \t\r")] = '\0';
        lines++;
        for (int i = 0; i < N_FAMILIES; i++)
            is_kernel |=
                a->target.model[i] != NULL && kpred_kernel_named(a->target.model[i], name) >= 0;
        if (is_kernel)
            intern_text(&a->compiled, name);
        else if (first.n == 0 && *name != '\0')
            buf_printf(&first, "%s:%zu: \"%.100s\": ", path, lines, name);
    }
    if (rc == 0 && a->compiled.n == 0)
        rc = fail("%sno line names a kernel of a model for %s",
                  first.n != 0 ? first.s : "--compiled: ", a->target.token);
    buf_free(&first);
    buf_free(&text);
    return rc;
}

/* ck and cktile kernels are compiled into a registry when AITER is built: a row that names another
   one is an error when its shape is run. That of opus may be compiled or not. */

static const char *library_of(const kpred_model *m, int32_t kernel)
{
    int32_t values[KPRED_MAX_TUPLE] = {0};
    kpred_kernel_values(m, kernel, values);
    for (uint32_t p = 0; p < m->n_params; p++)
        if (strcmp(m->params[p].name, "library") == 0)
            return m->params[p].names[values[p]];
    return "";
}

/* Kernels of ck have names that begin with that of the family. */
static void note_newer(const kpred_model *m, const struct installed_family *of, const char *family)
{
    size_t n = 0;
    for (size_t i = 0; i < of->kernels.n; i++)
        n += strncmp(of->kernels.v[i].s, family, strlen(family)) == 0
             && kpred_kernel_named(m, of->kernels.v[i].s) < 0;
    if (n != 0)
        note("%s: %zu kernel%s of --installed %s not known: AITER is newer than kpred", family, n,
             as_counted(n, "", "s"), as_counted(n, "is", "are"));
}

unsigned char *compiled_flags(const struct answering *a, enum family_id family, int only_ck,
                              size_t *n)
{
    const kpred_model *m = a->target.model[family];
    const struct interned *names = &a->compiled;
    const struct installed_family *of = &a->installed.of[family];
    const char *usual = families[family].kernel;
    unsigned char *flags = xcalloc(m->names->n, 1);
    *n = 0;
    for (uint32_t i = 0; i < m->names->n; i++) {
        const char *library = library_of(m, (int32_t)i), *kernel = m->names->names[i];
        int may_run = 1; /* others ship code, compile it when asked, or belong to PyTorch */
        if (names_has_word("ck cktile opus", library) && names->n != 0)
            may_run = intern_find_text(names, kernel) != INTERN_NONE;
        else if (names_has_word("ck cktile opus", library) && of->paths.n != 0)
            may_run = intern_find_text(&of->kernels, kernel) != INTERN_NONE
                      || (usual != NULL && strcmp(usual, kernel) == 0);
        flags[i] = (!only_ck || strcmp(library, "ck") == 0) && may_run;
        *n += flags[i];
    }
    note_newer(m, of, families[family].name);
    if (names->n == 0 && of->paths.n == 0)
        note("warning: %s: AITER may lack these kernels: use --compiled", families[family].name);
    else if (names->n == 0 && of->kernels.n == 0)
        note("warning: %s: --installed has no kernel for %s but AITER's default",
             families[family].name, a->target.token);
    return flags;
}
