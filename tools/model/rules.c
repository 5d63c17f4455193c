/* rules.c - see rules.h
   SPDX-License-Identifier: MIT */
#include "rules.h"

#include "kpred_constraints.h"

#include <stdlib.h>
#include <string.h>

#define SPELLING(enumerator, spelling) spelling,

static const char *const fields[] = {KPRED_CONV_FIELD_LIST(SPELLING) NULL};
static const char *const gpus[] = {KPRED_GPU_LIST(SPELLING) NULL};
static const char *const dirs[] = {KPRED_DIR_LIST(SPELLING) NULL};
static const char *const dtypes[] = {KPRED_DTYPE_LIST(SPELLING) NULL};
static const char *const *const tokens[] = {gpus, dirs, dtypes, NULL}; /* of the first fields */

static const char *const conv2d_fields[] = {KPRED_CONV2D_FIELD_LIST(SPELLING) NULL};
static const char *const conv2d_gpus[] = {KPRED_GPU_LIST(SPELLING) KPRED_CONV2D_MORE_GPUS(SPELLING)
                                              NULL};
static const char *const conv2d_dtypes[] = {KPRED_DTYPE_LIST(SPELLING)
                                                KPRED_CONV2D_MORE_DTYPES(SPELLING) NULL};
static const char *const conv2d_layouts[] = {KPRED_CONV2D_LAYOUT_LIST(SPELLING) NULL};
static const char *const *const conv2d_tokens[] = {conv2d_gpus, dirs, conv2d_dtypes, conv2d_layouts,
                                                   NULL};

static const char *const conv3d_fields[] = {KPRED_CONV3D_FIELD_LIST(SPELLING) NULL};
static const char *const conv3d_gpus[] = {KPRED_CONV3D_GPU_LIST(SPELLING) NULL};
static const char *const conv3d_layouts[] = {KPRED_CONV2D_LAYOUT_LIST(SPELLING)
                                                 KPRED_CONV3D_MORE_LAYOUTS(SPELLING) NULL};
static const char *const *const conv3d_tokens[] = {conv3d_gpus, dirs, dtypes, conv3d_layouts, NULL};

/* What rules with so many fields expect. */
static const struct vocabulary {
    size_t n_fields;
    const char *const *fields;
    const char *const *const *tokens; /* of the first fields */
} vocabularies[] = {
    {KPRED_CONV2D_FIELD_COUNT, conv2d_fields, conv2d_tokens},
    {KPRED_CONV3D_FIELD_COUNT, conv3d_fields, conv3d_tokens},
    {0, fields, tokens} /* 9 or 10 of them */
};

static const char *const no_values[] = {NULL}; /* the rule takes integers */

#define RULE(rule, n_fields, list) \
    {rule, #rule, n_fields, {list(SPELLING) NULL}, no_values, NULL, 0},
#define WORD(word) word,
#define WORDS(rule, n_fields, list, words, dir) \
    static const uint16_t rule##_words[] = {words(WORD)};
#define NAMED(rule, n_fields, list, words, dir) \
    {rule,                                      \
     #rule,                                     \
     n_fields,                                  \
     {list(SPELLING) NULL},                     \
     no_values,                                 \
     rule##_words,                              \
     sizeof rule##_words / sizeof *rule##_words},
#define ONE_WAY(rule, n_fields, list, of, dir) RULE(rule, n_fields, list)
#define CHOICE_VALUES(rule, n_fields, list, values) \
    static const char *const rule##_values[] = {values(SPELLING) NULL};
#define CHOICE(rule, n_fields, list, values) \
    {rule, #rule, n_fields, {list(SPELLING) NULL}, rule##_values, NULL, 0},

KPRED_CHOICE_LIST(CHOICE_VALUES)
KPRED_NAMED_LIST(WORDS)

static const struct known {
    kpred_rule rule;
    const char *name;
    size_t n_fields;
    const char *params[KPRED_MAX_PARAMS + 1];
    const char *const *values; /* names, of its one parameter */
    const uint16_t *words;     /* or of its first one's kernels */
    size_t n_words;
} known[] = {KPRED_RULE_LIST(RULE) KPRED_ONE_WAY_LIST(ONE_WAY) KPRED_NAMED_LIST(NAMED)
                 KPRED_CHOICE_LIST(CHOICE)};

static int differs(const struct spec *spec, const char *what, const char *is, const char *should)
{
    return fail("%s: %s \"%s\" where rule %s expects \"%s\"", spec->path, what, is ? is : "(none)",
                spec->rule, should ? should : "(none)");
}

/* Are is[0..n-1] the names of the list, in order? With `some`, the last ones may be missing. */
static int same_names(const struct spec *spec, const char *what, const char *const *is, size_t n,
                      const char *const *list, int some)
{
    size_t i;
    for (i = 0; i < n && list[i] && !strcmp(is[i], list[i]); i++)
        ;
    return i == n && (some || !list[i]) ? 0 : differs(spec, what, i < n ? is[i] : NULL, list[i]);
}

/* A kernel with fields for everything may have run on some GPUs or types only: its spec may stop at
   the last of these, and name any GPUs where the rule does not ask which one it is. */
static int takes_tokens(const struct spec *spec, const struct known *rule, size_t i,
                        const char *const *list)
{
    const struct spec_field *f = spec->fields + i;
    const int conv2d = rule->n_fields == KPRED_CONV2D_FIELD_COUNT;
    return (conv2d && i == KPRED_CONV2D_GPU && rule->rule != kpred_rule_conv_bin_winograd_rxs)
           || same_names(spec, "token", f->tokens, f->n_tokens, list, conv2d) == 0;
}

static const struct vocabulary *vocabulary_of(const struct known *rule)
{
    const struct vocabulary *v = vocabularies;
    while (v->n_fields && v->n_fields != rule->n_fields)
        v++;
    return v;
}

static int check_fields(const struct spec *spec, const struct known *rule)
{
    const char *const *names = vocabulary_of(rule)->fields;
    const char *const *const *of = vocabulary_of(rule)->tokens;
    if (spec->n_fields != rule->n_fields)
        return fail("%s: %zu fields where rule %s expects %zu", spec->path, spec->n_fields,
                    rule->name, rule->n_fields);
    for (size_t i = 0; i < spec->n_fields; i++) {
        const struct spec_field *f = spec->fields + i;
        if (strcmp(f->name, names[i]))
            return differs(spec, "field", f->name, names[i]);
        if ((f->n_tokens > 0) != (*of != NULL))
            return fail("%s: field %s: rule %s expects %s", spec->path, f->name, rule->name,
                        f->n_tokens ? "a size" : "tokens");
        if (*of && !takes_tokens(spec, rule, i, *of++))
            return -1;
    }
    return 0;
}

static int check_params(const struct spec *spec, const struct known *rule)
{
    const char *names[KPRED_MAX_TUPLE];
    for (size_t t = 0; t < spec->n_params; t++)
        names[t] = spec->params[t].name;
    return same_names(spec, "parameter", names, spec->n_params, rule->params, 0);
}

/* A choice's values are names, of which a spec may leave the last ones out. */
static int check_values(const struct spec *spec, const struct known *rule)
{
    const struct spec_param *p = spec->params;
    return !*rule->values ? 0
           : p->names[0]  ? same_names(spec, "value", p->names, p->n_values, rule->values, 1)
                          : differs(spec, "value", "(an integer)", *rule->values);
}

/* ---- kernels with names ---- */

enum { GTC_DIR, GTC_TYPE = 2, GTC_ANY_FILTER = 4, GTC_K_BLOCK = 7, GTC_MERGED = 18 };
enum { GTC_A = 20, GTC_B = 28, GTC_PIECES = 36 };

static uint32_t log2_of(uint32_t x)
{
    uint32_t bits = 0;
    while (x >>= 1)
        bits++;
    return bits;
}

/* The word of a kernel by its name (KPRED_IGEMM_GTC_FWD_KERNELS): forward and backward data, the
   longest vector that a thread reads divides c; backward data, it divides k as well, and so does
   gemm_k_per_block, if y, x and k are not merged. */
static uint32_t gtc_word(const char *name)
{
    uint32_t piece[GTC_PIECES] = {0}, vector, c = 0, k = 0;
    const char *text[GTC_PIECES], *p = name;
    size_t i;
    for (i = 0; i < GTC_PIECES && p; i++) {
        text[i] = p;
        piece[i] = (uint32_t)strtoul(p, NULL, 10);
        p = strchr(p, ',');
        p += p != NULL;
    }
    if (i < GTC_PIECES)
        return UINT32_MAX;
    vector = piece[GTC_A + 1] | piece[GTC_A + 3] | piece[GTC_B + 1] | piece[GTC_B + 3];
    if (text[GTC_DIR][0] != 'w')
        c = log2_of(vector);
    if (text[GTC_DIR][0] == 'b')
        k = log2_of(vector | (piece[GTC_MERGED] ? 0 : piece[GTC_K_BLOCK]));
    return (uint32_t)!strncmp(text[GTC_TYPE], "fp16", 4)
           | (uint32_t)(piece[GTC_ANY_FILTER] != 0) << 1 | c << 4 | k << 8;
}

/* Each kernel is one for which the rule has the word. */
static int check_words(const struct spec *spec, const struct known *rule)
{
    const struct spec_param *p = spec->params;
    if (!rule->n_words)
        return 0;
    if (p->n_values != rule->n_words)
        return fail("%s: %zu kernels where rule %s expects %zu", spec->path, p->n_values,
                    rule->name, rule->n_words);
    for (size_t v = 0; v < p->n_values; v++)
        if (!p->names[v] || gtc_word(p->names[v]) != rule->words[v])
            return fail("%s: kernel \"%s\": rule %s expects another one there", spec->path,
                        p->names[v] ? p->names[v] : "(an integer)", rule->name);
    return 0;
}

int rules_find(const struct spec *spec, kpred_rule *rule, const char **name)
{
    *rule = KPRED_UNCONSTRAINED;
    *name = "";
    if (spec_is_unconstrained(spec) || spec_is_listed(spec))
        return 0;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (!strcmp(known[i].name, spec->rule)) {
            *rule = known[i].rule;
            *name = known[i].name;
            return check_fields(spec, &known[i]) || check_params(spec, &known[i])
                           || check_values(spec, &known[i]) || check_words(spec, &known[i])
                       ? -1
                       : 0;
        }
    return fail("%s: rule \"%s\" is not in kpred_constraints.h", spec->path, spec->rule);
}
