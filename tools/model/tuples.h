/* tuples.h - the legal tuples of a problem
   SPDX-License-Identifier: MIT */
#pragma once

#include "model.h"

enum tuples_kind {
    TUPLES_ALL,
    TUPLES_DRAWN, /* a sample, in which each legal tuple is as likely as any other */
    TUPLES_WALKED /* a sample that prefers some: so few combinations are legal that blind draws
                     find hardly any */
};

struct tuples {
    size_t n_params, n;
    uint16_t *value; /* n x n_params: numbers of values */
    enum tuples_kind kind;
    uint32_t *slot; /* a hash table: 1 + a tuple, or 0 */
    size_t cap, n_slots;
};

/* More tuples than `listed` are not listed: so many as `drawn` are drawn. */
struct tuples_most {
    size_t listed, drawn;
};

/* The same arguments give the same tuples. There may be none. */
void tuples_open(struct tuples *l, const kpred_model *m, const int32_t *problem,
                 const struct tuples_most *most);
void tuples_close(struct tuples *l);

/* The tuple's number, which is a new one if it was not there */
size_t tuples_add(struct tuples *l, const uint16_t *value);

/* The tuple's number; SIZE_MAX: it is not there. */
size_t tuples_find(const struct tuples *l, const uint16_t *value);

/* Is any tuple legal? 1, 0, or -1 where a long search did not tell. */
int tuples_any(const kpred_model *m, const int32_t *problem);
