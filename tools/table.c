/* table.c - see table.h
   SPDX-License-Identifier: MIT */
#include "table.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

static void add_cell(struct table *t, char *text)
{
    t->cell = xrealloc(t->cell, t->cells + 1, sizeof *t->cell);
    t->cell[t->cells++] = text;
}

void table_heading(struct table *t, const char *names)
{
    while (*names) {
        const size_t n = strcspn(names, ",");
        struct buf b = { NULL, 0, 0 };
        buf_add(&b, names, n);
        add_cell(t, b.s);
        t->columns++;
        names += n + (names[n] == ',');
    }
}

void table_add(struct table *t, const char *fmt, ...)
{
    char text[512];
    va_list args;
    va_start(args, fmt);
    vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    add_cell(t, xstrdup(text));
}

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

static int is_number(const char *s)
{
    return *s && !s[strspn(s, "0123456789.-+% ")];
}

static size_t column_width(const struct table *t, size_t column)
{
    size_t i, width = 0;
    for (i = column; i < t->cells; i += t->columns)
        width = strlen(t->cell[i]) > width ? strlen(t->cell[i]) : width;
    return width;
}

/* A column is set flush right if all its cells below the heading are numbers. */
static int is_number_column(const struct table *t, size_t column)
{
    size_t i;
    for (i = column + t->columns; i < t->cells; i += t->columns)
        if (!is_number(t->cell[i]))
            return 0;
    return 1;
}

static void print_aligned_row(const struct table *t, FILE *f, size_t row)
{
    size_t c;
    for (c = 0; c < t->columns; c++) {
        const char *s = t->cell[row * t->columns + c];
        const int pad = (int)(column_width(t, c) - strlen(s));
        const int right = is_number_column(t, c), last = c + 1 == t->columns;
        fprintf(f, "%*s%s%*s%s", right ? pad : 0, "", s, right || last ? 0 : pad, "",
                last ? "\n" : "  ");
    }
}

static void print_csv_row(const struct table *t, FILE *f, size_t row)
{
    size_t c;
    for (c = 0; c < t->columns; c++) {
        print_csv_cell(f, t->cell[row * t->columns + c]);
        fputs(c + 1 == t->columns ? "\n" : ",", f);
    }
}

void table_print(struct table *t, FILE *f, int csv)
{
    size_t i;
    for (i = 0; i < t->cells / t->columns; i++)
        (csv ? print_csv_row : print_aligned_row)(t, f, i);
    for (i = 0; i < t->cells; i++)
        free(t->cell[i]);
    free(t->cell);
    memset(t, 0, sizeof *t);
}
