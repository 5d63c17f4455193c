/* folders.c - files of tuned configurations that are there already, and their rows
   SPDX-License-Identifier: MIT */
#include "serve.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { MOST_DEPTH = 12 };

/* ---- a folder ---- */

static int read_folder(struct folder *f, const char *path, int depth);

/* AITER reads tables by their names, as they stand in aiter/configs and its inner folder. */
static int is_table(const char *path)
{
    const enum family_id family = family_of_file(path);
    return family != FAMILY_NONE && *families[family].merge_name != '\0' && ends_with(path, ".csv")
           && strstr(base_name(path), families[family].merge_name) != NULL;
}

static void add_table(struct folder *f, const char *path)
{
    f->table = xgrow(f->table, f->n_tables, &f->tables_cap, sizeof *f->table);
    f->table[f->n_tables++] = xstrdup(path);
}

static void add_file(struct folder *f, const char *path)
{
    struct folder_file file = {.path = NULL};
    struct buf why = {NULL, 0, 0};
    if (ends_with(path, ".json") && triton_name_parse(&file.name, path, &why) == 0) {
        file.path = xstrdup(path);
        triton_version_of(file.version, NULL, path);
        f->v = xgrow(f->v, f->n, &f->cap, sizeof *f->v);
        f->v[f->n++] = file;
    }
    if (is_table(path))
        add_table(f, path);
    buf_free(&why);
}

static int read_entry(struct folder *f, const char *path, const char *name, int depth)
{
    struct buf full = {NULL, 0, 0};
    struct stat st;
    int rc = 0;
    buf_add_path(&full, path, name);
    if (stat(full.s, &st) == 0 && S_ISDIR(st.st_mode))
        rc = depth < MOST_DEPTH ? read_folder(f, full.s, depth + 1) : 0;
    else
        add_file(f, full.s);
    buf_free(&full);
    return rc;
}

static int read_folder(struct folder *f, const char *path, int depth)
{
    DIR *d = opendir(path);
    int rc = 0;
    if (d == NULL)
        return fail("%s: cannot read the folder: %s", path, strerror(errno));
    for (const struct dirent *e; rc == 0 && (e = readdir(d)) != NULL;)
        if (e->d_name[0] != '.')
            rc = read_entry(f, path, e->d_name, depth);
    closedir(d);
    return rc;
}

static int by_path(const void *a, const void *b)
{
    return strcmp(((const struct folder_file *)a)->path, ((const struct folder_file *)b)->path);
}

int folder_read(struct folder *f, const char *path)
{
    char *copy = xstrdup(path), *rest = copy;
    int rc = 0;
    while (rest != NULL && rc == 0) {
        const char *one = rest;
        rest = strchr(rest, ':');
        if (rest != NULL)
            *rest++ = '\0';
        rc = read_folder(f, one, 0);
    }
    free(copy);
    if (f->n != 0)
        qsort(f->v, f->n, sizeof *f->v, by_path);
    if (f->n_tables != 0)
        qsort(f->table, f->n_tables, sizeof *f->table, compare_texts);
    return rc;
}

void folder_free(struct folder *f)
{
    for (size_t i = 0; i < f->n; i++)
        free(f->v[i].path);
    for (size_t i = 0; i < f->n_tables; i++)
        free(f->table[i]);
    free(f->v);
    free(f->table);
    memset(f, 0, sizeof *f);
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

const struct folder_file *folder_find(const struct folder *f, const struct lookup *l)
{
    const struct folder_file *found = NULL;
    struct buf name = {NULL, 0, 0};
    triton_name_write(&l->name, &name);
    for (size_t i = 0; i < f->n; i++) {
        const struct folder_file *file = &f->v[i];
        if (strcmp(base_name(file->path), name.s) != 0
            || (file->name.server != TRITON_N_SERVERS && file->name.server != l->name.server))
            continue;
        const int is_this = found != NULL && strcmp(found->version, l->version) == 0;
        if (found == NULL || strcmp(file->version, l->version) == 0
            || (!is_this && *file->version != '\0' && is_newer(file->version, found->version)))
            found = file;
    }
    buf_free(&name);
    return found;
}

/* ---- rows ---- */

static int by_m(const void *a, const void *b)
{
    const int32_t x = ((const struct known_row *)a)->m, y = ((const struct known_row *)b)->m;
    return (x > y) - (x < y);
}

static void end_row(struct known_rows *r)
{
    if (r->n != 0)
        buf_puts(&r->v[r->n - 1].text, "\n    }");
}

/* The row of a member "M.NAME"; NULL with a message */
static struct known_row *row_of(struct known_rows *r, const char *path, const struct flat_value *v,
                                size_t n)
{
    char text[24];
    int64_t m;
    snprintf(text, sizeof text, "%.*s", (int)n, v->name);
    if (parse_int(text, 1, KPRED_MAX_SIZE, &m) != 0) {
        fail("%s:%ld:%ld: M: value \"%s\": is not an integer from 1 to 2^24", path, v->line,
             v->column, text);
        return NULL;
    }
    if (r->n != 0 && r->v[r->n - 1].m == m)
        return &r->v[r->n - 1];
    end_row(r);
    r->v = xgrow(r->v, r->n, &r->cap, sizeof *r->v);
    r->v[r->n] = (struct known_row){.m = (int32_t)m};
    buf_printf(&r->v[r->n].text, "    \"%s\": {", text);
    return &r->v[r->n++];
}

static int add_member(struct known_rows *r, const char *path, const struct flat_value *v, int is_up)
{
    const char *point = strchr(v->name, '.');
    if (point == NULL)
        return v->kind == FLAT_NULL || strcmp(v->name, "triton_version") == 0
                   ? 0
                   : fail("%s:%ld:%ld: %s: expected an object with a tuple", path, v->line,
                          v->column, v->name);
    struct known_row *row = row_of(r, path, v, (size_t)(point - v->name));
    if (row == NULL)
        return -1;
    if (is_up && strcmp(point + 1, "USE_TMA") == 0)
        return 0;
    const char *quote = v->kind == FLAT_STRING ? "\"" : "";
    buf_printf(&row->text, "%s\n        \"%s\": %s%s%s", ends_with(row->text.s, "{") ? "" : ",",
               point + 1, quote, v->text, quote);
    return 0;
}

int folder_rows_read(struct known_rows *r, const char *path, int is_up)
{
    struct flat_json j;
    int rc = flat_json_read(&j, path, FOLDER_FILE_BYTES, "a file of configurations");
    for (size_t i = 0; i < j.n && rc == 0; i++)
        rc = add_member(r, path, &j.v[i], is_up);
    end_row(r);
    flat_json_free(&j);
    if (rc == 0 && r->n == 0)
        rc = fail("%s: it has no tuple", path);
    if (rc == 0)
        qsort(r->v, r->n, sizeof *r->v, by_m);
    return rc;
}

void folder_rows_free(struct known_rows *r)
{
    for (size_t i = 0; i < r->n; i++)
        buf_free(&r->v[i].text);
    free(r->v);
    memset(r, 0, sizeof *r);
}
