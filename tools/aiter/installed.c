/* installed.c - the tuned tables that AITER has, and the kernels that it can run
   SPDX-License-Identifier: MIT */
#include "aiter.h"

#include "base/csv_records.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* ---- tuned tables ---- */

static const size_t most_bytes = (size_t)1 << 30;

/* What the columns are called; the first N_NEEDED have to be there. */
enum { M, N, K, KERNEL, US, N_NEEDED, GFX = N_NEEDED, CU_NUM, LIBTYPE, N_USED };
static const char *const used[N_USED] = {"M",  "N",   "K",      "kernelName",
                                         "us", "gfx", "cu_num", "libtype"};
static const char *const unused[] = {"kernelId", "splitK",      "tflops", "bw",
                                     "errRatio", "preshuffleB", "_tag"};

static int is_known(const char *name)
{
    for (size_t i = 0; i < N_USED; i++)
        if (strcmp(used[i], name) == 0)
            return 1;
    for (size_t i = 0; i < sizeof unused / sizeof *unused; i++)
        if (strcmp(unused[i], name) == 0)
            return 1;
    return 0;
}

static int read_header(const struct csv_records *c, enum family_id family, int at[N_USED])
{
    if (csv_records_check_header(c) != 0)
        return -1;
    for (size_t i = 0; i < c->n; i++)
        if (!is_known(c->cell[i]))
            return fail("%s:%ld: column \"%.60s\": is none of a tuned table of %s", c->path, c->at,
                        c->cell[i], families[family].name);
    for (int i = 0; i < N_USED; i++) {
        at[i] = csv_records_find(c, used[i]);
        if (at[i] < 0 && i < N_NEEDED)
            return fail("%s:%ld: there is no column %s: this is no tuned table of %s", c->path,
                        c->at, used[i], families[family].name);
    }
    return 0;
}

static int read_size(const struct csv_records *c, const int at[N_USED], int column, int32_t *out)
{
    int64_t v;
    if (parse_int(c->cell[at[column]], 1, KPRED_MAX_SIZE, &v) != 0)
        return fail("%s:%ld: %s: value \"%.60s\": is no integer from 1 to %d", c->path, c->at,
                    used[column], c->cell[at[column]], KPRED_MAX_SIZE);
    *out = (int32_t)v;
    return 0;
}

static const char *cell(const struct csv_records *c, const int at[N_USED], int column)
{
    return at[column] >= 0 ? c->cell[at[column]] : "";
}

static void set_gfx(struct tuned_row *row, const char *text)
{
    struct buf b = {NULL, 0, 0};
    if (*text == '\0' || strcmp(text, "0") == 0)
        text = target_gfx_of_units(row->cu_num);
    snprintf(row->gfx, sizeof row->gfx, "%s", gpu_name(text, &b));
    buf_free(&b);
}

static int read_row(const struct csv_records *c, const int at[N_USED], struct tuned_row *row)
{
    char *end;
    struct buf trouble = {NULL, 0, 0};
    if (c->n != c->n_header) {
        fail("%s:%ld: %s", c->path, c->at, csv_records_ragged(c, &trouble));
        buf_free(&trouble);
        return -1;
    }
    *row = (struct tuned_row){.path = c->path,
                              .line = c->at,
                              .kernel = cell(c, at, KERNEL),
                              .us = cell(c, at, US),
                              .libtype = cell(c, at, LIBTYPE)};
    if (at[CU_NUM] >= 0 && parse_int(cell(c, at, CU_NUM), 0, KPRED_MAX_SIZE, &row->cu_num) != 0)
        return fail("%s:%ld: cu_num: value \"%.60s\": is no number of compute units", c->path,
                    c->at, cell(c, at, CU_NUM));
    strtod(row->us, &end);
    if (end == row->us || *end != '\0')
        return fail("%s:%ld: us: value \"%.60s\": is no time", c->path, c->at, row->us);
    set_gfx(row, cell(c, at, GFX));
    return read_size(c, at, M, &row->m) != 0 || read_size(c, at, N, &row->n) != 0
                   || read_size(c, at, K, &row->k) != 0
               ? -1
               : 0;
}

static int read_rows(struct csv_records *c, enum family_id family,
                     int (*row)(void *, const struct tuned_row *), void *to)
{
    int at[N_USED] = {0};
    struct tuned_row r;
    int rc = csv_records_next(c);
    if (rc <= 0)
        return rc < 0 ? rc : fail("%s: is empty", c->path);
    rc = read_header(c, family, at);
    while (rc == 0) {
        const int more = csv_records_next(c);
        if (more <= 0)
            return more;
        rc = read_row(c, at, &r);
        if (rc == 0)
            rc = row(to, &r);
    }
    return rc;
}

int tuned_read(const char *path, enum family_id family,
               int (*row)(void *to, const struct tuned_row *row), void *to)
{
    struct buf text = {NULL, 0, 0};
    struct csv_records c;
    int rc = read_text(path, most_bytes, &text);
    if (rc == 0) {
        rc = csv_records_open(&c, path, &text);
        if (rc == 0)
            rc = read_rows(&c, family, row, to);
        csv_records_close(&c);
    }
    buf_free(&text);
    return rc;
}

int tuned_is_predicted(const char *us)
{
    const double t = strtod(us, NULL);
    return !(t < 999999.0) && !(t > 999999.0);
}

/* ---- installed tables ---- */

enum { KEY = 96 };

static size_t write_key(char key[KEY], const char *gfx, int64_t cu_num, const int32_t mnk[3])
{
    return (size_t)snprintf(key, KEY, "%.30s %" PRId64 " M %" PRId32 " N %" PRId32 " K %" PRId32,
                            gfx, cu_num, mnk[0], mnk[1], mnk[2]);
}

/* ---- installed tables: reading ---- */

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

/* ---- installed tables: asking ---- */

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

/* ---- kernels that can run ---- */

/* ---- kernels that can run: --compiled ---- */

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

/* ---- kernels that can run: kernels ---- */

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
