/* runtime.c - the definitions of kpred.h and of the built-in models, and what needs their insides
   SPDX-License-Identifier: MIT */
#define KPRED_IMPLEMENTATION
#define HEADER_NAMES
#include "runtime.h"

#include "kpred_constraints.h"
#include "models.h" /* generated: every weights/NAME.h, and header_names */

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

uint64_t runtime_net_id(const kpred_model *m)
{
    uint64_t h = 0;
    kpri_hash_additive(&h, m);
    return h;
}

int runtime_listed(const kpred_param *params, const uint8_t *bits, const int32_t *values, size_t n)
{
    return kpri_listed(params, bits, values, n);
}

const char *runtime_header_name(const char *name, int is_start)
{
    const size_t n = strlen(name) + !is_start; /* to its end, or not */
    for (const char *const *of = header_names; *of; of++) {
        const size_t length = strlen(*of);
        const int is_pasted = (*of)[length - 1] == '_'; /* what follows comes by ## */
        if (!strncmp(*of, name, n) || (is_pasted && !strncmp(*of, name, length)))
            return *of;
    }
    return NULL;
}
