/* runtime.c - the definitions of kpred.h and of the built-in models, and what needs their insides
   SPDX-License-Identifier: MIT */
#define KPRED_IMPLEMENTATION
#include "runtime.h"

#include "kpred_constraints.h"
#include "models.h" /* generated: every weights/NAME.h */

#include <string.h>

void runtime_features(const kpred_instr *program, size_t n_instr, const int32_t *problem,
                      size_t n_fields, uint8_t *features, size_t n_features)
{
    kpred_additive net;
    int32_t registers[KPRED_MAX_REGISTERS];
    int16_t x[KPRED_MAX_WIDTH];
    memset(&net, 0, sizeof net);
    net.program = program;
    net.n_instr = (uint16_t)n_instr;
    memcpy(registers, problem, n_fields * sizeof *registers);
    kpri_features(&net, n_fields, n_features, registers, x);
    for (size_t i = 0; i < n_features; i++)
        features[i] = (uint8_t)x[i];
}

int runtime_listed(const kpred_param *params, const uint8_t *bits, const int32_t *values, size_t n)
{
    return kpri_listed(params, bits, values, n);
}
