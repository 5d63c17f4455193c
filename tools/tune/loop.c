/* loop.c - see loop.h
   SPDX-License-Identifier: MIT */
#include "loop.h"

#include "base/numbers.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct pot {           /* what may be spent */
    size_t used, most; /* launches, those of earlier runs included */
    double deadline;
};

/* A problem that is being tuned, by a strategy or together with others */
struct turn {
    struct loop *loop;
    const int32_t *problem;
    struct legal legal;
    struct strategy *strategy;
    struct together *together;
    size_t number; /* among the others */
    struct assign assign;
    struct pot *pot;
    size_t used;     /* of it, by this problem */
    size_t measured; /* tuples; those of earlier runs count */
    size_t best;     /* the fastest of them, if best_us is a time */
    double best_us;
    int is_enough;   /* by stop_at */
    size_t n_failed; /* tuples of this run */
    char why[256];   /* they failed; "": for several reasons */
};

/* ---- a measurement ---- */

static void remember(struct turn *t, size_t tuple, double time)
{
    t->measured++;
    if (time < t->best_us) {
        t->best = tuple;
        t->best_us = time;
    }
}

static void loop_tell(struct turn *t, size_t tuple, double time)
{
    if (t->together != NULL) {
        t->is_enough = together_tell(t->together, time);
        return;
    }
    strategy_tell(t->strategy, tuple, time);
    if (t->loop->stop_at > 0)
        t->is_enough = strategy_is_enough(t->strategy, t->loop->stop_at);
}

static int may_launch(const struct turn *t)
{
    const struct pot *p = t->pot;
    return p->used < p->most && (p->deadline == HUGE_VAL || clock_seconds() < p->deadline);
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
            l->progress->launches++;
            l->progress->done = ++t->pot->used;
            t->used++;
        }
        times[n++] = out->us;
    } while (out->outcome == OUTCOME_TIME && n < l->repeat && may_launch(t));
    if (out->outcome == OUTCOME_TIME) {
        qsort(times, n, sizeof *times, num_rising);
        out->us = num_median(times, n);
    }
    free(times);
}

static void take_failure(struct turn *t, const struct answer *a)
{
    if (t->n_failed++ == 0)
        memcpy(t->why, a->why, sizeof t->why);
    else if (strcmp(t->why, a->why) != 0)
        t->why[0] = '\0';
    t->loop->progress->failed++;
    progress_failure(t->loop->progress, &t->assign, a);
}

static int loop_measure(struct turn *t, size_t tuple)
{
    struct loop *l = t->loop;
    struct progress *p = l->progress;
    const uint16_t *value = t->legal.space.value + tuple * t->legal.space.n_params;
    struct answer a = {.outcome = OUTCOME_STOP};
    assign_tuple(&t->assign, value);
    launch(t, &a);
    if (a.outcome == OUTCOME_STOP || results_append(l->results, t->problem, value, &a) != 0)
        return -1;
    if (l->runner.distrusted == 0)
        l->sure = results_here(l->results);
    p->measured++;
    if (a.outcome == OUTCOME_TIME)
        progress_time(p, &t->assign, a.us);
    else
        take_failure(t, &a);
    remember(t, tuple, a.outcome == OUTCOME_TIME ? a.us : HUGE_VAL);
    loop_tell(t, tuple, a.outcome == OUTCOME_TIME ? a.us : HUGE_VAL);
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
        progress_time(l->progress, &t->assign, r.time);
        remember(t, tuple, r.time);
        if (t->together != NULL)
            together_resume(t->together, t->number, tuple, r.time);
        else
            loop_tell(t, tuple, r.time);
        t->used += r.time < HUGE_VAL ? l->repeat : 1;
        l->progress->resumed++;
        l->progress->resumed_failed += r.time >= HUGE_VAL;
    }
    t->pot->used += t->used;
    l->progress->done = lesser(t->pot->used, t->pot->most);
}

static void note_sample(const struct turn *t)
{
    struct buf text = {0};
    if (t->legal.tuples.kind == TUPLES_ALL)
        return;
    note("%s: there are too many legal tuples to list: %s of %zu of them is searched",
         assign_problem_text(&t->loop->spec, t->problem, &text),
         t->legal.tuples.kind == TUPLES_DRAWN ? "a uniform sample"
                                              : "a sample that was drawn value by value",
         t->legal.space.n);
    buf_free(&text);
}

static void note_end(const struct turn *t)
{
    struct buf text = {0};
    note("%s: stops after %zu %s: less than %.3g %% to gain, as expected",
         assign_problem_text(&t->loop->spec, t->problem, &text), t->used,
         as_counted(t->used, "launch", "launches"), 100 * t->loop->stop_at);
    buf_free(&text);
}

static void open_turn(struct turn *t)
{
    t->best_us = HUGE_VAL;
    legal_open(&t->legal, &t->loop->model, t->problem);
    note_sample(t);
    assign_open(&t->assign, &t->loop->spec);
    assign_problem(&t->assign, t->problem);
}

/* Those of earlier runs and failures count. */
static void add_measured(const struct turn *t, struct table *table)
{
    const size_t legal = t->legal.space.n;
    const int is_sample = t->legal.tuples.kind != TUPLES_ALL;
    const char *tuples = as_counted(legal, "tuple", "tuples");
    struct buf text = {0};
    if (t->measured == legal && !is_sample)
        buf_printf(&text, "%s %zu legal %s", legal == 1 ? "the" : "all", legal, tuples);
    else
        buf_printf(&text, "%zu of %s%zu legal %s", t->measured, is_sample ? "more than " : "",
                   legal, tuples);
    table_text(table, text.s);
    buf_free(&text);
}

/* The tuple is the last column: that one is broken where a line is too long. */
static void add_ending(struct turn *t, const char *kernel, const char *problem)
{
    const struct space *space = &t->legal.space;
    struct table *table = &t->loop->progress->ends;
    struct buf tuple = {0};
    if (table->columns == 0)
        table_heading(table, kernel != NULL ? "kernel,problem,microseconds,measured,best tuple"
                                            : "problem,microseconds,measured,best tuple");
    if (kernel != NULL)
        table_text(table, kernel);
    table_text(table, problem);
    if (t->best_us < HUGE_VAL) {
        table_number(table, "%.6g", t->best_us);
        assign_tuple(&t->assign, space->value + t->best * space->n_params);
        assign_text(&t->assign, t->loop->spec.n_fields, &tuple);
    } else {
        table_text(table, "");
        buf_puts(&tuple, t->measured > 0 ? "each failed" : "");
    }
    add_measured(t, table);
    table_text(table, tuple.s);
    buf_free(&tuple);
}

/* `kernel`: NULL, all problems are of one */
static void tell_ending(struct turn *t, const char *kernel)
{
    struct buf text = {0};
    add_ending(t, kernel, assign_problem_text(&t->loop->spec, t->problem, &text));
    if (t->n_failed > 1 && t->n_failed == t->measured && t->why[0] != '\0')
        note("%s: all %zu launches failed: %s", text.s, t->n_failed, t->why);
    buf_free(&text);
}

static void close_turn(struct turn *t)
{
    assign_free(&t->assign);
    strategy_free(t->strategy);
    legal_close(&t->legal);
}

/* `left`: how many problems are left, this one included */
static void loop_begin(struct turn *t, size_t left)
{
    struct loop *l = t->loop;
    const double now = clock_seconds();
    struct pot *p = t->pot;
    open_turn(t);
    p->most = t->legal.space.n * l->repeat;
    if (l->budget.launches > 0)
        p->most = lesser(p->most, (size_t)l->budget.launches);
    p->deadline = l->deadline < HUGE_VAL ? now + (l->deadline - now) / (double)left : HUGE_VAL;
    t->strategy = strategy_new(&t->legal.space, legal_seed(l->seed, t->problem, l->spec.n_fields));
    known_tell(&l->known, &l->spec, t->problem, &t->legal, t->strategy);
    progress_problem(l->progress, p->most, p->most * (left - 1));
    resume(t);
}

static int tune_problem(struct loop *l, const int32_t *problem, size_t left)
{
    struct pot pot = {0};
    struct turn t = {.loop = l, .problem = problem, .pot = &pot};
    int rc = talk_must_stop() ? -1 : 0;
    if (rc != 0)
        return rc;
    loop_begin(&t, left);
    while (rc == 0 && may_launch(&t) && !t.is_enough) {
        const size_t tuple = strategy_next(t.strategy);
        if (tuple == SIZE_MAX)
            break;
        rc = loop_measure(&t, tuple);
    }
    if (t.is_enough)
        note_end(&t);
    tell_ending(&t, NULL);
    close_turn(&t);
    return rc;
}

/* ---- all of them ---- */

/* How many problems the shard has, and the i-th one */
static size_t count_problems(const struct loop *l)
{
    const size_t n = l->problems.n;
    return n > l->shard ? (n - l->shard + l->n_shards - 1) / l->n_shards : 0;
}

static size_t problem_number(const struct loop *l, size_t i)
{
    return l->shard + i * l->n_shards;
}

static const int32_t *problem_at(const struct loop *l, size_t i)
{
    return l->problems.v + problem_number(l, i) * l->problems.n_fields;
}

/* Ends it, and takes back what is not certain. Returns rc, or -1 after a message */
static int end_server(struct loop *l, int rc)
{
    const int is_lost = runner_end(&l->runner) != 0;
    if (is_lost || (rc != 0 && l->runner.distrusted > 0))
        progress_less(l->progress, results_take_back(l->results, is_lost ? l->start : l->sure));
    return is_lost ? -1 : rc;
}

static int tune_problems(struct loop *l)
{
    const size_t n = count_problems(l);
    int rc = 0;
    for (size_t i = 0; i < n && rc == 0; i++)
        rc = tune_problem(l, problem_at(l, i), n - i);
    return rc;
}

/* ---- a whole library ---- */

struct library {
    struct pot pot;
    struct together *together;
    size_t n;
    struct turn *turns;
};

static void add_problems(struct library *all, struct loop *l)
{
    for (size_t i = 0; i < count_problems(l); i++) {
        struct turn *t = &all->turns[all->n];
        *t = (struct turn){.loop = l, .problem = problem_at(l, i), .number = all->n++};
        t->pot = &all->pot;
        t->together = all->together;
        open_turn(t);
        together_add(all->together, &l->spec, t->problem, &t->legal,
                     l->problems.count[problem_number(l, i)]);
        resume(t);
    }
}

static void open_library(struct library *all, struct loop *const *loops, size_t n, size_t problems)
{
    const struct loop *l = loops[0];
    size_t most = 0;
    *all = (struct library){.pot = {0, SIZE_MAX, l->deadline},
                            .together = together_new(l->seed, l->stop_at)};
    all->turns = xcalloc(problems + 1, sizeof *all->turns);
    for (size_t i = 0; i < n; i++)
        add_problems(all, loops[i]);
    for (size_t i = 0; i < all->n; i++)
        most += all->turns[i].legal.space.n * l->repeat;
    all->pot.most = l->budget.launches > 0 ? lesser(most, (size_t)l->budget.launches) : most;
}

/* What is lost has no end that could be told. */
static void close_library(struct library *all, int is_one, int is_lost)
{
    for (size_t i = 0; i < all->n && !is_lost; i++)
        tell_ending(&all->turns[i], is_one ? NULL : all->turns[i].loop->spec.name);
    for (size_t i = 0; i < all->n; i++)
        close_turn(&all->turns[i]);
    free(all->turns);
    together_free(all->together);
}

static int tune_library(struct library *all)
{
    size_t problem, tuple, last = SIZE_MAX;
    while (all->n > 0 && may_launch(all->turns) && together_next(all->together, &problem, &tuple)) {
        struct turn *t = &all->turns[problem];
        struct progress *p = t->loop->progress;
        if (talk_must_stop())
            return -1;
        if (problem != last) {
            progress_problem(p, all->pot.most, 0);
            p->problem = problem + 1;
        }
        last = problem;
        if (loop_measure(t, tuple) != 0)
            return -1;
        if (t->is_enough)
            note_end(t);
    }
    return 0;
}

int loop_run(struct loop *const *l, size_t n, int is_library)
{
    struct loop *first = l[0];
    struct library all;
    size_t problems = 0;
    int is_lost = 0;
    for (size_t i = 0; i < n; i++) {
        problems += count_problems(l[i]);
        l[i]->sure = l[i]->start = results_here(l[i]->results);
    }
    first->deadline =
        first->budget.seconds > 0 ? clock_seconds() + first->budget.seconds : HUGE_VAL;
    progress_begin(first->progress, problems, first->deadline);
    if (is_library)
        open_library(&all, l, n, problems);
    int rc = is_library ? tune_library(&all) : tune_problems(first);
    for (size_t i = 0; i < n; i++) {
        rc = end_server(l[i], rc);
        is_lost |= l[i]->runner.is_out_of_step;
    }
    progress_end(first->progress);
    if (is_library)
        close_library(&all, n == 1, is_lost);
    return rc;
}
