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

/* ---- what stands between the cells ---- */

static const char separators[] = ",;\t|";

static const char *separator_name(char c)
{
    switch (c) {
    case ',': return "comma";
    case ';': return "semicolon";
    case '\t': return "tab";
    case '|': return "vertical bar";
    default: return NULL;
    }
}

/* How often each of them is in a line, outside of quotes; where the line ends */
static const char *count_separators(const char *p, const char *end, size_t count[4])
{
    int is_quoted = 0;
    memset(count, 0, 4 * sizeof *count);
    for (; p < end && (is_quoted || !is_line_end(p)); p++) {
        const char *at = is_quoted ? NULL : strchr(separators, *p);
        is_quoted ^= *p == '"';
        if (at != NULL && *p != '\0')
            count[at - separators]++;
    }
    return p;
}

/* The one of which the header and the line behind it have as many, and most; else the first that
   the header has. */
static char find_separator(const char *header, const char *end)
{
    size_t n[4], row[4], best = 4, first = 4;
    const char *p = count_separators(header, end, n);
    while (p < end && (is_line_end(p) || *p == '\n'))
        p++;
    (void)count_separators(p, end, row);
    for (size_t i = 4; i-- > 0;) {
        if (n[i] > 0)
            first = i;
        if (n[i] > 0 && n[i] == row[i] && (best == 4 || n[i] >= n[best]))
            best = i;
    }
    return separators[best < 4 ? best : first < 4 ? first : 0];
}

/* ---- one record ---- */

/* Where the line begins that holds this place, which `line` counts to. */
static void begin_line(struct csv_records *c, char *at)
{
    c->line++;
    c->line_at = at;
}

static int bad_end(const struct csv_records *c, const char *cell_end)
{
    const char *cell = c->cell[c->n], *separator = separator_name(*c->next);
    char should_be[48];
    snprintf(should_be, sizeof should_be, ", where a %s should be", separator_name(c->separator));
    return fail("%s:%ld:%ld: unexpected text after the quoted cell \"%.*s\"%s%s%s", c->path,
                c->line, (long)(c->next - c->line_at) + 1,
                (int)(cell_end - cell < 100 ? cell_end - cell : 100), cell,
                separator != NULL ? ": a " : "", separator != NULL ? separator : "",
                separator != NULL ? should_be : "");
}

/* Unquotes a cell in place; c->next is behind its closing quote afterwards. */
static int quoted_cell(struct csv_records *c)
{
    char *from = c->next + 1, *to = c->next;
    const long line = c->line, column = (long)(c->next - c->line_at) + 1;
    for (; from < c->end && (from[0] != '"' || from[1] == '"'); from++) {
        if (*from == '\n')
            begin_line(c, from + 1);
        from += *from == '"';
        *to++ = *from;
    }
    if (from == c->end)
        return fail("%s:%ld:%ld: a quoted cell does not end", c->path, line, column);
    c->next = from + 1;
    if (c->next < c->end && *c->next != c->separator && !is_line_end(c->next))
        return bad_end(c, to);
    /* the quotes leave room for the NUL */
    *to = '\0';
    return 0;
}

static int plain_cell(struct csv_records *c)
{
    const char separator = c->separator;
    char *p = c->next;
    while (p < c->end && *p != separator && *p != '"' && !is_line_end(p))
        p++;
    c->next = p;
    if (*c->next == '"')
        return fail("%s:%ld:%ld: a quote within a cell that has none around it", c->path, c->line,
                    (long)(c->next - c->line_at) + 1);
    return 0;
}

/* Ends the cell and steps over what ends it; 1 if another cell of the record follows. */
static int close_cell(struct csv_records *c)
{
    char *mark = c->next;
    int more = *mark == c->separator;
    if (mark < c->end) {
        c->next += *mark == '\r' ? 2 : 1;
        *mark = '\0';
        if (!more)
            begin_line(c, c->next);
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

static void keep_header(struct csv_records *c)
{
    c->header = xcalloc(c->n, sizeof *c->header);
    memcpy(c->header, c->cell, c->n * sizeof *c->header);
    c->n_header = c->n;
}

/* A line between the header and the rows of a table with bars: "|---|:--|", "---+---" */
static int is_rule(const struct csv_records *c)
{
    const size_t n = c->separator == '|' ? strspn(c->next, "-+|: ") : 0;
    return n > 0 && memchr(c->next, '-', n) != NULL
           && (c->next + n == c->end || is_line_end(c->next + n));
}

/* Passes over empty lines, over rules, and before the header over comments. */
static void skip_lines(struct csv_records *c)
{
    while (c->next < c->end
           && (is_line_end(c->next) || (c->header == NULL && *c->next == '#') || is_rule(c))) {
        c->next += strcspn(c->next, "\n");
        c->next += c->next < c->end;
        begin_line(c, c->next);
    }
}

static int is_blank(const char *cell)
{
    return cell[strspn(cell, " ")] == '\0';
}

/* Where bars stand around the header, too, the outer cells are none. */
static void take_off_box(struct csv_records *c)
{
    if (c->header == NULL)
        c->is_boxed =
            c->separator == '|' && c->n > 2 && is_blank(c->cell[0]) && is_blank(c->cell[c->n - 1]);
    if (!c->is_boxed || c->n < 3 || !is_blank(c->cell[0]) || !is_blank(c->cell[c->n - 1]))
        return;
    c->n -= 2;
    memmove(c->cell, c->cell + 1, c->n * sizeof *c->cell);
}

/* A first line `sep=;` tells Excel what separates the cells. */
static int is_told_separator(const struct csv_records *c)
{
    return c->end - c->next > 5 && strncmp(c->next, "sep=", 4) == 0
           && strchr(separators, c->next[4]) != NULL && is_line_end(c->next + 5);
}

static void choose_separator(struct csv_records *c)
{
    if (!is_told_separator(c)) {
        c->separator = find_separator(c->next, c->end);
        return;
    }
    c->separator = c->next[4];
    c->next += strcspn(c->next, "\n") + 1;
    begin_line(c, c->next);
    skip_lines(c);
}

int csv_records_next(struct csv_records *c)
{
    int more = 1;
    skip_lines(c);
    if (c->header == NULL && c->next < c->end)
        choose_separator(c);
    if (c->next == c->end)
        return 0;
    c->at = c->line;
    for (c->n = 0; more; c->n++) {
        if (add_cell(c) != 0 || (*c->next == '"' ? quoted_cell(c) : plain_cell(c)) != 0)
            return -1;
        more = close_cell(c);
    }
    take_off_box(c);
    if (c->header == NULL)
        keep_header(c);
    return 1;
}

int csv_records_open(struct csv_records *c, const char *path, struct buf *text)
{
    *c = (struct csv_records){
        .path = path, .next = text->s, .line_at = text->s, .end = text->s + text->n, .line = 1};
    return strlen(text->s) == text->n ? 0
                                      : fail("%s: is not a text file: it holds a NUL byte", path);
}

void csv_records_again(const struct csv_records *c, struct buf *copy, struct csv_records *out)
{
    buf_add(copy, c->next, (size_t)(c->end - c->next));
    *out = *c;
    out->next = out->line_at = copy->s;
    out->end = copy->s + copy->n;
    out->cell = NULL;
    out->n = out->cap = 0;
    out->header = xcalloc(c->n_header, sizeof *out->header);
    memcpy(out->header, c->header, c->n_header * sizeof *out->header);
}

int csv_records_check_header(const struct csv_records *c)
{
    for (size_t i = 0; i < c->n; i++) {
        if (strchr(c->cell[i], '\r') != NULL)
            return fail(
                "%s:%ld: the lines of the file end with only CR: they have to end with LF or "
                "CRLF",
                c->path, c->at);
        if (csv_records_find(c, c->cell[i]) != (int)i)
            return fail("%s:%ld: column \"%s\" is given twice", c->path, c->at, c->cell[i]);
    }
    return 0;
}

const char *csv_records_ragged(const struct csv_records *c, struct buf *b)
{
    const int is_long = c->n > c->n_header;
    const size_t last = (is_long ? c->n_header : c->n) - 1;
    buf_printf(b, "has %zu cell%s, the header has %zu: %s \"%.100s\", in column \"%.100s\"%s", c->n,
               as_counted(c->n, "", "s"), c->n_header, is_long ? "more follow" : "the last is",
               c->cell[last], c->header[last], is_long ? ", the last" : "");
    return b->s;
}

int csv_records_check_row(const struct csv_records *c)
{
    struct buf why = {0};
    if (c->n == c->n_header)
        return 0;
    fail("%s:%ld: %s", c->path, c->at, csv_records_ragged(c, &why));
    buf_free(&why);
    return -1;
}

int csv_records_find(const struct csv_records *c, const char *name)
{
    return text_find((const char *const *)c->cell, c->n, name);
}

void csv_records_close(struct csv_records *c)
{
    free(c->cell);
    free(c->header);
}

void csv_records_print(const struct csv_records *c, size_t n, struct buf *b)
{
    for (size_t i = 0; i < n; i++) {
        buf_puts(b, i > 0 ? "," : "");
        csv_add_cell(b, c->cell[i]);
    }
}

void csv_add_cell(struct buf *b, const char *cell)
{
    if (strpbrk(cell, ",\"\r\n") == NULL) {
        buf_puts(b, cell);
        return;
    }
    buf_puts(b, "\"");
    for (; *cell != '\0'; cell++) {
        if (*cell == '"')
            buf_puts(b, "\"");
        buf_add(b, cell, 1);
    }
    buf_puts(b, "\"");
}
