/* known.h - what is known before a tuning: the legal tuples, a model's order of them, other tables
   SPDX-License-Identifier: MIT */
#pragma once

#include "strategy.h"

#include "data/formats.h"
#include "model/same_gpu.h"
#include "model/tuples.h"

/* ---- the legal tuples of a problem as a strategy knows them ---- */

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

/* ---- what a tuning knows beforehand: a model, and tables of other GPUs and problems ---- */

struct known {          /* all zero: nothing */
    struct model model; /* a struct known must not be copied */
    struct dataset data;
    int has_model, has_data;
    size_t n_strange; /* problems of which the model does not know a token */
};

/* `model` is a header, or a built-in model; NULL: none. 0, or -1 with a message. */
int known_open(struct known *k, const struct spec *spec, const char *model,
               const struct opt_texts *data, const struct data_format *readers);
void known_close(struct known *k);

/* How much times on another GPU count: 1, or a tenth on one of another vendor, whose architectures
   are built in other ways. Names as products.h has them; NULL, like those of no known vendor: 1. */
double known_weight(const char *gpu, const char *other);

/* Octaves between the sizes of two problems; another GPU counts one, another token four. */
double known_distance(const struct spec *spec, const int32_t *a, const int32_t *b);

struct known_near {
    double distance;
    size_t at; /* its number, or its first row */
};
int known_nearer(const void *a, const void *b); /* of two of these: for qsort */

/* The shortest time of each legal tuple in the rows of a problem, from row `first` on; HUGE_VAL: it
   has failed each time; NAN: it is not there. Returns the shortest one of all. */
double known_table(const struct dataset *d, size_t first, const struct legal *l, double *times);

/* Tells the strategy of a problem. */
void known_tell(struct known *k, const struct spec *spec, const int32_t *problem,
                const struct legal *l, struct strategy *s);
