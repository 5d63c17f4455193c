/* join.c - the files of several tuners become one
   SPDX-License-Identifier: MIT */
#include "results.h"

#include "data/formats.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_TOLD = 10 }; /* contradictions, one by one */

struct row {
    char *time;
    size_t file;
    long line;
};

struct join {
    const char *const *paths;
    int repeats;                    /* another time of a tuple is one more row */
    struct interned keys, comments; /* rows without their times, with `repeats` with
                                       them; comments of all files */
    struct environment environment;
    struct row *rows;
    size_t cap, n_twice, n_contradict;
    struct buf names, command; /* of the first file */
    int is_other;              /* another one was measured by another command, which was told */
};

/* ---- rows ---- */

static void contradict(struct join *j, const struct row *first, const struct row *second)
{
    if (++j->n_contradict <= MOST_TOLD)
        fail("%s:%ld: the tuple has the time %s here, and %s in %s:%ld", j->paths[second->file],
             second->line, second->time, first->time, j->paths[first->file], first->line);
}

static void add_row(struct join *j, const struct csv_records *c, size_t file)
{
    struct buf key = {0};
    struct row row = {c->cell[c->n - 1], file, c->at};
    csv_records_print(c, j->repeats ? c->n : c->n - 1, &key);
    const size_t before = j->keys.n, i = intern(&j->keys, key.s, key.n);
    buf_free(&key);
    if (i < before && strcmp(j->rows[i].time, row.time) == 0) {
        j->n_twice++;
    } else if (i < before) {
        contradict(j, &j->rows[i], &row);
    } else {
        j->rows = xgrow(j->rows, i, &j->cap, sizeof *j->rows);
        row.time = xstrdup(row.time);
        j->rows[i] = row;
    }
}

static int check_row(const struct csv_records *c)
{
    double time;
    if (csv_records_check_row(c) != 0)
        return -1;
    return load_time_text(c->cell[c->n - 1], &time) >= 0
               ? 0
               : fail("%s:%ld: time_us: value \"%s\": is not a time", c->path, c->at,
                      c->cell[c->n - 1]);
}

/* ---- headings ---- */

/* Is the text that of the first file? */
static int same_as_first(const struct join *j, const char *first, const char *text,
                         const char *path, const char *what)
{
    return strcmp(first, text) == 0
               ? 0
               : fail("%s: is of another spec than %s: its %s \"%s\", the other's \"%s\"", path,
                      j->paths[0], what, text, first);
}

/* Of the second line, which names the command; or an environment, which is not looked at here. */
static void join_note_command(struct join *j, const char *line, const char *path)
{
    if (environment_names(line))
        return;
    if (j->command.s == NULL)
        buf_puts(&j->command, line);
    if (strcmp(j->command.s, line) != 0 && !j->is_other++)
        note("%s: was measured by another command than %s: by `%s`, and that by `%s`", path,
             j->paths[0], line + strspn(line, "# "), j->command.s + strspn(j->command.s, "# "));
}

/* The comments at the beginning; the first one names the kernel. */
static int read_comments(struct join *j, const char *path, const char *text)
{
    struct buf line = {0};
    int rc = 0;
    if (strncmp(text, RESULTS_TITLE, strlen(RESULTS_TITLE)) != 0)
        return fail("%s:1: does not begin with \"" RESULTS_TITLE "\": it is not an output of tune",
                    path);
    for (size_t at = 0; rc == 0 && text[at] == '#'; at += line.n + 1) {
        line.n = 0;
        buf_add(&line, text + at, strcspn(text + at, "\n"));
        intern(&j->comments, line.s, line.n);
        if (at == 0)
            rc = same_as_first(j, j->comments.v[0].s, line.s, path, "first line is");
        else if (text + at == strchr(text, '\n') + 1)
            join_note_command(j, line.s, path);
        if (text[at + line.n] == '\0')
            break;
    }
    buf_free(&line);
    return rc;
}

static int read_names(struct join *j, struct csv_records *c)
{
    struct buf names = {0};
    int rc = csv_records_next(c);
    if (rc <= 0)
        return rc < 0 ? -1 : fail("%s: has no header", c->path);
    csv_records_print(c, c->n, &names);
    if (j->names.s == NULL)
        buf_puts(&j->names, names.s);
    rc = strcmp(c->cell[c->n - 1], "time_us") == 0
             ? same_as_first(j, j->names.s, names.s, c->path, "columns are")
             : fail("%s:%ld: the last column is not time_us", c->path, c->at);
    buf_free(&names);
    return rc;
}

/* ---- files ---- */

/* A tuner that writes still, or was killed, leaves a part of a row. */
static int read_results(struct join *j, size_t file, struct buf *text)
{
    struct csv_records c;
    const size_t n = whole_lines(text);
    if (n < text->n)
        note("%s: its last line has no end, as a kill leaves one: left out", j->paths[file]);
    text->s[text->n = n] = '\0';
    if (environment_is_other(&j->environment, j->paths[file], text->s))
        return 0;
    if (read_comments(j, j->paths[file], text->s) != 0)
        return -1;
    int rc = csv_records_open(&c, j->paths[file], text) != 0 || read_names(j, &c) != 0 ? -1 : 0;
    while (rc == 0 && (rc = csv_records_next(&c)) > 0) {
        rc = check_row(&c);
        if (rc == 0)
            add_row(j, &c, file);
    }
    csv_records_close(&c);
    return rc;
}

static int read_all(struct join *j, size_t n)
{
    int rc = 0;
    for (size_t i = 0; i < n && rc == 0; i++) {
        struct buf text = {0};
        rc = data_read(j->paths[i], &text);
        if (rc == 0)
            rc = read_results(j, i, &text);
        buf_free(&text);
    }
    if (rc == 0 && j->n_contradict > 0)
        rc = fail("%zu row%s another of the same tuple: nothing is written", j->n_contradict,
                  as_counted(j->n_contradict, " contradicts", "s contradict"));
    return rc;
}

static void write_all(const struct join *j, FILE *f)
{
    for (size_t i = 0; i < j->comments.n; i++)
        fprintf(f, "%s\n", j->comments.v[i].s);
    fprintf(f, "%s\n", j->names.s);
    for (size_t i = 0; i < j->keys.n; i++)
        fprintf(f, "%s%s%s\n", j->keys.v[i].s, j->repeats ? "" : ",",
                j->repeats ? "" : j->rows[i].time);
}

static void close_join(struct join *j)
{
    for (size_t i = 0; i < j->keys.n; i++)
        free(j->rows[i].time);
    free(j->rows);
    intern_free(&j->keys);
    intern_free(&j->comments);
    environment_free(&j->environment);
    buf_free(&j->names);
    buf_free(&j->command);
}

int join_files(const char *const *paths, size_t n, const char *to, int force, int repeats)
{
    struct join j = {.paths = paths, .repeats = repeats};
    struct outfile out;
    int rc = out_open_kept(&out, to, force);
    if (rc == 0) {
        const int bad = read_all(&j, n) != 0;
        if (!bad)
            write_all(&j, out.f);
        rc = out_end(&out, bad);
    }
    if (rc == 0)
        note("%zu %s of %zu %s%s", j.keys.n, as_counted(j.keys.n, "row", "rows"), n,
             as_counted(n, "file", "files"),
             j.n_twice > 0 ? ", those that were there twice once" : "");
    close_join(&j);
    return rc;
}
