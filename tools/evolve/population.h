/* population.h - lists with their results, ranked
   SPDX-License-Identifier: MIT */
#pragma once

#include "pareto.h"
#include "run.h"

struct individual {
    struct edits list;
    struct result result;
    struct point point;
};

struct population { /* all zero: nobody; to be emptied */
    size_t n, cap;
    struct individual *v;
};

/* One that is not valid, or is there already, is of no use and left out. */
void population_add(struct population *p, const struct edits *list, const struct result *result);
void population_sort(struct population *p); /* the best first, by rank and crowding */
/* All of `more` come to p, which has been sorted; the first `elite` of p stay, and of the others
   the best, `most` in all. `more` is empty then. */
void population_merge(struct population *p, struct population *more, size_t elite, size_t most);
/* Evaluates with more effort those that would enter the front. As run_evaluate. */
int population_confirm(struct population *p, struct run *r);
/* Of two random ones of a sorted population, the better. */
const struct individual *population_pick(const struct population *p, uint64_t *random);
void population_empty(struct population *p);
