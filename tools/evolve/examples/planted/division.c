/* division.c - a division by a number that is always one, which the compiler cannot know
   SPDX-License-Identifier: MIT

   Without it: -DWITHOUT_WASTE. The other wastes of planted.c have files like this one. */
void division(int n, const float *x, const float *width, float unit, float *y, float *spare,
              float *last)
{
    float value = 0;
    const float factor = *width;
    (void)spare, (void)unit;
#pragma clang loop vectorize(disable) unroll(disable)
    for (int i = 0; i < n; i++) {
        value = x[i] * factor;
#ifndef WITHOUT_WASTE
        value /= unit;
#endif
        y[i] = value;
    }
    *last = value;
}
