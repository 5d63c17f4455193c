/* draft_features.c - what the network of a new spec sees; declared in draft.h
   SPDX-License-Identifier: MIT */
#include "draft.h"

#include "telling_features.h"
#include "tile_features.h"

#include "model/default_features.h"
#include "model/same_gpu.h"

#include <stdlib.h>
#include <string.h>

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

/* A spec with all of these lines; to be freed with spec_free, or -1 with a message */
static int parse_all(const struct draft *d, const struct buf *text, const struct buf *derived,
                     const struct buf *features, struct spec *spec)
{
    struct buf all = {0};
    buf_printf(&all, "%s[derived]\n%s[features]\n%s", text->s, derived->s != NULL ? derived->s : "",
               features->s);
    const int rc = spec_parse(spec, all.s, d->path);
    buf_free(&all);
    return rc;
}

/* More features, behind those that are there */
static int make_tiles(const struct draft *d, const struct buf *text, const struct buf *derived,
                      struct buf *features)
{
    struct spec spec;
    if (parse_all(d, text, derived, features, &spec) != 0)
        return -1;
    const int rc = tile_features(&spec, features);
    spec_free(&spec);
    return rc;
}

/* ---- the problems of the data ---- */

/* Each value of a column as a program reads it */
static int32_t *numbers_of(const struct survey_column *c, const struct spec_field *f)
{
    int32_t *v = xcalloc(c->values.n + 1, sizeof *v);
    for (size_t i = 0; i < c->values.n; i++) {
        int64_t x = 0;
        if (f->n_tokens > 0)
            x = field_token(f, c->values.v[i].s);
        else
            (void)parse_int(c->values.v[i].s, 0, KPRED_MAX_SIZE, &x);
        v[i] = (int32_t)x;
    }
    return v;
}

/* To be freed; the spec has the fields that the network sees. */
static int32_t *problems_of(const struct survey *s, const struct spec *spec)
{
    int32_t *v = xcalloc(s->problems.n * spec->n_fields + 1, sizeof *v);
    for (size_t f = 0; f < spec->n_fields; f++) {
        const size_t at = (size_t)survey_find(&s->fields, spec->fields[f].name);
        int32_t *numbers = numbers_of(&s->fields.v[at], &spec->fields[f]);
        for (size_t i = 0; i < s->problems.n; i++) {
            uint32_t problem[KPRED_MAX_TUPLE];
            memcpy(problem, s->problems.v[i].s, sizeof problem);
            v[i * spec->n_fields + f] = problem[at] > 0 ? numbers[problem[at] - 1] : 0;
        }
        free(numbers);
    }
    return v;
}

/* Of one problem nothing tells; its features are as good as any. */
static int keep_telling(const struct draft *d, const struct buf *text, const struct buf *derived,
                        struct buf *features)
{
    const struct survey *s = d->survey;
    struct spec spec;
    struct buf kept = {0};
    if (!survey_has_data(s) || s->problems.n < 2)
        return 0;
    if (parse_all(d, text, derived, features, &spec) != 0)
        return -1;
    int32_t *v = problems_of(s, &spec);
    const struct telling_problems problems = {s->problems.n, v};
    const int rc = telling_features(&spec, &problems, &kept);
    if (rc == 0 && kept.n > 0) {
        buf_free(features);
        *features = kept;
    } else {
        buf_free(&kept);
    }
    free(v);
    spec_free(&spec);
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
    if (rc == 0)
        rc = keep_telling(d, &text, &derived, &features);
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
