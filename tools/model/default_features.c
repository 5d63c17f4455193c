/* default_features.c - see default_features.h
   SPDX-License-Identifier: MIT

   Here the lines become a part of the spec; default_lines.c makes them. */
#include "default_features.h"

#include <string.h>

static const char mark[] =
    "# By default, as the spec has no [features]: what follows was made of fields and parameters.";

/* Where the comment begins a line of a text; NULL: nowhere. */
static const char *find_mark(const char *text)
{
    const char *at = text;
    while ((at = strstr(at, mark)) != NULL && at > text && at[-1] != '\n')
        at++;
    return at;
}

long default_features_line(const struct spec *spec)
{
    const char *at = find_mark(spec->text);
    long line = at != NULL;
    for (const char *p = spec->text; at && p < at; p++)
        line += *p == '\n';
    return line;
}

static void add_sections(const struct spec *spec, struct buf *text)
{
    struct buf derived = {NULL, 0, 0}, features = {NULL, 0, 0};
    default_features(spec, &derived, &features);
    buf_printf(text, "%s\n", mark);
    if (derived.n)
        buf_printf(text, "[derived]\n%s\n", derived.s);
    buf_printf(text, "[features]\n%s", features.n ? features.s : "");
    buf_free(&derived);
    buf_free(&features);
}

int default_features_give(struct spec *spec, const struct spec *like)
{
    const char *theirs = like ? find_mark(like->text) : NULL;
    struct spec old = *spec;
    struct buf text = {NULL, 0, 0};
    if (spec->features.line)
        return 0;
    buf_printf(&text, "%s%s\n", old.text, ends_with(old.text, "\n") ? "" : "\n");
    if (theirs)
        buf_puts(&text, theirs);
    else
        add_sections(&old, &text);
    const int bad = spec_parse(spec, text.s, old.path);
    buf_free(&text);
    spec_free(&old);
    return bad;
}
