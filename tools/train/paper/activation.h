/* activation.h - sigmoid and tanh from the trainers' own exp2
   SPDX-License-Identifier: MIT */
#pragma once

#include "base/numbers.h"

/* Without a branch, so that loops become vectors. */
static inline float sigmoid(float x)
{
    const float z = num_exp2((x < 0.0f ? x : -x) * 1.44269504f), r = 1.0f / (1.0f + z);
    return x < 0.0f ? z * r : r;
}

static inline float tanh_of(float x)
{
    const float z = num_exp2((x < 0.0f ? x : -x) * 2.88539008f), r = (1.0f - z) / (1.0f + z);
    return x < 0.0f ? -r : r;
}
