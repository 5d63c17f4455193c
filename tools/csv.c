/* csv.c - reads rows as CSV (RFC 4180), and writes them as that or as JSON
   SPDX-License-Identifier: MIT

   The first record names the columns: those of the spec's fields and parameters in any order;
   others are ignored. A line ends with LF or CRLF, the last one with nothing if it likes; empty
   lines are skipped. */
#include "load.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_CELLS = 1024 };

/* ---- records ---- */

struct csv {
    struct loader *l;
    char *next, *end; /* what is still to be read; *end is a NUL */
    long line;        /* that `next` is in */
    long at;          /* in which the record began */
    size_t n;
    char *cell[MAX_CELLS]; /* of the record, in place */
};

static int is_line_end(const char *p)
{
    return p[0] == '\n' || (p[0] == '\r' && p[1] == '\n');
}

/* Unquotes a cell in place; c->next is behind its closing quote afterwards. */
static int quoted_cell(struct csv *c)
{
    char *from = c->next + 1, *to = c->next;
    for (; from < c->end && (from[0] != '"' || from[1] == '"'); from++) {
        c->line += *from == '\n';
        from += *from == '"';
        *to++ = *from;
    }
    if (from == c->end)
        return fail("%s:%ld: a quoted cell does not end", c->l->path, c->at);
    c->next = from + 1;
    if (c->next < c->end && *c->next != ',' && !is_line_end(c->next))
        return fail("%s:%ld: something follows the quoted cell \"%.*s\"", c->l->path, c->line,
                    (int)(to - c->cell[c->n] < 100 ? to - c->cell[c->n] : 100), c->cell[c->n]);
    /* the quotes leave room for the NUL */
    *to = '\0';
    return 0;
}

static int plain_cell(struct csv *c)
{
    while (c->next < c->end && *c->next != ',' && *c->next != '"' && !is_line_end(c->next))
        c->next++;
    if (*c->next == '"')
        return fail("%s:%ld: a quote within a cell that has none around it", c->l->path, c->line);
    return 0;
}

/* Ends the cell and steps over what ends it; 1 if another cell of the record follows. */
static int close_cell(struct csv *c)
{
    char *mark = c->next;
    int more = *mark == ',';
    if (mark < c->end) {
        c->line += !more;
        c->next += *mark == '\r' ? 2 : 1;
        *mark = '\0';
    }
    return more;
}

/* 1: a record was read, 0: there is none, -1: a message was printed */
static int next_record(struct csv *c)
{
    int more = 1;
    for (; c->next < c->end && is_line_end(c->next); c->line++)
        c->next += *c->next == '\r' ? 2 : 1;
    if (c->next == c->end)
        return 0;
    c->at = c->line;
    for (c->n = 0; more; c->n++) {
        if (c->n == MAX_CELLS)
            return fail("%s:%ld: more than %d cells", c->l->path, c->at, MAX_CELLS);
        c->cell[c->n] = c->next;
        if ((*c->next == '"' ? quoted_cell(c) : plain_cell(c)) != 0)
            return -1;
        more = close_cell(c);
    }
    return 1;
}

/* ---- columns ---- */

struct columns {
    size_t n;
    int field[KPRED_MAX_FIELDS]; /* -1: the file gives the GPU */
    int param[KPRED_MAX_PARAMS];
    int64_t gpu;
};

static int find_column(const struct csv *c, const char *name)
{
    for (size_t i = 0; i < c->n; i++)
        if (strcmp(c->cell[i], name) == 0)
            return (int)i;
    return -1;
}

static int check_duplicates(const struct csv *c)
{
    for (size_t i = 1; i < c->n; i++)
        if (find_column(c, c->cell[i]) != (int)i)
            return fail("%s:%ld: column \"%s\" stands there twice", c->l->path, c->at, c->cell[i]);
    return 0;
}

static int map_field(const struct csv *c, struct columns *cols, size_t i)
{
    const char *name = c->l->spec->fields[i].name;
    int is_gpu = strcmp(name, "gpu") == 0 && c->l->spec->fields[i].n_tokens != 0;
    cols->field[i] = find_column(c, name);
    if (is_gpu && cols->field[i] < 0)
        return load_file_gpu(c->l, i, &cols->gpu);
    if (is_gpu && c->l->options->gpu != NULL)
        return fail("%s:%ld: there is a column \"gpu\", so --gpu cannot say what it is",
                    c->l->path, c->at);
    return cols->field[i] >= 0 ? 0 : fail("%s:%ld: there is no column \"%s\"", c->l->path, c->at,
                                          name);
}

static int map_columns(const struct csv *c, struct columns *cols)
{
    const struct spec *s = c->l->spec;
    cols->n = c->n;
    if (check_duplicates(c) != 0)
        return -1;
    for (size_t i = 0; i < s->n_fields; i++)
        if (map_field(c, cols, i) != 0)
            return -1;
    for (size_t i = 0; i < s->n_params; i++) {
        cols->param[i] = find_column(c, s->params[i].name);
        if (cols->param[i] < 0)
            return fail("%s:%ld: there is no column \"%s\"", c->l->path, c->at, s->params[i].name);
    }
    return 0;
}

/* ---- rows ---- */

/* Verdict on one field's cell. */
static int read_field(struct csv *c, const struct columns *cols, size_t i, int64_t *out)
{
    const struct spec_field *f = &c->l->spec->fields[i];
    *out = cols->gpu;
    if (cols->field[i] < 0)
        return 0;
    const char *cell = c->cell[cols->field[i]];
    if (f->n_tokens != 0)
        return load_token(c->l, c->at, i, cell, out);
    if (parse_int(cell, INT64_MIN, INT64_MAX, out) != 0)
        return load_bad(c->l, c->at, DROP_BROKEN, f->name, cell, "is no integer");
    return 0;
}

static int read_row(struct csv *c, const struct columns *cols)
{
    const struct spec *s = c->l->spec;
    int64_t problem[KPRED_MAX_FIELDS];
    const char *params[KPRED_MAX_PARAMS];
    int rc = 0;
    if (c->n != cols->n)
        return load_bad(c->l, c->at, DROP_BROKEN, "row", c->cell[0],
                        "has %zu cell%s, the header has %zu", c->n, c->n == 1 ? "" : "s", cols->n);
    for (size_t i = 0; i < s->n_fields && rc == 0; i++)
        rc = read_field(c, cols, i, &problem[i]);
    for (size_t i = 0; i < s->n_params; i++)
        params[i] = c->cell[cols->param[i]];
    return rc == 0 ? load_add(c->l, c->at, problem, params) : rc;
}

static int read_rows(struct csv *c)
{
    struct columns cols = {0};
    int rc = next_record(c);
    if (rc == 0)
        return fail("%s: has no header", c->l->path);
    if (rc < 0 || map_columns(c, &cols) != 0)
        return -1;
    while ((rc = next_record(c)) > 0)
        if (read_row(c, &cols) < 0)
            return -1;
    return rc;
}

int csv_read(struct loader *l, struct buf *bytes)
{
    struct csv *c = xcalloc(1, sizeof *c);
    int rc;
    c->l = l;
    c->next = bytes->s;
    c->end = bytes->s + bytes->n;
    c->line = 1;
    l->row_prefix = ":";
    if (strncmp(c->next, "\xef\xbb\xbf", 3) == 0) /* the byte order mark of some editors */
        c->next += 3;
    if (strlen(bytes->s) != bytes->n)
        rc = fail("%s: is no text: it holds a NUL byte", l->path);
    else
        rc = read_rows(c);
    free(c);
    return rc;
}

/* ---- writing ---- */

static void add_heading(struct table *t, const struct spec *s)
{
    struct buf names = {0};
    for (size_t i = 0; i < s->n_fields; i++)
        buf_printf(&names, "%s,", s->fields[i].name);
    for (size_t i = 0; i < s->n_params; i++)
        buf_printf(&names, "%s,", s->params[i].name);
    table_heading(t, names.s);
    buf_free(&names);
}

static void add_row(struct table *t, const struct spec *s, const int32_t *problem,
                    const unsigned char *target)
{
    for (size_t i = 0; i < s->n_fields; i++)
        if (s->fields[i].n_tokens != 0)
            table_text(t, s->fields[i].tokens[problem[i]]);
        else
            table_number(t, "%ld", (long)problem[i]);
    for (size_t i = 0; i < s->n_params; i++)
        if (s->params[i].names[0] != NULL)
            table_text(t, s->params[i].names[target[i]]);
        else
            table_number(t, "%ld", (long)s->params[i].values[target[i]]);
}

void data_write(const struct spec *spec, const struct dataset *d, struct table_form form, FILE *f)
{
    struct table t = {0};
    add_heading(&t, spec);
    for (size_t i = 0; i < d->n; i++)
        add_row(&t, spec, d->problem + i * d->n_fields, d->target + i * d->n_params);
    table_print(&t, f, form);
    table_free(&t);
}
