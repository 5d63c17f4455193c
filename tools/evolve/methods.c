/* methods.c - a search by one of the methods
   SPDX-License-Identifier: MIT

   search.h declares what is here. Each method returns RUN_OVER, or -1 after a message. */
#include "run.h"

#include "base/numbers.h"

#include <stdlib.h>

/* ---- NSGA-II over lists of edits, as GEVO uses it ---- */

enum {
    TRIES = 8,         /* to be valid by crossing, and as many by mutation */
    OF_GENERATION = 16 /* most that are confirmed */
};
static const double shorter = 0.1; /* the chance that a mutation drops an edit, not adds one */

struct child {
    struct candidate tried;
    const struct candidate *a, *b; /* its parents */
    uint64_t random;               /* a stream of its own: no child depends on another */
    int mutates, tries;
    int is_trying; /* in this round */
};

struct brood {
    struct run *run;
    size_t n;
    struct child *v;
    struct candidate **tried; /* in this round */
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
    struct edits *list = &c->tried.list;
    if (breed_crossed(r, &c->a->list, &c->b->list, &c->random, list) != 0)
        return 0;
    if (c->mutates)
        breed_longer(r, list, &c->random, list); /* or it stays as it is */
    return 1;
}

static int mutate(const struct run *r, struct child *c)
{
    if (run_chance(&c->random, shorter))
        return breed_shorter(r, &c->a->list, &c->random, &c->tried.list) == 0;
    return breed_longer(r, &c->a->list, &c->random, &c->tried.list) == 0;
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
            b->tried[n++] = &c->tried;
    }
    return n;
}

static void take_valid(struct brood *b)
{
    for (struct child *c = b->v; c < b->v + b->n; c++)
        if (c->is_trying && c->tried.result.outcome == OUTCOME_VALID) {
            population_add(&b->valid, &c->tried);
            c->tries = -1;
        }
}

static int breed(struct brood *b)
{
    int rc = 0;
    size_t n;
    do {
        n = try_all(b);
        rc = run_evaluate(b->run, b->tried, n, EFFORT_SEARCH);
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
    b->tried = xcalloc(b->n, sizeof(struct candidate *));
    b->valid = (struct population){0};
    for (size_t i = 0; i < b->n; i++)
        conceive(r, parents, &b->v[i], i);
}

static void brood_close(struct brood *b)
{
    for (size_t i = 0; i < b->n; i++)
        edits_free(&b->v[i].tried.list);
    population_empty(&b->valid);
    free(b->v);
    free(b->tried);
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
    return rc != 0 ? rc : run_confirm(r, p->v, p->n, OF_GENERATION);
}

static int nsga2_run(struct run *r)
{
    struct population p = {0};
    int rc = founders_find(r, &p);
    if (rc == 0)
        rc = run_confirm(r, p.v, p.n, OF_GENERATION);
    while (rc == 0)
        rc = generation(r, &p);
    population_empty(&p);
    return rc;
}

/* ---- hill climbing ---- */

/* It also takes steps that neither gain nor lose, since some gains need two edits, the first of
   which does nothing; and steps that drop an edit, so that lists stay short. */

enum { NEIGHBOURS = 16 }; /* at a time */
static const double drops = 0.3, neutral = 0.5;
static const double z = 2; /* standard deviations that a gain has to have */

struct climber {
    struct run *run;
    struct edits at;
    struct level level; /* how fast it is there */
    struct candidate v[NEIGHBOURS], *around[NEIGHBOURS];
    size_t n;
};

static void look_around(struct climber *c, uint64_t *random)
{
    c->n = 0;
    for (int i = 0; i < NEIGHBOURS; i++) {
        struct edits *to = &c->v[c->n].list;
        const int rc = run_chance(random, drops) ? breed_shorter(c->run, &c->at, random, to)
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
        if (noise_is_faster(&c->v[i].result, &here, 1)
            && (best == c->n || c->v[i].result.time < c->v[best].result.time))
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
        rc = run_one(c->run, &c->v[i].list, EFFORT_CONFIRM, &again);
        c->v[i].result.outcome = OUTCOME_INAPPLICABLE; /* it is not tried again */
        if (rc != 0 || !noise_is_faster(&again, &here, z))
            continue;
        edits_copy(&c->at, &c->v[i].list);
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
    while (i < c->n && !is_level(c, &c->v[i].result))
        i++;
    if (i == c->n)
        return 0;
    const int rc = run_one(c->run, &c->v[i].list, EFFORT_CONFIRM, &again);
    if (rc == 0 && is_level(c, &again)) {
        edits_copy(&c->at, &c->v[i].list);
        level_add(&c->level, &again);
    }
    return rc;
}

static int climb(struct climber *c)
{
    uint64_t random = num_mix(c->run->plan->seed, (uint64_t)++c->run->generation, 0);
    int went = 0;
    look_around(c, &random);
    int rc = run_evaluate(c->run, c->around, c->n, EFFORT_SEARCH);
    if (rc == 0)
        rc = go_up(c, &went);
    if (rc == 0 && !went && run_chance(&random, neutral))
        rc = go_aside(c);
    return rc;
}

static int climb_run(struct run *r)
{
    struct climber *c = xcalloc(1, sizeof *c);
    struct result start;
    c->run = r;
    for (size_t i = 0; i < NEIGHBOURS; i++)
        c->around[i] = &c->v[i];
    int rc = run_one(r, &c->at, EFFORT_CONFIRM, &start);
    if (rc == 0)
        level_begin(&c->level, &start);
    while (rc == 0)
        rc = climb(c);
    for (size_t i = 0; i < NEIGHBOURS; i++)
        edits_free(&c->v[i].list);
    edits_free(&c->at);
    free(c);
    return rc;
}

/* ---- random search: lists that know nothing of each other ---- */

enum { LISTS = 64, MOST_EDITS = 3, MOST_CONFIRMED = 4 };

/* A list of 1 to MOST_EDITS edits; the empty one if none was found */
static void methods_draw(const struct run *r, uint64_t *random, struct edits *list)
{
    const size_t n = 1 + run_below(random, MOST_EDITS);
    list->n = 0;
    while (list->n < n)
        if (breed_longer(r, list, random, list) != 0)
            return;
}

static int draw_and_evaluate(struct run *r, struct candidate *const *drawn)
{
    uint64_t random = num_mix(r->plan->seed, (uint64_t)++r->generation, 0);
    for (size_t i = 0; i < LISTS; i++)
        methods_draw(r, &random, &drawn[i]->list);
    const int rc = run_evaluate(r, drawn, LISTS, EFFORT_SEARCH);
    return rc != 0 ? rc : run_confirm(r, drawn, LISTS, MOST_CONFIRMED);
}

static int random_run(struct run *r)
{
    struct candidate *v = xcalloc(LISTS, sizeof *v), *drawn[LISTS];
    int rc = 0;
    for (size_t i = 0; i < LISTS; i++)
        drawn[i] = &v[i];
    while (rc == 0)
        rc = draw_and_evaluate(r, drawn);
    for (size_t i = 0; i < LISTS; i++)
        edits_free(&v[i].list);
    free(v);
    return rc;
}

/* ---- a search ---- */

const struct search_plan search_defaults = {
    .method = METHOD_NSGA2,
    .population = 256,
    .elite = 4,
    .first_edits = 3,
    .crossover = 0.8,
    .mutation = 0.3,
    .evaluations = 20000,
    .seed = 1,
};

static int run_method(struct run *r)
{
    static int (*const methods[])(struct run *) = {nsga2_run, climb_run, random_run};
    struct result start;
    const int rc = run_one(r, &edits_none, EFFORT_CONFIRM, &start);
    if (rc != 0)
        return rc;
    if (start.outcome != OUTCOME_VALID)
        return fail("the program as it is, without any edit, is not valid: it is %s",
                    outcome_names[start.outcome]);
    return methods[r->plan->method](r);
}

int search_run(const struct search_plan *plan, const struct task *task, struct archive *archive,
               const volatile int *stop, const struct search_news *news)
{
    struct run r;
    run_open(&r, plan, task, archive);
    r.stop = stop;
    r.news = news;
    int rc = run_method(&r);
    if (rc == RUN_OVER)
        rc = run_end(&r);
    run_close(&r);
    return rc == RUN_OVER ? 0 : rc;
}
