/* invariant_load.c - a value that each turn reads again, because a store might have changed it
   SPDX-License-Identifier: MIT

   Without it: -DWITHOUT_WASTE. The other wastes of planted.c have files like this one. */
void invariant_load(int n, const float *x, const float *width, float unit, float *y, float *spare,
                    float *last)
{
    float value = 0;
    (void)spare;
#ifdef WITHOUT_WASTE
    const float scale = unit / *width;
#endif
#pragma clang loop vectorize(disable) unroll(disable)
    for (int i = 0; i < n; i++) {
#ifndef WITHOUT_WASTE
        const float scale = unit / *width;
#endif
        value = x[i] * scale;
        y[i] = value;
    }
    *last = value;
}
