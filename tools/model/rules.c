/* rules.c - see rules.h
   SPDX-License-Identifier: MIT */
#include "rules.h"

#include "gtc_words.h"
#include "solver_words.h"

#include "kpred_constraints.h"

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

#define RULE(rule, n_fields, list, family) \
    {{rule, #rule, #family, RULE_NO_TABLE, 0}, n_fields, {list(SPELLING) NULL}},
#define GTC(dir, name)                              \
    {{NULL, name, "CONV_IGEMM_GTC", RULE_GTC, dir}, \
     KPRED_CONV2D_FIELD_COUNT,                      \
     {KPRED_IGEMM_GTC_LIST(SPELLING) NULL}},
#define SOLVERS(name)                              \
    {{NULL, name, "CONV_SOLVER", RULE_SOLVERS, 0}, \
     KPRED_CONV3D_FIELD_COUNT,                     \
     {KPRED_CONV_SOLVER_PARAM_LIST(SPELLING) NULL}},

#define TABLE_LIST(GTC, SOLVERS)                      \
    GTC(KPRED_DIR_F, "kpred_rule_conv_igemm_gtc_fwd") \
    GTC(KPRED_DIR_B, "kpred_rule_conv_igemm_gtc_bwd") \
    GTC(KPRED_DIR_W, "kpred_rule_conv_igemm_gtc_wrw") \
    SOLVERS("kpred_rule_conv_solver")

static const struct known {
    struct rule rule;
    size_t n_fields;
    const char *params[KPRED_MAX_PARAMS + 1];
} known[] = {KPRED_RULE_LIST(RULE) KPRED_ONE_WAY_LIST(RULE) TABLE_LIST(GTC, SOLVERS)};

enum { N_KNOWN = sizeof known / sizeof *known };

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
    const int asks_gpu = !strcmp(rule->rule.family, "CONV_BIN_WINOGRAD_RXS");
    return (conv2d && i == KPRED_CONV2D_GPU && !asks_gpu)
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
                    rule->rule.name, rule->n_fields);
    for (size_t i = 0; i < spec->n_fields; i++) {
        const struct spec_field *f = spec->fields + i;
        if (strcmp(f->name, names[i]))
            return differs(spec, "field", f->name, names[i]);
        if ((f->n_tokens > 0) != (*of != NULL))
            return fail("%s: field %s: rule %s expects %s", spec->path, f->name, rule->rule.name,
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

/* ---- rules with a table ---- */

/* The name of value `v` of the first parameter, or NULL with a message */
static const char *name_of(const struct spec *spec, size_t v)
{
    if (!spec->params->names[v])
        fail("%s: parameter %s: rule %s expects names", spec->path, spec->params->name, spec->rule);
    return spec->params->names[v];
}

static int unknown(const struct spec *spec, const char *what, const char *name)
{
    return fail("%s: parameter %s: rule %s knows no %s \"%s\"", spec->path, spec->params->name,
                spec->rule, what, name);
}

int rules_gtc_words(const struct spec *spec, const struct rule *rule, uint16_t *words)
{
    for (size_t v = 0; v < spec->params->n_values; v++) {
        const char *name = name_of(spec, v);
        if (!name)
            return -1;
        if (!gtc_word(name, rule->dir, &words[v]))
            return unknown(spec, "kernel", name);
    }
    return 0;
}

int rules_solver_words(const struct spec *spec, uint64_t *words)
{
    for (size_t v = 0; v < spec->params->n_values; v++) {
        const char *name = name_of(spec, v);
        if (!name)
            return -1;
        if (!solver_word(name, &words[v]))
            return unknown(spec, "solver", name);
    }
    return 0;
}

size_t rules_word_bytes(const char *name)
{
    size_t i;
    for (i = 0; i < N_KNOWN && strcmp(known[i].rule.name, name); i++)
        ;
    return i == N_KNOWN || known[i].rule.table == RULE_NO_TABLE ? 0
           : known[i].rule.table == RULE_GTC                    ? sizeof(uint16_t)
                                                                : sizeof(uint64_t);
}

int rules_find(const struct spec *spec, struct rule *rule)
{
    *rule = (struct rule){KPRED_UNCONSTRAINED, "", NULL, RULE_NO_TABLE, 0};
    if (spec_is_unconstrained(spec) || spec_is_listed(spec))
        return 0;
    for (size_t i = 0; i < N_KNOWN; i++)
        if (!strcmp(known[i].rule.name, spec->rule)) {
            *rule = known[i].rule;
            return check_fields(spec, &known[i]) || check_params(spec, &known[i]) ? -1 : 0;
        }
    return fail("%s: rule \"%s\" is not in kpred_constraints.h", spec->path, spec->rule);
}
