/* draft_features.c - what the network of a new spec sees; declared in draft.h
   SPDX-License-Identifier: MIT */
#include "draft.h"

#include "tile_features.h"

#include "model/default_features.h"

/* The text of a spec of the fields that the network sees, and of all parameters */
static int small_text(const struct draft *d, struct buf *text)
{
    const struct survey *s = d->survey;
    buf_printf(text, "[kernel]\nname = %s\n[data]\nformat = timed\n[fields]\n", d->name);
    for (size_t i = 0; i < s->fields.n; i++)
        if (field_is_seen(s, &s->fields.v[i]) && draft_field(text, s, &s->fields.v[i]) != 0)
            return -1;
    return draft_params(d, text);
}

static int leaves_out(const struct survey *s)
{
    size_t i = 0;
    while (i < s->fields.n && field_is_seen(s, &s->fields.v[i]))
        i++;
    return i < s->fields.n;
}

static int make_default(const struct draft *d, const struct buf *text, struct buf *derived,
                        struct buf *features)
{
    struct spec spec;
    if (spec_parse(&spec, text->s, d->path) != 0)
        return -1;
    default_features(&spec, derived, features);
    spec_free(&spec);
    return 0;
}

/* More features, behind those that are there */
static int make_tiles(const struct draft *d, const struct buf *text, const struct buf *derived,
                      struct buf *features)
{
    struct spec spec;
    struct buf all = {0};
    buf_printf(&all, "%s[derived]\n%s[features]\n%s", text->s, derived->s != NULL ? derived->s : "",
               features->s);
    int rc = spec_parse(&spec, all.s, d->path);
    if (rc == 0) {
        rc = tile_features(&spec, features);
        spec_free(&spec);
    }
    buf_free(&all);
    return rc;
}

int draft_features(const struct draft *d)
{
    struct buf text = {0}, derived = {0}, features = {0};
    int rc = small_text(d, &text);
    if (rc == 0)
        rc = make_default(d, &text, &derived, &features);
    if (rc == 0)
        rc = make_tiles(d, &text, &derived, &features);
    if (rc == 0 && derived.n > 0)
        buf_printf(d->out, "\n[derived]\n# Numbers made of the fields, for the section below\n%s",
                   derived.s);
    if (rc == 0) {
        buf_puts(d->out, "\n[features]\n# What the network sees of a problem\n");
        if (leaves_out(d->survey))
            buf_puts(d->out, "# Fields that are the same in all files are left out: nothing can be "
                             "learnt of them.\n");
        buf_puts(d->out, features.s != NULL ? features.s : "");
    }
    buf_free(&text);
    buf_free(&derived);
    buf_free(&features);
    return rc;
}
