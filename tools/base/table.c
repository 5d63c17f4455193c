/* table.c - see table.h
   SPDX-License-Identifier: MIT */
#include "table.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* ---- cells: strings, each ended by a NUL, whose first character is the cell's kind ---- */

enum { TEXT = 't', NUMBER = 'n', WORDS = 'w' };

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

/* ---- UTF-8 ---- */

/* Bytes of the character that begins at s; 0 if it is none: a byte out of place, one cut short, one
   longer than need be, a surrogate, or beyond U+10FFFF. */
static size_t utf8_length(const char *s)
{
    const unsigned char *p = (const unsigned char *)s;
    const size_t n = p[0] < 0x80   ? 1
                     : p[0] < 0xc2 ? 0
                     : p[0] < 0xe0 ? 2
                     : p[0] < 0xf0 ? 3
                     : p[0] < 0xf5 ? 4
                                   : 0;
    for (size_t i = 1; i < n; i++)
        if ((p[i] & 0xc0) != 0x80)
            return 0;
    if ((p[0] == 0xe0 && p[1] < 0xa0) || (p[0] == 0xed && p[1] >= 0xa0)
        || (p[0] == 0xf0 && p[1] < 0x90) || (p[0] == 0xf4 && p[1] >= 0x90))
        return 0;
    return n;
}

/* Counts characters, or bytes where the text is no UTF-8. */
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
    size_t i;
    for (i = 0; i < t->columns; i++)
        columns[i].right = body < end;
    for (cell = t->cells.s, i = 0; cell < end; cell = next_cell(cell), i++) {
        l = &columns[i % t->columns];
        if (display_width(text_of(cell)) > l->width)
            l->width = display_width(text_of(cell));
        l->right = l->right && (cell < body || *cell == NUMBER);
    }
    return columns;
}

static void print_aligned(const struct table *t, FILE *f)
{
    struct layout *columns = lay_out(t);
    size_t i = 0;
    for (const char *cell = t->cells.s; is_left(t, cell, f); cell = next_cell(cell)) {
        const int pad = (int)(columns[i].width - display_width(text_of(cell)));
        const int right = columns[i].right, last = i + 1 == t->columns;
        i = last ? 0 : i + 1;
        fprintf(f, "%*s%s%*s%s", right ? pad : 0, "", text_of(cell), right || last ? 0 : pad, "",
                last ? "\n" : "  ");
    }
    free(columns);
}

/* ---- CSV ---- */

/* A cell in quotes if it needs them. */
static void print_csv_cell(FILE *f, const char *s)
{
    if (!strpbrk(s, ",\"\r\n")) {
        fputs(s, f);
        return;
    }
    fputc('"', f);
    for (; *s; s++) {
        if (*s == '"')
            fputc('"', f);
        fputc(*s, f);
    }
    fputc('"', f);
}

static void print_csv(const struct table *t, FILE *f)
{
    size_t i = 0;
    for (const char *cell = t->cells.s; is_left(t, cell, f); cell = next_cell(cell)) {
        const int last = i + 1 == t->columns;
        i = last ? 0 : i + 1;
        print_csv_cell(f, text_of(cell));
        fputc(last ? '\n' : ',', f);
    }
}

/* ---- JSON ---- */

/* What is no UTF-8 becomes U+FFFD, byte by byte: JSON may hold nothing else. */
static void print_json_string(FILE *f, const char *s, size_t n)
{
    const char *end = s + n;
    fputc('"', f);
    while (s < end) {
        const size_t length = utf8_length(s);
        if (*s == '"' || *s == '\\')
            fprintf(f, "\\%c", *s);
        else if (length == 1 && *s < 0x20)
            fprintf(f, "\\u%04x", (unsigned)*s);
        else if (length)
            fwrite(s, 1, length, f);
        else
            fputs("\xef\xbf\xbd", f);
        s += length ? length : 1;
    }
    fputc('"', f);
}

static void print_json_words(FILE *f, const char *s)
{
    fputc('[', f);
    while (*s) {
        const size_t n = strcspn(s, " ");
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
    if (*cell == NUMBER)
        fputs(text_of(cell), f);
    else if (*cell == WORDS)
        print_json_words(f, text_of(cell));
    else
        print_json_string(f, text_of(cell), strlen(text_of(cell)));
}

/* Returns the first cell of the next row. */
static const char *print_json_row(const struct table *t, FILE *f, const char *cell)
{
    const char *name = t->cells.s;
    for (size_t c = 0; c < t->columns; c++) {
        fputs(c ? ", " : "{", f);
        print_json_string(f, text_of(name), strlen(text_of(name)));
        fputs(": ", f);
        print_json_cell(f, cell);
        name = next_cell(name);
        cell = next_cell(cell);
    }
    fputc('}', f);
    return cell;
}

static void print_json(const struct table *t, FILE *f)
{
    const char *cell = first_row(t), *before = "[\n";
    const int is_empty = !is_left(t, cell, f);
    for (; is_left(t, cell, f); before = ",\n") {
        fputs(before, f);
        cell = print_json_row(t, f, cell);
    }
    fputs(is_empty ? "[]\n" : "\n]\n", f);
}

/* ---- interface ---- */

int table_form_check(const struct table_form *form)
{
    return form->csv && form->json ? fail("--csv and --json exclude each other") : 0;
}

void table_print(const struct table *t, FILE *f, struct table_form form)
{
    (form.json ? print_json : form.csv ? print_csv : print_aligned)(t, f);
}

void table_free(struct table *t)
{
    buf_free(&t->cells);
    memset(t, 0, sizeof *t);
}
