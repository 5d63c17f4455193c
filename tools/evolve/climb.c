/* climb.c - hill climbing
   SPDX-License-Identifier: MIT

   methods.h declares it. It also takes steps that neither gain nor lose, since some gains need two
   edits, the first of which does nothing; and steps that drop an edit, so that lists stay short. */
#include "breed.h"
#include "methods.h"
#include "noise.h"

#include "base/numbers.h"

#include <stdlib.h>

enum { NEIGHBOURS = 16 }; /* at a time */
static const double shorter = 0.3, neutral = 0.5;
static const double z = 2; /* standard deviations that a gain has to have */

struct climber {
    struct run *run;
    struct edits at;
    struct level level; /* how fast it is there */
    struct edits list[NEIGHBOURS];
    struct result result[NEIGHBOURS];
    size_t n;
};

static void look_around(struct climber *c, uint64_t *random)
{
    c->n = 0;
    for (int i = 0; i < NEIGHBOURS; i++) {
        struct edits *to = &c->list[c->n];
        const int rc = run_chance(random, shorter) ? breed_shorter(c->run, &c->at, random, to)
                                                   : breed_longer(c->run, &c->at, random, to);
        c->n += rc == 0;
    }
}

/* The fastest of the neighbours that look faster, or n */
static size_t fastest(const struct climber *c)
{
    const struct result here = level_result(&c->level);
    size_t best = c->n;
    for (size_t i = 0; i < c->n; i++)
        if (noise_is_faster(&c->result[i], &here, 1)
            && (best == c->n || c->result[i].time < c->result[best].time))
            best = i;
    return best;
}

/* Goes to a neighbour that is faster, if it stays so when it is timed again. */
static int go_up(struct climber *c, int *went)
{
    struct result again;
    int rc = 0;
    for (size_t i; rc == 0 && !*went && (i = fastest(c)) < c->n;) {
        const struct result here = level_result(&c->level);
        rc = run_evaluate(c->run, &c->list[i], 1, EFFORT_CONFIRM, &again);
        c->result[i].outcome = OUTCOME_INAPPLICABLE; /* it is not tried again */
        if (rc != 0 || !noise_is_faster(&again, &here, z))
            continue;
        edits_copy(&c->at, &c->list[i]);
        level_begin(&c->level, &again);
        *went = 1;
    }
    return rc;
}

static int is_level(const struct climber *c, const struct result *to)
{
    const struct result here = level_result(&c->level);
    return to->outcome == OUTCOME_VALID && to->error <= c->level.error
           && !noise_is_faster(&here, to, 1);
}

/* Goes to the first neighbour that is as fast, also when it is timed again. */
static int go_aside(struct climber *c)
{
    struct result again;
    size_t i = 0;
    while (i < c->n && !is_level(c, &c->result[i]))
        i++;
    if (i == c->n)
        return 0;
    const int rc = run_evaluate(c->run, &c->list[i], 1, EFFORT_CONFIRM, &again);
    if (rc == 0 && is_level(c, &again)) {
        edits_copy(&c->at, &c->list[i]);
        level_add(&c->level, &again);
    }
    return rc;
}

static int step(struct climber *c)
{
    uint64_t random = num_mix(c->run->plan->seed, (uint64_t)++c->run->generation, 0);
    int went = 0;
    look_around(c, &random);
    int rc = run_evaluate(c->run, c->list, c->n, EFFORT_SEARCH, c->result);
    if (rc == 0)
        rc = go_up(c, &went);
    if (rc == 0 && !went && run_chance(&random, neutral))
        rc = go_aside(c);
    return rc;
}

int climb_run(struct run *r)
{
    struct climber *c = xcalloc(1, sizeof *c);
    struct result start;
    c->run = r;
    int rc = run_evaluate(r, &c->at, 1, EFFORT_CONFIRM, &start);
    if (rc == 0)
        level_begin(&c->level, &start);
    while (rc == 0)
        rc = step(c);
    for (size_t i = 0; i < NEIGHBOURS; i++)
        edits_free(&c->list[i]);
    edits_free(&c->at);
    free(c);
    return rc;
}
