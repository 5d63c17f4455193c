/* tile_features.c - see tile_features.h
   SPDX-License-Identifier: MIT */
#include "tile_features.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { MOST_TILES = 8, MOST_PRODUCTS = 4096 }; /* of a size */

struct products {
    size_t n;
    int32_t v[MOST_PRODUCTS];
};

/* ---- which parameters cut a size ---- */

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

/* ---- the tiles ---- */

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

static int from_largest(const void *a, const void *b)
{
    const int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;
    return (x < y) - (x > y);
}

static void find_products(const struct spec *s, const struct spec_field *f, struct products *out)
{
    const uint32_t params = f->n_tokens == 0 ? find_params(s, f) : 0;
    out->n = 0;
    if (params != 0)
        add_products(s, params, 0, 1, out);
    qsort(out->v, out->n, sizeof *out->v, from_largest);
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

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

int tile_features(const struct spec *spec, struct buf *features)
{
    struct program program;
    if (program_compile(spec, &program) != 0)
        return -1;
    size_t room = least(KPRED_MAX_WIDTH - program.n_features, PROGRAM_MAX_INSTR - program.n_instr);
    struct products *p = xmalloc(sizeof *p);
    for (size_t f = 0; f < spec->n_fields; f++) {
        find_products(spec, &spec->fields[f], p);
        room -= add_tiles(&spec->fields[f], p, least(room, MOST_TILES), features);
    }
    free(p);
    return 0;
}
