/* new_features.c - what the network of a new spec sees
   SPDX-License-Identifier: MIT */
#include "init.h"

#include "base/numbers.h"
#include "data/data.h"
#include "model/program.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* ---- tiles ---- */

/* A thread block that computes block_size_x times tile_size_x elements cuts problem_size_x into
   tiles of that product. Names tell what belongs together: they end in the same word, such as x,
   and a parameter's has `block` or `tile` in it. */

enum { MOST_TILES = 8, MOST_PRODUCTS = 4096 }; /* of a size */

struct products {
    size_t n;
    int32_t v[MOST_PRODUCTS];
};

/* ---- tiles: which parameters cut a size ---- */

static const char *last_word(const char *name)
{
    const char *underscore = strrchr(name, '_');
    return underscore != NULL ? underscore + 1 : name;
}

static int has_piece(const char *name, const char *piece)
{
    const size_t n = strlen(piece);
    for (; *name != '\0'; name++)
        if (strncasecmp(name, piece, n) == 0)
            return 1;
    return 0;
}

static int is_positive(const struct spec_param *p)
{
    return p->names[0] == NULL && p->values[0] > 0;
}

/* As bits */
static uint32_t find_params(const struct spec *s, const struct spec_field *f)
{
    uint32_t params = 0;
    for (size_t t = 0; t < s->n_params && strchr(f->name, '_') != NULL; t++)
        if (is_positive(&s->params[t])
            && strcasecmp(last_word(s->params[t].name), last_word(f->name)) == 0
            && (has_piece(s->params[t].name, "block") || has_piece(s->params[t].name, "tile")))
            params |= UINT32_C(1) << t;
    return params;
}

/* ---- tiles: the tiles ---- */

/* The products of `one` and a value of each of the parameters from number `t` on */
static void add_products(const struct spec *s, uint32_t params, size_t t, int64_t one,
                         struct products *out)
{
    if (out->n == MOST_PRODUCTS || one > KPRED_MAX_SIZE)
        return;
    if (t == s->n_params) {
        out->v[out->n++] = (int32_t)one;
        return;
    }
    if (!(params >> t & 1)) {
        add_products(s, params, t + 1, one, out);
        return;
    }
    for (size_t v = 0; v < s->params[t].n_values; v++)
        add_products(s, params, t + 1, one * s->params[t].values[v], out);
}

static void find_products(const struct spec *s, const struct spec_field *f, struct products *out)
{
    const uint32_t params = f->n_tokens == 0 ? find_params(s, f) : 0;
    out->n = 0;
    if (params != 0)
        add_products(s, params, 0, 1, out);
    qsort(out->v, out->n, sizeof *out->v, num_falling_int);
}

static int is_there(const struct buf *features, const char *line)
{
    const char *at = features->s != NULL ? strstr(features->s, line) : NULL;
    while (at != NULL && at != features->s && at[-1] != '\n')
        at = strstr(at + 1, line);
    return at != NULL;
}

/* The largest tiles of a field; how many */
static size_t add_tiles(const struct spec_field *f, const struct products *p, size_t most,
                        struct buf *features)
{
    struct buf line = {0};
    size_t n = 0;
    for (size_t i = 0; i < p->n && n < most; i++) {
        line.n = 0;
        buf_printf(&line, "fraction %s %ld\n", f->name, (long)p->v[i]);
        if (p->v[i] <= 2 || is_there(features, line.s))
            continue;
        buf_puts(features, line.s);
        n++;
    }
    buf_free(&line);
    return n;
}

/* Adds lines to the features of a spec, as far as there is room for their inputs: what is left of a
   size behind whole tiles, for the largest tiles that it does not have. 0, or -1 with a message. */
static int tile_features(const struct draft *d, const struct spec *spec, struct buf *features)
{
    struct program program;
    (void)d;
    if (program_compile(spec, &program) != 0)
        return -1;
    size_t room = lesser(KPRED_MAX_WIDTH - program.n_features, PROGRAM_MAX_INSTR - program.n_instr);
    struct products *p = xmalloc(sizeof *p);
    for (size_t f = 0; f < spec->n_fields; f++) {
        find_products(spec, &spec->fields[f], p);
        room -= add_tiles(&spec->fields[f], p, lesser(room, MOST_TILES), features);
    }
    free(p);
    return 0;
}

/* ---- the sections ---- */

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
    if (spec_parse(&spec, text->s, d->survey->asked->output) != 0)
        return -1;
    default_features(&spec, derived, features);
    spec_free(&spec);
    return 0;
}

/* Changes the features by what a spec with all of these lines shows: 0, or -1 with a message. */
static int change(const struct draft *d, const struct buf *text, const struct buf *derived,
                  struct buf *features,
                  int (*by)(const struct draft *d, const struct spec *spec, struct buf *features))
{
    struct spec spec;
    struct buf all = {0};
    buf_printf(&all, "%s[derived]\n%s[features]\n%s", text->s, derived->s != NULL ? derived->s : "",
               features->s);
    int rc = spec_parse(&spec, all.s, d->survey->asked->output);
    buf_free(&all);
    if (rc != 0)
        return -1;
    rc = by(d, &spec, features);
    spec_free(&spec);
    return rc;
}

/* ---- the sections: the problems of the data ---- */

enum { MADE_UP = 4000 };

/* What a table has of a field */
struct reach {
    int32_t least, most;
    int is_few; /* values, of which nobody learns what others do */
};

/* v: the first problem's value of it, of n problems of n_fields */
static struct reach reach_of(const struct survey_column *c, const int32_t *v, size_t n,
                             size_t n_fields)
{
    enum { FEW = 4 };
    struct reach r = {v[0], v[0], c->values.n <= FEW};
    for (size_t i = 0; i < n * n_fields; i += n_fields) {
        r.least = v[i] < r.least ? v[i] : r.least;
        r.most = v[i] > r.most ? v[i] : r.most;
    }
    return r;
}

/* As far beyond the table as its lessons go, the network is to see sizes apart. */
static void keep_within(const struct reach *reach, size_t n_fields, int32_t *problem)
{
    for (size_t f = 0; f < n_fields; f++) {
        const struct reach *r = &reach[f];
        problem[f] = problem[f] < r->least || r->is_few ? r->least
                     : problem[f] / 4 > r->most         ? r->most * 4
                                                        : problem[f];
    }
}

/* Those of the data, then as many more between them; to be freed. The spec has the fields that the
   network sees. */
static int32_t *problems_of(const struct survey *s, const struct spec *spec, size_t more)
{
    const size_t n_fields = spec->n_fields;
    struct reach reach[KPRED_MAX_FIELDS];
    int32_t *v = xcalloc((s->problems.n + more) * n_fields + 1, sizeof *v);
    uint64_t seed = 1;
    struct survey_view view;
    survey_view_open(&view, spec, s);
    for (size_t i = 0; i < s->problems.n; i++)
        survey_view_problem(&view, i, v + i * n_fields);
    survey_view_close(&view);
    for (size_t f = 0; f < n_fields && more; f++)
        reach[f] = reach_of(&s->fields.v[survey_find(&s->fields, spec->fields[f].name)], v + f,
                            s->problems.n, n_fields);
    for (size_t i = s->problems.n; i < s->problems.n + more; i++) {
        make_up_problem(spec, MADE_UP_ANY, v, s->problems.n, &seed, v + i * n_fields);
        keep_within(reach, n_fields, v + i * n_fields);
    }
    return v;
}

static int keep_telling(const struct draft *d, const struct spec *spec, struct buf *features)
{
    const struct survey *s = d->survey;
    struct buf kept = {0};
    if (!survey_has_data(s))
        return 0;
    const size_t more = s->problems.n > 1 ? MADE_UP : 0; /* one problem alone is no lesson */
    int32_t *v = problems_of(s, spec, more);
    const struct telling_problems problems = {s->problems.n + more, v};
    const int rc = telling_features(spec, &problems, &kept);
    free(v);
    if (rc == 0 && kept.n > 0) {
        buf_free(features);
        *features = kept;
    } else {
        buf_free(&kept);
    }
    return rc;
}

int draft_features(const struct draft *d)
{
    struct buf text = {0}, derived = {0}, features = {0};
    const int rc = small_text(d, &text) != 0 || make_default(d, &text, &derived, &features) != 0
                           || change(d, &text, &derived, &features, tile_features) != 0
                           || change(d, &text, &derived, &features, keep_telling) != 0
                       ? -1
                       : 0;
    if (rc == 0 && derived.n > 0)
        buf_printf(d->out, "\n[derived]\n# Numbers made of the fields, for the section below\n%s",
                   derived.s);
    if (rc == 0)
        buf_printf(d->out, "\n[features]\n# What the network sees of a problem\n%s%s",
                   leaves_out(d->survey)
                       ? "# Fields that are the same in all files are left out: nothing can be "
                         "learnt of them.\n"
                       : "",
                   features.s != NULL ? features.s : "");
    buf_free(&text);
    buf_free(&derived);
    buf_free(&features);
    return rc;
}
