/* csv_records.c - see csv_records.h
   SPDX-License-Identifier: MIT */
#include "csv_records.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_CELLS = 1 << 16 };

static int is_line_end(const char *p)
{
    return p[0] == '\n' || (p[0] == '\r' && p[1] == '\n');
}

/* Unquotes a cell in place; c->next is behind its closing quote afterwards. */
static int quoted_cell(struct csv_records *c)
{
    char *from = c->next + 1, *to = c->next;
    for (; from < c->end && (from[0] != '"' || from[1] == '"'); from++) {
        c->line += *from == '\n';
        from += *from == '"';
        *to++ = *from;
    }
    if (from == c->end)
        return fail("%s:%ld: a quoted cell does not end", c->path, c->at);
    c->next = from + 1;
    if (c->next < c->end && *c->next != ',' && !is_line_end(c->next))
        return fail("%s:%ld: something follows the quoted cell \"%.*s\"", c->path, c->line,
                    (int)(to - c->cell[c->n] < 100 ? to - c->cell[c->n] : 100), c->cell[c->n]);
    /* the quotes leave room for the NUL */
    *to = '\0';
    return 0;
}

static int plain_cell(struct csv_records *c)
{
    while (c->next < c->end && *c->next != ',' && *c->next != '"' && !is_line_end(c->next))
        c->next++;
    if (*c->next == '"')
        return fail("%s:%ld: a quote within a cell that has none around it", c->path, c->line);
    return 0;
}

/* Ends the cell and steps over what ends it; 1 if another cell of the record follows. */
static int close_cell(struct csv_records *c)
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

static int add_cell(struct csv_records *c)
{
    if (c->n == MAX_CELLS)
        return fail("%s:%ld: more than %d cells", c->path, c->at, MAX_CELLS);
    c->cell = xgrow(c->cell, c->n, &c->cap, sizeof *c->cell);
    c->cell[c->n] = c->next;
    return 0;
}

int csv_records_next(struct csv_records *c)
{
    int more = 1;
    for (; c->next < c->end && is_line_end(c->next); c->line++)
        c->next += *c->next == '\r' ? 2 : 1;
    if (c->next == c->end)
        return 0;
    c->at = c->line;
    for (c->n = 0; more; c->n++) {
        if (add_cell(c) != 0 || (*c->next == '"' ? quoted_cell(c) : plain_cell(c)) != 0)
            return -1;
        more = close_cell(c);
    }
    return 1;
}

int csv_records_open(struct csv_records *c, const char *path, struct buf *text)
{
    memset(c, 0, sizeof *c);
    c->path = path;
    c->next = text->s;
    c->end = text->s + text->n;
    c->line = 1;
    return strlen(text->s) == text->n ? 0 : fail("%s: is no text: it holds a NUL byte", path);
}

int csv_records_find(const struct csv_records *c, const char *name)
{
    for (size_t i = 0; i < c->n; i++)
        if (strcmp(c->cell[i], name) == 0)
            return (int)i;
    return -1;
}

void csv_records_close(struct csv_records *c)
{
    free(c->cell);
}
