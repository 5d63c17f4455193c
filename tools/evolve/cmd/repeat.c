/* repeat.c - a list evaluated in several children
   SPDX-License-Identifier: MIT

   repeat.h declares it. */
#include "repeat.h"

#include "evolve/timing.h"

#include "base/util.h"

#include <math.h>
#include <stdlib.h>

enum { CHILDREN = 7 };

/* Student's t for the four degrees of freedom that are left by the normal distribution's 1.96 */
static const double small_sample = 2.776 / 1.96;

struct repeated {
    struct result of[CHILDREN];
    size_t n;
};

struct repeats {
    struct repeated *v; /* one for each list */
    void (*done)(void *user, size_t i, const struct result *result);
    void *user;
};

static struct timing_mean mean_of(const struct repeated *p, int c)
{
    double times[CHILDREN];
    for (size_t i = 0; i < CHILDREN; i++)
        times[i] = c < 0 ? p->of[i].time : p->of[i].ratio[c];
    return timing_trimmed(times, CHILDREN, 1);
}

static struct result combine(const struct repeated *p)
{
    struct result r = p->of[0];
    for (size_t i = 0; i < p->n; i++) {
        if (p->of[i].outcome != OUTCOME_VALID)
            return p->of[i];
        r.error = fmax(r.error, p->of[i].error);
        r.spread = fmin(r.spread, p->of[i].spread);
    }
    const struct timing_mean all = mean_of(p, -1);
    r.time = all.mean;
    r.spread = fmax(r.spread / sqrt(CHILDREN), small_sample * all.error);
    for (int c = 0; c < r.n_cases; c++)
        r.ratio[c] = mean_of(p, c).mean;
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
