/* asked.c - the distinct shapes that are asked for, and counts of what is left out
   SPDX-License-Identifier: MIT */
#include "aiter.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* ---- asked: shapes that are left out ---- */

/* Is the key in a->key met for the first time? */
static int asked_is_new(struct asked *a)
{
    const size_t before = a->seen.n;
    intern(&a->seen, a->key.s, a->key.n);
    return a->seen.n != before;
}

/* Counts the call at hand: in `left_out` each shape once, which its words tell apart, and in `cut`
   each line, which is nobody's to mend; 0. */
PRINTF_LIKE(3, 4)
static int asked_count(struct asked *a, struct tally *in, const char *fmt, ...)
{
    char why[256];
    va_list args;
    va_start(args, fmt);
    vsnprintf(why, sizeof why, fmt, args);
    va_end(args);
    a->key.n = 0;
    buf_printf(&a->key, "%s|", why);
    buf_add(&a->key, a->words, a->n_words);
    if (in == &a->cut || asked_is_new(a))
        tally_add(in, a->at, why);
    return 0;
}

/* Is the family wanted, and can it be answered? Else the call at hand is left out. */
static int asked_is_wanted(struct asked *a, enum family_id family)
{
    const char *name = families[family].name;
    if (a->from.only != FAMILY_NONE && family != a->from.only)
        return asked_count(a, &a->left_out, "--family leaves out %s", name);
    if (family == FAMILY_BATCHED)
        return asked_count(a, &a->left_out, "--family has to say whether it is %s or %s",
                           families[FAMILY_A8W8_BATCHED].name, families[FAMILY_BF16_BATCHED].name);
    return family_is_answered(family)
           || asked_count(a, &a->left_out, "kpred has no model of the family %s", name);
}

/* ---- asked: shapes to predict for ---- */

/* The details are those in a->detail. */
static int asked_add(struct asked *a, enum family_id family, const int32_t mnk[3])
{
    int32_t m = mnk[0];
    a->key.n = 0;
    buf_printf(&a->key, "tokens %" PRId32, m);
    /* AITER looks for a tier of tokens, and for none beyond the largest. */
    if (families[family].ladder == LADDER_TOKENS) {
        if (m > SERVING_LAST_TIER && asked_is_new(a))
            note("%s:%zu: token: %" PRId32 " is beyond AITER's largest tier: taken as %d",
                 a->at.path, a->at.line, m, SERVING_LAST_TIER);
        m = serving_tier(m);
    }
    a->key.n = 0;
    buf_printf(&a->key, "%d,%" PRId32 ",%" PRId32 ",%" PRId32 ",%s", family, m, mnk[1], mnk[2],
               a->detail.s);
    if (!asked_is_new(a))
        return 0;
    const size_t detail = intern_text(&a->details, a->detail.s);
    a->v = xgrow(a->v, a->n, &a->cap, sizeof *a->v);
    a->v[a->n++] = (struct asked_shape){family, m, mnk[1], mnk[2], a->details.v[detail].s, a->at};
    return 0;
}

/* The texts of all, in their order; NULL, or the name of the one that is not a value of AITER's */
static const char *set_details(struct asked *a, enum family_id family,
                               const char *const text[MOST_DETAILS])
{
    const char *const *names = families[family].details;
    a->detail.n = 0;
    buf_puts(&a->detail, "");
    for (size_t i = 0; names[i] != NULL; i++) {
        buf_puts(&a->detail, i != 0 ? "," : "");
        if (family_add_detail(&a->detail, family, i, text[i]) != 0)
            return names[i];
    }
    family_look_up(&a->detail);
    return NULL;
}

/* The value that follows the name and : or =, without quotes; its length, 0: it is not there. */
static size_t logged(const struct call *call, const char *name, const char **value)
{
    const size_t length = strlen(name);
    for (size_t i = 1; i + length < call->n_details; i++) {
        const char *p = call->details + i;
        if (strncmp(p, name, length) != 0 || strchr(", ", p[-1]) == NULL
            || (p[length] != ':' && p[length] != '='))
            continue;
        *value = p + length + 1 + (p[length + 1] == '\'');
        return strcspn(*value, ",' ");
    }
    return 0;
}

/* Of a line of a log, which has the values of a->detail in any order; NULL, or the name of the one
   that it lacks. There outdtype is called otype, and B stands before M. */
static const char *read_details(struct asked *a, enum family_id family, const struct call *call)
{
    const char *const *names = families[family].details, *text[MOST_DETAILS], *value;
    char copy[MOST_DETAILS][64];
    for (size_t i = 0; names[i] != NULL; i++) {
        const int is_b = strcmp(names[i], "B") == 0, is_out = strcmp(names[i], "outdtype") == 0;
        size_t n = is_b ? call->b.n : logged(call, is_out ? "otype" : names[i], &value);
        if (n == 0 || n >= sizeof *copy)
            return names[i];
        snprintf(copy[i], sizeof *copy, "%.*s", (int)n, is_b ? call->b.text : value);
        text[i] = copy[i];
    }
    return set_details(a, family, text);
}

/* ---- asked: logs ---- */

/* Are all sizes of the call some? */
static int check_sizes(struct asked *a, const struct call *call)
{
    const struct call_number *const size[] = {&call->b, &call->m, &call->n, &call->k};
    for (int i = call->b.n == 0; i < 4; i++)
        if (size[i]->value < 1 || size[i]->value > KPRED_MAX_SIZE)
            return asked_count(a, &a->cut, "%c: value \"%.*s\": is not an integer from 1 to %d",
                               "BMNK"[i], (int)(size[i]->n < 60 ? size[i]->n : 60), size[i] -> text,
                               KPRED_MAX_SIZE);
    return 1;
}

/* A row that was found: is it of this GPU, and of another M? */
static int is_miss_of_ours(struct asked *a, const struct call *call)
{
    const size_t before = a->seen.n;
    const int is_ours = call->cu.value == a->from.target->cu_num;
    char gpu[64];
    snprintf(gpu, sizeof gpu, "a GPU of %" PRId64 " compute units", call->cu.value);
    gpu_told(&a->told, is_ours, 1, gpu, a->at);
    if (!is_ours)
        return asked_count(a, &a->left_out, "the log is of %s, not %d", gpu,
                           a->from.target->cu_num);
    if (call->padded.value != call->m.value)
        return 1;
    asked_count(a, &a->left_out, "a table has a row of just this M");
    a->n_found += a->seen.n - before;
    a->found++;
    return 0;
}

/* ---- asked: the line of a miss of fused MoE ---- */

/* What it says between its parentheses. Values have no blanks or quotes around them. */
struct fused_call {
    char value[14][64];           /* what follows points into these */
    const char *gfx;              /* NULL: an older line */
    const char *cu_num, *size[3]; /* token, inter_dim, model_dim */
    const char *detail[MOST_DETAILS];
};
enum { FUSED_VALUES = 14 };

/* Cuts the values; their number, 0: there are too many, or one is too long. */
static size_t cut_values(struct fused_call *c, const char *text, size_t n)
{
    size_t values = 0;
    for (const char *end = text + n, *next; text <= end; text = next + 1) {
        next = memchr(text, ',', (size_t)(end - text));
        next = next != NULL ? next : end;
        const char *last = next;
        while (text < last && strchr(" '", *text) != NULL)
            text++;
        while (last > text && strchr(" '", last[-1]) != NULL)
            last--;
        if (values == FUSED_VALUES || (size_t)(last - text) >= sizeof *c->value)
            return 0;
        snprintf(c->value[values++], sizeof *c->value, "%.*s", (int)(last - text), text);
    }
    return values;
}

/* 0, or -1: it has not so many values, or an impossible one. */
static int read_fused(struct fused_call *c, const char *text, size_t n)
{
    const size_t values = cut_values(c, text, n), first = values == FUSED_VALUES;
    if (values != FUSED_VALUES && values != FUSED_VALUES - 1)
        return -1;
    c->gfx = first ? c->value[0] : NULL;
    c->cu_num = c->value[first];
    for (size_t i = 0; i < 3; i++) /* model_dim stands before inter_dim */
        c->size[i] = c->value[first + 1 + (3 - i) % 3];
    for (size_t i = 0; i < MOST_DETAILS; i++)
        c->detail[i] = c->value[first + 4 + i];
    return 0;
}

/* Of another GPU than rows are for? An older line does not tell the architecture. */
static int is_of_other_gpu(struct asked *a, const struct fused_call *c)
{
    char name[96];
    int64_t units;
    struct buf b = {NULL, 0, 0};
    const char *gfx = c->gfx != NULL ? gpu_name(c->gfx, &b) : a->from.target->gfx;
    const int is_other = parse_int(c->cu_num, 1, KPRED_MAX_SIZE, &units) != 0
                         || units != a->from.target->cu_num
                         || strcmp(gfx, a->from.target->gfx) != 0;
    snprintf(name, sizeof name, "%s with %s compute units", gfx, c->cu_num);
    gpu_told(&a->told, !is_other, 1, name, a->at);
    if (is_other)
        asked_count(a, &a->left_out, "the log is of %s, not %s with %d", name, a->from.target->gfx,
                    a->from.target->cu_num);
    buf_free(&b);
    return is_other;
}

static int asked_fused(struct asked *a, const struct call *call)
{
    struct fused_call c;
    int32_t v[3];
    if (!asked_is_wanted(a, FAMILY_FMOE))
        return 0;
    if (read_fused(&c, call->text, call->n_text) != 0
        || set_details(a, FAMILY_FMOE, c.detail) != NULL)
        return asked_count(a, &a->cut, "the line of fused MoE does not hold the values of a key");
    for (int i = 0; i < 3; i++) {
        int64_t x;
        if (parse_int(c.size[i], 1, KPRED_MAX_SIZE, &x) != 0)
            return asked_count(a, &a->cut, "%s: value \"%.60s\": is not an integer from 1 to %d",
                               families[FAMILY_FMOE].sizes[i], c.size[i], KPRED_MAX_SIZE);
        v[i] = (int32_t)x;
    }
    if (is_of_other_gpu(a, &c))
        return 0;
    a->usable++;
    return asked_add(a, FAMILY_FMOE, v);
}

int asked_call(struct asked *a, int kind, const struct call *call)
{
    char file[256];
    a->calls++;
    /* The words that tell its shape from others: from M, or B, to the file's name */
    a->words = kind == CALL_FMOE ? call->text : call->b.n != 0 ? call->b.text : call->m.text;
    a->n_words = kind == CALL_FMOE ? call->n_text : (size_t)(call->text - a->words);
    if (kind == CALL_FMOE)
        return asked_fused(a, call);
    const size_t tail = call->n_text < sizeof file ? call->n_text : sizeof file - 1;
    snprintf(file, sizeof file, "%.*s", (int)tail, call->text + call->n_text - tail);
    enum family_id family = call->b.n != 0 ? family_of_batched(a->from.only) : family_of_file(file);
    if (family == FAMILY_NONE)
        family = a->from.only;
    if (family == FAMILY_NONE)
        return asked_count(a, &a->cut, "the table's name tells no family: give it with --family");
    if (!asked_is_wanted(a, family) || !check_sizes(a, call))
        return 0;
    const char *lacks = read_details(a, family, call);
    if (lacks != NULL)
        return asked_count(a, &a->cut, "the line does not say %s", lacks);
    a->usable++;
    const int32_t mnk[3] = {(int32_t)call->m.value, (int32_t)call->n.value, (int32_t)call->k.value};
    return kind != CALL_HIT || is_miss_of_ours(a, call) ? asked_add(a, family, mnk) : 0;
}

int asked_size(const struct place *at, const char *name, const char *text, int32_t *out)
{
    int64_t v;
    if (parse_int(text, 1, KPRED_MAX_SIZE, &v) != 0)
        return fail("%s:%zu: %s: value \"%.60s\": is not an integer from 1 to %d", at->path,
                    at->line, name, text, KPRED_MAX_SIZE);
    *out = (int32_t)v;
    return 0;
}

int asked_row(struct asked *a, enum family_id family, const struct asked_text *row)
{
    int32_t v[3] = {0};
    a->calls++;
    a->words = row->whole;
    a->n_words = strlen(row->whole);
    if (!asked_is_wanted(a, family))
        return 0;
    for (int i = 0; i < 3; i++)
        if (asked_size(&a->at, families[family].sizes[i], row->mnk[i], &v[i]) != 0)
            return -1;
    const char *wrong = set_details(a, family, row->detail);
    if (wrong != NULL)
        return fail("%s:%zu: %s: value \"%.60s\": is not one of AITER's", a->at.path, a->at.line,
                    wrong, row->detail[family_place_of(families[family].details, wrong)]);
    a->usable++;
    return asked_add(a, family, v);
}

int asked_is_pair(const struct asked_shape *a, const struct asked_shape *b)
{
    return a->family == b->family && a->n == b->n && a->k == b->k
           && strcmp(a->detail, b->detail) == 0;
}

static int asked_compare(const void *left, const void *right)
{
    const struct asked_shape *a = left, *b = right;
    const int order = strcmp(a->detail, b->detail);
    return a->family != b->family ? (int)a->family - (int)b->family
           : a->n != b->n         ? a->n - b->n
           : a->k != b->k         ? a->k - b->k
           : order != 0           ? order
                                  : a->m - b->m;
}

void asked_sort(struct asked *a)
{
    if (a->n != 0)
        qsort(a->v, a->n, sizeof *a->v, asked_compare);
}

void asked_free(struct asked *a)
{
    intern_free(&a->seen);
    intern_free(&a->details);
    tally_free(&a->left_out);
    tally_free(&a->cut);
    buf_free(&a->key);
    buf_free(&a->detail);
    free(a->v);
    memset(a, 0, sizeof *a);
}
