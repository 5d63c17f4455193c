/* split.h - which rows are kept from training
   SPDX-License-Identifier: MIT

   A row's key is a text such as F,FP32,16,64,56,56,256,1,1, written from its problem by the spec's
   [split] items. x = FNV-1a 64 of the key's bytes, then MurmurHash3's 64-bit finaliser (plain FNV
   correlates with the key's parity); the row is for testing if x mod 10 = 0. */
#pragma once

#include "model/spec.h"

/* The size that stands for every image size with the same output: with y outputs,
   stride * (y - 1) + filter - 2 * pad + stride - 1. For stride 1, and where the filter does not fit
   into the padded image, h itself. A dilated filter is as large as what it reaches over.
   pre: 1 <= h, stride <= 2^24; 1 <= filter <= 2^48; 0 <= pad <= 2^24
   post: h <= result < h + stride */
int32_t split_canonical(int32_t h, int64_t filter, int32_t pad, int32_t stride);

/* Puts the key of a problem, in the spec's field order, in place of what `key` held. */
void split_key_text(const struct spec *s, const struct split_key *k, const int32_t *problem,
                    struct buf *key);

uint64_t split_hash(const char *key, size_t n);
/* The hash of a problem's key, which also names its group; `scratch` is to be freed at the end. */
uint64_t split_row_hash(const struct spec *s, const struct split_key *k, const int32_t *problem,
                        struct buf *scratch);
int split_is_test(uint64_t hash);
/* Which of n folds the other keys are in, by their hash */
size_t split_fold(uint64_t hash, size_t n);
