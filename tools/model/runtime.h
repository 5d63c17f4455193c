/* runtime.h - what the tools need of the insides of kpred.h
   SPDX-License-Identifier: MIT */
#pragma once

#include "kpred.h"

/* kpri_features: the n_features activations of one problem, and KPRED_MAX_REGISTERS registers */
void runtime_features(const kpred_instr *program, size_t n_instr, const int32_t *problem,
                      size_t n_fields, uint8_t *features, size_t n_features, int32_t *registers);

/* A hash of its network alone, a kpred_additive. */
uint64_t runtime_net_id(const kpred_model *m);

/* kpri_listed: does the rule of these bits accept the first n values? */
int runtime_listed(const kpred_param *params, const uint8_t *bits, const int32_t *values, size_t n);

/* kpri_named: does one of these tuples, for which the condition is true if there is one, begin with
   the first n values? The condition gets the very `problem` that is passed here. */
int runtime_named(const kpred_names *k, const kpred_param *params,
                  int (*condition)(const int32_t *problem, const int32_t *values),
                  const int32_t *problem, const int32_t *values, size_t n);

/* The first name in the code of kpred.h, kpred_constraints.h and kpred_hip.h that is this one or,
   if this one is a start, begins so; NULL if there is none. */
const char *runtime_header_name(const char *name, int is_start);

/* The id that a model had in format 2.
   pre: its network is a kpred_additive */
uint64_t format2_id(const kpred_model *m);
