/* asked.c - the distinct shapes that are asked for, and counts of what is left out
   SPDX-License-Identifier: MIT */
#include "aiter.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* ---- asked: shapes that are left out ---- */

/* `key` tells shapes apart; those of one key are one. */
static int leave_out(struct asked *a, struct place at, const char *key, size_t n_key,
                     const char *why)
{
    const size_t before = a->seen.n;
    a->key.n = 0;
    buf_printf(&a->key, "%s|", why);
    buf_add(&a->key, key, n_key);
    intern(&a->seen, a->key.s, a->key.n);
    if (a->seen.n != before)
        tally_add(&a->left_out, at, why);
    return 0;
}

static int no_model(struct asked *a, struct place at, enum family_id family, const char *key,
                    size_t n_key)
{
    char why[160];
    if (family == FAMILY_BATCHED)
        snprintf(why, sizeof why, "--family has to say whether it is %s or %s",
                 families[FAMILY_A8W8_BATCHED].name, families[FAMILY_BF16_BATCHED].name);
    else
        snprintf(why, sizeof why, "kpred has no model of the family %s", families[family].name);
    return leave_out(a, at, key, n_key, why);
}

static int not_wanted(struct asked *a, struct place at, enum family_id family, const char *key,
                      size_t n_key)
{
    char why[96];
    snprintf(why, sizeof why, "--family leaves out %s", families[family].name);
    return leave_out(a, at, key, n_key, why);
}

/* ---- asked: shapes to predict for ---- */

static int is_size(int64_t v)
{
    return v >= 1 && v <= KPRED_MAX_SIZE;
}

/* AITER looks for a tier of tokens, and for none beyond the largest. */
static int32_t tier_of(struct asked *a, struct place at, int32_t tokens)
{
    const size_t before = a->seen.n;
    if (tokens <= SERVING_LAST_TIER)
        return serving_tier(tokens);
    a->key.n = 0;
    buf_printf(&a->key, "tokens %" PRId32, tokens);
    intern(&a->seen, a->key.s, a->key.n);
    if (a->seen.n != before)
        note("%s:%zu: token: %" PRId32 " is beyond AITER's largest tier: taken as %d", at.path,
             at.line, tokens, SERVING_LAST_TIER);
    return SERVING_LAST_TIER;
}

/* The details are those in a->detail. */
static void asked_add(struct asked *a, struct place at, enum family_id family, const int32_t mnk[3])
{
    const size_t before = a->seen.n;
    a->key.n = 0;
    buf_printf(&a->key, "%d,%" PRId32 ",%" PRId32 ",%" PRId32 ",%s", family, mnk[0], mnk[1], mnk[2],
               a->detail.s);
    intern(&a->seen, a->key.s, a->key.n);
    if (a->seen.n == before)
        return;
    const size_t detail = intern_text(&a->details, a->detail.s);
    a->v = xgrow(a->v, a->n, &a->cap, sizeof *a->v);
    a->v[a->n++] = (struct asked_shape){family, mnk[0], mnk[1], mnk[2], a->details.v[detail].s, at};
}

/* ---- asked: details ---- */

static void begin_detail(struct asked *a)
{
    a->detail.n = 0;
    buf_puts(&a->detail, "");
}

/* The texts of all, in their order; NULL, or the name of the one that is not a value of AITER's */
static const char *set_details(struct asked *a, enum family_id family,
                               const char *const text[MOST_DETAILS])
{
    const char *const *names = families[family].details;
    begin_detail(a);
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
        const int is_b = strcmp(names[i], "B") == 0;
        size_t n =
            is_b ? call->b.n
                 : logged(call, strcmp(names[i], "outdtype") == 0 ? "otype" : names[i], &value);
        if (n == 0 || n >= sizeof *copy)
            return names[i];
        snprintf(copy[i], sizeof *copy, "%.*s", (int)n, is_b ? call->b.text : value);
        text[i] = copy[i];
    }
    return set_details(a, family, text);
}

/* ---- asked: logs ---- */

/* From M, or B, to the file's name */
static const char *key_of(const struct call *call, size_t *n)
{
    const char *start = call->b.n != 0 ? call->b.text : call->m.text;
    *n = (size_t)(call->text - start);
    return start;
}

/* A log is nobody's to mend: the line is left out and counted. */
static int no_size(struct asked *a, struct place at, const char *name, const char *value, size_t n)
{
    char why[128];
    snprintf(why, sizeof why, "%s: value \"%.*s\": is not an integer from 1 to %d", name,
             (int)(n < 60 ? n : 60), value, KPRED_MAX_SIZE);
    tally_add(&a->cut, at, why);
    return 0;
}

/* Are all sizes of the call some? */
static int check_sizes(struct asked *a, struct place at, const struct call *call)
{
    static const char *const name[] = {"B", "M", "N", "K"};
    const struct call_number *const size[] = {&call->b, &call->m, &call->n, &call->k};
    for (int i = call->b.n == 0; i < 4; i++)
        if (!is_size(size[i]->value))
            return no_size(a, at, name[i], size[i]->text, size[i]->n);
    return 1;
}

static int no_detail(struct asked *a, struct place at, const char *name)
{
    char why[96];
    snprintf(why, sizeof why, "the line does not say %s", name);
    tally_add(&a->cut, at, why);
    return 0;
}

static int no_family(struct asked *a, struct place at)
{
    tally_add(&a->cut, at, "the table's name tells no family: give it with --family");
    return 0;
}

/* Was the row that was found tuned on another GPU than that which rows are for? */
static int is_other_units(struct asked *a, const struct asked_from *from, struct place at,
                          const struct call *call)
{
    char name[64];
    const int is_ours = call->cu.value == from->cu_num;
    snprintf(name, sizeof name, "a GPU of %" PRId64 " compute units", call->cu.value);
    gpu_told(&a->told, is_ours, 1, name, at);
    return !is_ours;
}

static int add_gemm(struct asked *a, const struct asked_from *from, struct place at,
                    enum family_id family, int kind, const struct call *call)
{
    size_t n;
    const char *key = key_of(call, &n);
    if (!check_sizes(a, at, call))
        return 0;
    const char *lacks = read_details(a, family, call);
    if (lacks != NULL)
        return no_detail(a, at, lacks);
    a->usable++;
    if (kind == CALL_HIT && is_other_units(a, from, at, call)) {
        char why[96];
        snprintf(why, sizeof why, "the log is of a GPU of %" PRId64 " compute units, not %d",
                 call->cu.value, from->cu_num);
        return leave_out(a, at, key, n, why);
    }
    if (kind == CALL_HIT && call->padded.value == call->m.value) {
        const size_t before = a->seen.n;
        leave_out(a, at, key, n, "a table has a row of just this M");
        a->n_found += a->seen.n - before;
        a->found++;
        return 0;
    }
    const int32_t mnk[3] = {(int32_t)call->m.value, (int32_t)call->n.value, (int32_t)call->k.value};
    asked_add(a, at, family, mnk);
    return 0;
}

/* Of another GPU than rows are for? An older line does not tell the architecture. */
static int fused_of_other_gpu(struct asked *a, const struct asked_from *from, struct place at,
                              const struct call *call, const struct fused_call *c)
{
    char why[160], name[96];
    int64_t units;
    struct buf b = {NULL, 0, 0};
    const char *gfx = c->gfx != NULL ? gpu_name(c->gfx, &b) : from->gfx;
    const int is_other = parse_int(c->cu_num, 1, KPRED_MAX_SIZE, &units) != 0
                         || units != from->cu_num || strcmp(gfx, from->gfx) != 0;
    snprintf(why, sizeof why, "the log is of %s with %s compute units, not %s with %d", gfx,
             c->cu_num, from->gfx, from->cu_num);
    snprintf(name, sizeof name, "%s with %s compute units", gfx, c->cu_num);
    gpu_told(&a->told, !is_other, 1, name, at);
    buf_free(&b);
    return is_other ? leave_out(a, at, call->text, call->n_text, why), 1 : 0;
}

static int cut_fused(struct asked *a, struct place at)
{
    tally_add(&a->cut, at, "the line of fused MoE does not hold the values of a key");
    return 0;
}

static int asked_fused(struct asked *a, const struct asked_from *from, struct place at,
                       const struct call *call)
{
    struct fused_call c;
    int32_t v[3];
    if (from->only != FAMILY_NONE && from->only != FAMILY_FMOE)
        return not_wanted(a, at, FAMILY_FMOE, call->text, call->n_text);
    if (fused_read(&c, call->text, call->n_text) != 0
        || set_details(a, FAMILY_FMOE, c.detail) != NULL)
        return cut_fused(a, at);
    for (int i = 0; i < 3; i++) {
        int64_t x;
        if (parse_int(c.size[i], 1, KPRED_MAX_SIZE, &x) != 0)
            return no_size(a, at, family_size(FAMILY_FMOE, i), c.size[i], strlen(c.size[i]));
        v[i] = (int32_t)x;
    }
    if (fused_of_other_gpu(a, from, at, call, &c))
        return 0;
    a->usable++;
    v[0] = tier_of(a, at, v[0]);
    asked_add(a, at, FAMILY_FMOE, v);
    return 0;
}

int asked_call(struct asked *a, const struct asked_from *from, struct place at, int kind,
               const struct call *call)
{
    char file[256];
    size_t n;
    a->calls++;
    if (kind == CALL_FMOE)
        return asked_fused(a, from, at, call);
    const size_t tail = call->n_text < sizeof file ? call->n_text : sizeof file - 1;
    snprintf(file, sizeof file, "%.*s", (int)tail, call->text + call->n_text - tail);
    enum family_id family = call->b.n != 0 ? family_of_batched(from->only) : family_of_file(file);
    const char *key = key_of(call, &n);
    if (family == FAMILY_NONE)
        family = from->only;
    if (family == FAMILY_NONE)
        return no_family(a, at);
    if (from->only != FAMILY_NONE && family != from->only)
        return not_wanted(a, at, family, key, n);
    if (!family_is_answered(family))
        return no_model(a, at, family, key, n);
    return add_gemm(a, from, at, family, kind, call);
}

/* ---- asked: untuned lists ---- */

static int read_size(struct place at, const char *name, const char *text, int32_t *out)
{
    int64_t v;
    if (parse_int(text, 1, KPRED_MAX_SIZE, &v) != 0)
        return fail("%s:%zu: %s: value \"%.60s\": is not an integer from 1 to %d", at.path, at.line,
                    name, text, KPRED_MAX_SIZE);
    *out = (int32_t)v;
    return 0;
}

static int read_row_details(struct asked *a, struct place at, enum family_id family,
                            const struct asked_text *row)
{
    const char *name = set_details(a, family, row->detail);
    if (name == NULL)
        return 0;
    return fail("%s:%zu: %s: value \"%.60s\": is not one of AITER's", at.path, at.line, name,
                row->detail[family_place_of(families[family].details, name)]);
}

int asked_row(struct asked *a, const struct asked_from *from, struct place at,
              enum family_id family, const struct asked_text *row)
{
    int32_t v[3] = {0};
    a->calls++;
    if (from->only != FAMILY_NONE && family != from->only)
        return not_wanted(a, at, family, row->whole, strlen(row->whole));
    if (!family_is_answered(family))
        return no_model(a, at, family, row->whole, strlen(row->whole));
    for (int i = 0; i < 3; i++)
        if (read_size(at, family_size(family, i), row->mnk[i], &v[i]) != 0)
            return -1;
    if (read_row_details(a, at, family, row) != 0)
        return -1;
    a->usable++;
    if (families[family].ladder == LADDER_TOKENS)
        v[0] = tier_of(a, at, v[0]);
    asked_add(a, at, family, v);
    return 0;
}

int asked_nearest(const struct asked *a)
{
    size_t i = 0;
    while (i < a->n && !families[a->v[i].family].has_nearest)
        i++;
    return i < a->n;
}

/* ---- asked: order ---- */

static int asked_compare(const void *left, const void *right)
{
    const struct asked_shape *a = left, *b = right;
    const int32_t pairs[3][2] = {{a->family, b->family}, {a->n, b->n}, {a->k, b->k}};
    for (int i = 0; i < 3; i++)
        if (pairs[i][0] != pairs[i][1])
            return pairs[i][0] < pairs[i][1] ? -1 : 1;
    const int order = strcmp(a->detail, b->detail);
    return order != 0 ? order : (a->m > b->m) - (a->m < b->m);
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
