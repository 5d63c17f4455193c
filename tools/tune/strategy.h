/* strategy.h - which legal tuple to measure next
   SPDX-License-Identifier: MIT

   A regression on the logarithm of the times proposes the tuple of which it expects the largest
   improvement. docs/tuning.md says how it works. The proposals follow from the seed, from what was
   known beforehand, and from the tuples that were told, in their order, alone: who tells the
   results of an earlier run in their order goes on as that run would have. */
#pragma once

#include "space.h"

struct strategy *strategy_new(const struct space *space, uint64_t seed);

/* What is known beforehand, to be told before the first strategy_next; any number of times: times
   (HUGE_VAL: failed; NAN: unknown) of the tuples on another GPU or problem, which count by their
   weight above 0, or an order of a model (score: higher is better), whose weight is 1. */
void strategy_warm(struct strategy *s, const double *other_times, double weight);
void strategy_prior(struct strategy *s, const double *score);

/* A tuple that was neither proposed nor told before. SIZE_MAX: there is none left. */
size_t strategy_next(struct strategy *s);
/* A time above 0; HUGE_VAL: it failed. Of a tuple that was told already, it is ignored. */
void strategy_tell(struct strategy *s, size_t tuple, double time);
/* Is the fastest tuple that has no result faster than the fastest one that has one by no more than
   a share, such as 0.02, as far as what was told lets expect? It has to be asked after each
   strategy_tell, those of an earlier run included, so that the answer follows from what was told
   alone. 0 before the first STRATEGY_LEAST results. */
enum { STRATEGY_LEAST = 20 };
int strategy_is_enough(struct strategy *s, double share);

/* Of the tuples of the space, the first n_own are the problem's, and the others are results of
   other problems, one a tuple: its parameters have to say of which one. They are told first of all,
   each time in units of the best one of its problem. `numbers` are those of the regression: all
   problems begin with what the others have left. To be told before anything else; with it, nothing
   may be known beforehand. */
struct numbers { /* all zero: none yet; to be freed */
    size_t n;
    double *v, variance;
    size_t results, fit_at; /* of all problems so far; the next fit is due with as many */
};
void strategy_beside(struct strategy *s, size_t n_own, struct numbers *numbers);
/* The share of the best time so far that the tuple which strategy_next gave last is expected to
   save, about; 1: too little is known. Of strategies that share numbers. */
double strategy_promise(const struct strategy *s);
void strategy_free(struct strategy *s);
