/* network.c - the built-in network of a model, for Frama-C's Eva (whole.h)
   SPDX-License-Identifier: MIT

   It proves the contracts of network.h: with what they ask for, nothing is read or written but what
   they name. The arrays have exactly the size that is needed, and no value at first. */
#include "whole.h"

enum { RECORD_WORDS = KPRI_RECORD_WORDS(KPRED_MAX_TUPLE, 0), RECORD = 4 * RECORD_WORDS };

/* Any values of the parameters before t */
static void any_prefix(size_t t, unsigned char *prefix)
{
    size_t u;
    /*@ loop unroll 32; */
    for (u = 0; u < t; u++)
        prefix[u] = (unsigned char)Frama_C_interval(0, MODEL.params[u].n_values - 1);
}

static void are_logits(const int32_t *x, int32_t n)
{
    int32_t v;
    /*@ loop unroll 128; */
    for (v = 0; v < n; v++)
        holds(x[v] > -(1 << 29) && x[v] < 1 << 29);
}

enum { LANES = 4 };

/* The logits of parameter t. What happens in a lane does not depend on how many there are. */
static void logits(const int32_t *work, size_t t)
{
    const int32_t n_values = MODEL.params[t].n_values;
    const size_t lane = (size_t)1 << kpri_lane_bits(n_values);
    const size_t words = (LANES - 1) * lane + (((size_t)n_values + 3) & ~(size_t)3);
    unsigned char prefix[LANES * RECORD];
    int32_t x[LANES * KPRED_MAX_VALUES];
    kpri_lanes l = {x + LANES * KPRED_MAX_VALUES - words, NULL, prefix, lane, RECORD_WORDS, LANES};
    kpri_rows rows;
    size_t i;
    /*@ loop unroll 4; */
    for (i = 0; i < LANES; i++)
        any_prefix(t, prefix + i * RECORD);
    kpri_find_rows(&MODEL, &rows);
    kpri_logits_by(&kpri_portable, &MODEL, &rows, work, t, &l);
    /*@ loop unroll 4; */
    for (i = 0; i < LANES; i++)
        are_logits(l.x + i * lane, n_values);
}

int main(void)
{
    int32_t work[WORK];
    size_t t;
    fields_in_range();
    kpri_start_by(&kpri_portable, &MODEL, problem, work);
    /*@ loop unroll 32; */
    for (t = 0; t < MODEL.n_params; t++)
        logits(work, t);
    return 0;
}
