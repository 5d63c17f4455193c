/* table.c - see table.h
   SPDX-License-Identifier: MIT */
#include "table.h"

#include "csv_records.h"

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

/* ---- UTF-8 ---- */

/* Counts characters of the first n bytes, or bytes where the text is not UTF-8. */
static size_t display_width(const char *s, size_t n)
{
    size_t width = 0;
    for (const char *p = s; *p && (size_t)(p - s) < n; width++)
        p += utf8_length(p) ? utf8_length(p) : 1;
    return width;
}

/* Behind them a line may be broken within a word. */
static const char marks[] = ",/|_";

/* ---- aligned ---- */

struct column {
    size_t width, full, least; /* full: of the longest cell; least: it may be made so narrow */
    size_t block;              /* of the blocks of columns that stand below each other */
    int right;                 /* all cells below the heading are numbers */
    int is_key, is_hidden, is_empty;
    int keeps_words; /* a line may be too long, but no word is broken */
    struct buf text; /* of a cell */
    const char *rest, *between;
};

struct layout {
    const struct table *t;
    size_t width;    /* of a line */
    int is_terminal; /* else the last column alone is broken, between words */
    struct column *columns;
    size_t blocks, cells; /* cells: below the heading */
};

/* The item of a list such as "tuple %,tile %" whose first word is the name, of *n bytes; NULL:
   there is none. */
static const char *item_of(const char *list, const char *name, size_t *n)
{
    const size_t length = strlen(name);
    for (; list && *list; list += *n + (list[*n] == ',')) {
        *n = strcspn(list, ",");
        if (*n >= length && !memcmp(list, name, length) && (*n == length || list[length] == ' '))
            return list;
    }
    return NULL;
}

static void take_heading(struct column *c, const struct layout *l, const char *cell)
{
    size_t n = strlen(text_of(cell));
    const char *item = l->is_terminal ? item_of(l->t->units, text_of(cell), &n) : NULL;
    c->text.n = 0;
    buf_add(&c->text, item ? item : text_of(cell), n);
    buf_add(&c->text, "", 1);
    c->rest = c->text.s;
    c->between = " ";
}

static void take_cell(struct column *c, const char *cell)
{
    struct buf b = {NULL, 0, 0};
    c->text.n = 0;
    buf_puts(&c->text, shown(cell, &b));
    c->rest = c->text.s;
    c->between = between(cell);
    buf_free(&b);
}

/* How many bytes of what is left go onto a line: up to a blank or, of a long word, behind a mark.
   An item with `, ` in brackets is one still. */
static size_t piece_length(const struct column *c)
{
    size_t n = 0, blank = 0, mark = 0;
    for (size_t width = 0, open = 0; c->rest[n]; width++) {
        open = c->rest[n] == '(' || (open && c->rest[n] != ')');
        if (n && c->rest[n] == ' '
            && (*c->between == ' ' || (!open && c->rest[n - 1] == *c->between)))
            blank = n;
        if (width >= c->width && (blank || !c->keeps_words))
            return blank ? blank : mark ? mark : n;
        n += utf8_length(c->rest + n) ? utf8_length(c->rest + n) : 1;
        mark = strchr(marks, c->rest[n - 1]) ? n : mark;
    }
    return n;
}

/* A line of a block's columns side by side; returns whether there is more of them. */
static int print_line(FILE *f, struct column *columns, size_t n_columns, size_t block)
{
    const char *gap = "";
    int pad = 0, is_more = 0; /* pad: behind a cell, if another one follows */
    for (struct column *c = columns; c < columns + n_columns; c++) {
        if (c->is_hidden || (!c->is_key && c->block != block))
            continue;
        const size_t n = piece_length(c);
        const int room = (int)(c->width - display_width(c->rest, n));
        fprintf(f, "%*s%s%*s", pad, "", gap, c->right ? room : 0, "");
        fwrite(c->rest, 1, n, f);
        c->rest += n + (c->rest[n] == ' ');
        is_more = is_more || *c->rest;
        pad = c->right ? 0 : room;
        gap = "  ";
    }
    fputc('\n', f);
    return is_more && !ferror(f);
}

static void print_block(FILE *f, const struct layout *l, size_t block)
{
    const char *body = first_row(l->t);
    for (const char *cell = l->t->cells.s; is_left(l->t, cell, f);) {
        for (size_t i = 0; i < l->t->columns; i++, cell = next_cell(cell))
            if (cell < body)
                take_heading(&l->columns[i], l, cell);
            else
                take_cell(&l->columns[i], cell);
        while (print_line(f, l->columns, l->t->columns, block))
            continue;
    }
}

/* ---- widths ---- */

/* Of a name: the most that no line breaks */
static size_t longest_piece(const char *name)
{
    size_t most = 0;
    for (size_t n; *name; name += n) {
        n = strcspn(name, marks);
        n += name[n] != '\0';
        most = n > most ? n : most;
    }
    return most;
}

static void measure(struct layout *l)
{
    enum { LEGIBLE = 14 };
    const char *cell = l->t->cells.s, *body = first_row(l->t), *end = cells_end(l->t);
    size_t n;
    for (size_t i = 0; cell < body; i++, cell = next_cell(cell)) {
        struct column *c = &l->columns[i];
        take_heading(c, l, cell);
        c->full = display_width(c->text.s, SIZE_MAX);
        c->least = longest_piece(c->text.s);
        c->keeps_words = !l->is_terminal;
        c->right = c->is_empty = body < end;
        c->is_key = l->t->keys ? item_of(l->t->keys, text_of(cell), &n) != NULL : i == 0;
    }
    for (; cell < end; l->cells++, cell = next_cell(cell)) {
        struct column *c = &l->columns[l->cells % l->t->columns];
        take_cell(c, cell);
        const size_t width = display_width(c->text.s, SIZE_MAX);
        c->is_empty = c->is_empty && width == 0;
        const size_t least = *cell == NUMBER || width < LEGIBLE ? width : LEGIBLE;
        c->full = width > c->full ? width : c->full;
        c->least = least > c->least ? least : c->least;
        c->right = c->right && *cell == NUMBER;
    }
}

/* Gives all columns their widths, and returns the sum. */
static size_t widen(struct layout *l)
{
    size_t width = 0;
    for (struct column *c = l->columns; c < l->columns + l->t->columns; c++) {
        c->width = c->full;
        width += c->is_hidden ? 0 : c->width + (width ? 2 : 0);
    }
    return width;
}

/* Leaves out columns that the table can do without, and those without a cell, until it fits. */
static void hide(struct layout *l)
{
    for (size_t i = 0; i < l->t->columns; i++)
        l->columns[i].is_hidden = l->t->minor && l->columns[i].is_empty;
    for (const char *minor = l->t->minor; minor && *minor && widen(l) > l->width;) {
        const size_t length = strcspn(minor, ",");
        const char *name = l->t->cells.s;
        for (size_t i = 0; i < l->t->columns; i++, name = next_cell(name))
            if (strlen(text_of(name)) == length && !memcmp(text_of(name), minor, length))
                l->columns[i].is_hidden = 1;
        minor += length + (minor[length] == ',');
    }
}

/* Makes the widest column narrower, as long as one can be; returns the sum of widths. */
static size_t squeeze(struct layout *l, size_t width)
{
    for (struct column *widest; width > l->width; widest->width--, width--) {
        widest = NULL;
        for (struct column *c = l->columns; c < l->columns + l->t->columns; c++)
            if (!c->is_hidden && c->width > c->least && (!widest || c->width >= widest->width))
                widest = c;
        if (!widest)
            break;
    }
    return width;
}

/* How many lines the first rows take */
static size_t height(struct layout *l)
{
    enum { ROWS = 100 };
    size_t lines = 0, rows = 0;
    for (const char *cell = first_row(l->t); rows < ROWS && cell < cells_end(l->t); rows++) {
        size_t most = 0;
        for (struct column *c = l->columns; c < l->columns + l->t->columns; c++) {
            size_t n = 0;
            take_cell(c, cell);
            for (; *c->rest && !c->is_hidden; c->rest += c->rest[0] == ' ', n++)
                c->rest += piece_length(c);
            most = n > most ? n : most;
            cell = next_cell(cell);
        }
        lines += most;
    }
    return lines;
}

/* Of two columns that were made narrower, one gives the other what makes the table shorter. */
static void balance(struct layout *l, struct column *a, struct column *b)
{
    const size_t sum = a->width + b->width;
    size_t least = height(l), width = a->width;
    for (a->width = a->least; a->width + b->least <= sum; a->width++) {
        b->width = sum - a->width;
        const size_t lines = height(l);
        if (lines < least) {
            least = lines;
            width = a->width;
        }
    }
    a->width = width;
    b->width = sum - width;
}

static void balance_all(struct layout *l)
{
    struct column *const end = l->columns + l->t->columns, *before = NULL;
    for (struct column *c = l->columns; c < end; c++)
        if (!c->is_hidden && c->width < c->full) {
            if (before)
                balance(l, before, c);
            before = c;
        }
}

/* Puts below each other, behind the keys, what does not fit beside each other. */
static void stack(struct layout *l)
{
    size_t keys = 0, at = 0;
    for (struct column *c = l->columns; c < l->columns + l->t->columns; c++)
        if (c->is_key && !c->is_hidden) {
            c->width = c->width < l->width / 3 ? c->width : c->least;
            keys += c->width + 2;
        }
    for (struct column *c = l->columns; c < l->columns + l->t->columns; c++) {
        if (c->is_key || c->is_hidden)
            continue;
        if (at && keys + at + c->width > l->width) {
            l->blocks++;
            at = 0;
        }
        if (keys + c->width > l->width)
            c->width = keys + c->least < l->width ? l->width - keys : c->least;
        c->block = l->blocks;
        at += c->width + 2;
    }
}

/* Returns whether columns are left out. */
static int fit(struct layout *l, int all)
{
    const size_t whole = widen(l);
    struct column *last = l->columns + l->t->columns - 1;
    if (whole > l->width && !l->is_terminal && !last->right) {
        const size_t others = whole - last->width;
        last->width = l->width > others ? l->width - others : 1;
    }
    if (whole <= l->width || !l->is_terminal)
        return 0;
    if (!all)
        hide(l);
    if (squeeze(l, widen(l)) > l->width) {
        widen(l);
        stack(l);
    } else
        balance_all(l);
    return !all && l->t->minor;
}

static void print_blocks(FILE *f, struct layout *l, int all)
{
    const int is_less = fit(l, all);
    for (size_t block = 0; block <= l->blocks; block++) {
        fputs(block ? "\n" : "", f);
        print_block(f, l, block);
    }
    fputs(is_less ? "\nMore columns do not fit the terminal: --all has them.\n" : "", f);
}

static void layout_free(struct layout *l)
{
    for (size_t i = 0; i < l->t->columns; i++)
        buf_free(&l->columns[i].text);
    free(l->columns);
}

static struct layout layout_of(const struct table *t, size_t width, int is_terminal)
{
    struct layout l = {.t = t, .width = width, .is_terminal = is_terminal};
    l.columns = xcalloc(t->columns, sizeof *l.columns);
    measure(&l);
    return l;
}

static void print_aligned(const struct table *t, FILE *f, size_t width, int all)
{
    const size_t terminal = terminal_width(fileno(f));
    struct layout l = layout_of(t, terminal ? terminal : width, terminal > 0);
    if (terminal && l.cells == t->columns && widen(&l) > terminal)
        table_print_row(t, f, terminal);
    else
        print_blocks(f, &l, all);
    layout_free(&l);
}

void table_print_within(const struct table *t, FILE *f, size_t width)
{
    print_aligned(t, f, width, 1);
}

/* ---- one row ---- */

void table_print_row(const struct table *t, FILE *f, size_t width)
{
    const size_t terminal = terminal_width(fileno(f));
    const struct layout l = {.t = t, .is_terminal = terminal > 0};
    struct column c[2] = {{.is_key = 1}, {.is_key = 1, .keeps_words = !terminal}};
    const char *const body = first_row(t), *cell = body;
    for (const char *name = t->cells.s; name < body; name = next_cell(name)) {
        take_heading(c, &l, name);
        const size_t n = display_width(c->text.s, SIZE_MAX);
        c->width = n > c->width ? n : c->width;
    }
    c[1].width = (terminal ? terminal : width) - c->width - 2;
    for (const char *name = t->cells.s; name < body; name = next_cell(name)) {
        take_heading(c, &l, name);
        take_cell(c + 1, cell);
        cell = next_cell(cell);
        while (*c[1].rest && print_line(f, c, 2, 0))
            continue;
    }
    buf_free(&c[0].text);
    buf_free(&c[1].text);
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

void html_text(struct buf *to, const char *text)
{
    static const char escaped[] = "&<>\"'";
    static const char *const names[] = {"&amp;", "&lt;", "&gt;", "&quot;", "&#39;"};
    for (size_t n; *text != '\0'; text += n > 0 ? n : 1) {
        n = utf8_length(text);
        if (n == 0)
            buf_puts(to, "\xef\xbf\xbd");
        else if (n == 1 && strchr(escaped, *text) != NULL)
            buf_puts(to, names[strchr(escaped, *text) - escaped]);
        else
            buf_add(to, n == 1 && ((unsigned char)*text < ' ' || *text == 0x7f) ? " " : text, n);
    }
}

void html_pieces(struct buf *to, const char *const *pieces)
{
    for (; *pieces != NULL; pieces++)
        buf_puts(to, *pieces);
}

void table_html(const struct table *t, struct buf *to)
{
    const char *const end = cells_end(t), *const body = first_row(t);
    struct layout l = layout_of(t, 0, 0);
    struct buf b = {0};
    size_t i = 0;
    buf_puts(to, "<thead>");
    for (const char *cell = t->cells.s; cell < end; cell = next_cell(cell), i++) {
        const int is_number = cell < body ? l.columns[i].right : *cell == NUMBER;
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
    layout_free(&l);
}

void table_print_members(const struct table *t, FILE *f)
{
    print_json_members(t, f, first_row(t), ",\n");
}

/* ---- interface ---- */

void table_print(const struct table *t, FILE *f, struct table_form form)
{
    if (form.json || form.csv)
        (form.json ? print_json : print_csv)(t, f);
    else
        print_aligned(t, f, SIZE_MAX, form.all);
}

void table_free(struct table *t)
{
    buf_free(&t->cells);
    memset(t, 0, sizeof *t);
}
