/* space.h - the tuples among which a strategy chooses
   SPDX-License-Identifier: MIT */
#pragma once

#include <stddef.h>
#include <stdint.h>

struct space {                /* the legal tuples of one problem; it has to outlive the strategy */
    size_t n_params, n;       /* parameters; legal tuples */
    const unsigned *n_values; /* of each parameter */
    const uint16_t *value;    /* n x n_params: numbers of values, in the order of the spec */
    const double *rank;       /* per parameter value, flattened: its numeric value where it has one
                                 (else its number) */
    size_t n_fields;          /* the first parameters, which are fields of problems, if any are */
};

enum { STRATEGY_MOST_KNOWN = 16 }; /* tables and orders known beforehand; others are ignored */
