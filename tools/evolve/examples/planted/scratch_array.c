/* scratch_array.c - an array that nobody reads, filled with what is computed for it alone
   SPDX-License-Identifier: MIT

   Without it: -DWITHOUT_WASTE. The other wastes of planted.c have files like this one. */
void scratch_array(int n, const float *x, const float *width, float unit, float *y, float *spare,
                   float *last)
{
    float value = 0;
    const float factor = *width;
#pragma clang loop vectorize(disable) unroll(disable)
    for (int i = 0; i < n; i++) {
        value = x[i] + unit;
#ifndef WITHOUT_WASTE
        spare[i] = x[i] / value;
#endif
        y[i] = value * factor;
    }
    (void)spare;
    *last = value;
}
