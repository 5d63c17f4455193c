/* founders.c - the first population
   SPDX-License-Identifier: MIT

   founders.h declares it. */
#include "founders.h"

#include "breed.h"

#include "base/numbers.h"

#include <stdlib.h>

enum { TRIES_AN_EDIT = 16 };

struct founder {
    struct edits list, alone, together;
    uint64_t random;
    long tries;
    int is_trying; /* in this round */
};

struct founders {
    struct run *run;
    size_t n;
    struct founder *v;
    struct edits *lists; /* of this round: shallow */
    struct result *results;
};

static int is_full(const struct run *r, const struct founder *f)
{
    return (long)f->list.n >= r->plan->first_edits
           || f->tries >= TRIES_AN_EDIT * r->plan->first_edits;
}

/* For each founder that is not full, an edit that is tried alone. Returns how many. */
static size_t propose_alone(struct founders *f)
{
    static const struct edits none;
    size_t n = 0;
    for (size_t i = 0; i < f->n; i++) {
        struct founder *x = &f->v[i];
        x->is_trying = !is_full(f->run, x);
        if (!x->is_trying)
            continue;
        x->tries++;
        x->is_trying = breed_longer(f->run, &none, &x->random, &x->alone) == 0;
        if (x->is_trying)
            f->lists[n++] = x->alone;
    }
    return n;
}

/* Those whose edit was valid alone try it behind what they have. Returns how many. */
static size_t put_together(struct founders *f)
{
    const struct task *t = f->run->task;
    const struct result *alone = f->results;
    size_t n = 0;
    for (size_t i = 0; i < f->n; i++) {
        struct founder *x = &f->v[i];
        if (!x->is_trying)
            continue;
        x->is_trying = 0;
        if (alone++->outcome != OUTCOME_VALID)
            continue;
        edits_copy(&x->together, &x->list);
        edits_add(&x->together, &x->alone.v[0]);
        x->is_trying = t->applies(t->self, &x->together);
        if (x->is_trying)
            f->lists[n++] = x->together;
    }
    return n;
}

static void take_valid(struct founders *f)
{
    const struct result *together = f->results;
    for (size_t i = 0; i < f->n; i++)
        if (f->v[i].is_trying && together++->outcome == OUTCOME_VALID)
            edits_copy(&f->v[i].list, &f->v[i].together);
}

/* Each founder tries one edit. */
static int try_round(struct founders *f)
{
    int rc = run_evaluate(f->run, f->lists, propose_alone(f), EFFORT_SEARCH, f->results);
    if (rc == 0)
        rc = run_evaluate(f->run, f->lists, put_together(f), EFFORT_SEARCH, f->results);
    if (rc == 0)
        take_valid(f);
    return rc;
}

static int is_ready(const struct founders *f)
{
    for (size_t i = 0; i < f->n; i++)
        if (!is_full(f->run, &f->v[i]))
            return 0;
    return 1;
}

/* All results are known by now. */
static int settle(struct founders *f, struct population *p)
{
    static const struct edits none;
    f->lists[0] = none;
    for (size_t i = 0; i < f->n; i++)
        f->lists[i + 1] = f->v[i].list;
    const int rc = run_evaluate(f->run, f->lists, f->n + 1, EFFORT_SEARCH, f->results);
    for (size_t i = 0; i <= f->n && rc == 0; i++)
        population_add(p, &f->lists[i], &f->results[i]);
    return rc;
}

static void founders_open(struct founders *f, struct run *r)
{
    f->run = r;
    f->n = (size_t)r->plan->population;
    f->v = xcalloc(f->n, sizeof *f->v);
    f->lists = xcalloc(f->n + 1, sizeof *f->lists);
    f->results = xcalloc(f->n + 1, sizeof *f->results);
    for (size_t i = 0; i < f->n; i++)
        f->v[i].random = num_mix(r->plan->seed, 0, i);
}

static void founders_close(struct founders *f)
{
    for (size_t i = 0; i < f->n; i++) {
        edits_free(&f->v[i].list);
        edits_free(&f->v[i].alone);
        edits_free(&f->v[i].together);
    }
    free(f->v);
    free(f->lists);
    free(f->results);
}

int founders_find(struct run *r, struct population *p)
{
    struct founders f;
    int rc = 0;
    founders_open(&f, r);
    while (rc == 0 && !is_ready(&f))
        rc = try_round(&f);
    if (rc == 0)
        rc = settle(&f, p);
    founders_close(&f);
    return rc;
}
