/* results.c - the file of a tuning: rows of CSV, opened, read and added to
   SPDX-License-Identifier: MIT */
#include "results.h"

#include "data/formats.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- a row of CSV ---- */

static void row_add_names(const struct spec *spec, struct buf *b)
{
    for (size_t i = 0; i < spec->n_fields; i++)
        buf_printf(b, "%s,", spec->fields[i].name);
    for (size_t i = 0; i < spec->n_params; i++)
        buf_printf(b, "%s,", spec->params[i].name);
    buf_puts(b, "time_us\n");
}

static void add_time(const struct answer *a, struct buf *b)
{
    static const char *const words[] = {
        [OUTCOME_FAILED] = "failed", [OUTCOME_TIMEOUT] = "timeout", [OUTCOME_INVALID] = "invalid"};
    if (a->outcome == OUTCOME_TIME)
        buf_printf(b, "%.15g", a->us);
    else
        buf_puts(b, words[a->outcome]);
}

static void row_add(const struct spec *spec, const int32_t *problem, const uint16_t *value,
                    const struct answer *a, struct buf *b)
{
    char number[12];
    for (size_t i = 0; i < spec->n_fields; i++)
        buf_printf(b, "%s,", assign_field_text(&spec->fields[i], problem[i], number));
    for (size_t i = 0; i < spec->n_params; i++) {
        csv_add_cell(b, spec_value_text(&spec->params[i], value[i], number));
        buf_puts(b, ",");
    }
    add_time(a, b);
}

static int row_check_names(const struct spec *spec, struct csv_records *c)
{
    struct buf want = {0}, is = {0};
    int rc = csv_records_next(c);
    if (rc <= 0)
        return rc < 0 ? -1 : fail("%s: has no header", c->path);
    row_add_names(spec, &want);
    csv_records_print(c, c->n, &is);
    buf_puts(&is, "\n");
    rc = 0;
    if (strcmp(want.s, is.s) != 0)
        rc = fail("%s:%ld: is the output of another spec: its columns are %.*s, those of %s %.*s",
                  c->path, c->at, (int)is.n - 1, is.s, spec->path, (int)want.n - 1, want.s);
    buf_free(&want);
    buf_free(&is);
    return rc;
}

static int bad_value(const struct csv_records *c, const char *name, const char *cell)
{
    return fail(
        "%s:%ld: %s: value \"%s\": is not a value of the spec: the row is of another spec, or "
        "damaged",
        c->path, c->at, name, cell);
}

static int row_read(const struct spec *spec, const struct csv_records *c, int32_t *problem,
                    uint16_t *value, double *time)
{
    char **cell = c->cell;
    if (csv_records_check_row(c) != 0)
        return -1;
    for (size_t i = 0; i < spec->n_fields; i++, cell++)
        if (assign_field_read(&spec->fields[i], *cell, &problem[i]) != 0)
            return bad_value(c, spec->fields[i].name, *cell);
    for (size_t i = 0; i < spec->n_params; i++, cell++) {
        const int v = spec_value_index(&spec->params[i], *cell);
        if (v < 0)
            return bad_value(c, spec->params[i].name, *cell);
        value[i] = (uint16_t)v;
    }
    const int is_time = load_time_text(*cell, time);
    if (is_time == 0)
        *time = HUGE_VAL;
    return is_time >= 0 ? 0 : bad_value(c, "time_us", *cell);
}

/* ---- the file ---- */

static const size_t most_bytes = (size_t)1 << 34;

struct row {
    double time;
    size_t problem, next; /* 1 + the next row of the problem; 0: none */
};

struct results {
    char *path;
    FILE *f; /* read by it, written by its descriptor; the lock goes when it is closed */
    const struct spec *spec;
    const char *line_end; /* of its last line: new ones end so too */
    struct interned keys; /* of each row that was there: the problem, and then the tuple */
    struct row *rows;
    size_t cap;
    struct interned problems;
    size_t *first; /* of each: 1 + a row */
    size_t n_added;
    int is_made; /* the file was not there */
};

/* ---- writing ---- */

static void add_command(const char *command, struct buf *b)
{
    buf_puts(b, "# ");
    for (; *command != '\0'; command++)
        buf_add(b, (unsigned char)*command < 0x20 ? "?" : command, 1);
}

static void add_heading(const struct results *r, const char *command, struct buf *b)
{
    buf_printf(b, RESULTS_TITLE "%s\n", r->spec->name);
    add_command(command, b);
    buf_puts(b, "\n");
    row_add_names(r->spec, b);
}

int results_append(struct results *r, const int32_t *problem, const uint16_t *value,
                   const struct answer *a)
{
    struct buf row = {0};
    row_add(r->spec, problem, value, a, &row);
    buf_puts(&row, r->line_end);
    const int rc = append_whole(fileno(r->f), &row, r->path);
    buf_free(&row);
    r->n_added += rc == 0;
    return rc;
}

struct results_mark results_here(const struct results *r)
{
    return (struct results_mark){lseek(fileno(r->f), 0, SEEK_END), r->n_added};
}

size_t results_take_back(struct results *r, struct results_mark to)
{
    const size_t n = r->n_added - to.rows;
    if (n == 0)
        return 0;
    r->n_added = to.rows;
    if (ftruncate(fileno(r->f), to.bytes) != 0)
        return fail("%s: the last %zu row%s cannot be taken back: %s: they are not certain",
                    r->path, n, as_counted(n, "", "s"), strerror(errno)),
               n;
    note("%s: the last %zu row%s taken back: what they tell is not certain", r->path, n,
         as_counted(n, " is", "s are"));
    return n;
}

/* ---- rows ---- */

static size_t problem_bytes(const struct results *r)
{
    return r->spec->n_fields * sizeof(int32_t);
}

int results_next(const struct results *r, const int32_t *problem, size_t *at, struct result *out)
{
    if (*at == 0) {
        const size_t p = intern_find(&r->problems, problem, problem_bytes(r));
        *at = p != INTERN_NONE ? r->first[p] : 0;
    } else {
        *at = r->rows[*at - 1].next;
    }
    if (*at == 0)
        return 0;
    out->value = (const void *)(r->keys.v[*at - 1].s + problem_bytes(r));
    out->time = r->rows[*at - 1].time;
    return 1;
}

size_t results_count(const struct results *r)
{
    return r->keys.n;
}

/* ---- reading ---- */

/* Of a tuple that is there twice, the first row counts. */
static int read_row(struct results *r, const struct csv_records *c)
{
    int32_t problem[KPRED_MAX_FIELDS];
    uint16_t value[KPRED_MAX_TUPLE];
    double time = 0;
    struct buf key = {0};
    if (row_read(r->spec, c, problem, value, &time) != 0)
        return -1;
    buf_add(&key, (const char *)problem, problem_bytes(r));
    buf_add(&key, (const char *)value, r->spec->n_params * sizeof *value);
    const size_t n = r->keys.n, i = intern(&r->keys, key.s, key.n);
    if (i == n) {
        r->rows = xgrow(r->rows, n, &r->cap, sizeof *r->rows);
        r->rows[i] = (struct row){time, intern(&r->problems, problem, problem_bytes(r)), 0};
    }
    buf_free(&key);
    return 0;
}

/* Links the rows of each problem. */
static void link_rows(struct results *r)
{
    r->first = xcalloc(r->problems.n + 1, sizeof *r->first);
    for (size_t i = r->keys.n; i-- > 0;) {
        size_t *first = &r->first[r->rows[i].problem];
        r->rows[i].next = *first;
        *first = i + 1;
    }
}

static int is_titled(const char *text)
{
    return strncmp(text, RESULTS_TITLE, strlen(RESULTS_TITLE)) == 0;
}

static int check_title(const struct results *r, const char *text)
{
    const size_t n = strlen(RESULTS_TITLE), line = strcspn(text, "\n");
    if (!is_titled(text))
        return fail("%s:1: does not begin with \"" RESULTS_TITLE
                    "%s\": it is not an output of tune",
                    r->path, r->spec->name);
    if (line - n != strlen(r->spec->name) || memcmp(text + n, r->spec->name, line - n) != 0)
        return fail("%s:1: is the output of another spec: it is of the kernel %.*s, %s of %s",
                    r->path, (int)(line - n), text + n, r->spec->path, r->spec->name);
    return 0;
}

/* Is the command one of those that the comments name? A file that was joined may have several. */
static int check_command(const struct results *r, const char *text, const char *command)
{
    struct buf line = {0};
    const char *title_end = strchr(text, '\n'), *first = title_end != NULL ? title_end + 1 : "";
    int is_same = *first != '#';
    add_command(command, &line);
    for (const char *at = first; at != NULL && *at == '#' && !is_same;) {
        const size_t n = strcspn(at, "\n");
        is_same = n == line.n && memcmp(at, line.s, n) == 0;
        at = at[n] == '\n' ? at + n + 1 : NULL;
    }
    if (!is_same)
        fail("%s:2: was measured by another command: by `%.*s`, and this one is `%s`; --force goes "
             "on with it",
             r->path, (int)strcspn(first + 2, "\n"), first + 2, line.s + 2);
    buf_free(&line);
    return is_same ? 0 : -1;
}

static int read_rows(struct results *r, struct buf *text)
{
    struct csv_records c;
    size_t n = 0;
    int rc = csv_records_open(&c, r->path, text) != 0 || row_check_names(r->spec, &c) != 0 ? -1 : 0;
    for (; rc == 0 && (rc = csv_records_next(&c)) > 0; n++)
        rc = read_row(r, &c);
    csv_records_close(&c);
    link_rows(r);
    n -= r->keys.n;
    if (rc == 0 && n > 0)
        note("%s: %zu row%s of a tuple that an earlier row has: the first one counts", r->path, n,
             as_counted(n, " is", "s are"));
    return rc;
}

/* ---- opening ---- */

static int open_file(struct results *r)
{
    struct stat st;
    r->is_made = append_open(&r->f, r->path, "tuner", ": give each shard a file of its own");
    if (r->is_made < 0)
        return -1;
    return fstat(fileno(r->f), &st) == 0 && S_ISREG(st.st_mode)
               ? 0
               : fail("%s: is not a file that could be read again", r->path);
}

static int results_cut(const struct results *r, off_t size)
{
    return ftruncate(fileno(r->f), size) == 0
               ? 0
               : fail("%s: cannot cut off a line without an end: %s", r->path, strerror(errno));
}

/* Whole lines alone: what stands behind the last one is what a kill has left of a write. An editor
   may have written the file anew, with other ends of its lines. */
static int keep_lines(struct results *r, struct buf *text)
{
    const size_t n = whole_lines(text), had = text->n;
    r->line_end = n > 1 && text->s[n - 2] == '\r' ? "\r\n" : "\n";
    plain_text(text);
    if (n == had || !is_titled(text->s))
        return 0;
    note("%s: its last line has no end, as a kill leaves one: cut off", r->path);
    text->n = whole_lines(text);
    text->s[text->n] = '\0';
    return results_cut(r, (off_t)n);
}

/* Has it something behind the comments and the header? */
static int has_rows(const struct buf *text)
{
    const char *p = text->s;
    while (*p == '#')
        p += strcspn(p, "\n") + (strchr(p, '\n') != NULL);
    p = strchr(p, '\n');
    return p != NULL && p[1] != '\0';
}

/* A kill while the file was made leaves the beginning of a heading. A file without a row is of this
   command from now on. */
static int results_begin(struct results *r, struct buf *text, const char *command)
{
    struct buf heading = {0};
    int rc = 0;
    add_heading(r, command, &heading);
    const int is_start =
        text->n == 0 || (text->n < heading.n && memcmp(text->s, heading.s, text->n) == 0);
    if (!is_start)
        rc = check_title(r, text->s);
    if (rc == 0 && (is_start || !has_rows(text))) {
        r->line_end = "\n";
        rc = text->n > 0 ? results_cut(r, 0) : 0;
        if (rc == 0)
            rc = append_whole(fileno(r->f), &heading, r->path);
        text->n = 0;
        buf_add(text, heading.s, heading.n);
    }
    buf_free(&heading);
    return rc;
}

static int open_results(struct results *r, const char *command, int force)
{
    struct buf text = {0};
    const int bad = open_file(r) != 0 || read_stream(r->f, r->path, most_bytes, &text) != 0
                    || keep_lines(r, &text) != 0 || results_begin(r, &text, command) != 0
                    || (!force && check_command(r, text.s, command) != 0)
                    || read_rows(r, &text) != 0;
    buf_free(&text);
    return bad ? -1 : 0;
}

int results_open(struct results **out, const char *path, const struct spec *spec,
                 const char *command, int force)
{
    struct results *r = *out = xcalloc(1, sizeof *r);
    r->path = xstrdup(path);
    r->spec = spec;
    if (open_results(r, command, force) == 0)
        return 0;
    results_close(r, 1);
    *out = NULL;
    return -1;
}

void results_close(struct results *r, int failed)
{
    if (r == NULL)
        return;
    if (failed && r->is_made > 0 && r->n_added == 0)
        unlink(r->path);
    if (r->f != NULL)
        fclose(r->f);
    intern_free(&r->keys);
    intern_free(&r->problems);
    free(r->first);
    free(r->rows);
    free(r->path);
    free(r);
}
