/* runtime.c - the one place where the tools emit the header's definitions, and what needs its insides
   SPDX-License-Identifier: MIT */
#define KPRED_IMPLEMENTATION
#include "kpred.h"

#include "kpred_constraints.h"
#include "listed.h"
#include "models.h" /* generated: every weights/NAME.h, the spec of each, BUILTIN_MODELS(X) */
#include "registry.h"

#include <string.h>

void program_run(const struct program *program, const int32_t *problem, size_t n_fields,
                 uint8_t *features)
{
    kpred_additive net;
    int32_t registers[KPRED_MAX_REGISTERS];
    int16_t x[KPRED_MAX_WIDTH];
    size_t i;
    memset(&net, 0, sizeof net);
    net.program = program->instr;
    net.n_instr = (uint16_t)program->n_instr;
    memcpy(registers, problem, n_fields * sizeof *registers);
    kpri_features(&net, n_fields, program->n_features, registers, x);
    for (i = 0; i < program->n_features; i++)
        features[i] = (uint8_t)x[i];
}

int listed_accepts(const kpred_param *params, const uint8_t *bits, const int32_t *values, size_t n)
{
    return kpri_listed(params, bits, values, n);
}

#define BUILTIN(name) {&kpred_model_##name, kpred_spec_##name},
const struct builtin builtins[] = {BUILTIN_MODELS(BUILTIN){NULL, NULL}};
