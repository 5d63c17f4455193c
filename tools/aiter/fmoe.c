/* fmoe.c - fused MoE: the line of a miss, the values of keys, and what the kernels take
   SPDX-License-Identifier: MIT */
#include "aiter.h"

#include <stdlib.h>
#include <string.h>

/* ---- values of keys ---- */

static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.";

static int is_plain(const char *text, size_t n)
{
    return n != 0 && strspn(text, plain) >= n;
}

/* Python writes a member of an enumeration as ActivationType.Silu or <ActivationType.Silu: 0>. */
static int add_member(struct buf *b, const char *text)
{
    const int is_long = *text == '<';
    const size_t n = strspn(text + is_long, plain);
    const char *rest = text + is_long + n, *number = rest + strspn(rest, ": ");
    if (!is_plain(text + is_long, n)
        || (is_long ? *rest != ':' || strcmp(number + strspn(number, "-0123456789"), ">") != 0
                    : *rest != '\0'))
        return -1;
    buf_add(b, text + is_long, n);
    return 0;
}

/* A table that was merged may have 1.0 for 1. */
static int add_truth(struct buf *b, const char *text)
{
    static const char *const no[] = {"0", "0.0", "False", NULL};
    static const char *const yes[] = {"1", "1.0", "True", NULL};
    const int is_true = family_place_of(yes, text) >= 0;
    if (!is_true && family_place_of(no, text) < 0)
        return -1;
    buf_puts(b, is_true ? "1" : "0");
    return 0;
}

static int add_size(struct buf *b, const char *text)
{
    int64_t v;
    if (parse_int(text, 1, KPRED_MAX_SIZE, &v) != 0)
        return -1;
    buf_printf(b, "%d", (int)v);
    return 0;
}

int family_add_detail(struct buf *b, enum family_id family, size_t i, const char *text)
{
    static const char *const members[] = {"act_type", "q_type", NULL};
    static const char *const truths[] = {"use_g1u1", "doweight_stage1", NULL};
    const struct family *f = &families[family];
    if (i < (size_t)f->n_sizes)
        return add_size(b, text);
    if (family_place_of(members, f->details[i]) >= 0)
        return add_member(b, text);
    if (family_place_of(truths, f->details[i]) >= 0)
        return add_truth(b, text);
    if (!is_plain(text, strlen(text)))
        return -1;
    buf_puts(b, text);
    return 0;
}

/* quant_remap of aiter/fused_moe.py */
void family_look_up(struct buf *detail)
{
    static const char given[] = "QuantType.per_128x128", wanted[] = "QuantType.per_1x128";
    char *at = strstr(detail->s, given);
    if (at == NULL)
        return;
    char *rest = xstrdup(at + strlen(given));
    detail->n = (size_t)(at - detail->s);
    buf_puts(detail, wanted);
    buf_puts(detail, rest);
    free(rest);
}

const char *family_split_detail(enum family_id family, const char *detail, int32_t size[MOST_SIZES])
{
    for (int i = 0; i < MOST_SIZES; i++)
        size[i] = 1;
    for (int i = 0; i < families[family].n_sizes; i++) {
        char *end;
        size[i] = (int32_t)strtol(detail, &end, 10);
        detail = end + (*end == ',');
    }
    return detail;
}

/* ---- the line of a miss ---- */

/* Cuts the values of a tuple; their number, 0: there are too many, or one is too long. */
static size_t fmoe_cut(struct fused_call *c, const char *text, size_t n)
{
    const size_t most = sizeof c->value / sizeof *c->value;
    size_t values = 0;
    for (const char *end = text + n, *next; text <= end; text = next + 1) {
        next = memchr(text, ',', (size_t)(end - text));
        next = next != NULL ? next : end;
        const char *last = next;
        while (text < last && strchr(" '", *text) != NULL)
            text++;
        while (last > text && strchr(" '", last[-1]) != NULL)
            last--;
        if (values == most || (size_t)(last - text) >= sizeof *c->value)
            return 0;
        memcpy(c->value[values], text, (size_t)(last - text));
        c->value[values++][last - text] = '\0';
    }
    return values;
}

int fused_read(struct fused_call *c, const char *text, size_t n)
{
    const size_t values = fmoe_cut(c, text, n), most = sizeof c->value / sizeof *c->value;
    if (values != most && values != most - 1)
        return -1;
    const size_t first = values == most;
    c->gfx = first ? c->value[0] : NULL;
    c->cu_num = c->value[first];
    c->size[0] = c->value[first + 1];
    c->size[1] = c->value[first + 3]; /* model_dim stands before inter_dim */
    c->size[2] = c->value[first + 2];
    for (size_t i = 0; i < MOST_DETAILS; i++)
        c->detail[i] = c->value[first + 4 + i];
    return 0;
}

/* ---- what the kernels take ---- */

/* Facts of AITER's tuned tables at commit e4048607. Stage 1 (gate and up) makes inter_dim features
   of model_dim, and stage 2 (down) the other way round; a fused kernel of both has the tile of
   stage 1. The tile, which stands in the name, divides both sizes but in 35 rows, where the last
   tile is filled up. */

struct stage {
    const char *name;
    int32_t n, k;                   /* that are asked for */
    int32_t measured_n, measured_k; /* where the kernel was measured */
    int64_t parts;                  /* of K */
};

/* -1: the name tells no tile; k is 0: not that of K. */
static int tile_of(const char *name, int32_t *n, int32_t *k)
{
    int32_t v[16];
    const int is_ck = strncmp(name, "moe_ck", strlen("moe_ck")) == 0;
    const int is_asm = strncmp(name, "_ZN", strlen("_ZN")) == 0;
    if (!kernel_group(name, is_ck ? 4 : is_asm ? 2 : 3, is_asm, v))
        return -1;
    *n = v[is_ck + 1];
    *k = is_asm ? 0 : v[is_ck + 2];
    return *n != 0 && (is_asm || *k != 0) ? 0 : -1;
}

static int divides_as_far(int32_t size, int32_t measured)
{
    return power_of_two_of(size) >= power_of_two_of(measured);
}

/* Names of opus tell sizes of the very shape, such as the rbn3072 of 7168. */
static int stage_takes(const struct stage *s)
{
    int32_t n, k;
    const int is_same = s->n == s->measured_n && s->k == s->measured_k;
    const int far = divides_as_far(s->n, s->measured_n) && divides_as_far(s->k, s->measured_k);
    if (is_same || *s->name == '\0' || strcmp(s->name, "Null") == 0)
        return 1;
    if (strncmp(s->name, "opus", strlen("opus")) == 0)
        return 0;
    if (tile_of(s->name, &n, &k) != 0)
        return far;
    if (s->n % n != 0 && (s->measured_n % n == 0 || !far))
        return 0;
    if (k == 0)
        return divides_as_far(s->k, s->measured_k);
    int64_t part = k * s->parts;
    if (part <= s->k) /* else it divides nothing anyhow */
        part *= kernel_number(s->name, "_kw");
    return s->k % part == 0 || (s->measured_k % part != 0 && far);
}

/* One of the family's copied cells */
static void copied_cell(const struct measured *x, const char *column, char *cell, size_t size)
{
    const char *start = x->more;
    for (int i = family_place_of(families[FAMILY_FMOE].copied, column); i > 0; i--)
        start = strchr(start, COPIED_END) + 1;
    snprintf(cell, size, "%.*s", (int)(strchr(start, COPIED_END) - start), start);
}

/* Flat kernels, which do not sort the tokens by experts, are in tables for so few alone. */
enum { MOST_FLAT = 16 };

static int takes_tokens(const struct measured *x, int32_t tokens)
{
    char flat[16];
    copied_cell(x, "flat", flat, sizeof flat);
    return strcmp(flat, "0") == 0 || tokens <= x->m || tokens <= MOST_FLAT;
}

int fused_takes(const struct measured *x, const struct asked_shape *s)
{
    char second[512];
    const int64_t parts = x->split > 1 ? x->split : 1;
    copied_cell(x, "kernelName2", second, sizeof second);
    const struct stage one = {x->kernel, s->n, s->k, x->n, x->k, parts};
    const struct stage two = {second, s->k, s->n, x->k, x->n, 1};
    return takes_tokens(x, s->m) && stage_takes(&one) && stage_takes(&two);
}

static int tells_act(const char *name)
{
    static const char *const acts[] = {"silu", "gelu", "swiglu", "situ", "relu"};
    for (size_t i = 0; i < sizeof acts / sizeof *acts; i++)
        if (strstr(name, acts[i]) != NULL)
            return 1;
    return 0;
}

int fused_any_act(const struct measured *x)
{
    return !tells_act(x->kernel) && !tells_act(x->more);
}
