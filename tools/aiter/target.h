/* target.h - the GPU that rows are for, and the models of AITER's families for it
   SPDX-License-Identifier: MIT */
#pragma once

#include "families.h"
#include "kpred.h"

enum { TARGET_NAME = 32 };

struct target {
    char gfx[TARGET_NAME]; /* as the tables' columns have it, with cu_num */
    int cu_num;
    char token[TARGET_NAME];              /* gfx942_304, as the models have it */
    const kpred_model *model[N_FAMILIES]; /* NULL: there is none, or it does not know the GPU */
};

/* The GPU that --gpu names: a model's token, a product, or an architecture; of an architecture
   alone the one that AITER builds for. 0, or -1 with a message that names those of the models. */
int target_find(struct target *t, const char *gpu);

/* The GPUs that a family's model knows, separated by blanks; "": there is no model. In `b`. */
struct buf;
const char *target_known(enum family_id family, struct buf *b);

/* The architecture of a table's row that does not name it */
const char *target_gfx_of_units(int64_t cu_num);
