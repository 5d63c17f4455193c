/* beta.h - another model made by hand, with a rule and a scorer of its own
   SPDX-License-Identifier: MIT */
#ifndef KPRED_MODEL_BETA_H
#define KPRED_MODEL_BETA_H

#include "kpred.h"

#define KPRED_BETA_FIELDS           1
#define KPRED_BETA_PARAMS           3
#define KPRED_BETA_ARENA(beam)      KPRED_ARENA_WORDS(1, 1, 3, KPRED_SLOTS(5, 8, beam), beam)
#define KPRED_BETA_RULE_CALLS(beam) KPRED_RULE_CALLS(11, beam)

#ifndef KPRED_STATIC
#ifdef __cplusplus
extern "C" {
#endif
extern const kpred_model kpred_model_beta;
#ifdef __cplusplus
}
#endif
#endif

#endif

#if defined(KPRED_IMPLEMENTATION) && !defined(KPRI_MODEL_BETA)
#define KPRI_MODEL_BETA

static const kpred_field kpri_beta_fields[] = {{"n", NULL, 0, 0, 16777216, 1, 512}};
static const int32_t kpri_beta_values0[] = {1, 2, 4, 8, 16};
static const int32_t kpri_beta_values1[] = {7};
static const kpred_param kpri_beta_params[] = {
    {"r", kpri_beta_values0, NULL, 5},
    {"s", kpri_beta_values1, NULL, 1},
    {"t", kpri_beta_values0, NULL, 5},
};

/* r * t is at most n */
static int kpri_beta_rule(const int32_t *problem, const int32_t *values, size_t n_decided)
{
    if (n_decided == 0)
        return problem[0] > 0;
    return values[0] * (n_decided > 2 ? values[2] : 1) <= problem[0];
}

static void kpri_beta_start(const kpred_model *model, const int32_t *problem, int32_t *work,
                            int32_t *state)
{
    (void)model;
    work[0] = problem[0];
    state[0] = 0;
}

static void kpri_beta_logits(const kpred_model *model, int32_t *work, const int32_t *state,
                             const unsigned char *prefix, size_t n_decided, int32_t *logits)
{
    int32_t v;
    (void)prefix;
    for (v = 0; v < model->params[n_decided].n_values; v++)
        logits[v] = v * 30000 - state[0] * 5000 * v + (work[0] & 7) * 100;
}

static void kpri_beta_extend(const kpred_model *model, int32_t *work, const int32_t *state,
                             size_t n_decided, int32_t value_index, int32_t *next)
{
    (void)model, (void)work, (void)n_decided;
    next[0] = state[0] + value_index;
}

static const kpred_scorer kpri_beta_scorer = {kpri_beta_start, kpri_beta_logits, kpri_beta_extend};
static const char *const kpri_beta_runs_on[] = {"gfx906", "gfx90a", NULL};
KPRED_DATA const kpred_model kpred_model_beta = {KPRED_FORMAT,
                                                 0, /* the program fills the id in */
                                                 "beta",
                                                 "Beta",
                                                 "none",
                                                 kpri_beta_fields,
                                                 kpri_beta_params,
                                                 1,
                                                 3,
                                                 1,
                                                 1,
                                                 KPRED_SCALE_ONE,
                                                 kpri_beta_runs_on,
                                                 NULL,
                                                 kpri_beta_rule,
                                                 "kpri_beta_rule",
                                                 &kpri_beta_scorer,
                                                 NULL,
                                                 NULL};

#endif
