/* nearest.c - where no model answers: the kernels of the measured shapes that are nearest
   SPDX-License-Identifier: MIT

   A table of AITER names for each shape the kernel that was the fastest there. For a shape of no
   table, the kernel of a shape that is near is often good, too, if it takes the new shape. What
   kernels take is known in part alone, from AITER's tuners and tables at commit e4048607; where it
   is not known, N and K have to be divisible by the powers of two by which those of the measured
   shape are. */
#include "aiter.h"

#include <stdlib.h>
#include <string.h>

/* ---- what a kernel's name says ---- */

struct tile {
    int32_t m, n, k; /* k 0: the name does not say it; n 0: it says nothing */
};

/* ck has the threads before the tile, asm at the end of the name M and N alone. */
static struct tile tile_of(const struct measured *x)
{
    struct tile t = {0, 0, 0};
    int32_t v[16];
    const int is_ck = strcmp(x->library, "ck") == 0, is_asm = strcmp(x->library, "asm") == 0;
    if (!is_ck && !is_asm && !names_has_word("cktile flydsl", x->library))
        return t;
    if (!kernel_group(x->kernel, is_ck ? 4 : is_asm ? 2 : 3, is_asm, v))
        return t;
    t.m = v[is_ck];
    t.n = v[is_ck + 1];
    t.k = is_asm ? 0 : v[is_ck + 2];
    return t;
}

/* ---- what a kernel takes ---- */

static int divides_as_far(const struct measured *x, const struct asked_shape *s)
{
    return power_of_two_of(s->n) >= power_of_two_of(x->n)
           && power_of_two_of(s->k) >= power_of_two_of(x->k);
}

/* Of N or K. A kernel that was measured at a size which its tile does not divide fills the last
   tile up. */
static int fits(const struct measured *x, const struct asked_shape *s, int32_t size,
                int32_t measured, int32_t tile)
{
    return size % tile == 0 || (measured % tile != 0 && divides_as_far(x, s));
}

/* K is cut into parts, of each of which the pipeline needs as many tiles as it has buffers. gfx9
   takes only tiles of M of which the fine step is made. */
static int takes_flydsl(const struct measured *x, const struct asked_shape *s, struct tile t)
{
    const int is_wmma = strstr(x->kernel, "wmma") != NULL;
    const int32_t parts = kernel_number(x->kernel, is_wmma ? "_sk" : "_split_k");
    if (s->k % t.k != 0 || s->k / t.k % parts != 0)
        return 0;
    if (is_wmma)
        return s->k / t.k / parts >= kernel_number(x->kernel, "_nb");
    return s->family != FAMILY_BP || serving_fine(s->m) % t.m == 0;
}

static int takes_ck(const struct measured *x, const struct asked_shape *s, struct tile t)
{
    return fits(x, s, s->k, x->k, t.k) && x->split < 31 && (int64_t)t.k << x->split <= s->k;
}

/* Parts of K are multiples of 128 in FP8, of 64 in BF16. */
static int takes_asm(const struct measured *x, const struct asked_shape *s)
{
    const int64_t split = x->split > 1 ? x->split : 1;
    if (s->family == FAMILY_BF16)
        return s->k % 64 == 0 && split <= s->k / 64;
    const int64_t part = ((s->k + split - 1) / split + 127) / 128 * 128;
    return split == 1 || (s->k + part - 1) / part == split;
}

/* A kernel for few tokens, which is limited by the memory of a compute unit */
static int takes_skinny(const struct measured *x, const struct asked_shape *s)
{
    return s->m <= x->m && s->n <= x->n && s->k <= x->k && divides_as_far(x, s);
}

static int takes(const struct measured *x, const struct asked_shape *s)
{
    const struct tile t = tile_of(x);
    if (s->family == FAMILY_FMOE)
        return fused_takes(x, s);
    if (names_has_word("torch triton", x->library))
        return 1;
    if (strcmp(x->library, "skinny") == 0)
        return takes_skinny(x, s);
    if (t.n == 0)
        return divides_as_far(x, s);
    if (!fits(x, s, s->n, x->n, t.n))
        return 0;
    if (strcmp(x->library, "asm") == 0)
        return takes_asm(x, s);
    if (t.m == 0 || t.k == 0)
        return divides_as_far(x, s);
    if (strcmp(x->library, "flydsl") == 0)
        return takes_flydsl(x, s, t);
    return takes_ck(x, s, t);
}

/* ---- the nearest ---- */

static double ratio(int32_t a, int32_t b)
{
    return a > b ? (double)a / b : (double)b / a;
}

/* 2 to the power of the sum of |log2|, which has the same order */
static double nearest_distance(const struct measured *x, const struct asked_shape *s)
{
    int32_t a[MOST_SIZES], b[MOST_SIZES];
    double d = ratio(x->m, s->m) * ratio(x->n, s->n) * ratio(x->k, s->k);
    family_split_detail(s->family, x->detail, a);
    family_split_detail(s->family, s->detail, b);
    for (int i = 0; i < MOST_SIZES; i++)
        d *= ratio(a[i], b[i]);
    return d;
}

/* Has it the same key besides sizes? any_act: and besides the activation, which fused MoE has
   first. */
static int is_alike(const struct measured *x, const struct asked_shape *s, int any_act)
{
    int32_t size[MOST_SIZES];
    const char *a = family_split_detail(s->family, x->detail, size);
    const char *b = family_split_detail(s->family, s->detail, size);
    if (!any_act)
        return strcmp(a, b) == 0;
    return strcmp(a + strcspn(a, ","), b + strcspn(b, ",")) == 0 && fused_any_act(x);
}

static int is_among(const struct measured *x, const struct prediction *p, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (strcmp(p[i].kernel, x->kernel) == 0 && p[i].split == x->split
            && strcmp(p[i].library, x->library) == 0 && strcmp(p[i].more, x->more) == 0)
            return 1;
    return 0;
}

struct search {
    const struct installed_family *in;
    const struct asked_shape *shape;
    int only_ck, any_act;
};

/* Of two that are as near, the one that comes first */
static const struct measured *next(const struct search *by, const struct prediction *before,
                                   size_t n_before)
{
    const struct measured *best = NULL;
    double least = 0;
    for (size_t i = 0; i < by->in->n; i++) {
        const struct measured *x = &by->in->row[i];
        const double d = nearest_distance(x, by->shape);
        if ((best != NULL && !(d < least)) || !is_alike(x, by->shape, by->any_act)
            || (by->only_ck && strcmp(x->library, "ck") != 0) || is_among(x, before, n_before)
            || !takes(x, by->shape))
            continue;
        best = x;
        least = d;
    }
    return best;
}

static size_t rank_measured(const struct search *by, size_t most, struct prediction *out)
{
    size_t n = 0;
    for (const struct measured *x; n < most && (x = next(by, out, n)) != NULL; n++)
        out[n] = (struct prediction){x->kernel, x->library, x->more, x->id, x->split, 0, 1, 0};
    return n;
}

/* AITER itself takes a row of fused MoE of another activation where there is none of this. */
size_t nearest_find(const struct installed_family *in, const struct asked_shape *s, int only_ck,
                    size_t most, struct prediction *out)
{
    struct search by = {in, s, only_ck, 0};
    const size_t n = rank_measured(&by, most, out);
    if (n != 0 || s->family != FAMILY_FMOE)
        return n;
    by.any_act = 1;
    return rank_measured(&by, most, out);
}
