/* flat_json.c - a JSON object as a flat list of values
   SPDX-License-Identifier: MIT */
#include "flat_json.h"

#include "names.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_DEPTH = 64 };

struct reader {
    struct flat_json *to;
    const char *what;
    const char *s; /* ends with a NUL, which no JSON has elsewhere */
    long line, column;
    int depth;
    int is_flat; /* inner objects are no values, and strings are without quotes */
};

/* ---- bytes ---- */

PRINTF_LIKE(2, 3) static int bad(const struct reader *r, const char *fmt, ...)
{
    char what[256];
    va_list args;
    va_start(args, fmt);
    vsnprintf(what, sizeof what, fmt, args);
    va_end(args);
    return fail("%s:%ld:%ld: %s", r->to->path, r->line, r->column, what);
}

/* A column is a character: the later bytes of one in UTF-8 are 10xxxxxx. */
static void step(struct reader *r)
{
    if (*r->s == '\n') {
        r->line++;
        r->column = 1;
    } else if (((unsigned char)*r->s & 0xc0) != 0x80)
        r->column++;
    r->s++;
}

static char peek(struct reader *r)
{
    while (*r->s != '\0' && strchr(" \t\r\n", *r->s) != NULL)
        step(r);
    return *r->s;
}

static int flat_json_take(struct reader *r, char c)
{
    if (peek(r) != c || c == '\0')
        return 0;
    step(r);
    return 1;
}

/* ---- strings ---- */

static int read_hex(struct reader *r, unsigned long *out)
{
    *out = 0;
    for (int i = 0; i < 4; i++) {
        static const char digits[] = "0123456789abcdef";
        const char c = *r->s >= 'A' && *r->s <= 'F' ? (char)(*r->s + 32) : *r->s;
        const char *at = c != '\0' ? strchr(digits, c) : NULL;
        if (at == NULL)
            return bad(r, "\\u needs four hexadecimal digits");
        *out = *out * 16 + (unsigned long)(at - digits);
        step(r);
    }
    return 0;
}

static void add_utf8(struct buf *b, unsigned long u)
{
    const int more = u < 0x80 ? 0 : u < 0x800 ? 1 : u < 0x10000 ? 2 : 3;
    static const unsigned char first[] = {0, 0xc0, 0xe0, 0xf0};
    char c = (char)(first[more] | (u >> (6 * more)));
    buf_add(b, &c, 1);
    for (int i = more - 1; i >= 0; i--) {
        c = (char)(0x80 | ((u >> (6 * i)) & 0x3f));
        buf_add(b, &c, 1);
    }
}

/* Behind \u; a pair of surrogates is one character. */
static int read_unicode(struct reader *r, struct buf *b)
{
    unsigned long u, low;
    if (read_hex(r, &u) != 0)
        return -1;
    if (u >= 0xd800 && u < 0xdc00 && r->s[0] == '\\' && r->s[1] == 'u') {
        step(r);
        step(r);
        if (read_hex(r, &low) != 0)
            return -1;
        u = 0x10000 + ((u - 0xd800) << 10) + ((low - 0xdc00) & 0x3ff);
    }
    if (u == 0 || (u >= 0xd800 && u < 0xe000))
        return bad(r, "\\u does not mean a character here");
    add_utf8(b, u);
    return 0;
}

/* Behind a backslash */
static int read_escape(struct reader *r, struct buf *b)
{
    static const char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";
    const char c = *r->s;
    const char *at = c != '\0' ? strchr(from, c) : NULL;
    if (at == NULL && c != 'u')
        return bad(r, "a backslash that does not begin an escape");
    step(r);
    if (c == 'u')
        return read_unicode(r, b);
    buf_add(b, to + (at - from), 1);
    return 0;
}

static int read_string(struct reader *r, struct buf *b)
{
    if (!flat_json_take(r, '"'))
        return bad(r, "expected a string");
    buf_puts(b, "");
    while (*r->s != '"') {
        if ((unsigned char)*r->s < ' ')
            return bad(r, "the text ends within a string, or a control character stands in it");
        const char c = *r->s;
        step(r);
        if (c != '\\')
            buf_add(b, &c, 1);
        else if (read_escape(r, b) != 0)
            return -1;
    }
    step(r);
    return 0;
}

/* ---- values that are no objects ---- */

static int is_number(const char *s)
{
    static const char digits[] = "0123456789";
    s += *s == '-';
    size_t n = strspn(s, digits);
    if (n == 0 || (n > 1 && *s == '0'))
        return 0;
    s += n;
    if (*s == '.') {
        n = strspn(s + 1, digits);
        if (n == 0)
            return 0;
        s += n + 1;
    }
    if (*s == 'e' || *s == 'E') {
        s += 1 + (s[1] == '+' || s[1] == '-');
        n = strspn(s, digits);
        return n != 0 && s[n] == '\0';
    }
    return *s == '\0';
}

static int kind_of_word(const char *word, enum flat_kind *kind)
{
    const int is_null = names_has_word("null NaN Infinity -Infinity", word);
    *kind = is_null                                           ? FLAT_NULL
            : is_number(word) && strpbrk(word, ".eE") == NULL ? FLAT_INTEGER
                                                              : FLAT_OTHER;
    return is_null || names_has_word("true false", word) || is_number(word) ? 0 : -1;
}

/* A number, true, false or null */
static int read_word(struct reader *r, struct buf *b, enum flat_kind *kind)
{
    const struct reader start = *r;
    while (*r->s != '\0' && strchr(" \t\r\n,]}[{\":", *r->s) == NULL) {
        buf_add(b, r->s, 1);
        step(r);
    }
    return b->n != 0 && kind_of_word(b->s, kind) == 0 ? 0 : bad(&start, "expected a value");
}

static int read_any(struct reader *r, struct buf *b);

/* What stands in brackets, as its text; an object in it is not an object of its own. */
static int read_items(struct reader *r, struct buf *b, char open, char close)
{
    if (!flat_json_take(r, open))
        return bad(r, "expected a bracket");
    buf_add(b, &open, 1);
    for (int i = 0; !flat_json_take(r, close); i++) {
        if (i != 0 && !flat_json_take(r, ','))
            return bad(r, "expected a comma or a bracket");
        if (i != 0)
            buf_puts(b, ",");
        if (open == '{' && (read_any(r, b) != 0 || !flat_json_take(r, ':')))
            return bad(r, "expected a name and a colon");
        if (open == '{')
            buf_puts(b, ":");
        if (read_any(r, b) != 0)
            return -1;
    }
    buf_add(b, &close, 1);
    return 0;
}

static int read_quoted(struct reader *r, struct buf *b)
{
    const char *from = r->s;
    struct buf text = {0};
    const int rc = read_string(r, &text);
    if (rc == 0)
        buf_add(b, from, (size_t)(r->s - from));
    buf_free(&text);
    return rc;
}

static int read_any(struct reader *r, struct buf *b)
{
    struct buf word = {0};
    enum flat_kind kind;
    const char c = peek(r);
    int rc;
    if (++r->depth > MOST_DEPTH)
        return bad(r, "nested beyond %d", MOST_DEPTH);
    if (c == '{' || c == '[')
        rc = read_items(r, b, c, c == '{' ? '}' : ']');
    else if (c == '"')
        rc = read_quoted(r, b);
    else if ((rc = read_word(r, &word, &kind)) == 0)
        buf_puts(b, word.s);
    buf_free(&word);
    r->depth--;
    return rc;
}

/* ---- members ---- */

static void add_value(struct flat_json *j, const char *name, struct flat_value value)
{
    (void)intern_text(&j->names, name);
    value.name = xstrdup(name);
    errno = 0;
    value.number = value.kind == FLAT_INTEGER ? strtoll(value.text, NULL, 10) : 0;
    if (errno == ERANGE)
        value.kind = FLAT_OTHER;
    j->v = xgrow(j->v, j->n, &j->cap, sizeof *j->v);
    j->v[j->n++] = value;
}

static int read_value(struct reader *r, const char *name)
{
    const char c = peek(r);
    struct flat_value value = {.kind = c == '['   ? FLAT_LIST
                                       : c == '{' ? FLAT_OBJECT
                                                  : FLAT_STRING,
                               .line = r->line,
                               .column = r->column};
    struct buf text = {0};
    const int rc = c == '"' && r->is_flat                   ? read_string(r, &text)
                   : strchr("\"[{", c) != NULL && c != '\0' ? read_any(r, &text)
                                                            : read_word(r, &text, &value.kind);
    value.text = text.s;
    if (rc == 0)
        add_value(r->to, name, value);
    else
        buf_free(&text);
    return rc;
}

static int read_object(struct reader *r, const char *outer);

/* NAME: VALUE */
static int read_member(struct reader *r, const char *outer)
{
    struct buf full = {0};
    int rc;
    (void)peek(r);
    const struct reader start = *r;
    buf_printf(&full, "%s%s", outer, *outer != '\0' ? "." : "");
    rc = read_string(r, &full);
    if (rc == 0 && !flat_json_take(r, ':'))
        rc = bad(r, "expected a colon");
    if (rc == 0 && flat_json_find(r->to, full.s) != NULL)
        rc = bad(&start, "%.200s: it is given twice", full.s);
    if (rc == 0)
        rc = peek(r) == '{' && r->is_flat ? read_object(r, full.s) : read_value(r, full.s);
    buf_free(&full);
    return rc;
}

static int read_object(struct reader *r, const char *outer)
{
    if (!flat_json_take(r, '{'))
        return bad(r, "expected an object, as %s has it", r->what);
    if (++r->depth > MOST_DEPTH)
        return bad(r, "nested beyond %d", MOST_DEPTH);
    if (!flat_json_take(r, '}')) {
        do
            if (read_member(r, outer) != 0)
                return -1;
        while (flat_json_take(r, ','));
        if (!flat_json_take(r, '}'))
            return bad(r, "expected a comma or a brace");
    }
    r->depth--;
    return 0;
}

static int read_whole(struct flat_json *j, const char *path, size_t most, const char *what,
                      int is_flat)
{
    struct buf bytes = {0};
    *j = (struct flat_json){.path = path};
    int rc = read_text(path, most, &bytes);
    if (rc == 0) {
        struct reader r = {
            .to = j, .what = what, .s = bytes.s, .line = 1, .column = 1, .is_flat = is_flat};
        rc = read_object(&r, "");
        if (rc == 0 && (peek(&r) != '\0' || r.s != bytes.s + bytes.n))
            rc = bad(&r, "unexpected text after the object");
    }
    buf_free(&bytes);
    return rc;
}

int flat_json_read(struct flat_json *j, const char *path, size_t most, const char *what)
{
    return read_whole(j, path, most, what, 1);
}

int flat_json_members(struct flat_json *j, const char *path, size_t most, const char *what)
{
    return read_whole(j, path, most, what, 0);
}

int flat_json_inner(struct flat_json *j, const char *path, const struct flat_value *object)
{
    struct reader r = {.to = j,
                       .what = "an object",
                       .s = object->text,
                       .line = object->line,
                       .column = object->column};
    *j = (struct flat_json){.path = path};
    return read_object(&r, "");
}

void flat_json_free(struct flat_json *j)
{
    for (size_t i = 0; i < j->n; i++) {
        free(j->v[i].name);
        free(j->v[i].text);
    }
    free(j->v);
    intern_free(&j->names);
}

const struct flat_value *flat_json_find(const struct flat_json *j, const char *name)
{
    const size_t i = intern_find_text(&j->names, name);
    return i != INTERN_NONE ? &j->v[i] : NULL;
}
