/* planted.c - five wastes that no pass of the compiler removes, for kpred-evolve to find
   SPDX-License-Identifier: MIT

   It scales a signal, squares its distance from a bias, and sums up. Any pointer may point where
   another one does, as far as the compiler knows, so all of these stay:

   WITHOUT_INVARIANT_LOAD   *width, and with it the division by it, is read again in each turn
   WITHOUT_DIVISION         `unit` is always one
   WITHOUT_SCRATCH_ARRAY    nobody reads `trace`
   WITHOUT_DEAD_STORE       what is stored in *last is replaced at the end
   WITHOUT_BUFFER           `carry` is read back at once, and never again

   Each of these macros leaves one waste out, by hand. No loop is vectorised or unrolled: so each
   waste is there once. */
void planted(int n, const float *x, const float *width, float unit, float bias, float *y,
             float *trace, float *last, float *squares, float *carry, float *sums)
{
    float sum = 0;
#ifdef WITHOUT_INVARIANT_LOAD
    const float scale = 1 / *width;
#endif
#pragma clang loop vectorize(disable) unroll(disable)
    for (int i = 0; i < n; i++) {
#ifndef WITHOUT_INVARIANT_LOAD
        const float scale = 1 / *width;
#endif
#ifdef WITHOUT_DIVISION
        y[i] = x[i] * scale;
#else
        y[i] = x[i] * scale / unit;
#endif
    }
#pragma clang loop vectorize(disable) unroll(disable)
    for (int i = 0; i < n; i++) {
        const float distance = x[i] - bias;
#ifndef WITHOUT_SCRATCH_ARRAY
        trace[i] = x[i] / distance;
#endif
#ifndef WITHOUT_DEAD_STORE
        *last = distance / bias;
#endif
        squares[i] = distance * distance;
    }
#pragma clang loop vectorize(disable) unroll(disable)
    for (int i = 0; i < n; i++) {
        sum += x[i];
#ifdef WITHOUT_BUFFER
        sums[i] = sum;
#else
        carry[i] = sum;
        sums[i] = sum;
        sum = carry[i];
#endif
    }
    *last = sum;
}
