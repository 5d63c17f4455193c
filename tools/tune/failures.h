/* failures.h - how likely a tuple is to run, by those that ran and those that failed
   SPDX-License-Identifier: MIT

   A rule puts a bound on a term, which is a parameter, or a product, a quotient or a sum of some;
   it says how many of the tuples fail on either side. All rules judge together, each weighed by how
   likely it makes the results: after one failure many rules agree with them, later few do. Failures
   that the rules leave unexplained have another cause, for which there are rules again. */
#pragma once

#include "space.h"

struct failures;

/* `elsewhere` has for each tuple the share of other tables in which it failed; NULL: nothing is
   known. It and the space have to outlive the judge. */
struct failures *failures_open(const struct space *space, const double *elsewhere);

/* The tuples that were measured, and their times (HUGE_VAL: it failed): n of them, which begin with
   those of the call before. */
void failures_learn(struct failures *f, const size_t *tuple, const double *time, size_t n);

/* The chance that the tuple runs, above 0; instead of one up to `least`, any number up to it. */
double failures_works(const struct failures *f, size_t tuple, double least);
void failures_free(struct failures *f);
