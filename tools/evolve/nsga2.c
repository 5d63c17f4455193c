/* nsga2.c - NSGA-II over lists of edits, as GEVO uses it
   SPDX-License-Identifier: MIT

   methods.h declares it. */
#include "breed.h"
#include "founders.h"
#include "methods.h"

#include "base/numbers.h"

#include <stdlib.h>

enum { TRIES = 8 };                /* to be valid by crossing, and as many by mutation */
static const double shorter = 0.1; /* the chance that a mutation drops an edit, not adds one */

struct child {
    struct edits list;
    const struct individual *a, *b; /* its parents */
    uint64_t random;                /* a stream of its own: no child depends on another */
    int mutates, tries;
    int is_trying; /* in this round */
};

struct brood {
    struct run *run;
    size_t n;
    struct child *v;
    struct edits *lists; /* of this round: shallow */
    struct result *results;
    struct population valid;
};

static void conceive(const struct run *r, const struct population *p, struct child *c, size_t i)
{
    c->random = num_mix(r->plan->seed, (uint64_t)r->generation, i);
    c->a = population_pick(p, &c->random);
    c->b = population_pick(p, &c->random);
    const int crosses = run_chance(&c->random, r->plan->crossover);
    c->mutates = run_chance(&c->random, r->plan->mutation);
    c->tries = crosses ? 0 : TRIES; /* a copy of its parent would be of no use: it mutates */
}

/* The crossed list and its mutation are judged at once: if both parents are valid, so are most of
   what is crossed from them. */
static int cross(const struct run *r, struct child *c)
{
    if (breed_crossed(r, &c->a->list, &c->b->list, &c->random, &c->list) != 0)
        return 0;
    if (c->mutates)
        breed_longer(r, &c->list, &c->random, &c->list); /* or it stays as it is */
    return 1;
}

static int mutate(const struct run *r, struct child *c)
{
    if (run_chance(&c->random, shorter))
        return breed_shorter(r, &c->a->list, &c->random, &c->list) == 0;
    return breed_longer(r, &c->a->list, &c->random, &c->list) == 0;
}

/* The child's next list: 1, or 0 if it has tried enough. */
static int try_next(const struct run *r, struct child *c)
{
    while (c->tries < 2 * TRIES) {
        const int crosses = c->tries++ < TRIES;
        if (crosses ? cross(r, c) : mutate(r, c))
            return 1;
    }
    return 0;
}

/* The next lists of all children that are not valid yet; returns how many. */
static size_t try_all(struct brood *b)
{
    size_t n = 0;
    for (size_t i = 0; i < b->n; i++) {
        struct child *c = &b->v[i];
        c->is_trying = c->tries >= 0 && try_next(b->run, c);
        if (c->is_trying)
            b->lists[n++] = c->list;
    }
    return n;
}

static void take_valid(struct brood *b)
{
    const struct result *result = b->results;
    for (size_t i = 0; i < b->n; i++) {
        struct child *c = &b->v[i];
        if (!c->is_trying)
            continue;
        if (result->outcome == OUTCOME_VALID) {
            population_add(&b->valid, &c->list, result);
            c->tries = -1;
        }
        result++;
    }
}

static int breed(struct brood *b)
{
    int rc = 0;
    size_t n;
    do {
        n = try_all(b);
        rc = run_evaluate(b->run, b->lists, n, EFFORT_SEARCH, b->results);
        if (rc == 0)
            take_valid(b);
    } while (rc == 0 && n != 0);
    return rc;
}

static void brood_open(struct brood *b, struct run *r, const struct population *parents)
{
    b->run = r;
    b->n = (size_t)(r->plan->population);
    b->v = xcalloc(b->n, sizeof *b->v);
    b->lists = xcalloc(b->n, sizeof *b->lists);
    b->results = xcalloc(b->n, sizeof *b->results);
    b->valid = (struct population){0};
    for (size_t i = 0; i < b->n; i++)
        conceive(r, parents, &b->v[i], i);
}

static void brood_close(struct brood *b)
{
    for (size_t i = 0; i < b->n; i++)
        edits_free(&b->v[i].list);
    population_empty(&b->valid);
    free(b->v);
    free(b->lists);
    free(b->results);
}

/* As Deb et al. have it, parents and children compete for the places of the next generation: a
   child that never became valid leaves its place to a parent. */
static int generation(struct run *r, struct population *p)
{
    struct brood b;
    r->generation++;
    population_sort(p);
    brood_open(&b, r, p);
    const int rc = breed(&b);
    if (rc == 0)
        population_merge(p, &b.valid, (size_t)r->plan->elite, (size_t)r->plan->population);
    brood_close(&b);
    return rc != 0 ? rc : population_confirm(p, r);
}

int nsga2_run(struct run *r)
{
    struct population p = {0};
    int rc = founders_find(r, &p);
    if (rc == 0)
        rc = population_confirm(&p, r);
    while (rc == 0)
        rc = generation(r, &p);
    population_empty(&p);
    return rc;
}
