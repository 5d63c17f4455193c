/* columns.h - what a regression sees of a tuple: a place on a line for each of some columns
   SPDX-License-Identifier: MIT

   The columns are the parameters, on a logarithmic scale; the products of two of them, since
   threads of a block, bytes of a tile and the like are products; and what is known beforehand. */
#pragma once

#include "space.h"

enum column_kind { COLUMN_PARAM, COLUMN_PRODUCT, COLUMN_KNOWN, COLUMN_N_KINDS };

struct column {
    enum column_kind kind;
    size_t n;     /* places */
    float *place; /* those of parameters and products are from 0 to 1 */
    uint16_t *of; /* each tuple's number of a place */
    size_t first; /* in a row of numbers, one for each place of each column */
};

struct columns { /* in the order of their kinds */
    size_t n, n_of[COLUMN_N_KINDS], cap;
    size_t width; /* of such a row */
    struct column *v;
    size_t *products;    /* where the products begin in which a parameter's column is the later one,
                            for each such column; and where the last ones end */
    unsigned char *same; /* in how many parameters' columns, from the first one on, each tuple is at
                            the same places as the tuple before it */
};

/* log2 of a parameter's n values, to be freed; where some are not positive, the least is 1. */
double *columns_logarithms(const double *rank, size_t n);

/* Those of parameters with two values or more, and of their products */
void columns_open(struct columns *c, const struct space *space);
/* Adds what is known: a number for each tuple, of which the time is taken to be a multiple, and
   more. */
void columns_add_known(struct columns *c, const double *value, size_t n);
void columns_free(struct columns *c);
