/* installed.c - see installed.h
   SPDX-License-Identifier: MIT */
#include "installed.h"

#include "tuned.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { KEY = 96 };

static size_t write_key(char key[KEY], const char *gfx, int64_t cu_num, const int32_t mnk[3])
{
    return (size_t)snprintf(key, KEY, "%.30s %" PRId64 " M %" PRId32 " N %" PRId32 " K %" PRId32,
                            gfx, cu_num, mnk[0], mnk[1], mnk[2]);
}

/* ---- reading ---- */

struct reading {
    struct installed_family *to;
    const struct target *target;
    const char *path;
};

static int clash(const struct installed_family *f, size_t i, const struct tuned_row *row)
{
    return fail(
        "%s:%ld: key %s: %s:%ld has it too; AITER refuses tables of which two rows have one "
        "key",
        row->path, row->line, f->keys.v[i].s, f->at[i].path, f->at[i].line);
}

static int add_row(void *to, const struct tuned_row *row)
{
    const struct reading *r = to;
    struct installed_family *f = r->to;
    char key[KEY];
    const int32_t mnk[3] = {row->m, row->n, row->k};
    const size_t before = f->keys.n, n = write_key(key, row->gfx, row->cu_num, mnk);
    const size_t i = intern(&f->keys, key, n);
    if (f->keys.n == before)
        return clash(f, i, row);
    f->at = xgrow(f->at, i, &f->cap, sizeof *f->at);
    f->at[i] = (struct installed_key){r->path, row->line};
    if (row->cu_num == r->target->cu_num && strcmp(row->gfx, r->target->gfx) == 0)
        intern_text(&f->kernels, row->kernel);
    return 0;
}

static int read_table(struct installed *in, const struct target *t, enum family_id only,
                      const char *path)
{
    enum family_id family = family_of_file(path);
    if (strstr(base_name(path), "untuned") != NULL)
        return 0;
    family = family != FAMILY_NONE ? family : only;
    if (family == FAMILY_NONE)
        return fail("--installed: %s: its name tells no family of AITER's; --family says which it "
                    "is of (INPUT stands before --installed, or behind --)",
                    path);
    if (families[family].model == NULL)
        return 0;
    struct reading r = {&in->of[family], t, path};
    intern_text(&r.to->paths, path);
    return tuned_read(path, family, add_row, &r);
}

int installed_read(struct installed *in, const struct target *t, enum family_id only,
                   const char *const *paths, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (read_table(in, t, only, paths[i]) != 0)
            return -1;
    return 0;
}

/* ---- asking ---- */

int installed_has(const struct installed *in, const struct target *t, enum family_id family,
                  int32_t m, int32_t n, int32_t k)
{
    char key[KEY];
    const int32_t mnk[3] = {m, n, k};
    const size_t length = write_key(key, t->gfx, t->cu_num, mnk);
    return intern_find(&in->of[family].keys, key, length) != INTERN_NONE;
}

void installed_free(struct installed *in)
{
    for (int i = 0; i < N_FAMILIES; i++) {
        intern_free(&in->of[i].keys);
        intern_free(&in->of[i].kernels);
        intern_free(&in->of[i].paths);
        free(in->of[i].at);
    }
    memset(in, 0, sizeof *in);
}
