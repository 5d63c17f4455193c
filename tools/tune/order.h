/* order.h - the order in which a model puts the legal tuples of a problem
   SPDX-License-Identifier: MIT */
#pragma once

#include "legal.h"

/* A model for the kernel of a spec: the same parameters, and fields of the same names. 0, or -1
   with a message. */
int order_check(const char *path, const struct model *model, const struct spec *spec);

/* The log2-probability of each of n tuples, which are given by the indexes of their values. */
void order_tuples(const kpred_model *m, const int32_t *problem, const uint16_t *value, size_t n,
                  double *score);
/* The same of the legal tuples of a problem. 1, or 0 without scores: the model does not know a
   token of the problem, which is given in the spec's order. */
int order_scores(const struct model *model, const struct spec *spec, const int32_t *problem,
                 const struct legal *l, double *score);
