/* tree_features.h - what the trees of tools/peers/classics.py see of a problem of ConvAsm1x1U
   SPDX-License-Identifier: MIT */
#pragma once

#include <stddef.h>
#include <stdint.h>

enum { TREE_FEATURES = 59 };

/* The fields, sizes of the output, products and remainders, as tree_features of that file has them.
   problem: gpu dir dtype n c h w k stride */
void tree_features(const int32_t *problem, float *x);
