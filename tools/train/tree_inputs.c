/* tree_inputs.c - what a forest sees of a problem, see trees.h
   SPDX-License-Identifier: MIT */
#include "trees.h"

#include "base/numbers.h"
#include "base/util.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_CUTS = 255 };

/* Of a register: values between which its ranks change */
struct cuts {
    size_t n;
    int32_t at[MOST_CUTS];
};

/* Distinct values but the greatest, as many as fit, about as many problems apart; sorts v. */
static void cuts_choose(struct cuts *c, int32_t *v, size_t n)
{
    size_t last = 0;
    qsort(v, n, sizeof *v, num_rising_int);
    c->n = 0;
    for (size_t i = 1; i < n && c->n < MOST_CUTS; i++)
        if (v[i] > v[i - 1] && i - last >= (n - last) / (MOST_CUTS - c->n + 1)) {
            c->at[c->n++] = v[i - 1];
            last = i;
        }
}

static uint8_t rank_of(const struct cuts *c, int32_t v)
{
    size_t low = 0, high = c->n;
    while (low < high) {
        const size_t mid = low + (high - low) / 2;
        if (v <= c->at[mid])
            high = mid;
        else
            low = mid + 1;
    }
    return (uint8_t)low;
}

uint8_t *tree_inputs(const struct tree_problems *of, size_t *width)
{
    const size_t n = of->n, n_registers = of->program->n_registers;
    int32_t *v = xcalloc(n * n_registers + 1, sizeof *v), all[KPRED_MAX_REGISTERS];
    int32_t *known = xcalloc(of->n_known + 1, sizeof *known);
    uint8_t *x, features[KPRED_MAX_WIDTH];
    struct cuts cuts;
    *width = of->n_features + n_registers;
    x = xcalloc(n + 1, *width);
    for (size_t i = 0; i < n; i++) {
        program_run_whole(of->program, of->problem + i * of->n_fields, of->n_fields, features, all);
        memcpy(x + i * *width, of->x + i * of->n_features, of->n_features);
        for (size_t r = 0; r < n_registers; r++)
            v[r * n + i] = all[r];
    }
    for (size_t r = 0; r < n_registers; r++) {
        memcpy(known, v + r * n, of->n_known * sizeof *known);
        cuts_choose(&cuts, known, of->n_known);
        for (size_t i = 0; i < n; i++)
            x[i * *width + of->n_features + r] = rank_of(&cuts, v[r * n + i]);
    }
    free(known);
    free(v);
    return x;
}
