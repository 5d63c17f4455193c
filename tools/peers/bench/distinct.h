/* distinct.h - tuples of known problems, the nearest first: those that are new and legal
   SPDX-License-Identifier: MIT */
#pragma once

#include "kpred.h"

struct distinct {
    const kpred_model *model;
    const int32_t *problem;
    kpred_tuple *out;
    size_t n, k;
};

/* Takes the tuple with these indexes of values unless it is there or the rule rejects it. Whether
   there are k now. */
int distinct_add(struct distinct *d, const unsigned char *index);
