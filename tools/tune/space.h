/* space.h - the tuples among which a strategy chooses: the legal ones of a problem, and their order
   SPDX-License-Identifier: MIT */
#pragma once

#include "model/model.h"

struct space {          /* the legal tuples of one problem; it has to outlive the strategy */
    size_t n_params, n; /* parameters; legal tuples */
    unsigned *n_values; /* of each parameter */
    uint16_t *value;    /* n x n_params: numbers of values, in the order of the spec */
    double *rank;       /* per parameter value, flattened: its numeric value where it has one
                           (else its number) */
    size_t n_fields;    /* the first parameters, which are fields of problems, if any are */
};

/* Frees what it has but for `value`. */
void space_free(struct space *s);

enum { STRATEGY_MOST_KNOWN = 16 }; /* tables and orders known beforehand; others are ignored */

/* ---- the legal tuples of a problem as a strategy knows them ---- */

struct legal {
    struct space space; /* its values are those of `tuples` */
    struct tuples tuples;
};

/* The same arguments give the same tuples. There may be none. */
void legal_open(struct legal *l, const struct model *model, const int32_t *problem);
void legal_close(struct legal *l);

/* A seed for the strategy of each problem */
uint64_t legal_seed(uint64_t seed, const int32_t *problem, size_t n_fields);

/* ---- the order in which a model puts the legal tuples of a problem ---- */

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
