/* table.c - see table.h
   SPDX-License-Identifier: MIT */
#include "table.h"

#include "csv_records.h"
#include "html.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* ---- cells: strings, each ended by a NUL, whose first character is the cell's kind ---- */

enum { TEXT = 't', NUMBER = 'n', WORDS = 'w', ITEMS = 'i', NUMBERS = 'm' };

static void add_cell(struct table *t, char kind, const char *s, size_t n)
{
    buf_add(&t->cells, &kind, 1);
    buf_add(&t->cells, s, n);
    buf_add(&t->cells, "", 1);
}

static const char *next_cell(const char *cell)
{
    return cell + strlen(cell) + 1;
}

static const char *text_of(const char *cell)
{
    return cell + 1;
}

void table_heading(struct table *t, const char *names)
{
    while (*names) {
        const size_t n = strcspn(names, ",");
        add_cell(t, TEXT, names, n);
        t->columns++;
        names += n + (names[n] == ',');
    }
}

void table_text(struct table *t, const char *s)
{
    add_cell(t, TEXT, s, strlen(s));
}

void table_number(struct table *t, const char *fmt, ...)
{
    char text[512]; /* the largest double has 309 digits before its point */
    va_list args;
    va_start(args, fmt);
    vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    add_cell(t, NUMBER, text, strlen(text));
}

void table_words(struct table *t, const char *words)
{
    add_cell(t, WORDS, words, strlen(words));
}

void table_items(struct table *t, const char *items)
{
    const size_t n = strlen(items);
    add_cell(t, ITEMS, items, n && items[n - 1] == '\n' ? n - 1 : n);
}

void table_numbers(struct table *t, const char *numbers)
{
    add_cell(t, NUMBERS, numbers, strlen(numbers));
}

/* What stands between the words of a cell, where a line may be broken */
static const char *between(const char *cell)
{
    return *cell == ITEMS && strchr(text_of(cell), ' ') ? ", " : " ";
}

/* The cell as people read it; `b` may take it. */
static const char *shown(const char *cell, struct buf *b)
{
    const char *s = text_of(cell);
    if (*cell != ITEMS)
        return s;
    b->n = 0;
    buf_puts(b, "");
    while (*s) {
        const size_t n = strcspn(s, "\n");
        buf_add(b, s, n);
        s += n + (s[n] == '\n');
        buf_puts(b, *s ? between(cell) : "");
    }
    return b->s;
}

static const char *cells_end(const struct table *t)
{
    return t->cells.s + t->cells.n;
}

static const char *first_row(const struct table *t)
{
    const char *cell = t->cells.s;
    for (size_t c = 0; c < t->columns; c++)
        cell = next_cell(cell);
    return cell;
}

/* Is `cell` one, and can it still be written? A full disk is not asked for every byte. */
static int is_left(const struct table *t, const char *cell, FILE *f)
{
    return cell < cells_end(t) && !ferror(f);
}

/* Counts characters, or bytes where the text is not UTF-8. */
static size_t display_width(const char *s)
{
    size_t width = 0;
    for (; *s; width++)
        s += utf8_length(s) ? utf8_length(s) : 1;
    return width;
}

/* ---- aligned ---- */

struct layout { /* of a column */
    size_t width;
    int right; /* all cells below the heading are numbers */
};

static struct layout *lay_out(const struct table *t)
{
    struct layout *columns = xcalloc(t->columns, sizeof *columns), *l;
    const char *cell, *end = cells_end(t), *body = first_row(t);
    struct buf b = {NULL, 0, 0};
    size_t i;
    for (i = 0; i < t->columns; i++)
        columns[i].right = body < end;
    for (cell = t->cells.s, i = 0; cell < end; cell = next_cell(cell), i++) {
        l = &columns[i % t->columns];
        if (display_width(shown(cell, &b)) > l->width)
            l->width = display_width(shown(cell, &b));
        l->right = l->right && (cell < body || *cell == NUMBER);
    }
    buf_free(&b);
    return columns;
}

/* A cell that begins in column `at`: what does not fit in `width` goes on below its beginning. */
static void print_wrapped(FILE *f, const char *text, const char *between, size_t at, size_t width)
{
    const size_t mark = strlen(between) - 1; /* the comma before a blank */
    const char *const first = text;
    size_t column = at, n;
    for (const char *end = text; end; text += n + 1) {
        end = strstr(text, between);
        n = end ? (size_t)(end - text) + mark : strlen(text);
        if (column > at && column + 1 + n > width) {
            fprintf(f, "\n%*s", (int)at, "");
            column = at;
        } else if (text != first) {
            fputc(' ', f);
            column++;
        }
        fwrite(text, 1, n, f);
        column += n;
    }
}

void table_print_within(const struct table *t, FILE *f, size_t width)
{
    struct layout *columns = lay_out(t);
    struct buf b = {NULL, 0, 0};
    size_t i = 0, at = 0;
    for (const char *cell = t->cells.s; is_left(t, cell, f); cell = next_cell(cell)) {
        const int pad = (int)(columns[i].width - display_width(shown(cell, &b)));
        const int right = columns[i].right, last = i + 1 == t->columns;
        at = i ? at + columns[i - 1].width + 2 : 0;
        fprintf(f, "%*s", right ? pad : 0, "");
        if (last)
            print_wrapped(f, shown(cell, &b), between(cell), at, width);
        else
            fputs(shown(cell, &b), f);
        fprintf(f, "%*s%s", right || last ? 0 : pad, "", last ? "\n" : "  ");
        i = last ? 0 : i + 1;
    }
    buf_free(&b);
    free(columns);
}

static void print_aligned(const struct table *t, FILE *f)
{
    table_print_within(t, f, SIZE_MAX);
}

/* ---- CSV ---- */

static void print_csv(const struct table *t, FILE *f)
{
    struct buf b = {NULL, 0, 0}, line = {NULL, 0, 0};
    size_t i = 0;
    for (const char *cell = t->cells.s; is_left(t, cell, f); cell = next_cell(cell)) {
        const int last = i + 1 == t->columns;
        i = last ? 0 : i + 1;
        line.n = 0;
        csv_add_cell(&line, shown(cell, &b));
        buf_puts(&line, last ? "\n" : ",");
        fwrite(line.s, 1, line.n, f);
    }
    buf_free(&b);
    buf_free(&line);
}

/* ---- JSON ---- */

/* What is not UTF-8 becomes U+FFFD, byte by byte: JSON may hold nothing else. */
void table_json_text(struct buf *b, const char *s, size_t n)
{
    const char *end = s + n;
    buf_puts(b, "\"");
    while (s < end) {
        const size_t length = utf8_length(s);
        if (*s == '"' || *s == '\\')
            buf_printf(b, "\\%c", *s);
        else if (length == 1 && *s < 0x20)
            buf_printf(b, "\\u%04x", (unsigned)*s);
        else if (length)
            buf_add(b, s, length);
        else
            buf_puts(b, "\xef\xbf\xbd");
        s += length ? length : 1;
    }
    buf_puts(b, "\"");
}

static void print_json_string(FILE *f, const char *s, size_t n)
{
    struct buf b = {NULL, 0, 0};
    table_json_text(&b, s, n);
    fwrite(b.s, 1, b.n, f);
    buf_free(&b);
}

/* The pieces between two separators, each a string or a number */
static void print_json_array(FILE *f, const char *s, const char *separator, int numbers)
{
    fputc('[', f);
    while (*s) {
        const size_t n = strcspn(s, separator);
        if (numbers)
            fwrite(s, 1, n, f);
        else
            print_json_string(f, s, n);
        s += n;
        if (*s) {
            s++;
            fputs(", ", f);
        }
    }
    fputc(']', f);
}

static void print_json_cell(FILE *f, const char *cell)
{
    const char *s = text_of(cell);
    switch (*cell) {
    case NUMBER: fputs(s, f); break;
    case WORDS: print_json_array(f, s, " ", 0); break;
    case ITEMS: print_json_array(f, s, "\n", 0); break;
    case NUMBERS: print_json_array(f, s, " ", 1); break;
    default: print_json_string(f, s, strlen(s));
    }
}

/* Returns the first cell of the next row. */
static const char *print_json_members(const struct table *t, FILE *f, const char *cell,
                                      const char *separator)
{
    const char *name = t->cells.s;
    for (size_t c = 0; c < t->columns; c++) {
        fputs(c ? separator : "", f);
        print_json_string(f, text_of(name), strlen(text_of(name)));
        fputs(": ", f);
        print_json_cell(f, cell);
        name = next_cell(name);
        cell = next_cell(cell);
    }
    return cell;
}

static void print_json(const struct table *t, FILE *f)
{
    const char *cell = first_row(t), *before = "[\n";
    const int is_empty = !is_left(t, cell, f);
    for (; is_left(t, cell, f); before = ",\n") {
        fprintf(f, "%s{", before);
        cell = print_json_members(t, f, cell, ", ");
        fputc('}', f);
    }
    fputs(is_empty ? "[]\n" : "\n]\n", f);
}

/* ---- HTML ---- */

void table_html(const struct table *t, struct buf *to)
{
    const char *const end = cells_end(t), *const body = first_row(t);
    struct layout *columns = lay_out(t);
    struct buf b = {0};
    size_t i = 0;
    buf_puts(to, "<thead>");
    for (const char *cell = t->cells.s; cell < end; cell = next_cell(cell), i++) {
        const int is_number = cell < body ? columns[i].right : *cell == NUMBER;
        if (cell == body)
            buf_puts(to, "</thead>\n<tbody>");
        const char *const tag = cell < body ? "th" : "td";
        buf_printf(to, "%s<%s%s>", i % t->columns ? "" : "<tr>", tag,
                   is_number ? " class=\"n\"" : "");
        html_text(to, shown(cell, &b));
        buf_printf(to, "</%s>%s", tag, (i + 1) % t->columns ? "" : "</tr>\n");
    }
    buf_puts(to, body == end ? "</thead>\n<tbody></tbody>\n" : "</tbody>\n");
    buf_free(&b);
    free(columns);
}

/* ---- one row ---- */

void table_print_row(const struct table *t, FILE *f, size_t width)
{
    const char *name = t->cells.s, *cell = first_row(t);
    struct buf b = {NULL, 0, 0};
    size_t at = 0;
    for (; name != first_row(t); name = next_cell(name))
        at = display_width(text_of(name)) > at ? display_width(text_of(name)) : at;
    for (name = t->cells.s; name != first_row(t); name = next_cell(name), cell = next_cell(cell)) {
        if (!*text_of(cell))
            continue;
        fprintf(f, "%s%*s  ", text_of(name), (int)(at - display_width(text_of(name))), "");
        print_wrapped(f, shown(cell, &b), between(cell), at + 2, width);
        fputc('\n', f);
    }
    buf_free(&b);
}

void table_print_members(const struct table *t, FILE *f)
{
    print_json_members(t, f, first_row(t), ",\n");
}

/* ---- interface ---- */

void table_print(const struct table *t, FILE *f, struct table_form form)
{
    (form.json ? print_json : form.csv ? print_csv : print_aligned)(t, f);
}

void table_free(struct table *t)
{
    buf_free(&t->cells);
    memset(t, 0, sizeof *t);
}
