/* facts.c - prints the table of the shipped models for docs/how-it-works.md, from their headers
   SPDX-License-Identifier: MIT */
#include "tests/model/shipped.h"

#include <stdio.h>

static double kilobytes(size_t words)
{
    return (double)words * sizeof(int32_t) / 1000;
}

/* One bound of multiply-adds is of beam 1, the other of beam 2. */
static void print_line(const kpred_model *m, unsigned long one, unsigned long two)
{
    const kpred_additive *net = m->net;
    unsigned heads = 0;
    for (uint32_t i = 0; i < m->n_params; i++)
        heads += m->params[i].n_values > 1;
    printf("| `%s` | %u | %u, %u | %u x %u | %lu | %lu | %.1f | %.1f |\n", m->name, net->n_features,
           net->layer[0].rows, net->layer[1].rows, heads, net->hidden, 2 * one - two, two - one,
           kilobytes(kpred_arena_words(m, 10)), kilobytes(kpred_arena_words(m, 100)));
}

#define PRINT(name, NAME)                                              \
    print_line(&kpred_model_##name, KPRED_##NAME##_MULTIPLY_ADDS(1UL), \
               KPRED_##NAME##_MULTIPLY_ADDS(2UL));

int main(void)
{
    SHIPPED(PRINT)
    return 0;
}
