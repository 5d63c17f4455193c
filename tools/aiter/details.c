/* details.c - the details of a key: the values besides M, N and K
   SPDX-License-Identifier: MIT */
#include "aiter.h"

#include <stdlib.h>
#include <string.h>

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

int family_add_detail(struct buf *b, enum family_id family, size_t i, const char *text)
{
    static const char *const members[] = {"act_type", "q_type", NULL};
    static const char *const truths[] = {"use_g1u1", "doweight_stage1", NULL};
    const struct family *f = &families[family];
    int64_t size;
    if (i < (size_t)f->n_sizes) {
        if (parse_int(text, 1, KPRED_MAX_SIZE, &size) != 0)
            return -1;
        buf_printf(b, "%d", (int)size);
        return 0;
    }
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

char *family_part(const char *text, char end, int i)
{
    struct buf part = {NULL, 0, 0};
    for (; i > 0; i--)
        text = strchr(text, end) + 1;
    const char *stop = strchr(text, end);
    buf_add(&part, text, stop != NULL ? (size_t)(stop - text) : strlen(text));
    return part.s;
}
