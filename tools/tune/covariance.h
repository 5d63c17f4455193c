/* covariance.h - how alike the regression takes two tuples to be
   SPDX-License-Identifier: MIT

   A sum of four parts, 1 for a tuple and itself: one effect for each parameter, one for each pair
   of parameters, one for all parameters together, and one for each product of two parameters. An
   effect is a mixture of a smooth and of a rough function of the distance between two places. To
   this comes what is known beforehand: a product of two places, as the weight of each table is
   uncertain. */
#pragma once

#include "columns.h"

/* All in log2; 0 means 1. `v` has their numbers one after another: */
enum covariance_number {
    COVARIANCE_PAIRS,          /* how much the parts matter, beside the first one */
    COVARIANCE_WHOLE,          /* all parameters together */
    COVARIANCE_PRODUCTS,       /* */
    COVARIANCE_KNOWN,          /* how uncertain the weights of what is known are, as a variance, */
    COVARIANCE_NOISE,          /* what of a time no part explains */
    COVARIANCE_SMOOTH,         /* the smooth function's share, against the rough one */
    COVARIANCE_PRODUCT_LENGTH, /* how far the effect of a place reaches */
    COVARIANCE_SPARE,          /* none: those behind it keep what the seed gives them */
    COVARIANCE_WEIGHTS         /* a weight for each parameter, and then a length for each */
};

struct covariance {
    const struct columns *columns;
    int ignores_known; /* then it is as if nothing were known beforehand */
    size_t n;          /* numbers */
    double *v;         /* they may be changed; then covariance_prepare */
    float *weight, pairs, whole, products, single; /* of the parts */
    float known;
    double noise;
    float *so_far; /* sums of covariance_all, behind each parameter */
};

/* All numbers get about their usual values: the seed moves each a little, so that it matters where
   what is known beforehand leaves nothing else to chance. */
void covariance_open(struct covariance *c, const struct columns *columns, uint64_t seed);
void covariance_prepare(struct covariance *c);
/* Has the number an influence, with these columns? */
int covariance_uses(const struct covariance *c, size_t number);
/* The usual value of a number, and how far from it another one is expected. */
double covariance_usual(size_t number, double *spread);
enum { COVARIANCE_ALL = -1 };
/* Effects of a tuple's places on all places: columns->width numbers. With the number of a number
   that has changed, only those that depend on it are written, and the others stay. */
void covariance_row(const struct covariance *c, size_t tuple, int number, float *row);
/* Between the tuple of that row and n others. Those that follow each other in the space cost
   least. */
void covariance_all(const struct covariance *c, const float *row, const size_t *tuple, size_t n,
                    float *out);
/* Between a tuple and itself: 1, and more where something is known. */
double covariance_self(const struct covariance *c, size_t tuple);
void covariance_free(struct covariance *c);
