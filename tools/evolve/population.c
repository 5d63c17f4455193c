/* population.c - lists with their results, ranked; how new ones come out of them, and the first
   ones
   SPDX-License-Identifier: MIT

   run.h and search.h declare it. */
#include "run.h"

#include "base/numbers.h"
#include "base/util.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- which of some points are better ---- */

static int point_dominates(const struct point *a, const struct point *b)
{
    if (a->time > b->time || a->error > b->error)
        return 0;
    return a->time < b->time || a->error < b->error || a->size < b->size;
}

int point_precedes(const struct point *a, const struct point *b)
{
    if (a->rank != b->rank)
        return a->rank < b->rank;
    return a->crowding > b->crowding;
}

static int by_time(const void *x, const void *y)
{
    const struct point *a = *(struct point *const *)x, *b = *(struct point *const *)y;
    int order = ORDER(a->time, b->time);
    order = order != 0 ? order : ORDER(a->error, b->error);
    return order != 0 ? order : ORDER(a->size, b->size);
}

static int by_rank(const void *x, const void *y)
{
    const struct point *a = *(struct point *const *)x, *b = *(struct point *const *)y;
    return a->rank != b->rank ? (a->rank < b->rank ? -1 : 1) : by_time(x, y);
}

/* Pointers to the points in an order; to be freed */
static struct point **sorted(struct point *points, size_t n,
                             int (*compare)(const void *, const void *))
{
    struct point **order = xmalloc(n * sizeof *order);
    for (size_t i = 0; i < n; i++)
        order[i] = &points[i];
    qsort(order, n, sizeof *order, compare);
    return order;
}

/* In the order of times, only an earlier point can dominate a later one, and of a rank the latest
   point has the least error: if that one does not dominate, none of the rank does. */
void pareto_rank(struct point *points, size_t n)
{
    struct point **order = sorted(points, n, by_time);
    struct point **latest = xmalloc(n * sizeof *latest);
    int ranks = 0;
    for (size_t i = 0; i < n; i++) {
        int rank = 0;
        while (rank < ranks && point_dominates(latest[rank], order[i]))
            rank++;
        order[i]->rank = rank;
        latest[rank] = order[i];
        ranks = rank == ranks ? ranks + 1 : ranks;
    }
    free(latest);
    free(order);
}

/* Of one rank, in the order of times, and so of falling errors */
static void crowd(struct point **rank, size_t n)
{
    const double times = rank[n - 1]->time - rank[0]->time;
    const double errors = rank[0]->error - rank[n - 1]->error;
    for (size_t i = 0; i < n; i++)
        rank[i]->crowding = i == 0 || i == n - 1 ? HUGE_VAL : 0;
    for (size_t i = 1; i + 1 < n; i++) {
        if (times > 0)
            rank[i]->crowding += (rank[i + 1]->time - rank[i - 1]->time) / times;
        if (errors > 0)
            rank[i]->crowding += (rank[i - 1]->error - rank[i + 1]->error) / errors;
    }
}

void pareto_crowd(struct point *points, size_t n)
{
    struct point **order = sorted(points, n, by_rank);
    for (size_t begin = 0, end; begin < n; begin = end) {
        for (end = begin; end < n && order[end]->rank == order[begin]->rank;)
            end++;
        crowd(order + begin, end - begin);
    }
    free(order);
}

/* ---- new lists out of those that are there ---- */

enum { TRIES = 8 };
static const double in_order = 0.25; /* the chance that an edit is the next of the queue */

/* 1, or 0 if there is no such edit, or it does not apply any more */
static int next_in_order(const struct run *r, const struct edits *list, uint64_t *random,
                         struct edit *out)
{
    struct queue *q = r->queue;
    if (q->at == q->n || !run_chance(random, in_order))
        return 0;
    struct edits longer = {0};
    *out = q->v[q->at++];
    edits_copy(&longer, list);
    edits_add(&longer, out);
    const int applies = r->task->applies(r->task->program, &longer);
    edits_free(&longer);
    return applies;
}

int breed_longer(const struct run *r, const struct edits *parent, uint64_t *random,
                 struct edits *child)
{
    const struct task *t = r->task;
    struct edit e;
    edits_copy(child, parent);
    for (int i = 0; i < TRIES; i++) {
        if (!next_in_order(r, child, random, &e) && t->propose(t->program, child, random, &e) != 0)
            continue;
        edits_add(child, &e);
        if (!run_met(r, child))
            return 0;
        edits_drop(child, child->n - 1);
    }
    return -1;
}

int breed_shorter(const struct run *r, const struct edits *parent, uint64_t *random,
                  struct edits *child)
{
    const struct task *t = r->task;
    for (int i = 0; i < TRIES && parent->n > 1; i++) {
        edits_copy(child, parent);
        edits_drop(child, run_below(random, child->n));
        if (!run_met(r, child) && t->applies(t->program, child))
            return 0;
    }
    return -1;
}

/* ---- crossing ---- */

/* Fills `taken` for the n edits that only one parent has: each order of them is as probable as any
   other, and those before a random point are taken. */
static void split(unsigned char *taken, size_t n, uint64_t *random)
{
    size_t left = 1 + run_below(random, n); /* at least one edit comes along */
    for (size_t i = 0; i < n; i++) {
        taken[i] = run_below(random, n - i) < left;
        left -= taken[i];
    }
}

static size_t count_own(const struct edits *list, const struct edits *other)
{
    size_t n = 0;
    for (size_t i = 0; i < list->n; i++)
        n += !edits_hold(other, &list->v[i]);
    return n;
}

/* The edits stay in the order that they have in a parent: a later one may act on what an earlier
   one made. What is b's alone comes last. */
static void population_join(const struct edits *a, const struct edits *b,
                            const unsigned char *taken, struct edits *child)
{
    child->n = 0;
    for (size_t i = 0; i < a->n; i++)
        if (edits_hold(b, &a->v[i]) || *taken++)
            edits_add(child, &a->v[i]);
    for (size_t i = 0; i < b->n; i++)
        if (!edits_hold(a, &b->v[i]) && *taken++)
            edits_add(child, &b->v[i]);
}

int breed_crossed(const struct run *r, const struct edits *a, const struct edits *b,
                  uint64_t *random, struct edits *child)
{
    const struct task *t = r->task;
    const size_t n = count_own(a, b) + count_own(b, a);
    int rc = -1;
    if (n == 0)
        return -1;
    unsigned char *taken = xmalloc(n);
    for (int i = 0; i < TRIES && rc != 0; i++) {
        split(taken, n, random);
        population_join(a, b, taken, child);
        if (!edits_equal(child, a) && !edits_equal(child, b) && t->applies(t->program, child))
            rc = 0;
    }
    free(taken);
    return rc;
}

/* ---- populations ---- */

static void candidate_free(struct candidate *c)
{
    edits_free(&c->list);
    free(c);
}

/* The population has it from now on. */
static void population_take(struct population *p, struct candidate *c)
{
    int is_of_use = c->result.outcome == OUTCOME_VALID;
    for (size_t i = 0; i < p->n; i++)
        is_of_use = is_of_use && !edits_equal(&p->v[i]->list, &c->list);
    if (!is_of_use) {
        candidate_free(c);
        return;
    }
    p->v = xgrow(p->v, p->n, &p->cap, sizeof(struct candidate *));
    p->v[p->n++] = c;
}

void population_add(struct population *p, const struct candidate *c)
{
    struct candidate *copy = xcalloc(1, sizeof *copy);
    edits_copy(&copy->list, &c->list);
    copy->result = c->result;
    population_take(p, copy);
}

void population_empty(struct population *p)
{
    for (size_t i = 0; i < p->n; i++)
        candidate_free(p->v[i]);
    free(p->v);
    memset(p, 0, sizeof *p);
}

/* ---- populations: ranks ---- */

/* The median of the spreads: what noise alone does to a time */
static double median_spread(const struct population *p)
{
    double *spread = xmalloc(p->n * sizeof *spread);
    for (size_t i = 0; i < p->n; i++)
        spread[i] = p->v[i]->result.spread;
    qsort(spread, p->n, sizeof *spread, num_rising);
    const double median = p->n != 0 ? spread[p->n / 2] : 0;
    free(spread);
    return median;
}

/* Times that fall into one step, of half the noise, are taken as equal, so that of those the
   shorter list is better: else lists grow by edits that do nothing but were lucky when they were
   timed. Steps, and not differences, since to be better has to be transitive. With wider ones,
   edits that gain a little and prepare for others die out. */
static void rank(struct population *p)
{
    const double step = median_spread(p) / 2;
    struct point *points = xcalloc(p->n, sizeof *points);
    for (size_t i = 0; i < p->n; i++) {
        const struct result *r = &p->v[i]->result;
        const int is_valid = r->outcome == OUTCOME_VALID; /* it may have failed when confirmed */
        const double time = step > 0 ? floor(log(r->time) / step) : r->time;
        points[i].time = is_valid ? time : HUGE_VAL;
        points[i].error = is_valid ? r->error : HUGE_VAL;
        points[i].size = p->v[i]->list.n;
    }
    pareto_rank(points, p->n);
    pareto_crowd(points, p->n);
    for (size_t i = 0; i < p->n; i++)
        p->v[i]->point = points[i];
    free(points);
}

/* A total order: what is as good as another is told apart by its edits. */
static int by_preference(const void *x, const void *y)
{
    const struct candidate *a = *(struct candidate *const *)x, *b = *(struct candidate *const *)y;
    if (point_precedes(&a->point, &b->point) || point_precedes(&b->point, &a->point))
        return point_precedes(&a->point, &b->point) ? -1 : 1;
    if (a->result.time != b->result.time)
        return a->result.time < b->result.time ? -1 : 1;
    const uint64_t h = edits_hash(&a->list), k = edits_hash(&b->list);
    return h < k ? -1 : h > k;
}

void population_sort(struct population *p)
{
    rank(p);
    qsort(p->v, p->n, sizeof(struct candidate *), by_preference);
}

const struct candidate *population_pick(const struct population *p, uint64_t *random)
{
    const size_t i = run_below(random, p->n), j = run_below(random, p->n);
    return p->v[i < j ? i : j];
}

/* ---- populations: who stays ---- */

static void take_from(struct population *p, const struct population *from, size_t first, size_t end)
{
    for (size_t i = first; i < end; i++)
        population_take(p, from->v[i]);
}

void population_merge(struct population *p, struct population *more, size_t elite, size_t most)
{
    struct population others = {0}, next = {0};
    elite = elite < p->n ? elite : p->n;
    take_from(&next, p, 0, elite);
    take_from(&others, p, elite, p->n);
    take_from(&others, more, 0, more->n);
    population_sort(&others);
    size_t i = 0;
    while (i < others.n && next.n < most)
        population_take(&next, others.v[i++]);
    while (i < others.n)
        candidate_free(others.v[i++]);
    free(others.v);
    free(more->v);
    free(p->v);
    *more = (struct population){0};
    *p = next;
}

/* ---- the first population ---- */

enum { TRIES_AN_EDIT = 16 };

struct founder {
    struct candidate alone, together;
    struct edits list;
    uint64_t random;
    long tries;
    int is_trying; /* in this round */
};

struct founders {
    struct run *run;
    size_t n;
    struct founder *v;
    struct candidate **tried; /* in this round */
};

static int is_full(const struct run *r, const struct founder *f)
{
    return (long)f->list.n >= r->plan->first_edits
           || f->tries >= TRIES_AN_EDIT * r->plan->first_edits;
}

/* For each founder that is not full, an edit that is tried alone. Returns how many. */
static size_t propose_alone(struct founders *f)
{
    size_t n = 0;
    for (size_t i = 0; i < f->n; i++) {
        struct founder *x = &f->v[i];
        x->is_trying = !is_full(f->run, x);
        if (!x->is_trying)
            continue;
        x->tries++;
        x->is_trying = breed_longer(f->run, &edits_none, &x->random, &x->alone.list) == 0;
        if (x->is_trying)
            f->tried[n++] = &x->alone;
    }
    return n;
}

/* Those whose edit was valid alone try it behind what they have. Returns how many. */
static size_t put_together(struct founders *f)
{
    const struct task *t = f->run->task;
    size_t n = 0;
    for (size_t i = 0; i < f->n; i++) {
        struct founder *x = &f->v[i];
        x->is_trying = x->is_trying && x->alone.result.outcome == OUTCOME_VALID;
        if (!x->is_trying)
            continue;
        edits_copy(&x->together.list, &x->list);
        edits_add(&x->together.list, &x->alone.list.v[0]);
        x->is_trying = t->applies(t->program, &x->together.list);
        if (x->is_trying)
            f->tried[n++] = &x->together;
    }
    return n;
}

static void take_valid(struct founders *f)
{
    for (struct founder *x = f->v; x < f->v + f->n; x++)
        if (x->is_trying && x->together.result.outcome == OUTCOME_VALID)
            edits_copy(&x->list, &x->together.list);
}

/* Each founder tries one edit. */
static int try_round(struct founders *f)
{
    int rc = run_evaluate(f->run, f->tried, propose_alone(f), EFFORT_SEARCH);
    if (rc == 0)
        rc = run_evaluate(f->run, f->tried, put_together(f), EFFORT_SEARCH);
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
    struct candidate none = {.list = {0}};
    f->tried[0] = &none;
    for (size_t i = 0; i < f->n; i++) {
        f->tried[i + 1] = &f->v[i].together;
        edits_copy(&f->v[i].together.list, &f->v[i].list);
    }
    const int rc = run_evaluate(f->run, f->tried, f->n + 1, EFFORT_SEARCH);
    for (size_t i = 0; i <= f->n && rc == 0; i++)
        population_add(p, f->tried[i]);
    return rc;
}

int founders_find(struct run *r, struct population *p)
{
    struct founders f = {.run = r, .n = (size_t)r->plan->population};
    int rc = 0;
    f.v = xcalloc(f.n, sizeof *f.v);
    f.tried = xcalloc(f.n + 1, sizeof(struct candidate *));
    for (size_t i = 0; i < f.n; i++)
        f.v[i].random = num_mix(r->plan->seed, 0, i);
    while (rc == 0 && !is_ready(&f))
        rc = try_round(&f);
    if (rc == 0)
        rc = settle(&f, p);
    for (size_t i = 0; i < f.n; i++) {
        edits_free(&f.v[i].list);
        edits_free(&f.v[i].alone.list);
        edits_free(&f.v[i].together.list);
    }
    free(f.v);
    free(f.tried);
    return rc;
}
