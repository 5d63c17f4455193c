/* strategy.c - a seeded random order, behind the order of a model where there is one
   SPDX-License-Identifier: MIT */
#include "strategy.h"

#include "base/numbers.h"
#include "base/util.h"

#include <math.h>
#include <stdlib.h>

struct strategy {
    size_t n, at;
    size_t *order;
    unsigned char *is_done;
};

struct scored {
    double score;
    size_t place, tuple;
};

struct strategy *strategy_new(const struct space *space, uint64_t seed)
{
    struct strategy *s = xcalloc(1, sizeof *s);
    s->n = space->n;
    s->order = xcalloc(s->n + 1, sizeof *s->order);
    s->is_done = xcalloc(s->n + 1, 1);
    for (size_t i = 0; i < s->n; i++)
        s->order[i] = i;
    num_shuffle(s->order, s->n, seed);
    return s;
}

static int by_score(const void *pa, const void *pb)
{
    const struct scored *a = pa, *b = pb;
    if (a->score < b->score || a->score > b->score)
        return a->score < b->score ? 1 : -1;
    return a->place < b->place ? -1 : 1;
}

void strategy_prior(struct strategy *s, const double *score)
{
    struct scored *v = xcalloc(s->n + 1, sizeof *v);
    for (size_t i = 0; i < s->n; i++)
        v[i] = (struct scored){score[s->order[i]], i, s->order[i]};
    qsort(v, s->n, sizeof *v, by_score);
    for (size_t i = 0; i < s->n; i++)
        s->order[i] = v[i].tuple;
    free(v);
}

void strategy_warm(struct strategy *s, const double *other_times)
{
    double *score = xcalloc(s->n + 1, sizeof *score);
    for (size_t i = 0; i < s->n; i++)
        score[i] = isnan(other_times[i]) ? -HUGE_VAL : -other_times[i];
    strategy_prior(s, score);
    free(score);
}

size_t strategy_next(struct strategy *s)
{
    while (s->at < s->n && s->is_done[s->order[s->at]])
        s->at++;
    return s->at < s->n ? s->order[s->at] : SIZE_MAX;
}

void strategy_tell(struct strategy *s, size_t tuple, double time)
{
    (void)time;
    s->is_done[tuple] = 1;
}

void strategy_free(struct strategy *s)
{
    free(s->order);
    free(s->is_done);
    free(s);
}
