/* folders.c - files of tuned configurations that are there already, and their rows
   SPDX-License-Identifier: MIT */
#include "serve.h"

#include "base/numbers.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { MOST_DEPTH = 12 };

/* ---- rows ---- */

void known_row_add(struct buf *b, const struct known_row *row, int is_second)
{
    const char *before = "";
    buf_printf(b, "    \"%" PRId32 "\": {", row->m);
    for (size_t i = 0; i < row->tuple.n; i++) {
        const struct flat_value *v = &row->tuple.v[i];
        if (is_second && strcmp(v->name, "USE_TMA") == 0)
            continue;
        buf_printf(b, "%s\n        ", before);
        table_json_text(b, v->name, strlen(v->name));
        buf_printf(b, ": %s", v->text);
        before = ",";
    }
    buf_puts(b, "\n    }");
}

/* A member of a file, "M": {...}. SGLang's tuner writes null where another kernel won. */
static int add_row(struct known_rows *r, const char *path, const struct flat_value *v)
{
    struct flat_json j;
    int64_t m;
    if (v->kind == FLAT_NULL || strcmp(v->name, "triton_version") == 0)
        return 0;
    if (v->kind != FLAT_OBJECT)
        return fail("%s:%ld:%ld: %s: expected an object with a tuple", path, v->line, v->column,
                    v->name);
    if (parse_int(v->name, 1, KPRED_MAX_SIZE, &m) != 0)
        return fail("%s:%ld:%ld: M: value \"%s\": is not an integer from 1 to 2^24", path, v->line,
                    v->column, v->name);
    for (size_t i = 0; i < r->n; i++)
        if (r->v[i].m == m)
            return fail("%s:%ld:%ld: M: value \"%s\": is given twice", path, v->line, v->column,
                        v->name);
    int rc = flat_json_inner(&j, path, v);
    if (rc == 0 && j.n == 0)
        rc = fail("%s:%ld:%ld: %s: has no tuple", path, v->line, v->column, v->name);
    if (rc == 0) {
        r->v = xgrow(r->v, r->n, &r->cap, sizeof *r->v);
        r->v[r->n++] = (struct known_row){(int32_t)m, j};
    } else
        flat_json_free(&j);
    return rc;
}

/* Has it rows? What cannot be read is told once. */
static int has_rows(struct folder_file *f)
{
    struct spared spared = {.n = 0};
    struct flat_json j;
    if (f->is_read)
        return f->rows.n != 0;
    f->is_read = 1;
    spare_begin(&spared);
    int rc = flat_json_members(&j, f->path, FOLDER_FILE_BYTES, "a file of configurations");
    for (size_t i = 0; i < j.n && rc == 0; i++)
        spared.n += add_row(&f->rows, f->path, &j.v[i]) != 0;
    if (rc == 0 && f->rows.n == 0)
        rc = fail("%s: it has no tuple", f->path);
    if (rc != 0)
        spared.n = 0;
    spare_note(&spared);
    flat_json_free(&j);
    if (f->rows.n != 0)
        qsort(f->rows.v, f->rows.n, sizeof *f->rows.v, num_rising_int);
    return f->rows.n != 0;
}

/* ---- a folder ---- */

/* AITER reads tables by their names, as they stand in aiter/configs and its inner folder. A newer
   one may have tables of other families. */
static int is_table(const char *path)
{
    const char *name = base_name(path);
    const enum family_id family = family_of_file(path);
    return ends_with(name, ".csv")
           && (family == FAMILY_NONE
                   ? strstr(name, "_tuned") != NULL && strstr(name, "untuned") == NULL
                   : *families[family].merge_name != '\0'
                         && strstr(name, families[family].merge_name) != NULL);
}

int state_name_read(struct state_name *s, const char *path)
{
    return sscanf(base_name(path),
                  "headdim=%d,dstate=%d,device_name=%127[^,],cache_dtype=%15[^.].json", &s->head,
                  &s->state, s->device, s->type)
           == 4;
}

static void add_file(struct folder *f, struct tables *tables, const char *path, int is_file)
{
    struct folder_file file = {.path = NULL};
    struct state_name state;
    struct buf why = {NULL, 0, 0};
    const int is_config =
        ends_with(path, ".json") && triton_name_parse(&file.name, path, &why) == 0;
    buf_free(&why);
    if (!is_file && (is_config || is_table(path)))
        note("a file is left out: %s: is no regular file", path);
    else if (is_config) {
        file.path = xstrdup(path);
        triton_version_of(file.version, NULL, path);
        f->v = xgrow(f->v, f->n, &f->cap, sizeof *f->v);
        f->v[f->n++] = file;
    } else if (is_table(path)) {
        const size_t i = intern_text(&tables->paths, path);
        tables->of.v = xgrow(tables->of.v, tables->of.n, &tables->cap, sizeof *tables->of.v);
        tables->of.v[tables->of.n++] = tables->paths.v[i].s;
    } else if (is_file && state_name_read(&state, path))
        intern_text(&tables->states, path);
    else if (is_file)
        gemm_json_add(&tables->jsons, path);
}

/* A link may lead to a folder that is read already. */
static int read_folder(struct folder *f, struct tables *tables, const char *path, int depth)
{
    DIR *d = opendir(path);
    int rc = 0;
    if (d == NULL && depth == 0)
        return fail("%s: cannot read the folder: %s", path, strerror(errno));
    if (d == NULL) {
        note("a folder is left out: %s: cannot read the folder: %s", path, strerror(errno));
        return 0;
    }
    for (const struct dirent *e; rc == 0 && (e = readdir(d)) != NULL;) {
        struct buf full = {NULL, 0, 0};
        struct stat st;
        if (e->d_name[0] == '.')
            continue;
        buf_add_path(&full, path, e->d_name);
        const int is_there = stat(full.s, &st) == 0;
        if (!is_there || !S_ISDIR(st.st_mode))
            add_file(f, tables, full.s, !is_there || S_ISREG(st.st_mode));
        else if (depth < MOST_DEPTH && intern_file(&f->seen, &st))
            rc = read_folder(f, tables, full.s, depth + 1);
        buf_free(&full);
    }
    closedir(d);
    return rc;
}

int folder_read(struct folder *f, struct tables *tables, const char *path)
{
    const size_t before = tables->of.n;
    char *copy = xstrdup(path), *rest = copy;
    struct stat st;
    int rc = 0;
    while (rest != NULL && rc == 0) {
        const char *one = rest;
        rest = strchr(rest, ':');
        if (rest != NULL)
            *rest++ = '\0';
        if (stat(one, &st) != 0 || intern_file(&f->seen, &st))
            rc = read_folder(f, tables, one, 0);
    }
    free(copy);
    if (f->n != 0)
        qsort(f->v, f->n, sizeof *f->v, compare_texts);
    if (tables->of.n > before)
        qsort(tables->of.v + before, tables->of.n - before, sizeof *tables->of.v, compare_texts);
    return rc;
}

void folder_free(struct folder *f)
{
    for (size_t i = 0; i < f->n; i++) {
        struct known_rows *rows = &f->v[i].rows;
        for (size_t j = 0; j < rows->n; j++)
            flat_json_free(&rows->v[j].tuple);
        free(rows->v);
        free(f->v[i].path);
    }
    free(f->v);
    intern_free(&f->seen);
    memset(f, 0, sizeof *f);
}

void tables_free(struct tables *t)
{
    free(t->of.v);
    intern_free(&t->paths);
    gemm_jsons_free(&t->jsons);
    intern_free(&t->states);
}

/* ---- versions ---- */

/* Numbers between `_`, as far as there are any: is a newer than b? */
static int is_newer(const char *a, const char *b)
{
    char *end_a, *end_b;
    do {
        const long x = strtol(a, &end_a, 10), y = strtol(b, &end_b, 10);
        if (x != y)
            return x > y;
        a = end_a + 1;
        b = end_b + 1;
    } while (*end_a == '_' && *end_b == '_');
    return *end_a == '_';
}

const char *folder_newest(const struct folder *f)
{
    const char *newest = "";
    for (size_t i = 0; i < f->n; i++)
        if (*f->v[i].version != '\0' && (*newest == '\0' || is_newer(f->v[i].version, newest)))
            newest = f->v[i].version;
    return newest;
}

const struct folder_file *folder_find(struct folder *f, const struct lookup *l)
{
    const struct folder_file *found = NULL;
    struct buf name = {NULL, 0, 0};
    triton_name_write(&l->name, &name);
    for (size_t i = 0; i < f->n; i++) {
        struct folder_file *file = &f->v[i];
        if (strcmp(base_name(file->path), name.s) != 0
            || (file->name.server != TRITON_N_SERVERS && file->name.server != l->name.server)
            || !has_rows(file))
            continue;
        const int is_this = found != NULL && strcmp(found->version, l->version) == 0;
        if (found == NULL || strcmp(file->version, l->version) == 0
            || (!is_this && *file->version != '\0' && is_newer(file->version, found->version)))
            found = file;
    }
    buf_free(&name);
    return found;
}
