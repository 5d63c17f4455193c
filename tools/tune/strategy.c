/* strategy.c - see strategy.h
   SPDX-License-Identifier: MIT */
#include "strategy.h"

#include "candidates.h"
#include "failures.h"
#include "fit.h"
#include "hints.h"
#include "regression.h"
#include "stop.h"

#include "base/numbers.h"
#include "base/util.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* FIRST results are spread, or the best ones of what is known. The regression takes MOST_RESULTS;
   of more it takes KEPT, and leaves room for new ones. What is known is doubted from DOUBT_FROM on:
   it counts in every second stretch between two fits alone, so that it can mislead half of the time
   at most. */
enum { FIRST = 5, MOST_RESULTS = 320, KEPT = 192, DOUBT_FROM = 20, N_BEST = 8 };

/* Numbers that were fitted to few results make the regression too sure of itself. */
static const double doubt = 1.3;

struct strategy {
    const struct space *space;
    uint64_t seed;
    struct columns columns;
    struct hints hints;
    int is_open, is_fitted, counts_known;
    unsigned char *is_taken; /* proposed or told */
    unsigned char *is_told;
    size_t n, cap; /* results, as they were told */
    size_t *tuple;
    double *time;
    size_t fit_at, n_fits; /* the next fit is due with as many results */
    struct covariance covariance;
    struct fit fit;
    struct candidates candidates;
    struct regression regression;
    struct failures *failures; /* NULL: nothing has failed yet */
    size_t *used;              /* results within the regression, */
    size_t n_used, seen;       /* and how many were told when one was last looked at */
    double *target;            /* of all results */
    double deviation;          /* what the targets are divided by */
    double variance;           /* of the regression, by the last fit */
    double chance[2];          /* that going on pays, by the last look with (1) what is known, and
                                  without it */
};

struct strategy *strategy_new(const struct space *space, uint64_t seed)
{
    struct strategy *s = xcalloc(1, sizeof *s);
    s->space = space;
    s->seed = seed;
    s->is_taken = xcalloc(space->n + 1, 1);
    s->is_told = xcalloc(space->n + 1, 1);
    s->used = xcalloc(MOST_RESULTS, sizeof *s->used);
    s->fit_at = FIRST;
    return s;
}

void strategy_warm(struct strategy *s, const double *other_times, double weight)
{
    hints_add_times(&s->hints, other_times, s->space->n, weight);
}

void strategy_prior(struct strategy *s, const double *score)
{
    hints_add_scores(&s->hints, score, s->space->n);
}

void strategy_tell(struct strategy *s, size_t tuple, double time)
{
    if (s->is_told[tuple])
        return;
    s->is_taken[tuple] = s->is_told[tuple] = 1;
    if (s->n == s->cap) {
        s->cap = 2 * s->cap + 64;
        s->tuple = xrealloc(s->tuple, s->cap, sizeof *s->tuple);
        s->time = xrealloc(s->time, s->cap, sizeof *s->time);
        s->target = xrealloc(s->target, s->cap, sizeof *s->target);
    }
    s->tuple[s->n] = tuple;
    s->time[s->n++] = time;
}

/* ---- failures ---- */

/* From the first failure on, until the first n results are learnt from */
static void learn_failures(struct strategy *s, size_t n)
{
    int is_any = s->failures != NULL;
    for (size_t i = 0; i < n && !is_any; i++)
        is_any = !(s->time[i] < HUGE_VAL);
    if (is_any && s->failures == NULL)
        s->failures = failures_open(s->space, s->hints.failed);
    if (is_any)
        failures_learn(s->failures, s->tuple, s->time, n);
}

static double works(const struct strategy *s, size_t tuple, double least)
{
    return s->failures != NULL ? failures_works(s->failures, tuple, least) : 1;
}

/* ---- targets ---- */

static int compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Losses of the first n results, clipped beyond the median. A failure that is no surprise says
   nothing of the times and has the middle one; as far as it is a surprise, it counts as the
   slowest. */
static void take_losses(struct strategy *s, size_t n)
{
    double *sorted = xcalloc(n + 1, sizeof *sorted), middle = 0, worst = 0;
    size_t m = 0;
    for (size_t i = 0; i < n; i++)
        if (s->time[i] > 0 && s->time[i] < HUGE_VAL)
            sorted[m++] = s->target[i] = num_log2(s->time[i]);
    qsort(sorted, m, sizeof *sorted, compare);
    if (m > 0) {
        middle = sorted[m / 2];
        worst = hints_clip(sorted[m - 1], middle);
    }
    free(sorted);
    for (size_t i = 0; i < n; i++)
        if (s->time[i] > 0 && s->time[i] < HUGE_VAL)
            s->target[i] = hints_clip(s->target[i], middle);
        else
            s->target[i] = middle + (worst - middle) * works(s, s->tuple[i], 0);
}

/* Targets have the mean 0 and about the variance 1. Where something is known, they are what it does
   not explain, and few of them say little about the variance: it is as if some more had been seen,
   which differ as the tables do. */
static void take_targets(struct strategy *s, size_t n)
{
    double sum = 0, squares = 0, more = 0;
    take_losses(s, n);
    if (s->hints.n > 0)
        more = FIRST;
    if (s->counts_known) {
        hints_weigh(&s->hints, s->tuple, s->target, n);
        for (size_t i = 0; i < n; i++)
            s->target[i] -= s->hints.expect[s->tuple[i]];
    }
    for (size_t i = 0; i < n; i++)
        sum += s->target[i];
    for (size_t i = 0; i < n; i++) {
        s->target[i] -= sum / (double)n;
        squares += s->target[i] * s->target[i];
    }
    squares += more * s->hints.spread * s->hints.spread;
    s->deviation = sqrt(squares / ((double)n + more));
    s->deviation = s->deviation > 1e-6 ? s->deviation : 1e-6;
    for (size_t i = 0; i < n; i++)
        s->target[i] /= s->deviation;
}

/* What is known, as part of a mean, in units of the targets */
static double expected(const struct strategy *s, size_t tuple)
{
    return s->counts_known ? s->hints.expect[tuple] / s->deviation : 0;
}

/* ---- the regression ---- */

static void close_regression(struct strategy *s)
{
    if (s->is_fitted) {
        regression_free(&s->regression);
        candidates_free(&s->candidates);
    }
    s->is_fitted = 0;
}

/* The fits that are due, by the results that there were when each was; the regression is then to be
   made anew. They are rarer where there are many results. */
static void fit_all(struct strategy *s)
{
    while (s->fit_at <= s->n) {
        const size_t n = s->fit_at, next = n > MOST_RESULTS ? n + n / 2 : n + n / 4;
        s->counts_known = s->hints.n > 0 && (n < DOUBT_FROM || s->n_fits % 2 == 0);
        s->covariance.ignores_known = !s->counts_known;
        learn_failures(s, n);
        take_targets(s, n);
        s->variance = fit_numbers(&s->fit, &s->covariance, s->tuple, s->target, n);
        s->n_fits++;
        s->fit_at = next > n ? next : n + 1;
        close_regression(s);
    }
}

/* The fastest results' tuples */
static size_t best_tuples(const struct strategy *s, size_t n, size_t *best)
{
    size_t found = 0;
    for (size_t i = 0; i < n; i++) {
        size_t at = found < N_BEST ? found++ : N_BEST;
        for (; at > 0 && s->time[i] < s->time[best[at - 1]]; at--)
            if (at < N_BEST)
                best[at] = best[at - 1];
        if (at < N_BEST)
            best[at] = i;
    }
    for (size_t i = 0; i < found; i++)
        best[i] = s->tuple[best[i]];
    return found;
}

static void open_regression(struct strategy *s)
{
    const size_t n = s->n;
    size_t best[N_BEST], *first = xcalloc(MOST_RESULTS, sizeof *first);
    const size_t n_best = best_tuples(s, n, best);
    s->n_used = fit_choose(s->target, n, n > MOST_RESULTS ? KEPT : MOST_RESULTS, s->used);
    s->seen = n;
    for (size_t i = 0; i < s->n_used; i++)
        first[i] = s->tuple[s->used[i]];
    candidates_open(&s->candidates, s->space, first, s->n_used, best, n_best,
                    num_mix(s->seed, n, 2));
    regression_open(&s->regression, &s->covariance, s->candidates.tuple, s->candidates.n,
                    MOST_RESULTS);
    for (size_t i = 0; i < s->n_used; i++)
        regression_add(&s->regression, s->candidates.where[first[i]]);
    s->is_fitted = 1;
    free(first);
}

/* Results told since, as far as there is room. A tuple that is no candidate says nothing now. */
static void add_results(struct strategy *s)
{
    for (; s->seen < s->n && s->n_used < MOST_RESULTS; s->seen++) {
        const uint32_t at = s->candidates.where[s->tuple[s->seen]];
        if (at == CANDIDATE_NONE)
            continue;
        regression_add(&s->regression, at);
        s->used[s->n_used++] = s->seen;
    }
}

static void take_means(struct strategy *s)
{
    double *target = xcalloc(s->n_used + 1, sizeof *target);
    for (size_t i = 0; i < s->n_used; i++)
        target[i] = s->target[s->used[i]];
    regression_means(&s->regression, target);
    free(target);
}

/* Without room for results means change no more until the next fit. */
static void update(struct strategy *s)
{
    const int is_new = !s->is_fitted;
    const size_t before = s->n_used;
    fit_all(s);
    learn_failures(s, s->n < MOST_RESULTS ? s->n : MOST_RESULTS);
    if (!s->is_fitted) {
        take_targets(s, s->n);
        open_regression(s);
    }
    add_results(s);
    if (!is_new && s->n_used == before && s->n > MOST_RESULTS)
        return;
    take_targets(s, s->n);
    take_means(s);
}

/* ---- the choice ---- */

/* The least target that is not a failure's, with what is known */
static double incumbent(const struct strategy *s)
{
    double least = HUGE_VAL;
    for (size_t i = 0; i < s->n; i++) {
        const double target = s->target[i] + expected(s, s->tuple[i]);
        if (s->time[i] < HUGE_VAL && target < least)
            least = target;
    }
    return least < HUGE_VAL ? least : 0;
}

/* log2 of the expected improvement, by a table: -GAIN_FROM .. GAIN_FROM in steps */
enum { GAIN_FROM = 12, GAIN_STEPS = 64 };

static double gain(double ahead)
{
    static double table[2 * GAIN_FROM * GAIN_STEPS + 2];
    if (table[0] == 0)
        for (int i = 0; i < 2 * GAIN_FROM * GAIN_STEPS + 2; i++)
            table[i] = expected_gain((double)i / GAIN_STEPS - GAIN_FROM);
    if (ahead < -GAIN_FROM || ahead >= GAIN_FROM)
        return expected_gain(ahead);
    const double at = (ahead + GAIN_FROM) * GAIN_STEPS;
    const int i = (int)at;
    return table[i] + (at - i) * (table[i + 1] - table[i]);
}

/* The chance that a tuple runs counts twice, since what fails teaches less than what is slow. */
static size_t most_promising(const struct strategy *s)
{
    const struct regression *r = &s->regression;
    const double least = incumbent(s), scale = doubt * doubt * s->variance;
    double most = -HUGE_VAL;
    size_t best = SIZE_MAX;
    for (size_t i = 0; i < s->candidates.n; i++) {
        const size_t tuple = s->candidates.tuple[i];
        if (s->is_taken[tuple])
            continue;
        const double variance = scale * (r->variance[i] > 1e-6f ? (double)r->variance[i] : 1e-6);
        const double mean = (double)r->mean[i] + expected(s, tuple);
        double value = gain((least - mean) / sqrt(variance)) + 0.5 * num_log2(variance);
        if (value > most && s->failures != NULL)
            value += 2 * num_log2(works(s, tuple, (double)num_exp2((float)(most - value) / 2)));
        if (value > most) {
            most = value;
            best = tuple;
        }
    }
    return best;
}

static void open_all(struct strategy *s)
{
    columns_open(&s->columns, s->space);
    hints_finish(&s->hints, &s->columns);
    covariance_open(&s->covariance, &s->columns, num_mix(s->seed, 0, 4));
    s->chance[0] = 1;
    s->chance[1] = s->hints.n > 0;
    s->is_open = 1;
}

size_t strategy_next(struct strategy *s)
{
    size_t tuple;
    if (memchr(s->is_taken, 0, s->space->n) == NULL)
        return SIZE_MAX;
    if (!s->is_open)
        open_all(s);
    if (s->n < FIRST) {
        tuple = s->hints.n > 0 ? hints_best(&s->hints, s->is_taken)
                               : candidate_spread(s->space, s->tuple, s->n, s->is_taken,
                                                  num_mix(s->seed, s->n, 1));
    } else {
        update(s);
        tuple = most_promising(s);
        if (tuple == SIZE_MAX)
            tuple = candidate_spread(s->space, s->tuple, 0, s->is_taken, num_mix(s->seed, s->n, 3));
    }
    s->is_taken[tuple] = 1;
    return tuple;
}

/* ---- the end ---- */

/* The chance that going on pays up to which it does not go on. Where something is known, few other
   tuples are measured, so that the look without it is never sure. */
static const double most_chance = 0.06, most_unknowing = 0.25;

static void list_faster(const struct strategy *s, double goal, struct shortlist *list)
{
    const struct regression *r = &s->regression;
    for (size_t i = 0; i < s->candidates.n; i++) {
        const size_t tuple = s->candidates.tuple[i];
        const double mean = (double)r->mean[i] + expected(s, tuple);
        if (!s->is_told[tuple])
            shortlist_add(list, i, (goal - mean) / sqrt(s->variance * stop_variance(r, i)));
    }
    for (size_t i = 0; i < list->n; i++)
        list->v[i].works = works(s, s->candidates.tuple[list->v[i].candidate], 0);
}

static int has_run(const struct strategy *s)
{
    size_t i = 0;
    while (i < s->n && !(s->time[i] < HUGE_VAL))
        i++;
    return i < s->n;
}

/* Has the last third of the results brought nothing? Where they were faster and faster, more of
   them may be. */
static int is_calm(const struct strategy *s, double share)
{
    double best = HUGE_VAL;
    size_t first = 0;
    for (size_t i = 0; i < s->n; i++)
        best = s->time[i] < best ? s->time[i] : best;
    while (!(s->time[first] <= best * (1 + share)))
        first++;
    return 3 * (s->n - 1 - first) >= s->n;
}

/* What is known misleads where it does not transfer: the looks with it and without it have both to
   say so. */
int strategy_is_enough(struct strategy *s, double share)
{
    struct shortlist list = {0};
    if (s->n < STRATEGY_LEAST || !has_run(s) || memchr(s->is_told, 0, s->space->n) == NULL)
        return 0;
    if (!s->is_open)
        open_all(s);
    update(s);
    list_faster(s, incumbent(s) - num_log2(1 + share) / s->deviation, &list);
    s->chance[s->counts_known] =
        stop_chance(&list, &s->regression, most_unknowing, num_mix(s->seed, s->n, 5));
    return s->chance[0] <= (s->hints.n > 0 ? most_unknowing : most_chance)
           && s->chance[1] <= most_chance && is_calm(s, share);
}

void strategy_free(struct strategy *s)
{
    if (s == NULL)
        return;
    close_regression(s);
    if (s->is_open) {
        covariance_free(&s->covariance);
        fit_free(&s->fit);
        columns_free(&s->columns);
    }
    hints_free(&s->hints);
    failures_free(s->failures);
    free(s->is_taken);
    free(s->is_told);
    free(s->tuple);
    free(s->time);
    free(s->target);
    free(s->used);
    free(s);
}
