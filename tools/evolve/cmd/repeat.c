/* repeat.c - a list evaluated in several children
   SPDX-License-Identifier: MIT

   repeat.h declares it. */
#include "repeat.h"

#include "base/util.h"

#include <math.h>
#include <stdlib.h>

enum { CHILDREN = 5 };

/* Student's t for four degrees of freedom by the normal distribution's 1.96 */
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

static struct result combine(const struct repeated *p)
{
    struct result r = p->of[0];
    double sum = 0, squares = 0;
    for (size_t i = 0; i < p->n; i++) {
        if (p->of[i].outcome != OUTCOME_VALID)
            return p->of[i];
        sum += p->of[i].time;
        r.error = fmax(r.error, p->of[i].error);
    }
    r.time = sum / CHILDREN;
    for (size_t i = 0; i < p->n; i++)
        squares += (p->of[i].time - r.time) * (p->of[i].time - r.time);
    r.spread =
        fmax(r.spread / sqrt(CHILDREN), small_sample * sqrt(squares / (CHILDREN - 1) / CHILDREN));
    for (int c = 0; c < r.n_cases; c++) {
        r.ratio[c] = 0;
        for (size_t i = 0; i < p->n; i++)
            r.ratio[c] += p->of[i].ratio[c] / CHILDREN;
    }
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
