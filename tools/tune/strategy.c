/* strategy.c - see strategy.h
   SPDX-License-Identifier: MIT */
#include "strategy.h"

#include "expert.h"

#include "base/numbers.h"
#include "base/util.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* FIRST results are spread or, where something is known, one is the best of that. The regression
   takes MOST_RESULTS; of more it takes KEPT, and leaves room for new ones. */
enum { FIRST = 5, MOST_RESULTS = 320, KEPT = 192, N_BEST = 8 };

struct strategy {
    struct heap heap;        /* all memory but */
    struct heap regressions; /* that of candidates and regressions, if these are there */
    const struct space *space;
    uint64_t seed;
    struct columns columns;
    struct hints hints;
    unsigned char *is_taken; /* proposed or told */
    unsigned char *is_told;
    size_t n;                /* results, as they were told */
    struct results r;        /* of the first of them, */
    double *time;            /* and the times of all */
    size_t fit_at;           /* the next fit is due with as many results */
    size_t n_experts;        /* 0: nothing was asked yet */
    struct expert expert[2]; /* the one that knows something, if there is one, and one without */
    struct candidates candidates;
    struct failures *failures; /* NULL: nothing has failed yet */
    size_t seen;               /* how many results were told when one was last looked at */
    size_t n_own, own;         /* tuples that are no results of other problems; results of these */
    struct numbers *numbers;   /* shared with other problems; NULL: none are */
    double promise;
};

struct strategy *strategy_new(const struct space *space, uint64_t seed)
{
    struct strategy *s = xcalloc(1, sizeof *s);
    struct heap *heap = s->hints.heap = &s->heap;
    s->space = space;
    s->seed = seed;
    s->n_own = space->n;
    s->is_taken = heap_new(heap, space->n, 1);
    s->is_told = heap_new(heap, space->n, 1);
    s->r.tuple = heap_new(heap, space->n, sizeof *s->r.tuple);
    s->r.loss = heap_new(heap, space->n, sizeof *s->r.loss);
    s->r.used = heap_new(heap, MOST_RESULTS, sizeof *s->r.used);
    s->time = heap_new(heap, space->n, sizeof *s->time);
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

void strategy_beside(struct strategy *s, size_t n_own, struct numbers *numbers)
{
    s->n_own = n_own;
    s->numbers = numbers;
}

static int is_own(const struct strategy *s, size_t result)
{
    return s->r.tuple[result] < s->n_own;
}

void strategy_tell(struct strategy *s, size_t tuple, double time)
{
    if (s->is_told[tuple])
        return;
    s->is_taken[tuple] = s->is_told[tuple] = 1;
    s->r.tuple[s->n] = tuple;
    s->time[s->n++] = time;
    s->own += tuple < s->n_own;
}

/* ---- failures ---- */

/* From the first failure on, until the first n results are learnt from */
static void learn_failures(struct strategy *s, size_t n)
{
    int is_any = s->failures != NULL;
    for (size_t i = 0; i < n && !is_any; i++)
        is_any = !(s->time[i] < HUGE_VAL);
    if (is_any && s->failures == NULL)
        s->failures = failures_open(s->space, s->hints.failed, &s->heap);
    if (is_any)
        failures_learn(s->failures, s->r.tuple, s->time, n);
}

static double works(const struct strategy *s, size_t tuple, double least)
{
    return s->failures != NULL ? failures_works(s->failures, tuple, least) : 1;
}

/* ---- losses ---- */

/* The best time among the first n results: those of other problems are in units of it */
static double own_best(const struct strategy *s, size_t n)
{
    double best = HUGE_VAL;
    for (size_t i = 0; i < n; i++)
        if (is_own(s, i) && s->time[i] < best)
            best = s->time[i];
    return best;
}

/* Losses of the first n results, clipped beyond the median. A failure that is not a surprise says
   nothing of the times and has the middle one; as far as it is a surprise, it counts as the
   slowest. */
static void take_losses(struct strategy *s, size_t n)
{
    double *sorted = xcalloc(n + 1, sizeof *sorted), middle = 0, worst = 0;
    const double own = own_best(s, n), best = own < HUGE_VAL ? num_log2(own) : 0;
    size_t m = 0;
    s->r.n = n;
    for (size_t i = 0; i < n; i++)
        if (s->time[i] > 0 && s->time[i] < HUGE_VAL)
            sorted[m++] = s->r.loss[i] = num_log2(s->time[i]) + (is_own(s, i) ? 0 : best);
    qsort(sorted, m, sizeof *sorted, num_rising);
    if (m > 0) {
        const double least = sorted[0] + s->hints.middle;
        middle = sorted[m / 2] > least ? sorted[m / 2] : least;
        worst = hints_clip(sorted[m - 1], middle);
    }
    free(sorted);
    for (size_t i = 0; i < n; i++)
        if (s->time[i] > 0 && s->time[i] < HUGE_VAL)
            s->r.loss[i] = hints_clip(s->r.loss[i], middle);
        else
            s->r.loss[i] = middle + (worst - middle) * works(s, s->r.tuple[i], 0);
}

static void take_targets(struct strategy *s, size_t n)
{
    take_losses(s, n);
    for (size_t i = 0; i < s->n_experts; i++)
        expert_take(&s->expert[i]);
}

/* ---- the regression ---- */

/* To the results of all problems; what is found is left to the others. */
static void fit_shared(struct strategy *s)
{
    struct numbers *shared = s->numbers;
    struct expert *e = &s->expert[0];
    if (s->n == 0 || shared->results < shared->fit_at)
        return;
    take_targets(s, s->n);
    expert_fit(e);
    shared->v = xrealloc(shared->v, e->covariance.n, sizeof *shared->v);
    memcpy(shared->v, e->covariance.v, e->covariance.n * sizeof *shared->v);
    shared->n = e->covariance.n;
    shared->variance = e->variance;
    shared->fit_at = shared->results + shared->results / 8 + 1;
    heap_free(&s->regressions);
}

/* The fits that are due, by the results that there were when each was; the regression is then to be
   made anew. They are rarer where there are many results. */
static void fit_all(struct strategy *s)
{
    if (s->numbers != NULL) {
        fit_shared(s);
        return;
    }
    while (s->fit_at <= s->n) {
        const size_t n = s->fit_at, next = n > MOST_RESULTS ? n + n / 2 : n + n / 4;
        learn_failures(s, n);
        take_targets(s, n);
        for (size_t i = 0; i < s->n_experts; i++)
            expert_fit(&s->expert[i]);
        s->fit_at = next > n ? next : n + 1;
        heap_free(&s->regressions);
    }
}

/* The fastest results' tuples */
static size_t best_tuples(const struct strategy *s, size_t n, size_t *best)
{
    size_t found = 0;
    for (size_t i = 0; i < n; i++) {
        if (!is_own(s, i))
            continue;
        size_t at = found < N_BEST ? found++ : N_BEST;
        for (; at > 0 && s->time[i] < s->time[best[at - 1]]; at--)
            if (at < N_BEST)
                best[at] = best[at - 1];
        if (at < N_BEST)
            best[at] = i;
    }
    for (size_t i = 0; i < found; i++)
        best[i] = s->r.tuple[best[i]];
    return found;
}

static void open_regression(struct strategy *s)
{
    const size_t n = s->n;
    size_t best[N_BEST], *first = xcalloc(MOST_RESULTS, sizeof *first);
    const size_t n_best = best_tuples(s, n, best);
    s->r.n_used = fit_choose(s->r.loss, n, n > MOST_RESULTS ? KEPT : MOST_RESULTS, s->r.used);
    s->seen = n;
    for (size_t i = 0; i < s->r.n_used; i++)
        first[i] = s->r.tuple[s->r.used[i]];
    candidates_open(&s->candidates, s->space, first, s->r.n_used, best, n_best,
                    num_mix(s->seed, n, 2), &s->regressions);
    for (size_t i = 0; i < s->n_experts; i++)
        expert_regress(&s->expert[i], &s->candidates, MOST_RESULTS, &s->regressions);
    free(first);
}

/* Results told since, as far as there is room. A tuple that is not a candidate says nothing now. */
static void add_results(struct strategy *s)
{
    for (; s->seen < s->n && s->r.n_used < MOST_RESULTS; s->seen++) {
        const uint32_t at = s->candidates.where[s->r.tuple[s->seen]];
        if (at == CANDIDATE_NONE)
            continue;
        for (size_t i = 0; i < s->n_experts; i++)
            regression_add(&s->expert[i].regression, at);
        s->r.used[s->r.n_used++] = s->seen;
    }
}

/* Without room for results means change no more until the next fit. */
static void update(struct strategy *s)
{
    const int is_new = s->regressions.n == 0;
    const size_t before = s->r.n_used;
    fit_all(s);
    learn_failures(s, s->n < MOST_RESULTS ? s->n : MOST_RESULTS);
    if (s->regressions.n == 0) {
        take_targets(s, s->n);
        open_regression(s);
    }
    add_results(s);
    if (!is_new && s->r.n_used == before && s->n > MOST_RESULTS)
        return;
    take_targets(s, s->n);
    for (size_t i = 0; i < s->n_experts; i++)
        expert_means(&s->expert[i]);
}

/* ---- the choice ---- */

/* The best result that is not a failure, or SIZE_MAX */
static size_t incumbent(const struct strategy *s)
{
    size_t best = SIZE_MAX;
    for (size_t i = 0; i < s->r.n; i++)
        if (is_own(s, i) && s->time[i] < HUGE_VAL
            && (best == SIZE_MAX || s->r.loss[i] < s->r.loss[best]))
            best = i;
    return best;
}

/* log2 of a * 2^x + (1 - a) * 2^y, where a is given by log2 of a / (1 - a) */
static double mixed(double odds, double x, double y)
{
    const double a = x + odds, most = a > y ? a : y, other = a > y ? y : a;
    return most + num_log2(1 + (double)num_exp2((float)(other - most)));
}

/* log2 of the odds of what is known, by how likely the results were with and without it */
static double odds_of_known(const struct strategy *s)
{
    static const double before = 3;
    return before + s->expert[0].evidence - s->expert[1].evidence;
}

/* The share of a time that is saved by as many octaves as the first expert expects, by log2 of them
   in its deviations */
static double saved(const struct strategy *s, double value)
{
    const double octaves = value + num_log2(s->expert[0].deviation);
    return octaves < 0 ? 1 - (double)num_exp2(-num_exp2((float)octaves)) : 0.5;
}

/* The chance that a tuple runs counts twice, since what fails teaches less than what is slow. */
static size_t most_promising(struct strategy *s)
{
    const size_t at = incumbent(s);
    double most = -HUGE_VAL, least[2] = {0}, odds = 0;
    size_t best = SIZE_MAX;
    for (size_t i = 0; i < s->n_experts && at != SIZE_MAX; i++)
        least[i] = expert_target(&s->expert[i], at, s->r.tuple[at]);
    if (s->n_experts > 1)
        odds = odds_of_known(s) + num_log2(s->expert[0].deviation / s->expert[1].deviation);
    for (size_t i = 0; i < s->candidates.n; i++) {
        const size_t tuple = s->candidates.tuple[i];
        if (s->is_taken[tuple])
            continue;
        double value = expert_gain(&s->expert[0], i, tuple, least[0]);
        if (s->n_experts > 1)
            value = mixed(odds, value, expert_gain(&s->expert[1], i, tuple, least[1]));
        if (value > most && s->failures != NULL)
            value += 2 * num_log2(works(s, tuple, (double)num_exp2((float)(most - value) / 2)));
        if (value > most) {
            most = value;
            best = tuple;
        }
    }
    s->promise = best == SIZE_MAX ? 0 : at == SIZE_MAX ? 1 : saved(s, most);
    return best;
}

double strategy_promise(const struct strategy *s)
{
    return s->promise;
}

static void take_numbers(struct strategy *s)
{
    struct expert *e = &s->expert[0];
    memcpy(e->covariance.v, s->numbers->v, e->covariance.n * sizeof *s->numbers->v);
    e->variance = s->numbers->variance;
    covariance_prepare(&e->covariance);
}

/* The first one of a problem is far from what is known of all. */
static int is_to_spread(const struct strategy *s)
{
    const size_t first = s->hints.n > 0 ? 1 : FIRST;
    return s->n < first || (s->numbers != NULL && s->own == 0);
}

static void open_all(struct strategy *s)
{
    columns_open(&s->columns, s->space, &s->heap);
    hints_finish(&s->hints, &s->columns);
    const int is_known = s->hints.n > 0;
    s->n_experts = is_known ? 2 : 1;
    s->fit_at = is_known ? 1 : FIRST;
    for (size_t i = 0; i < s->n_experts; i++)
        expert_open(&s->expert[i], &s->columns, &s->hints, is_known && i == 0, &s->r, s->space->n,
                    num_mix(s->seed, 0, 4));
    if (s->numbers != NULL && s->numbers->n > 0)
        take_numbers(s);
}

size_t strategy_next(struct strategy *s)
{
    size_t tuple;
    if (memchr(s->is_taken, 0, s->space->n) == NULL)
        return SIZE_MAX;
    if (s->n_experts == 0)
        open_all(s);
    s->promise = 1;
    if (is_to_spread(s)) {
        tuple = s->hints.n > 0 ? hints_best(&s->hints, s->is_taken)
                               : candidate_spread(s->space, s->r.tuple, s->n, s->is_taken,
                                                  num_mix(s->seed, s->n, 1));
    } else {
        update(s);
        tuple = most_promising(s);
        if (tuple == SIZE_MAX)
            tuple =
                candidate_spread(s->space, s->r.tuple, 0, s->is_taken, num_mix(s->seed, s->n, 3));
    }
    s->is_taken[tuple] = 1;
    return tuple;
}

/* ---- the end ---- */

/* The chance that going on pays up to which it does not go on */
static const double most_chance = 0.06;

static void list_faster(const struct strategy *s, const struct expert *e, double goal,
                        struct shortlist *list)
{
    const struct regression *r = &e->regression;
    for (size_t i = 0; i < s->candidates.n; i++) {
        const size_t tuple = s->candidates.tuple[i];
        const double mean = expert_mean(e, i, tuple);
        if (!s->is_told[tuple])
            shortlist_add(list, i, (goal - mean) / sqrt(e->variance * stop_variance(r, i)));
    }
    for (size_t i = 0; i < list->n; i++)
        list->v[i].works = works(s, s->candidates.tuple[list->v[i].candidate], 0);
}

/* That going on pays, as an expert sees it; above `most`, any number above it */
static double chance(const struct strategy *s, const struct expert *e, double share, double most)
{
    const size_t at = incumbent(s);
    const double least = at != SIZE_MAX ? expert_target(e, at, s->r.tuple[at]) : 0;
    struct shortlist list = {0};
    list_faster(s, e, least - num_log2(1 + share) / e->deviation, &list);
    return stop_chance(&list, &e->regression, most, num_mix(s->seed, s->n, 5));
}

/* Has the last third of the results brought nothing? Where they were faster and faster, more of
   them may be. */
static int is_calm(const struct strategy *s, double share)
{
    const double best = own_best(s, s->n);
    size_t first = s->n - s->own; /* those of other problems come before */
    while (!(s->time[first] <= best * (1 + share)))
        first++;
    return 3 * (s->n - 1 - first) >= s->own;
}

/* The chances with and without what is known count by their odds, as the improvements do. */
static double chance_of_all(const struct strategy *s, double share)
{
    if (s->n_experts == 1)
        return chance(s, &s->expert[0], share, most_chance);
    const double odds = odds_of_known(s), with = odds < 60 ? (double)num_exp2((float)odds) : 1e18;
    return (with * chance(s, &s->expert[0], share, 1) + chance(s, &s->expert[1], share, 1))
           / (with + 1);
}

int strategy_is_enough(struct strategy *s, double share)
{
    if (s->own < STRATEGY_LEAST || !(own_best(s, s->n) < HUGE_VAL)
        || memchr(s->is_told, 0, s->space->n) == NULL)
        return 0;
    if (s->n_experts == 0)
        open_all(s);
    update(s);
    return is_calm(s, share) && chance_of_all(s, share) <= most_chance;
}

void strategy_free(struct strategy *s)
{
    if (s == NULL)
        return;
    heap_free(&s->regressions);
    heap_free(&s->heap);
    free(s);
}
