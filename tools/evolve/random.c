/* random.c - random search: lists that know nothing of each other
   SPDX-License-Identifier: MIT

   methods.h declares it. */
#include "breed.h"
#include "methods.h"

#include "base/numbers.h"

#include <stdlib.h>

enum { LISTS = 64, MOST_EDITS = 3, MOST_CONFIRMED = 4 };

/* A list of 1 to MOST_EDITS edits; the empty one if none was found */
static void draw(const struct run *r, uint64_t *random, struct edits *list)
{
    const size_t n = 1 + run_below(random, MOST_EDITS);
    list->n = 0;
    while (list->n < n)
        if (breed_longer(r, list, random, list) != 0)
            return;
}

static int step(struct run *r, struct edits *lists, struct result *results)
{
    uint64_t random = num_mix(r->plan->seed, (uint64_t)++r->generation, 0);
    for (size_t i = 0; i < LISTS; i++)
        draw(r, &random, &lists[i]);
    const int rc = run_evaluate(r, lists, LISTS, EFFORT_SEARCH, results);
    return rc != 0 ? rc : run_confirm(r, lists, results, LISTS, MOST_CONFIRMED);
}

int random_run(struct run *r)
{
    struct edits *lists = xcalloc(LISTS, sizeof *lists);
    struct result *results = xcalloc(LISTS, sizeof *results);
    int rc = 0;
    while (rc == 0)
        rc = step(r, lists, results);
    for (size_t i = 0; i < LISTS; i++)
        edits_free(&lists[i]);
    free(results);
    free(lists);
    return rc;
}
