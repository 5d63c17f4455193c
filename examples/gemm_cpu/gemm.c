/* gemm.c - see gemm.h
   SPDX-License-Identifier: MIT

   C is made block by block, and a block tile by tile: each of a panel of A (mr rows) and a panel of
   B (nr columns). A panel is packed, or lies where the matrix is. The last one of a block, if it is
   not whole, is always packed, with zeros in the place of what it lacks. */
#include "gemm.h"

#include "micro.h"

#include <string.h>

/* The block of A or of B that is at hand; lines are rows of A, columns of B. */
struct side {
    const float *matrix;
    size_t ld, width;   /* of the matrix; lines of a panel */
    size_t first, size; /* lines of the block */
    size_t plain;       /* the first panel that is packed: those before it are not */
    float *packed;
};

struct work {
    struct problem p;
    const struct tuple *t;
    struct side a, b;
    size_t from, depth; /* the block's part of k */
    float *c, *edge;    /* edge: a whole tile, of which a part is wanted */
    tile_fn *of_plain, *of_packed;
};

static size_t min(size_t x, size_t y)
{
    return x < y ? x : y;
}

static size_t panels(const struct side *s)
{
    return (s->size + s->width - 1) / s->width;
}

/* Lines that the panel has: the last one may lack some. */
static size_t lines(const struct side *s, size_t panel)
{
    return min(s->width, s->size - panel * s->width);
}

/* ---- packing ---- */

static void take_block(struct side *s, size_t first, size_t size, int packs)
{
    s->first = first;
    s->size = size;
    s->plain = packs ? 0 : size / s->width;
}

static void pack_panel_of_a(struct work *w, size_t panel)
{
    const struct side *s = &w->a;
    const size_t has = lines(s, panel);
    const float *from = s->matrix + (s->first + panel * s->width) * s->ld + w->from;
    float *to = s->packed + panel * s->width * w->depth;
    for (size_t i = 0; i < s->width; i++)
        for (size_t p = 0; p < w->depth; p++)
            to[p * s->width + i] = i < has ? from[i * s->ld + p] : 0;
}

static void pack_panel_of_b(struct work *w, size_t panel)
{
    const struct side *s = &w->b;
    const size_t has = lines(s, panel);
    const float *from = s->matrix + w->from * s->ld + s->first + panel * s->width;
    float *to = s->packed + panel * s->width * w->depth;
    for (size_t p = 0; p < w->depth; p++, from += s->ld, to += s->width) {
        memcpy(to, from, has * sizeof *to);
        memset(to + has, 0, (s->width - has) * sizeof *to);
    }
}

static void take_a(struct work *w, size_t first)
{
    take_block(&w->a, first, min((size_t)w->t->mc, w->p.m - first), w->t->pack_a);
    for (size_t i = w->a.plain; i < panels(&w->a); i++)
        pack_panel_of_a(w, i);
}

static void take_b(struct work *w, size_t first)
{
    take_block(&w->b, first, min((size_t)w->t->nc, w->p.n - first), w->t->pack_b);
    for (size_t j = w->b.plain; j < panels(&w->b); j++)
        pack_panel_of_b(w, j);
}

/* ---- tiles ---- */

static struct panel panel_of_a(const struct work *w, size_t panel)
{
    const struct side *s = &w->a;
    const size_t line = panel * s->width;
    if (panel >= s->plain)
        return (struct panel){s->packed + line * w->depth, 1, s->width};
    return (struct panel){s->matrix + (s->first + line) * s->ld + w->from, s->ld, 1};
}

static struct panel panel_of_b(const struct work *w, size_t panel)
{
    const struct side *s = &w->b;
    const size_t line = panel * s->width;
    if (panel >= s->plain)
        return (struct panel){s->packed + line * w->depth, 1, s->width};
    return (struct panel){s->matrix + w->from * s->ld + s->first + line, 1, s->ld};
}

/* The part of the tile `edge` that C has */
static void put_edge(const struct work *w, float *c, size_t rows, size_t cols)
{
    for (size_t i = 0; i < rows; i++)
        for (size_t j = 0; j < cols; j++)
            c[i * w->p.n + j] = (w->from ? c[i * w->p.n + j] : 0) + w->edge[i * w->b.width + j];
}

static void tile(const struct work *w, size_t i, size_t j)
{
    const size_t rows = lines(&w->a, i), cols = lines(&w->b, j);
    const int is_whole = rows == w->a.width && cols == w->b.width;
    tile_fn *const make = i >= w->a.plain ? w->of_packed : w->of_plain;
    float *c = w->c + (w->a.first + i * w->a.width) * w->p.n + w->b.first + j * w->b.width;
    if (is_whole) {
        make(w->depth, panel_of_a(w, i), panel_of_b(w, j), c, w->p.n, w->from > 0);
        return;
    }
    make(w->depth, panel_of_a(w, i), panel_of_b(w, j), w->edge, w->b.width, 0);
    put_edge(w, c, rows, cols);
}

/* ---- blocks ---- */

/* A block of B stays, and the blocks of A go by. */
static void by_columns(struct work *w)
{
    for (size_t j = 0; j < w->p.n; j += (size_t)w->t->nc)
        for (w->from = 0; w->from < w->p.k; w->from += (size_t)w->t->kc) {
            w->depth = min((size_t)w->t->kc, w->p.k - w->from);
            take_b(w, j);
            for (size_t i = 0; i < w->p.m; i += (size_t)w->t->mc) {
                take_a(w, i);
                for (size_t y = 0; y < panels(&w->b); y++)
                    for (size_t x = 0; x < panels(&w->a); x++)
                        tile(w, x, y);
            }
        }
}

/* A block of A stays, and the blocks of B go by. */
static void by_rows(struct work *w)
{
    for (size_t i = 0; i < w->p.m; i += (size_t)w->t->mc)
        for (w->from = 0; w->from < w->p.k; w->from += (size_t)w->t->kc) {
            w->depth = min((size_t)w->t->kc, w->p.k - w->from);
            take_a(w, i);
            for (size_t j = 0; j < w->p.n; j += (size_t)w->t->nc) {
                take_b(w, j);
                for (size_t x = 0; x < panels(&w->a); x++)
                    for (size_t y = 0; y < panels(&w->b); y++)
                        tile(w, x, y);
            }
        }
}

/* Blocks of whole tiles that the work space holds */
static int fits(const struct tuple *t)
{
    return t->kc > 0 && t->kc <= GEMM_MAX_KC && t->mc > 0 && t->mc <= GEMM_MAX_MC
           && t->mc % t->mr == 0 && t->nc > 0 && t->nc <= GEMM_MAX_NC && t->nc % t->nr == 0;
}

int gemm(struct problem p, const struct tuple *t, const float *a, const float *b, float *c,
         float *work)
{
    struct work w = {
        .p = p,
        .t = t,
        .a = {.matrix = a, .ld = p.k, .width = (size_t)t->mr, .packed = work},
        .b = {.matrix = b,
              .ld = p.n,
              .width = (size_t)t->nr,
              .packed = work + GEMM_MAX_KC * GEMM_MAX_MC},
        .c = c,
        .edge = work + GEMM_MAX_KC * (GEMM_MAX_MC + GEMM_MAX_NC),
        .of_plain = tile_function(t->mr, t->nr, t->unroll, 0),
        .of_packed = tile_function(t->mr, t->nr, t->unroll, 1),
    };
    if (w.of_plain == NULL || !fits(t))
        return -1;
    if (t->order)
        by_rows(&w);
    else
        by_columns(&w);
    return 0;
}
