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

/* Reads numbers with x between them, as 256x64x128, at most 16; their number. */
static size_t read_group(const char **at, int32_t v[16])
{
    size_t n = 0;
    for (const char *p = *at; n < 16 && *p >= '0' && *p <= '9'; p = *at + 1) {
        char *end;
        const long x = strtol(p, &end, 10);
        v[n++] = x >= 1 && x <= KPRED_MAX_SIZE ? (int32_t)x : 0;
        *at = end;
        if (*end != 'x')
            break;
    }
    return n;
}

int kernel_group(const char *name, size_t wanted, int is_last, int32_t least, int32_t out[16])
{
    int found = 0;
    int32_t v[16];
    while (*(name += strcspn(name, "0123456789")) != '\0') {
        if (read_group(&name, v) != wanted || v[0] < least || (found && !is_last))
            continue;
        memcpy(out, v, wanted * sizeof *v);
        found = 1;
    }
    return found;
}

int32_t kernel_number(const char *name, const char *part, int32_t otherwise)
{
    const char *p = strstr(name, part);
    const long x = p != NULL ? strtol(p + strlen(part), NULL, 10) : otherwise;
    return x >= 1 && x <= KPRED_MAX_SIZE ? (int32_t)x : otherwise;
}

struct tile {
    int32_t m, n, k; /* k 0: the name does not say it; n 0: it says nothing */
};

/* ck has the threads before the tile, asm at the end of the name M and N alone. */
static struct tile tile_of(const char *name, int is_ck, int is_asm)
{
    int32_t v[16];
    if (!kernel_group(name, is_ck ? 4 : is_asm ? 2 : 3, is_asm, 0, v))
        return (struct tile){0, 0, 0};
    return (struct tile){v[is_ck], v[is_ck + 1], is_asm ? 0 : v[is_ck + 2]};
}

/* ---- what a kernel takes ---- */

/* The sizes that are asked for, and those with which the kernel was measured */
struct sizes {
    int32_t n, k, measured_n, measured_k;
};

/* By a power of two, of which those up to 256 count */
static int divides_as_far(int32_t size, int32_t measured)
{
    const int32_t most = 256, a = size & -size, b = measured & -measured;
    return a >= most || a >= b;
}

static int both_divide_as_far(const struct sizes *s)
{
    return divides_as_far(s->n, s->measured_n) && divides_as_far(s->k, s->measured_k);
}

/* Of N or K. A kernel that was measured at a size which its tile does not divide fills the last
   tile up. */
static int fits(const struct sizes *s, int32_t size, int32_t measured, int64_t tile)
{
    return size % tile == 0 || (measured % tile != 0 && both_divide_as_far(s));
}

/* K is cut into parts, of each of which the pipeline needs as many tiles as it has buffers. gfx9
   takes only tiles of M of which the fine step is made. */
static int takes_flydsl(const struct measured *x, const struct asked_shape *s, struct tile t)
{
    const int is_wmma = strstr(x->kernel, "wmma") != NULL;
    const int32_t parts = kernel_number(x->kernel, is_wmma ? "_sk" : "_split_k", 1);
    if (s->k % t.k != 0 || s->k / t.k % parts != 0)
        return 0;
    if (is_wmma)
        return s->k / t.k / parts >= kernel_number(x->kernel, "_nb", 1);
    return s->family != FAMILY_BP || serving_fine(s->m) % t.m == 0;
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

static int takes_product(const struct measured *x, const struct asked_shape *s)
{
    const struct sizes sizes = {s->n, s->k, x->n, x->k};
    const int is_ck = strcmp(x->library, "ck") == 0, is_asm = strcmp(x->library, "asm") == 0;
    const int far = both_divide_as_far(&sizes);
    if (names_has_word("torch triton", x->library))
        return 1;
    if (strcmp(x->library, "skinny") == 0) /* for few tokens: the memory of a unit limits it */
        return s->m <= x->m && s->n <= x->n && s->k <= x->k && far;
    const struct tile t = is_ck || is_asm || names_has_word("cktile flydsl", x->library)
                              ? tile_of(x->kernel, is_ck, is_asm)
                              : (struct tile){0, 0, 0};
    if (t.n == 0)
        return far;
    if (!fits(&sizes, s->n, x->n, t.n))
        return 0;
    if (is_asm)
        return takes_asm(x, s);
    if (t.m == 0 || t.k == 0)
        return far;
    if (strcmp(x->library, "flydsl") == 0)
        return takes_flydsl(x, s, t);
    return fits(&sizes, s->k, x->k, t.k) && x->split < 31 && (int64_t)t.k << x->split <= s->k;
}

/* ---- what kernels of fused MoE take ---- */

/* Stage 1 (gate and up) makes inter_dim features of model_dim, and stage 2 (down) the other way
   round; a fused kernel of both has the tile of stage 1. The tile, which stands in the name,
   divides both sizes but in 35 rows, where the last tile is filled up. */

/* Names of opus tell sizes of the very shape, such as the rbn3072 of 7168. parts: of K */
static int stage_takes(const char *name, struct sizes s, int64_t parts)
{
    const int is_asm = strncmp(name, "_ZN", 3) == 0;
    const struct tile t = tile_of(name, strncmp(name, "moe_ck", 6) == 0, is_asm);
    if ((s.n == s.measured_n && s.k == s.measured_k) || *name == '\0' || strcmp(name, "Null") == 0)
        return 1;
    if (strncmp(name, "opus", 4) == 0)
        return 0;
    if (t.n == 0 || (t.k == 0 && !is_asm))
        return both_divide_as_far(&s);
    if (!fits(&s, s.n, s.measured_n, t.n))
        return 0;
    if (is_asm)
        return divides_as_far(s.k, s.measured_k);
    int64_t part = t.k * parts;
    if (part <= s.k) /* else it divides nothing anyhow */
        part *= kernel_number(name, "_kw", 1);
    return fits(&s, s.k, s.measured_k, part);
}

/* Flat kernels, which do not sort the tokens by experts, are in tables for so few alone. */
enum { MOST_FLAT = 16 };

static int takes_fused(const struct measured *x, const struct asked_shape *s)
{
    const struct sizes one = {s->n, s->k, x->n, x->k}, two = {s->k, s->n, x->k, x->n};
    const char *const *names = families[FAMILY_FMOE].copied;
    char *second = family_part(x->more, COPIED_END, family_place_of(names, "kernelName2"));
    char *flat = family_part(x->more, COPIED_END, family_place_of(names, "flat"));
    const int takes = (strcmp(flat, "0") == 0 || s->m <= x->m || s->m <= MOST_FLAT)
                      && stage_takes(x->kernel, one, x->split > 1 ? x->split : 1)
                      && stage_takes(second, two, 1);
    free(second);
    free(flat);
    return takes;
}

static int tells_act(const char *name)
{
    static const char *const acts[] = {"silu", "gelu", "swiglu", "situ", "relu"};
    for (size_t i = 0; i < sizeof acts / sizeof *acts; i++)
        if (strstr(name, acts[i]) != NULL)
            return 1;
    return 0;
}

/* ---- the nearest ---- */

double nearest_ratio(double a, double b)
{
    return a > b ? a / b : b / a;
}

/* 2 to the power of the sum of |log2|, which has the same order; -1: it has another key besides
   sizes, or with any_act besides the activation, which fused MoE has first, and which no name of a
   kernel may tell then. */
static double nearest_distance(const struct measured *x, const struct asked_shape *s, int any_act)
{
    int32_t size[2][MOST_SIZES];
    const char *a = family_split_detail(s->family, x->detail, size[0]);
    const char *b = family_split_detail(s->family, s->detail, size[1]);
    double d = nearest_ratio(x->m, s->m) * nearest_ratio(x->n, s->n) * nearest_ratio(x->k, s->k);
    if (any_act && (tells_act(x->kernel) || tells_act(x->more)))
        return -1;
    if (strcmp(any_act ? a + strcspn(a, ",") : a, any_act ? b + strcspn(b, ",") : b) != 0)
        return -1;
    for (int i = 0; i < MOST_SIZES; i++)
        d *= nearest_ratio(size[0][i], size[1][i]);
    return d;
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
        const double d = nearest_distance(x, by->shape, by->any_act);
        if (d < 0 || (best != NULL && !(d < least))
            || (by->only_ck && strcmp(x->library, "ck") != 0) || is_among(x, before, n_before)
            || !(by->shape->family == FAMILY_FMOE ? takes_fused : takes_product)(x, by->shape))
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
