/* loop.c - see loop.h
   SPDX-License-Identifier: MIT */
#include "loop.h"

#include "base/numbers.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A problem that is being tuned */
struct turn {
    struct loop *loop;
    const int32_t *problem;
    struct legal legal;
    struct strategy *strategy;
    struct assign assign;
    size_t used, most; /* launches, those of earlier runs included */
    int is_enough;     /* by stop_at */
    double deadline;
};

/* ---- a measurement ---- */

static void tell(struct turn *t, size_t tuple, double time)
{
    strategy_tell(t->strategy, tuple, time);
    if (t->loop->stop_at > 0)
        t->is_enough = strategy_is_enough(t->strategy, t->loop->stop_at);
}

static int by_time(const void *pa, const void *pb)
{
    const double *a = pa, *b = pb;
    return (*a > *b) - (*a < *b);
}

static double median(double *times, size_t n)
{
    qsort(times, n, sizeof *times, by_time);
    return n % 2 != 0 ? times[n / 2] : (times[n / 2 - 1] + times[n / 2]) / 2;
}

static int may_launch(const struct turn *t)
{
    return t->used < t->most && (t->deadline == HUGE_VAL || clock_seconds() < t->deadline);
}

/* Launches a tuple as often as asked for, and as the budget lets; a failure ends that. */
static void launch(struct turn *t, struct answer *out)
{
    struct loop *l = t->loop;
    double *times = xcalloc(l->repeat, sizeof *times);
    size_t n = 0;
    do {
        runner_measure(&l->runner, &t->assign, out);
        if (out->outcome != OUTCOME_STOP) {
            l->progress.launches++;
            l->progress.done = ++t->used;
        }
        times[n++] = out->us;
    } while (out->outcome == OUTCOME_TIME && n < l->repeat && may_launch(t));
    if (out->outcome == OUTCOME_TIME)
        out->us = median(times, n);
    free(times);
}

static int measure(struct turn *t, size_t tuple)
{
    struct loop *l = t->loop;
    struct progress *p = &l->progress;
    const uint16_t *value = t->legal.space.value + tuple * t->legal.space.n_params;
    struct answer a = {OUTCOME_STOP, 0, ""};
    assign_tuple(&t->assign, value);
    launch(t, &a);
    if (a.outcome == OUTCOME_STOP || results_append(l->results, t->problem, value, &a) != 0)
        return -1;
    p->measured++;
    if (a.outcome == OUTCOME_TIME)
        progress_time(p, &t->assign, a.us);
    else
        p->failed++, progress_failure(p, &t->assign, &a);
    tell(t, tuple, a.outcome == OUTCOME_TIME ? a.us : HUGE_VAL);
    progress_show(p);
    return 0;
}

/* ---- a problem ---- */

/* What the file has already: a time took `repeat` launches, a failure one. */
static void resume(struct turn *t)
{
    struct loop *l = t->loop;
    struct result r;
    for (size_t at = 0; results_next(l->results, t->problem, &at, &r);) {
        const size_t tuple = tuples_find(&t->legal.tuples, r.value);
        if (tuple == SIZE_MAX)
            continue;
        assign_tuple(&t->assign, r.value);
        progress_time(&l->progress, &t->assign, r.time);
        tell(t, tuple, r.time);
        t->used += r.time < HUGE_VAL ? l->repeat : 1;
        l->progress.resumed++;
    }
    l->progress.done = t->used < t->most ? t->used : t->most;
}

static uint64_t seed_of(const struct loop *l, const int32_t *problem)
{
    uint64_t seed = l->seed;
    for (size_t f = 0; f < l->spec->n_fields; f++)
        seed = num_mix(seed, f, (uint64_t)problem[f]);
    return seed;
}

static void note_sample(const struct turn *t)
{
    struct buf text = {0};
    if (t->legal.tuples.kind == TUPLES_ALL)
        return;
    note("%s: there are too many legal tuples to list: %s of %zu of them is searched",
         assign_problem_text(t->loop->spec, t->problem, &text),
         t->legal.tuples.kind == TUPLES_DRAWN ? "a uniform sample"
                                              : "a sample that was drawn value by value",
         t->legal.space.n);
    buf_free(&text);
}

static void note_end(const struct turn *t)
{
    struct buf text = {0};
    progress_clear(&t->loop->progress);
    note("%s: stops after %zu launches: less than %.3g %% to gain, as expected",
         assign_problem_text(t->loop->spec, t->problem, &text), t->used, 100 * t->loop->stop_at);
    buf_free(&text);
}

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

static void open_turn(struct turn *t, size_t left)
{
    struct loop *l = t->loop;
    const double now = clock_seconds();
    legal_open(&t->legal, l->model, t->problem);
    note_sample(t);
    t->most = t->legal.space.n * l->repeat;
    if (l->budget.launches > 0)
        t->most = least(t->most, (size_t)l->budget.launches);
    t->deadline = l->deadline < HUGE_VAL ? now + (l->deadline - now) / (double)left : HUGE_VAL;
    t->strategy = strategy_new(&t->legal.space, seed_of(l, t->problem));
    known_tell(l->known, l->spec, t->problem, &t->legal, t->strategy);
    assign_open(&t->assign, l->spec);
    assign_problem(&t->assign, t->problem);
    progress_problem(&l->progress, t->most, t->most * (left - 1));
    resume(t);
}

static void close_turn(struct turn *t)
{
    assign_free(&t->assign);
    strategy_free(t->strategy);
    legal_close(&t->legal);
}

/* `left`: how many problems are left, this one included */
static int tune_problem(struct loop *l, const int32_t *problem, size_t left)
{
    struct turn t = {.loop = l, .problem = problem};
    int rc = child_must_stop() ? -1 : 0;
    if (rc != 0)
        return rc;
    open_turn(&t, left);
    while (rc == 0 && may_launch(&t) && !t.is_enough) {
        const size_t tuple = strategy_next(t.strategy);
        if (tuple == SIZE_MAX)
            break;
        rc = measure(&t, tuple);
    }
    if (t.is_enough)
        note_end(&t);
    close_turn(&t);
    return rc;
}

/* ---- all of them ---- */

int loop_run(struct loop *l)
{
    const struct problems *p = l->problems;
    const size_t n = p->n > l->shard ? (p->n - l->shard + l->n_shards - 1) / l->n_shards : 0;
    int rc = 0;
    l->deadline = l->budget.seconds > 0 ? clock_seconds() + l->budget.seconds : HUGE_VAL;
    progress_begin(&l->progress, n, l->deadline);
    for (size_t i = 0; i < n && rc == 0; i++)
        rc = tune_problem(l, p->v + (l->shard + i * l->n_shards) * p->n_fields, n - i);
    runner_end(&l->runner);
    progress_end(&l->progress);
    return rc;
}
