/* softmax.h - from logits in log2 units to a loss in bits
   SPDX-License-Identifier: MIT */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* The sum over the rows of -log2 p[y], p = 2^logit over the sum of them; rows are `cols` apart, of
   which `values` count. d, which may be the logits or null: its derivatives times scale. */
double softmax_loss(const float *logits, size_t rows, size_t values, size_t cols, const uint16_t *y,
                    float scale, float *d);
