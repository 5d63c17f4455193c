/* legal.h - the legal tuples of a problem
   SPDX-License-Identifier: MIT */
#pragma once

#include "strategy.h"

#include "model/model.h"

enum {
    LEGAL_MOST = 1 << 18,  /* more tuples than these are not listed: */
    LEGAL_SAMPLE = 1 << 16 /* so many of them are drawn */
};

enum legal_kind {
    LEGAL_ALL,
    LEGAL_DRAWN, /* a sample, in which each legal tuple is as likely as any other */
    LEGAL_WALKED /* a sample that prefers some: so few combinations are legal that blind draws
                    find hardly any */
};

struct legal {
    struct space space; /* points into the rest */
    enum legal_kind kind;
    uint16_t *value;
    unsigned *n_values;
    double *rank;
    uint32_t *slot; /* a hash table: 1 + a tuple, or 0 */
    size_t cap, n_slots;
};

/* The same arguments give the same tuples. There may be none. */
void legal_open(struct legal *l, const struct model *model, const int32_t *problem);
void legal_close(struct legal *l);

/* The tuple's number; SIZE_MAX: it is not there. */
size_t legal_find(const struct legal *l, const uint16_t *value);

/* Is any tuple legal? 1, 0, or -1 where a long search did not tell. */
int legal_any(const struct model *model, const int32_t *problem);
