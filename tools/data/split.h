/* split.h - which rows are kept from training, and what is kept together
   SPDX-License-Identifier: MIT */
#pragma once

#include "data.h"

#include "model/spec.h"

/* ---- keys ---- */

/* A row's key is a text such as F,FP32,16,64,56,56,256,1,1, written from its problem by the spec's
   [split] items. x = FNV-1a 64 of the key's bytes, then MurmurHash3's 64-bit finaliser (plain FNV
   correlates with the key's parity); the row is for testing if x mod 10 = 0. */

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

/* ---- rows ---- */

/* config, shape   a tenth of the keys (above)
   none            nothing
   config:I/N      fold I of N of the keys that config or shape leaves for training. The tenth is
   shape:I/N       neither trained nor tested on, so a choice made on folds has not seen it. A model
                   that ships with all rows learnt (`shipped = none`) has no tenth: fold I of all
   fold:I/N        every N-th problem, from number I; problems are counted from 0 in the order in
                   which the files name them
   file:NAME       all problems of a file, and what `shape` keeps together with them is neither
                   trained nor tested on. NAME is the file's name up to its end or to a dot in it:
                   ds_v3 stands for ds_v3.csv.bz2 */

/* Is it the name of a split? */
int held_out_is_split(const char *name);

enum held_out_part { HELD_OUT_TRAIN, HELD_OUT_TEST, HELD_OUT_ASIDE };

struct held_out {
    uint64_t *unit;      /* of each row what it stays together with */
    unsigned char *part; /* of each row, an enum held_out_part */
};

/* 0, or -1 with a message: the spec says nothing of that split. To be freed in any case. */
int held_out_find(const struct spec *spec, const char *name, const struct dataset *d,
                  struct held_out *out);
void held_out_free(struct held_out *h);

/* What the split keeps together; NULL: no key of the spec. */
const struct split_key *held_out_key(const struct spec *spec, const char *split);
