/* default_tiles.c - default features for the tiles of a size; declared in default_plan.h
   SPDX-License-Identifier: MIT */
#include "default_plan.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum {
    DIVISORS = 3,  /* powers of two in a line: 2, 4, 8 */
    MOST_TILES = 8 /* of a size */
};

/* By its size, if it may be cut; else NULL. */
static const char *cut_name(const struct plan *p, size_t i)
{
    const struct source *s = &p->source[i];
    return s->size < 0 || s->is_step ? NULL : p->reg[s->size].name;
}

static void add_divisors(struct plan *p, int first)
{
    for (size_t i = 0; i < p->n_sources; i++)
        if (cut_name(p, i) && default_take_room(p, DIVISORS))
            buf_printf(p->features, "divides %s %d %d\n", cut_name(p, i), first, DIVISORS);
}

/* Is the size's name a piece of the parameter's, or the last of two letters? */
static int names(const char *param, const char *size)
{
    const size_t n = strlen(size), all = strlen(param);
    size_t i = 0;
    if (n == 1 && all == 2
        && tolower((unsigned char)param[all - 1]) == tolower((unsigned char)*size))
        return 1;
    while (i < all) {
        const size_t piece = strcspn(param + i, "_");
        size_t k = 0;
        while (k < piece && k < n
               && tolower((unsigned char)param[i + k]) == tolower((unsigned char)size[k]))
            k++;
        if (k == piece && k == n)
            return 1;
        i += piece + (param[i + piece] == '_');
    }
    return 0;
}

static int names_any(const struct plan *p, const char *param)
{
    for (size_t i = 0; i < p->n_sources; i++)
        if (cut_name(p, i) && names(param, cut_name(p, i)))
            return 1;
    return 0;
}

static int compare_down(const void *a, const void *b)
{
    const int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;
    return (x < y) - (x > y);
}

struct tiles {
    size_t n;
    int32_t k[KPRED_MAX_TUPLE * KPRED_MAX_VALUES];
};

static void add_values(struct tiles *t, const struct spec_param *param, int32_t most)
{
    for (size_t v = 0; v < param->n_values && !param->names[0]; v++)
        if (param->values[v] > 2 && param->values[v] <= most)
            t->k[t->n++] = param->values[v];
}

/* The values by which it may be cut, each once, from the largest */
static void find_tiles(const struct plan *p, const struct source *s, struct tiles *t)
{
    const char *size = p->reg[s->size].name;
    size_t n = 0;
    t->n = 0;
    for (size_t i = 0; i < p->spec->n_params; i++)
        if (names(p->spec->params[i].name, size))
            add_values(t, &p->spec->params[i], s->most);
    const int is_named = t->n != 0;
    for (size_t i = 0; i < p->spec->n_params && !is_named; i++)
        if (!names_any(p, p->spec->params[i].name))
            add_values(t, &p->spec->params[i], s->most);
    qsort(t->k, t->n, sizeof *t->k, compare_down);
    for (size_t i = 0; i < t->n; i++)
        if (!n || t->k[i] != t->k[n - 1])
            t->k[n++] = t->k[i];
    t->n = n;
}

/* In turns, so that each size has its largest tiles */
static void add_fractions(struct plan *p)
{
    struct tiles *t = xcalloc(p->n_sources + 1, sizeof *t);
    for (size_t i = 0; i < p->n_sources; i++)
        if (cut_name(p, i))
            find_tiles(p, &p->source[i], &t[i]);
    for (size_t turn = 0; turn < MOST_TILES; turn++)
        for (size_t i = 0; i < p->n_sources; i++)
            if (turn < t[i].n && default_take_room(p, 1))
                buf_printf(p->features, "fraction %s %d\n", cut_name(p, i), (int)t[i].k[turn]);
    free(t);
}

void default_tiles(struct plan *p)
{
    add_divisors(p, 2);
    add_fractions(p);
    add_divisors(p, 2 << DIVISORS);
}
