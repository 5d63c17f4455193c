/* buffer.c - a buffer that is written and read back, since a store between might change it
   SPDX-License-Identifier: MIT

   Without it: -DWITHOUT_WASTE. The other wastes of planted.c have files like this one. */
void buffer(int n, const float *x, const float *width, float unit, float *y, float *spare,
            float *last)
{
    float value = 0;
    const float step = *width * unit;
#pragma clang loop vectorize(disable) unroll(disable)
    for (int i = 0; i < n; i++) {
        value += x[i] - step;
#ifdef WITHOUT_WASTE
        y[i] = value;
#else
        spare[i] = value;
        y[i] = value;
        value = spare[i];
#endif
    }
    (void)spare;
    *last = value;
}
