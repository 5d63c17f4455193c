/* legal.h - the legal tuples of a problem as a strategy knows them
   SPDX-License-Identifier: MIT */
#pragma once

#include "strategy.h"

#include "model/model.h"

struct legal {
    struct space space; /* points into the rest */
    struct tuples tuples;
    unsigned *n_values;
    double *rank;
};

/* The same arguments give the same tuples. There may be none. */
void legal_open(struct legal *l, const struct model *model, const int32_t *problem);
void legal_close(struct legal *l);

/* A seed for the strategy of each problem */
uint64_t legal_seed(uint64_t seed, const int32_t *problem, size_t n_fields);
