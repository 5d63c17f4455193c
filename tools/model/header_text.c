/* header_text.c - see header_text.h
   SPDX-License-Identifier: MIT */
#include "header_text.h"

#include <stdlib.h>
#include <string.h>

const char *header_code(const char *text)
{
    static const char end[] = "end of spec */";
    const char *p = strstr(text, end);
    return p ? p + strlen(end) : text + strlen(text);
}

int header_is_float(const char *text)
{
    return strstr(header_code(text), "\n#ifndef " HEADER_FLOAT_GUARD) != NULL;
}

int header_foreign(const struct header_text *h, const char *what)
{
    return fail("%s: not a header that kpred-train wrote: %s", h->path, what);
}

char *header_between(const char *text, const char *from, const char *to)
{
    const char *a = strstr(text, from), *b = a ? strstr(a, to) : NULL;
    struct buf copy = {NULL, 0, 0};
    if (!b)
        return NULL;
    a += strlen(from);
    buf_add(&copy, a, (size_t)(b - a));
    return copy.s;
}

const char *header_array(const struct header_text *h, const char *what)
{
    struct buf name = {NULL, 0, 0};
    buf_printf(&name, " kpri_%s_%s[", h->name, what);
    const char *p = strstr(header_code(h->text), name.s);
    p = p ? strchr(p, '{') : NULL;
    if (!p)
        fail("%s: not a header that kpred-train wrote: array%s] is missing", h->path, name.s);
    buf_free(&name);
    return p;
}

const char *header_number(const char *p)
{
    while (*p && *p != ';') {
        if (*p == '"') {
            for (p++; *p && *p != '"'; p++)
                ;
            p += *p == '"';
        } else if ((*p >= 'a' && *p <= 'z') || (*p >= 'A' && *p <= 'Z') || *p == '_') {
            p += strspn(p, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789");
        } else if ((*p >= '0' && *p <= '9') || *p == '-') {
            return p;
        } else {
            p++;
        }
    }
    return NULL;
}

int header_numbers(const struct header_text *h, const char *what, int32_t least, int32_t most,
                   int32_t *out, size_t n)
{
    const char *p = header_array(h, what);
    if (!p)
        return -1;
    for (size_t i = 0; i < n; i++) {
        char *end;
        long long x;
        p = header_number(p);
        if (!p)
            return fail("%s: array %s has %zu numbers, expected %zu", h->path, what, i, n);
        x = strtoll(p, &end, 10);
        if (end == p || x < least || x > most)
            return fail("%s: array %s, number %zu: out of range", h->path, what, i);
        out[i] = (int32_t)x;
        p = end;
    }
    return header_number(p) ? fail("%s: array %s has more than %zu numbers", h->path, what, n) : 0;
}
