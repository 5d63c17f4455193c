/* repeat.c - a list evaluated in several children
   SPDX-License-Identifier: MIT

   repeat.h declares it. */
#include "repeat.h"

#include "evolve/timing.h"

#include "base/numbers.h"
#include "base/util.h"

#include <math.h>
#include <stdlib.h>

enum { CHILDREN = 21, RESAMPLES = 100 };

struct repeated {
    struct result of[CHILDREN];
    size_t n;
};

struct repeats {
    struct repeated *v; /* one for each list */
    void (*done)(void *user, size_t i, const struct result *result);
    void *user;
};

/* The mean over the cases of the ratios of quiet times, of those children that are picked */
static double ratios_of(const struct repeated *p, const size_t pick[CHILDREN],
                        double ratio[TASK_CASES])
{
    const size_t n_cases = (size_t)p->of[0].n_cases;
    double sum = 0, times[CHILDREN], ns[2];
    for (size_t c = 0; c < n_cases; c++) {
        for (int code = 0; code < 2; code++) {
            for (size_t i = 0; i < CHILDREN; i++)
                times[i] = p->of[pick[i]].ns[c][code];
            ns[code] = timing_quiet(times, CHILDREN);
        }
        ratio[c] = ns[0] / ns[1];
        sum += ratio[c];
    }
    return sum / (double)n_cases;
}

/* The standard error of that: the deviation among drawings of as many children, with repetition */
static double error_of(const struct repeated *p)
{
    uint64_t random = 1;
    double sum = 0, squares = 0, ratio[TASK_CASES];
    for (int k = 0; k < RESAMPLES; k++) {
        size_t pick[CHILDREN];
        for (size_t i = 0; i < CHILDREN; i++)
            pick[i] = (size_t)(num_draw(&random) % CHILDREN);
        const double time = ratios_of(p, pick, ratio);
        sum += time;
        squares += time * time;
    }
    const double mean = sum / RESAMPLES, variance = squares / RESAMPLES - mean * mean;
    return variance > 0 ? sqrt(variance) : 0;
}

static struct result combine(const struct repeated *p)
{
    struct result r = p->of[0];
    size_t all[CHILDREN];
    for (size_t i = 0; i < p->n; i++) {
        if (p->of[i].outcome != OUTCOME_VALID)
            return p->of[i];
        r.error = fmax(r.error, p->of[i].error);
        r.spread = fmin(r.spread, p->of[i].spread);
        all[i] = i;
    }
    r.time = ratios_of(p, all, r.ratio);
    r.spread = fmax(r.spread / sqrt(CHILDREN), error_of(p));
    return r;
}

static void take(void *user, size_t i, const struct result *result)
{
    struct repeats *all = user;
    struct repeated *p = &all->v[i / CHILDREN];
    p->of[p->n++] = *result;
    if (p->n == CHILDREN) {
        const struct result r = combine(p);
        all->done(all->user, i / CHILDREN, &r);
    }
}

void repeat_evaluate(struct trial *t, const struct edits *lists, size_t n, enum effort effort,
                     void (*done)(void *user, size_t i, const struct result *result), void *user)
{
    struct repeats all = {NULL, done, user};
    struct edits *many;
    if (effort == EFFORT_SEARCH) {
        trial_evaluate(t, lists, n, effort, done, user);
        return;
    }
    all.v = xcalloc(n + 1, sizeof *all.v);
    many = xcalloc(n * CHILDREN + 1, sizeof *many); /* shallow */
    for (size_t i = 0; i < n * CHILDREN; i++)
        many[i] = lists[i / CHILDREN];
    trial_evaluate(t, many, n * CHILDREN, effort, take, &all);
    free(many);
    free(all.v);
}

static void keep(void *user, size_t i, const struct result *result)
{
    (void)i;
    *(struct result *)user = *result;
}

struct result repeat_compare(struct trial *t, const struct edits *list, const struct edits *with)
{
    struct result r = {.outcome = OUTCOME_UNCOMPILED};
    trial_time_with(t, with);
    repeat_evaluate(t, list, 1, EFFORT_CONFIRM, keep, &r);
    trial_time_with(t, NULL);
    return r;
}
