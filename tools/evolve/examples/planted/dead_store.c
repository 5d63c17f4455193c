/* dead_store.c - a store that each turn replaces, and with it a division for nothing
   SPDX-License-Identifier: MIT

   Without it: -DWITHOUT_WASTE. The other wastes of planted.c have files like this one. */
void dead_store(int n, const float *x, const float *width, float unit, float *y, float *spare,
                float *last)
{
    float value = 0;
    const float factor = *width;
    (void)spare;
#pragma clang loop vectorize(disable) unroll(disable)
    for (int i = 0; i < n; i++) {
        value = x[i] + unit;
#ifndef WITHOUT_WASTE
        *last = value / factor;
#endif
        y[i] = value * factor;
    }
    *last = value;
}
