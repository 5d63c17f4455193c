/* legal_tuples.c - prints the legal tuples of examples/gemm_cpu, as NAME=VALUE, by its header
   SPDX-License-Identifier: MIT */
#define KPRED_IMPLEMENTATION
#include "gemm_cpu.h"

#include <stdio.h>

static void visit(int32_t *v, size_t n)
{
    static const int32_t problem[KPRED_GEMM_CPU_FIELDS] = {100, 100, 100};
    const kpred_model *model = &kpred_model_gemm_cpu;
    for (int32_t i = 0; n < KPRED_GEMM_CPU_PARAMS && i < model->params[n].n_values; i++) {
        v[n] = model->params[n].values[i];
        visit(v, n + 1);
    }
    if (n < KPRED_GEMM_CPU_PARAMS || !kpred_legal(model, problem, v))
        return;
    for (size_t p = 0; p < n; p++)
        printf("%s=%d%c", model->params[p].name, (int)v[p], p < n - 1 ? ' ' : '\n');
}

int main(void)
{
    int32_t v[KPRED_GEMM_CPU_PARAMS];
    visit(v, 0);
    return 0;
}
