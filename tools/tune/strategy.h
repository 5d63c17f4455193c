/* strategy.h - which legal tuple to measure next
   SPDX-License-Identifier: MIT

   The same seed and the same answers give the same proposals. */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* The legal tuples of one problem. The arrays outlive the strategy. */
struct space {
    size_t n_params, n;       /* parameters; legal tuples */
    const unsigned *n_values; /* of each parameter */
    const uint16_t *value;    /* n x n_params: numbers of values, in the order of the spec */
    const double *rank;       /* per parameter value, flattened: its number, where it is one; else
                                 which value it is */
};

struct strategy *strategy_new(const struct space *space, uint64_t seed);

/* What is known beforehand, to be told before the first strategy_next, any number of times: times
   of the tuples on another GPU or problem (HUGE_VAL: failed; NAN: unknown), or a model's order (a
   higher score is better). */
void strategy_warm(struct strategy *s, const double *other_times);
void strategy_prior(struct strategy *s, const double *score);

size_t strategy_next(struct strategy *s); /* SIZE_MAX: all are measured */
/* HUGE_VAL: it failed. Results of an earlier run are told in the same way. */
void strategy_tell(struct strategy *s, size_t tuple, double time);
void strategy_free(struct strategy *s);
