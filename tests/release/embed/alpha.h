/* alpha.h - a model made by hand, in the form of a generated header; without a rule
   SPDX-License-Identifier: MIT */
#ifndef KPRED_MODEL_ALPHA_H
#define KPRED_MODEL_ALPHA_H

#include "kpred.h"

#define KPRED_ALPHA_FIELDS           2
#define KPRED_ALPHA_PARAMS           2
#define KPRED_ALPHA_ARENA(beam)      KPRED_ARENA_WORDS(32, 0, 2, KPRED_SLOTS(3, 4, beam), beam)
#define KPRED_ALPHA_RULE_CALLS(beam) KPRED_RULE_CALLS(5, beam)

#ifndef KPRED_STATIC
#ifdef __cplusplus
extern "C" {
#endif
extern const kpred_model kpred_model_alpha;
#ifdef __cplusplus
}
#endif
#endif

#endif

#if defined(KPRED_IMPLEMENTATION) && !defined(KPRI_MODEL_ALPHA)
#define KPRI_MODEL_ALPHA

static const char *const kpri_alpha_tokens0[] = {"gfx900_56", "gfx906_60"};
static const kpred_field kpri_alpha_fields[] = {
    {"gpu", kpri_alpha_tokens0, 2, 0, 0, 0, 0},
    {"n", NULL, 0, 1, 16777216, 1, 512},
};
static const int32_t kpri_alpha_values0[] = {1, 2, 4};
static const int32_t kpri_alpha_values1[] = {0, 1};
static const char *const kpri_alpha_names1[] = {"off", "on"};
static const kpred_param kpri_alpha_params[] = {
    {"p", kpri_alpha_values0, NULL, 3},
    {"q", kpri_alpha_values1, kpri_alpha_names1, 2},
};
static const kpred_instr kpri_alpha_program[] = {
    {KPRED_OP_EQUALS, 0, 0, 2, 0},
    {KPRED_OP_LOG2, 1, 0, 0, 0},
    {KPRED_OP_HATS, 2, 17, 5, 0},
};
static const int8_t kpri_alpha_weight0[256] = {1, -2, 3, 4, 5, -6, 7,  0, 0, 0, 0, 0,
                                               0, 0,  0, 0, 9, 8,  -7, 6, 5, 4, 3};
static const int8_t kpri_alpha_weight1[256] = {20, -30, 0, 0, 0, 0, 0, 0,   0,
                                               0,  0,   0, 0, 0, 0, 0, -10, 50};
static const int8_t kpri_alpha_weight2[512] = {40, 30, 20, 10};
static const int32_t kpri_alpha_bias[32] = {100, 200, 300, 400, 500};
static const int8_t kpri_alpha_embedding1_[48] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14};
static const int8_t kpri_alpha_out0_[64] = {1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12,
                                            13, 14, 15, 16, 16, 15, 14, 13, 12, 11, 10};
static const int8_t kpri_alpha_out1_[64] = {-9, 8, -7, 6, -5, 4};
static const int32_t kpri_alpha_offset_[4] = {40, 30, 60, 0};
static const kpred_head kpri_alpha_heads[] = {
    {NULL, kpri_alpha_out0_, kpri_alpha_offset_, 0, 3, 5},
    {kpri_alpha_embedding1_, kpri_alpha_out1_, kpri_alpha_offset_, 2, 4, 6},
};
static const kpred_additive kpri_alpha_net = {kpri_alpha_program,
                                              3,
                                              7,
                                              16,
                                              {
                                                  {kpri_alpha_weight0, kpri_alpha_bias, 16, 16, 3},
                                                  {kpri_alpha_weight1, kpri_alpha_bias, 16, 16, 4},
                                                  {kpri_alpha_weight2, kpri_alpha_bias, 32, 16, 0},
                                              },
                                              kpri_alpha_heads};
KPRED_DATA const kpred_model kpred_model_alpha = {KPRED_FORMAT,
                                                  0, /* the program fills the id in */
                                                  "alpha",
                                                  "Alpha",
                                                  "none",
                                                  kpri_alpha_fields,
                                                  kpri_alpha_params,
                                                  2,
                                                  2,
                                                  32,
                                                  0,
                                                  KPRED_SCALE_ONE / 2,
                                                  NULL,
                                                  NULL,
                                                  KPRED_UNCONSTRAINED,
                                                  "",
                                                  &kpred_additive_scorer,
                                                  &kpri_alpha_net,
                                                  NULL};

#endif
