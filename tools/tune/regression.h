/* regression.h - what the results so far say of the other tuples, by how alike tuples are
   SPDX-License-Identifier: MIT */
#pragma once

#include "space.h"

/* ---- columns ---- */

/* What a regression sees of a tuple: a place on a line for each of some columns. The columns are
   the parameters, on a logarithmic scale; the products of two of them, since threads of a block,
   bytes of a tile and the like are products; and what is known beforehand. */
enum column_kind { COLUMN_PARAM, COLUMN_PRODUCT, COLUMN_KNOWN, COLUMN_N_KINDS };

struct column {
    enum column_kind kind;
    size_t n;     /* places */
    float *place; /* those of parameters and products are from 0 to 1 */
    uint16_t *of; /* each tuple's number of a place */
    size_t first; /* in a row of numbers, one for each place of each column */
};

struct columns { /* in the order of their kinds */
    struct heap *heap;
    size_t n, n_of[COLUMN_N_KINDS];
    size_t width; /* of such a row */
    struct column *v;
    size_t *products;    /* where the products begin in which a parameter's column is the later one,
                            for each such column; and where the last ones end */
    unsigned char *same; /* in how many parameters' columns, from the first one on, each tuple is at
                            the same places as the tuple before it */
};

/* log2 of the values of each parameter; where some are not positive, the least is 1. */
double **columns_logarithms(const struct space *s, struct heap *heap);

/* Those of parameters with two values or more, and of their products. The memory of these, and of
   all that is made of them here, is that of the heap. */
void columns_open(struct columns *c, const struct space *space, struct heap *heap);
/* Adds what is known: a number for each tuple, of which the time is taken to be a multiple, and
   more. */
void columns_add_known(struct columns *c, const double *value, size_t n);

/* ---- covariance ---- */

/* How alike the regression takes two tuples to be. A sum of four parts, 1 for a tuple and itself:
   one effect for each parameter, one for each pair of parameters, one for all parameters together,
   and one for each product of two parameters. An effect is a mixture of a smooth and of a rough
   function of the distance between two places. To this comes what is known beforehand: a product of
   two places, as the weight of each table is uncertain. */

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

/* ---- regression ---- */

/* What the results so far say of the other tuples: a mean and a variance of each. A Gaussian
   process over candidates, to which results are added one after another. */
struct regression {
    const struct covariance *covariance;
    size_t most, n; /* results: for which there is room; added */
    size_t n_candidates;
    const size_t *tuple;    /* of each candidate */
    float *known;           /* for each result, what it tells of each candidate */
    double *line;           /* Cholesky's factor, a line for each result */
    float *mean, *variance; /* of each candidate; means follow from regression_means */
    float *row;
};

/* Without a result yet, in a heap of its own; `tuple` has to outlive it. */
void regression_open(struct regression *r, const struct covariance *c, const size_t *tuple,
                     size_t n_candidates, size_t most, struct heap *heap);
/* There is a result of this candidate. */
void regression_add(struct regression *r, size_t candidate);
/* The targets of all results, in their order. */
void regression_means(struct regression *r, const double *target);

/* ---- the covariance's numbers ---- */

/* Finds the numbers of a covariance under which the times that were measured are likely */
struct fit {      /* all zero: nothing was fitted */
    double *step; /* of each number, as the last fit left it */
    double *matrix, *target;
    float *rows; /* of each tuple, by the numbers as they are */
    size_t *tuple;
};

enum { FIT_MOST = 150 }; /* results; of more, the better half and some of the others are taken */

/* Takes some of n results, the better ones first of all, but in their order: at most `most` of
   them, by their numbers. Returns how many. */
size_t fit_choose(const double *target, size_t n, size_t most, size_t *chosen);

/* Improves the numbers, one after another. Returns the variance of the targets, whose mean is to be
   about 0, in units of the covariance. */
double fit_numbers(struct fit *f, struct covariance *c, const size_t *tuple, const double *target,
                   size_t n);
/* log2 of how likely, with the numbers as they are, the last targets were after the `before` ones
   ahead of them; but for a constant. Of more than FIT_MOST, the last ones count. fit_numbers comes
   first. */
double fit_likelihood(struct fit *f, const struct covariance *c, const size_t *tuple,
                      const double *target, size_t n, size_t before, double variance);
