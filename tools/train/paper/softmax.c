/* softmax.c - see softmax.h
   SPDX-License-Identifier: MIT */
#include "softmax.h"

#include "base/numbers.h"

/* d = scale * 2^(l - top) / sum in the values, 0 in the padding; less scale at y */
static void derive(const float *l, size_t values, size_t cols, float top, float factor, uint16_t y,
                   float scale, float *d)
{
    for (size_t v = 0; v < cols; v++)
        d[v] = v < values ? num_exp2(l[v] - top) * factor : 0.0f;
    d[y] -= scale;
}

double softmax_loss(const float *logits, size_t rows, size_t values, size_t cols, const uint16_t *y,
                    float scale, float *d)
{
    double loss = 0;
    for (size_t i = 0; i < rows; i++) {
        const float *l = logits + i * cols;
        float top = l[0], sum = 0;
        for (size_t v = 1; v < values; v++)
            top = l[v] > top ? l[v] : top;
        for (size_t v = 0; v < values; v++)
            sum += num_exp2(l[v] - top);
        loss += (double)(top - l[y[i]]) + num_log2((double)sum);
        if (d)
            derive(l, values, cols, top, scale / sum, y[i], scale, d + i * cols);
    }
    return loss;
}
