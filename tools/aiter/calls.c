/* calls.c - see calls.h
   SPDX-License-Identifier: MIT */
#include "calls.h"

#include <string.h>

static const char shape[] = "shape ", fused[] = "[fused_moe] using ";
enum { MOST_FILE_NAME = 4096 };

/* ---- texts and numbers ---- */

/* Steps over a text, where a blank stands for any number of them, also for none. */
static int skip(const char **at, const char *text)
{
    const char *p = *at;
    for (; *text != '\0'; text++) {
        if (*text == ' ')
            p += strspn(p, " ");
        else if (*p++ != *text)
            return 0;
    }
    *at = p;
    return 1;
}

/* More digits than any limit has give a number that is too large for all of them. */
static int number(const char **at, struct call_number *x)
{
    const char *p = *at + (**at == '-');
    const size_t n = strspn(p, "0123456789");
    x->text = *at;
    x->n = (size_t)(p - *at) + n;
    x->value = 0;
    for (size_t i = 0; i < n && x->value < INT64_MAX / 100; i++)
        x->value = 10 * x->value + (p[i] - '0');
    x->value = **at == '-' ? -x->value : x->value;
    *at = p + n;
    return n != 0;
}

/* `KEY:` and a number */
static int member(const char **at, const char *key, struct call_number *x)
{
    return skip(at, key) && skip(at, " ") && number(at, x);
}

static int holds(const char *text, size_t n, const char *part)
{
    const size_t length = strlen(part);
    for (size_t i = 0; i + length <= n; i++)
        if (memcmp(text + i, part, length) == 0)
            return 1;
    return 0;
}

/* ---- GEMM ---- */

/* Where `end` stands, not too far away */
static const char *find_end(const char *p, const char *end)
{
    const size_t n = strlen(end);
    for (size_t i = 0; i < MOST_FILE_NAME && p[i] != '\0'; i++)
        if (p[i] == *end && strncmp(p + i, end, n) == 0)
            return p + i;
    return NULL;
}

/* The name of a file up to `end`. Where the beginning of another message is in it, or a blank in
   its last component, two messages ran into each other. */
static int file_name(const char **at, const char *end, struct call *call)
{
    const char *stop = find_end(*at, end), *base = *at;
    if (stop == NULL)
        return 0;
    call->text = *at;
    call->n_text = (size_t)(stop - *at);
    while (call->n_text > 0 && call->text[call->n_text - 1] == ' ')
        call->n_text--;
    for (size_t i = 0; i < call->n_text; i++)
        base = call->text[i] == '/' ? call->text + i + 1 : base;
    const size_t n_base = (size_t)(call->text + call->n_text - base);
    *at = stop;
    return n_base != 0 && memchr(base, ' ', n_base) == NULL
           && !holds(call->text, call->n_text, shape) && !holds(call->text, call->n_text, fused);
}

static int is_same(const struct call_number *a, const struct call_number *b)
{
    return a->n == b->n && memcmp(a->text, b->text, a->n) == 0;
}

static enum call_kind end_hit(const char **at, struct call *call)
{
    struct call_number n, k;
    return member(at, "", &call->padded) && member(at, ", N:", &n) && member(at, ", K:", &k)
                   && is_same(&n, &call->n) && is_same(&k, &call->k)
                   && member(at, " is tuned on cu_num =", &call->cu) && skip(at, " in ")
                   && file_name(at, ", kernel name is", call)
               ? CALL_HIT
               : CALL_CUT;
}

static enum call_kind end_miss(const char **at, struct call *call)
{
    static const char batched[] = "CKGEMM";
    if (call->b.n != 0 && strncmp(*at, batched, sizeof batched - 1) == 0) {
        call->text = *at;
        call->n_text = sizeof batched - 1;
        *at += sizeof batched - 1;
        return **at == ',' ? CALL_MISS : CALL_CUT;
    }
    return file_name(at, ", will use default config", call) ? CALL_MISS : CALL_CUT;
}

/* What a family says of a shape besides M, N and K: q_dtype_w:torch.X, dtype='torch.bf16' */
static int is_detail(char c)
{
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z')
           || (c != '\0' && strchr("_.:=', ", c) != NULL);
}

static enum call_kind read_gemm(const char **at, struct call *call)
{
    const char *p = *at;
    call->b.n = 0;
    if (skip(&p, "B:") && !(number(&p, &call->b) && skip(&p, ", ")))
        return CALL_CUT;
    if (!member(&p, "M:", &call->m) || !member(&p, ", N:", &call->n)
        || !member(&p, ", K:", &call->k) || (*p != ',' && *p != ' '))
        return CALL_CUT;
    for (; is_detail(*p) && strncmp(p, shape, sizeof shape - 1) != 0; p++) {
        const char *q = p;
        if (skip(&q, "not found tuned config in "))
            return *at = q, end_miss(at, call);
        if (skip(&q, "found padded_M:"))
            return *at = q, end_hit(at, call);
    }
    return CALL_CUT;
}

/* `shape is M:` and the like; other messages speak of shapes, too. */
static int is_call(const char *p)
{
    skip(&p, "is ");
    return strncmp(p, "M:", 2) == 0 || strncmp(p, "B:", 2) == 0;
}

/* ---- fused MoE ---- */

static enum call_kind read_fused(const char **at, struct call *call)
{
    const char *p = *at + strspn(*at, "0123456789"), *end;
    if (!skip(&p, "stage default for ("))
        return CALL_NONE;
    end = strpbrk(p, ")[");
    if (end == NULL || *end != ')' || holds(p, (size_t)(end - p), shape))
        return CALL_CUT;
    call->text = p;
    call->n_text = (size_t)(end - p);
    *at = end;
    return CALL_FMOE;
}

/* ---- lines ---- */

/* What begins at p + n; what cannot be read may hide another that begins within. */
static enum call_kind read_at(const char **at, const char *p, size_t n, struct call *call,
                              enum call_kind (*read)(const char **, struct call *))
{
    const char *q = p + n;
    const enum call_kind kind = read(&q, call);
    *at = kind == CALL_CUT || kind == CALL_NONE ? p + n : q;
    return kind;
}

/* What begins here, if it is a call */
static enum call_kind call_at(const char **at, struct call *call)
{
    const char *p = *at, *is = p + sizeof shape - 1;
    if (strncmp(p, fused, sizeof fused - 1) == 0)
        return read_at(at, p, sizeof fused - 1, call, read_fused);
    if (strncmp(p, shape, sizeof shape - 1) != 0 || !is_call(is))
        return CALL_NONE;
    skip(&is, "is ");
    return read_at(at, p, (size_t)(is - p), call, read_gemm);
}

enum call_kind call_next(const char **at, struct call *call)
{
    static const char first[] = "s["; /* of these two */
    for (const char *p = *at; (p = strpbrk(p, first)) != NULL; p++) {
        *at = p;
        const enum call_kind kind = call_at(at, call);
        if (kind != CALL_NONE)
            return kind;
    }
    return CALL_NONE;
}
