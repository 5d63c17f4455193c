/* held_out.h - which rows a split keeps from training, and what it keeps together
   SPDX-License-Identifier: MIT

   config, shape   a tenth of the keys (split.h)
   none            nothing
   config:I/N      fold I of N of the keys that config or shape leaves for training. The tenth is
   shape:I/N       neither trained nor tested on, so a choice made on folds has not seen it
   fold:I/N        every N-th problem, from number I; problems are counted from 0 in the order in
                   which the files name them
   file:NAME       all problems of a file, and what `shape` keeps together with them is neither
                   trained nor tested on. NAME is the file's name up to its end or to a dot in it:
                   ds_v3 stands for ds_v3.csv.bz2 */
#pragma once

#include "data.h"

enum { HELD_OUT_NAME = SPEC_SPLIT_NAME }; /* room for the name of a split */

/* Is it the name of a split? */
int held_out_is_split(const char *name);

enum held_out_part { HELD_OUT_TRAIN, HELD_OUT_TEST, HELD_OUT_ASIDE };

struct held_out {
    uint64_t *unit;      /* of each row what it stays together with */
    unsigned char *part; /* of each row, an enum held_out_part */
};

/* 0, or -1 with a message: the spec says nothing of that split. To be freed in any case. */
int held_out_find(const struct spec *spec, const char *split, const struct dataset *d,
                  struct held_out *out);
void held_out_free(struct held_out *h);

/* What the split keeps together; NULL: no key of the spec. */
const struct split_key *held_out_key(const struct spec *spec, const char *split);
