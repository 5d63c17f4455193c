/* json.c - see json.h
   SPDX-License-Identifier: MIT */
#ifdef HAVE_JANSSON

#include "json.h"

#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* ---- places ---- */

/* Columns are characters of UTF-8. */
static void advance(struct json_text *t, size_t bytes)
{
    const char *s = t->s + t->at, *const end = s + bytes;
    for (const char *line; (line = memchr(s, '\n', (size_t)(end - s))); s = line + 1) {
        t->line++;
        t->column = 1;
    }
    for (; s < end; s++)
        t->column += ((unsigned char)*s & 0xc0) != 0x80;
    t->at += bytes;
}

static int is_blank(char c)
{
    return c == ' ' || c == '\n' || c == '\r' || c == '\t';
}

int json_text_peek(struct json_text *t)
{
    size_t n = 0;
    while (t->at + n < t->n && is_blank(t->s[t->at + n]))
        n++;
    advance(t, n);
    return t->at < t->n ? (unsigned char)t->s[t->at] : EOF;
}

int json_text_take(struct json_text *t, char byte)
{
    if (json_text_peek(t) != (unsigned char)byte)
        return 0;
    advance(t, 1);
    return 1;
}

int json_text_fail(const struct json_text *t, const char *fmt, ...)
{
    struct buf b = {NULL, 0, 0};
    char what[1024];
    va_list args;
    if (t->is_quiet)
        return -1;
    va_start(args, fmt);
    vsnprintf(what, sizeof what, fmt, args);
    va_end(args);
    buf_printf(&b, "%s:%ld:%ld: %s", t->path, t->line, t->column, what);
    fail("%s", b.s);
    buf_free(&b);
    return -1;
}

/* ---- what quotes and brackets tell ---- */

enum { NO_END = 0 }; /* a value that the text ends within; no value ends at 0 */

/* Behind the string that begins at `at` */
static size_t string_end(const struct json_text *t, size_t at)
{
    for (at++; at < t->n && t->s[at] != '"'; at++)
        at += t->s[at] == '\\';
    return at < t->n ? at + 1 : NO_END;
}

/* Behind the object or list; it may be the most of a long file. */
static size_t bracket_end(const struct json_text *t, size_t at)
{
    static const char counts[UCHAR_MAX + 1] = {
        ['"'] = 1, ['{'] = 1, ['}'] = 1, ['['] = 1, [']'] = 1};
    size_t depth = 0;
    while (at < t->n) {
        const char c = t->s[at];
        if (!counts[(unsigned char)c]) {
            at++;
            continue;
        }
        const size_t end = c == '"' ? string_end(t, at) : at + 1;
        if (end == NO_END)
            break;
        depth += c == '{' || c == '[';
        if ((c == '}' || c == ']') && --depth == 0)
            return end;
        at = end;
    }
    return NO_END;
}

static size_t value_end(const struct json_text *t)
{
    size_t at = t->at;
    const char c = at < t->n ? t->s[at] : ' ';
    if (c == '"')
        return string_end(t, at);
    if (c == '{' || c == '[')
        return bracket_end(t, at);
    while (at < t->n && !is_blank(t->s[at]) && !strchr(",]}", t->s[at]))
        at++;
    return at < t->n ? at : NO_END;
}

int json_text_skip(struct json_text *t)
{
    json_text_peek(t);
    const size_t end = value_end(t);
    advance(t, (end == NO_END ? t->n : end) - t->at);
    return end != NO_END;
}

/* Is the string at..end-1 a member of that name? */
static int is_member(const struct json_text *t, size_t at, size_t end, const char *name)
{
    const size_t n = strlen(name);
    if (end - at != n + 2 || memcmp(t->s + at + 1, name, n) != 0)
        return 0;
    while (end < t->n && is_blank(t->s[end]))
        end++;
    return end < t->n && t->s[end] == ':';
}

int json_text_find_inner(struct json_text *t, const char *name)
{
    const size_t start = t->at, value = value_end(t), stop = value == NO_END ? t->n : value;
    size_t depth = 0, end;
    for (size_t at = start; at < stop; at = end) {
        const char c = t->s[at];
        end = c == '"' ? string_end(t, at) : at + 1;
        if (end == NO_END)
            return 0;
        depth += c == '{' || c == '[';
        depth -= c == '}' || c == ']';
        if (c == '"' && depth > 1 && is_member(t, at, end, name)) {
            advance(t, at - start);
            return 1;
        }
    }
    return 0;
}

/* ---- words for what is not a figure ---- */

/* What stands for such a word until Jansson has read it: a string that nobody writes, as short as
   the shortest word, so that all else keeps its place */
static const char mark[] = "\"\x7f\"";

/* Does a value begin here? */
static int begins_value(const struct json_text *t, size_t at)
{
    while (at > 0 && is_blank(t->s[at - 1]))
        at--;
    return at > 0 && (t->s[at - 1] == ':' || t->s[at - 1] == ',' || t->s[at - 1] == '[');
}

static int ends_value(const struct json_text *t, size_t at)
{
    while (at < t->n && is_blank(t->s[at]))
        at++;
    return at == t->n || t->s[at] == ',' || t->s[at] == ']' || t->s[at] == '}';
}

/* The length of Python's word here, or of what the text has of it; 0: none */
static size_t word_here(const struct json_text *t, size_t at)
{
    static const char *const words[] = {"NaN", "Infinity", "-Infinity"};
    const size_t left = t->n - at;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        const size_t whole = strlen(words[i]), n = left < whole ? left : whole;
        if (!memcmp(t->s + at, words[i], n) && begins_value(t, at) && ends_value(t, at + n))
            return n;
    }
    return 0;
}

static void mark_words(struct json_text *t, char *s)
{
    for (size_t at = 0, end; at < t->n; at = end) {
        const size_t word = s[at] == 'N' || s[at] == 'I' || s[at] == '-' ? word_here(t, at) : 0;
        if (word) {
            memset(s + at, ' ', word);
            memcpy(s + at, mark, word < strlen(mark) ? word : strlen(mark));
        }
        end = s[at] == '"' ? string_end(t, at) : at + 1;
        if (end == NO_END)
            return;
        t->has_marks |= end - at == strlen(mark) && s[at + 1] == mark[1];
    }
}

static int is_mark(const json_t *v)
{
    return json_is_string(v) && !strcmp(json_string_value(v), "\x7f");
}

static void forget_marks(json_t *v)
{
    for (size_t i = 0; i < json_array_size(v); i++)
        if (is_mark(json_array_get(v, i)))
            json_array_set_new(v, i, json_null());
        else
            forget_marks(json_array_get(v, i));
    for (void *i = json_object_iter(v); i; i = json_object_iter_next(v, i))
        if (is_mark(json_object_iter_value(i)))
            json_object_iter_set_new(v, i, json_null());
        else
            forget_marks(json_object_iter_value(i));
}

struct json_text json_text_open(const char *path, struct buf *bytes)
{
    struct json_text t = {path, bytes->s, bytes->n, 0, 1, 1, 0, 0};
    json_set_alloc_funcs(xmalloc, free); /* some of jansson's own ways without memory lose values */
    mark_words(&t, bytes->s);
    return t;
}

/* ---- values ---- */

/* Does the text end within the value here, of which Jansson read so many bytes? It looks at no more
   than the four of a character at once. */
static int ends_within(const struct json_text *t, size_t bytes)
{
    return t->n - t->at <= bytes + 4 && value_end(t) == NO_END;
}

/* Where Jansson found an error in the value here */
static struct json_text place_of(const struct json_text *t, const json_error_t *e)
{
    struct json_text at = *t;
    if (e->line > 1) {
        at.line += e->line - 1;
        at.column = e->column > 0 ? e->column : 1;
    } else if (e->column > 0) {
        at.column += e->column - 1;
    }
    return at;
}

json_t *json_text_value(struct json_text *t, int *is_cut)
{
    const size_t flags = JSON_REJECT_DUPLICATES | JSON_DISABLE_EOF_CHECK | JSON_DECODE_ANY;
    json_error_t e;
    json_text_peek(t);
    json_t *v = json_loadb(t->s + t->at, t->n - t->at, flags, &e);
    if (v) {
        advance(t, (size_t)e.position);
        if (t->has_marks && is_mark(v)) {
            json_decref(v);
            v = json_null();
        } else if (t->has_marks) {
            forget_marks(v);
        }
    } else if (is_cut && ends_within(t, (size_t)e.position)) {
        *is_cut = 1;
    } else {
        const struct json_text at = place_of(t, &e);
        json_text_fail(&at, "%s", e.text);
    }
    return v;
}

json_t *json_text_name(struct json_text *t, int *is_cut)
{
    const int first = json_text_peek(t);
    if (first != '"' && (first != EOF || !is_cut)) {
        json_text_fail(t, first == EOF ? "the file ends here, before its last brace"
                                       : "expected the name of a member, in double quotes");
        return NULL;
    }
    json_t *name = json_text_value(t, is_cut);
    if (!name || json_text_take(t, ':'))
        return name;
    if (json_text_peek(t) == EOF && is_cut)
        *is_cut = 1;
    else
        json_text_fail(t, "after a name: expected a colon");
    json_decref(name);
    return NULL;
}

int json_whole(const json_t *v, int64_t *out)
{
    const double x = json_real_value(v);
    const int is_whole =
        json_is_real(v) && x >= -9e15 && x <= 9e15 && !(x < floor(x) || x > floor(x));
    *out = is_whole ? (int64_t)x : json_integer_value(v);
    return is_whole || json_is_integer(v);
}

int json_scalar(const json_t *v, struct buf *b)
{
    char text[32];
    if (json_is_string(v))
        buf_puts(b, json_string_value(v));
    else if (json_is_integer(v))
        buf_printf(b, "%lld", (long long)json_integer_value(v));
    else if (json_is_real(v))
        buf_puts(b, double_text(json_real_value(v), text));
    else if (json_is_boolean(v))
        buf_puts(b, number_text(json_is_true(v) ? "True" : "False", text));
    else
        return 0;
    return 1;
}

#else

typedef int json_is_not_compiled; /* a file of C has to have something */

#endif
