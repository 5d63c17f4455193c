/* run.c - what all methods of search share: the budget, the replay, what has to be confirmed
   SPDX-License-Identifier: MIT

   run.h declares it. */
#include "run.h"

#include "base/numbers.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- noise ---- */

static const double between = 0.001; /* what children differ by, by the layout of their memory */

/* The noise is the standard deviation of the difference of two times. Two children that run the
   same code differ by a little more than each one's own spread tells. */
int noise_is_faster(const struct result *a, const struct result *b, double z)
{
    const double noise =
        sqrt(a->spread * a->spread + b->spread * b->spread + 2 * between * between);
    if (a->outcome != OUTCOME_VALID)
        return 0;
    return b->outcome != OUTCOME_VALID || a->time + z * noise < b->time;
}

void level_begin(struct level *l, const struct result *result)
{
    l->sum = l->weights = 0;
    level_add(l, result);
}

void level_add(struct level *l, const struct result *result)
{
    const double weight = 1 / (result->spread * result->spread + between * between);
    l->sum += weight * result->time;
    l->weights += weight;
    l->error = result->error;
}

struct result level_result(const struct level *l)
{
    const struct result mean = {.outcome = OUTCOME_VALID,
                                .time = l->sum / l->weights,
                                .spread = sqrt(1 / l->weights),
                                .error = l->error};
    return mean;
}

enum {
    BATCH = 64,      /* lists at a time: after each it is asked whether to go on */
    MOST_IDLE = 200, /* rounds without anything new: the task has no more to offer */
    KEPT = 16        /* evaluations for the end, or a twentieth of the budget if that is less */
};

/* ---- random numbers ---- */

size_t run_below(uint64_t *random, size_t n)
{
    return (size_t)(num_draw(random) % n);
}

int run_chance(uint64_t *random, double p)
{
    return (double)(num_draw(random) >> 11) / 9007199254740992.0 < p;
}

/* ---- evaluating ---- */

void run_open(struct run *r, const struct search_plan *plan, const struct task *task,
              struct archive *archive)
{
    static const struct search_plan unlimited = {.evaluations = LONG_MAX};
    *r = (struct run){.plan = plan != NULL ? plan : &unlimited,
                      .task = task,
                      .archive = archive,
                      .begin = clock_seconds()};
    r->kept = r->plan->evaluations / 20 < KEPT ? r->plan->evaluations / 20 : KEPT;
    archive_open(&r->met, NULL, 0, NULL, task->names); /* without a log it cannot fail */
    r->queue = xcalloc(1, sizeof *r->queue);
    if (plan != NULL && plan->method != METHOD_RANDOM && task->ordered != NULL)
        r->queue->n = task->ordered(task->program, &r->queue->v);
}

void run_close(struct run *r)
{
    archive_close(r->met);
    r->met = NULL;
    free(r->queue->v);
    free(r->queue);
}

/* What may still run, but for what is kept for the end */
static long left(const struct run *r)
{
    return r->plan->evaluations - r->kept - r->evaluations;
}

static int is_over(const struct run *r)
{
    return left(r) <= 0 || (r->stop != NULL && *r->stop)
           || (!r->is_closing && r->plan->seconds > 0
               && clock_seconds() - r->begin >= r->plan->seconds)
           || r->idle > MOST_IDLE;
}

static void run_tell(struct run *r)
{
    struct search_state s = {
        r->archive, r->evaluations, r->generation, clock_seconds() - r->begin, {0}};
    if (r->news == NULL || r->news->tell == NULL)
        return;
    archive_counts(r->met, s.counts);
    r->news->tell(r->news->user, &s);
}

/* What the log has of an earlier run, which may have used more effort in the end */
static const struct result *replayed(const struct run *r, const struct edits *list,
                                     enum effort effort)
{
    const struct result *exact = archive_exact(r->archive, list, effort);
    if (exact != NULL)
        return exact;
    const struct entry *e = archive_find(r->archive, list, effort);
    return e != NULL ? &e->result : NULL;
}

struct batch {
    struct run *r;
    enum effort effort;
    size_t n, n_fresh, n_done;
    struct edits list[BATCH], fresh[BATCH]; /* shallow: they are the candidates' */
    int failed;
};

/* A result that cannot be would mislead every comparison after it. */
static struct result checked(const struct result *result)
{
    struct result r = *result;
    if (r.outcome == OUTCOME_VALID
        && !(r.time > 0 && r.time < HUGE_VAL && r.error >= 0 && r.error < HUGE_VAL && r.spread >= 0
             && r.spread < HUGE_VAL))
        r.outcome = OUTCOME_GARBLED;
    if (r.outcome != OUTCOME_VALID)
        r.time = HUGE_VAL;
    return r;
}

static void done(void *user, size_t i, const struct result *result)
{
    struct batch *b = user;
    const struct result r = checked(result);
    b->n_done++;
    if (!b->failed && archive_add(b->r->archive, &b->fresh[i], b->effort, &r) != 0)
        b->failed = 1;
}

/* The next lists that this run has not met yet, no more than may still run; moves *at behind. */
static void collect(struct batch *b, struct candidate *const *c, size_t n, size_t *at)
{
    const size_t batch = b->r->task->batch != 0 ? b->r->task->batch : BATCH;
    const size_t most = (size_t)left(b->r) < batch ? (size_t)left(b->r) : batch;
    b->n = b->n_fresh = b->n_done = 0;
    for (; *at < n && b->n < most; ++*at) {
        const struct edits *list = &c[*at]->list;
        if (archive_find(b->r->met, list, b->effort) != NULL
            || edits_are_among(list, b->list, b->n))
            continue;
        b->list[b->n++] = *list;
        if (replayed(b->r, list, b->effort) == NULL)
            b->fresh[b->n_fresh++] = *list;
    }
}

/* All results are there: they are met in the order of the lists, whatever order they came in. */
static int meet(struct batch *b)
{
    struct run *r = b->r;
    for (size_t i = 0; i < b->n; i++) {
        const struct result *result = replayed(r, &b->list[i], b->effort);
        if (result == NULL)
            return fail("the evaluation of a candidate came to no end");
        r->evaluations += outcome_ran(result->outcome);
        archive_add(r->met, &b->list[i], b->effort, result); /* it has no log */
    }
    r->idle = b->n != 0 ? 0 : r->idle;
    run_tell(r);
    return 0;
}

int run_evaluate(struct run *r, struct candidate *const *c, size_t n, enum effort effort)
{
    const struct task *t = r->task;
    struct batch b = {.r = r, .effort = effort};
    r->idle++;
    for (size_t at = 0; at < n || at == 0;) {
        if (is_over(r))
            return RUN_OVER;
        collect(&b, c, n, &at);
        if (b.n == 0)
            break;
        if (b.n_fresh != 0)
            t->evaluate(t->trial, b.fresh, b.n_fresh, effort, done, &b);
        if (b.failed || (t->gave_up != NULL && *t->gave_up) || meet(&b) != 0)
            return -1;
    }
    for (size_t i = 0; i < n; i++)
        c[i]->result = archive_find(r->met, &c[i]->list, effort)->result;
    return 0;
}

int run_one(struct run *r, const struct edits *list, enum effort effort, struct result *result)
{
    struct candidate one = {.list = *list}, *const all[] = {&one};
    const int rc = run_evaluate(r, all, 1, effort);
    *result = one.result;
    return rc;
}

int run_met(const struct run *r, const struct edits *list)
{
    return archive_find(r->met, list, EFFORT_SEARCH) != NULL;
}

/* ---- confirming ---- */

/* Would it enter the front of what is confirmed? */
static int looks_better(const struct result *c, const struct entry *const *front, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (front[i]->result.error <= c->error && !noise_is_faster(c, &front[i]->result, 1))
            return 0;
    return 1;
}

static size_t run_choose(const struct run *r, struct candidate *const *c, size_t n,
                         struct candidate **chosen)
{
    const struct entry **front;
    const size_t n_front = archive_front(r->met, &front);
    size_t n_chosen = 0;
    for (size_t i = 0; i < n; i++)
        if (c[i]->result.outcome == OUTCOME_VALID
            && archive_find(r->met, &c[i]->list, EFFORT_CONFIRM) == NULL
            && looks_better(&c[i]->result, front, n_front))
            chosen[n_chosen++] = c[i];
    free(front);
    return n_chosen;
}

/* The fastest ones come first, `most` of them; of those that are as fast the first. */
static void put_fastest_first(struct candidate **c, size_t n, size_t most)
{
    for (size_t k = 0; k < most; k++) {
        size_t best = k;
        for (size_t i = k + 1; i < n; i++)
            best = c[i]->result.time < c[best]->result.time ? i : best;
        struct candidate *fastest = c[best];
        memmove(&c[k + 1], &c[k], (best - k) * sizeof(struct candidate *));
        c[k] = fastest;
    }
}

int run_confirm(struct run *r, struct candidate *const *c, size_t n, size_t most)
{
    struct candidate **chosen = xmalloc(n * sizeof(struct candidate *));
    const size_t n_looking = run_choose(r, c, n, chosen);
    const size_t n_chosen = n_looking < most ? n_looking : most;
    put_fastest_first(chosen, n_looking, n_chosen);
    const int rc = n_chosen != 0 ? run_evaluate(r, chosen, n_chosen, EFFORT_CONFIRM) : 0;
    free(chosen);
    return rc;
}

int run_end(struct run *r)
{
    const size_t n = archive_size(r->met), most = (size_t)r->kept;
    struct candidate *all = xcalloc(n + 1, sizeof *all);
    struct candidate **c = xcalloc(n + 1, sizeof(struct candidate *));
    for (size_t i = 0; i < n; i++) {
        const struct entry *e = archive_entry(r->met, i);
        all[i] = (struct candidate){.list = e->list, .result = e->result}; /* shallow */
        c[i] = &all[i];
    }
    r->kept = 0;
    r->is_closing = 1;
    r->idle = 0;
    const int rc = run_confirm(r, c, n, most);
    free(c);
    free(all);
    return rc;
}
