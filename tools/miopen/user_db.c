/* user_db.c - see user_db.h
   SPDX-License-Identifier: MIT */
#include "user_db.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { MAX_TOLD = 10 };
static const size_t max_bytes = (size_t)1 << 30;

/* ---- lines ---- */

static void add_line(struct user_db *u, size_t number, char *key, char *entries, int is_new)
{
    u->lines = xgrow(u->lines, u->n, &u->cap, sizeof *u->lines);
    struct user_db_line *line = &u->lines[u->n];
    line->key = key;
    line->entries = entries;
    line->order = u->n++;
    line->number = number;
    line->is_new = is_new;
}

void user_db_add(struct user_db *u, const char *key, const char *entries)
{
    add_line(u, 0, xstrdup(key), xstrdup(entries), 1);
}

void user_db_free(struct user_db *u)
{
    for (size_t i = 0; i < u->n; i++) {
        free(u->lines[i].key);
        free(u->lines[i].entries);
    }
    free(u->lines);
    memset(u, 0, sizeof *u);
}

const char *user_db_next_entry(const char **at, size_t *n_solver, size_t *n_params)
{
    const char *solver = *at;
    if (*solver == '\0')
        return NULL;
    const size_t n = strcspn(solver, ";");
    *n_solver = strcspn(solver, ":");
    *n_params = n - *n_solver - 1;
    *at = solver + n + (solver[n] == ';');
    return solver + *n_solver + 1;
}

const char *user_db_find_entry(const char *entries, const char *solver, size_t n_solver,
                               size_t *n_params)
{
    size_t n;
    for (const char *at = entries, *start = at, *params;
         (params = user_db_next_entry(&at, &n, n_params)) != NULL; start = at)
        if (n == n_solver && memcmp(start, solver, n) == 0)
            return params;
    return NULL;
}

/* ---- reading ---- */

/* NULL, or what is wrong with entries. */
static const char *find_trouble(const char *entries)
{
    const char *p = entries;
    if (*p == '\0')
        return "nothing follows the `=`";
    while (*p != '\0') {
        const size_t n = strcspn(p, ";"), solver = strcspn(p, ":;");
        if (solver == n || solver == 0)
            return "an entry is not of the form solver:values";
        p += n + (p[n] == ';');
    }
    return NULL;
}

/* A line without its end. */
static void read_line(struct user_db *u, size_t number, char *line)
{
    char *equals = strchr(line, '=');
    const char *trouble = strchr(line, '\r') != NULL ? "it holds a carriage return"
                          : equals == NULL           ? "there is no `=`"
                          : equals == line           ? "there is no key before the `=`"
                                                     : find_trouble(equals + 1);
    if (trouble == NULL) {
        *equals = '\0';
        add_line(u, number, xstrdup(line), xstrdup(equals + 1), 0);
        return;
    }
    if (u->n_broken++ < MAX_TOLD && u->path != NULL)
        note("%s:%zu: \"%.60s\": %s: the line is kept as it is", u->path, number, line, trouble);
    add_line(u, number, xstrdup(line), NULL, 0);
}

/* The lines of a text; `path` is for errors. */
static int read_lines(struct user_db *u, const char *path, struct buf *text)
{
    size_t number = 1;
    int is_perf_db = 0;
    struct conv c;
    char why[96];
    plain_text(text);
    if (strlen(text->s) != text->n)
        return fail("%s: is not a perf-db: it holds a NUL byte", path);
    for (char *at = text->s, *line; (line = next_line(&at)) != NULL; number++) {
        /* The end of a line takes one carriage return. Of several, each merge would take one. */
        for (size_t n = strlen(line); n > 0 && line[n - 1] == '\r';)
            line[--n] = '\0';
        if (*line != '\0')
            read_line(u, number, line);
    }
    if (u->n_broken > MAX_TOLD && u->path != NULL)
        note("%s: %zu more broken %s", u->path, u->n_broken - MAX_TOLD,
             as_counted(u->n_broken - MAX_TOLD, "line is kept as it is",
                        "lines are kept as they are"));
    /* Other text has lines of that form too, PATH=/bin:/usr/bin. */
    for (size_t i = 0; i < u->n && !is_perf_db; i++)
        is_perf_db = u->lines[i].entries != NULL
                     && conv_parse_key(u->lines[i].key, strlen(u->lines[i].key), &c, why) == 0;
    if (u->n_broken != 0 && !is_perf_db)
        return fail("%s: is not a perf-db: no line begins with the key of a convolution", path);
    return 0;
}

int user_db_read(struct user_db *u, const char *path, int must_exist)
{
    struct buf text = {0};
    struct stat st;
    memset(u, 0, sizeof *u);
    /* Nothing there, an empty file and a device hold no lines; of a folder read_file complains. */
    if (stat(path, &st) != 0
        || (!S_ISDIR(st.st_mode) && (!S_ISREG(st.st_mode) || st.st_size == 0))) {
        FILE *f = must_exist ? open_input(path) : NULL; /* for its message */
        if (f != NULL)
            fclose(f);
        return must_exist && f == NULL ? -1 : 0;
    }
    u->path = path;
    const int rc =
        read_file(path, max_bytes, &text) != 0 || read_lines(u, path, &text) != 0 ? -1 : 0;
    buf_free(&text);
    if (rc != 0)
        user_db_free(u);
    return rc;
}

/* ---- writing ---- */

/* As whole lines compare, where the `=` follows the key: _g20= comes before _g2=. */
static int compare_keys(const char *a, const char *b)
{
    while (*a != '\0' && *a == *b)
        a++, b++;
    const int x = *a != '\0' ? (unsigned char)*a : '=', y = *b != '\0' ? (unsigned char)*b : '=';
    return *a == *b ? 0 : x - y;
}

static int compare_lines(const void *pa, const void *pb)
{
    const struct user_db_line *a = pa, *b = pb;
    if ((a->entries == NULL) != (b->entries == NULL))
        return a->entries == NULL ? 1 : -1;
    const int c = a->entries != NULL ? compare_keys(a->key, b->key) : 0;
    return c != 0 ? c : a->order < b->order ? -1 : 1;
}

static void replace(struct buf *b, size_t at, size_t n, const char *text, size_t n_text)
{
    struct buf rest = {0};
    buf_puts(&rest, b->s + at + n);
    b->n = at;
    buf_add(b, text, n_text);
    buf_add(b, rest.s, rest.n);
    buf_free(&rest);
}

/* Adds the entries of one more line of the key to those in `b`. */
static void user_db_join(struct buf *b, const struct user_db_line *line, int force,
                         struct user_db_counts *counts)
{
    size_t n_solver, n_params, n_old;
    const char *at = line->entries, *solver = at, *params;
    for (; (params = user_db_next_entry(&at, &n_solver, &n_params)) != NULL; solver = at) {
        const char *old = user_db_find_entry(b->s != NULL ? b->s : "", solver, n_solver, &n_old);
        if (old == NULL) {
            buf_puts(b, b->n != 0 ? ";" : "");
            buf_add(b, solver, n_solver + 1 + n_params);
            counts->added += (size_t)line->is_new;
        } else if (line->is_new && force) {
            replace(b, (size_t)(old - b->s), n_old, params, n_params);
            counts->replaced++;
        } else {
            counts->kept += (size_t)line->is_new;
        }
    }
}

void user_db_write(struct user_db *u, int force, FILE *f, struct user_db_counts *counts)
{
    struct buf entries = {0};
    memset(counts, 0, sizeof *counts);
    if (u->n != 0)
        qsort(u->lines, u->n, sizeof *u->lines, compare_lines);
    for (size_t i = 0, end; i < u->n && !ferror(f); i = end) {
        const struct user_db_line *first = &u->lines[i];
        if (first->entries == NULL) {
            fprintf(f, "%s\n", first->key);
            end = i + 1;
            continue;
        }
        entries.n = 0;
        if (entries.s != NULL)
            entries.s[0] = '\0';
        for (end = i; end < u->n && u->lines[end].entries != NULL
                      && strcmp(u->lines[end].key, first->key) == 0;
             end++)
            user_db_join(&entries, &u->lines[end], force, counts);
        fprintf(f, "%s=%s\n", first->key, entries.s);
    }
    buf_free(&entries);
}

/* ---- merging ---- */

int user_db_merge(const struct user_db *lines, const char *path, int force,
                  struct user_db_counts *counts)
{
    struct outfile out;
    struct buf old = {0};
    int rc;
    while ((rc = out_open_change(&out, path, max_bytes, &old)) == 0) {
        struct user_db u = {0};
        const int bad = read_lines(&u, path, &old);
        const size_t before = u.n;
        for (size_t i = 0; i < lines->n && bad == 0; i++)
            user_db_add(&u, lines->lines[i].key, lines->lines[i].entries);
        if (bad == 0)
            user_db_write(&u, force, out.f, counts);
        else
            out_abandon(&out);
        counts->before = before;
        user_db_free(&u);
        rc = bad != 0 ? -1 : out_commit(&out);
        if (rc <= 0)
            break; /* 1: somebody else wrote it meanwhile */
    }
    buf_free(&old);
    return rc;
}
