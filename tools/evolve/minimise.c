/* minimise.c - what a list can do without
   SPDX-License-Identifier: MIT

   search.h declares it. */
#include "noise.h"
#include "run.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

enum {
    MOST_SINGLE = 8, /* edits of a list of which parts are not tried first */
    MOST_PAIRS = 300
};
static const double z = 2;            /* standard deviations that noise may explain, */
static const double most_loss = 0.05; /* but no more than this part of the gain */

struct smaller {
    struct run run;
    struct edits list, without;
    struct result now; /* of the list */
    double most_error; /* what was inexact stays no less exact */
    struct level level;
};

/* ---- judging ---- */

static int judge(struct smaller *s, const struct edits *list, struct result *result)
{
    s->run.idle = 0;
    return run_evaluate(&s->run, list, 1, EFFORT_CONFIRM, result);
}

static int is_as_good(const struct smaller *s, const struct result *result)
{
    const struct result mean = level_result(&s->level);
    return result->outcome == OUTCOME_VALID && result->error <= s->most_error
           && !noise_is_faster(&mean, result, z)
           && result->time - mean.time <= most_loss * (1 - mean.time);
}

/* ---- dropping ---- */

/* Drops the edits from i on, `n` of them, if that costs nothing: 1 if they went, 0 if not. */
static int drop_if_idle(struct smaller *s)
{
    struct result result;
    const int rc = judge(s, &s->without, &result);
    if (rc != 0)
        return -1;
    if (!is_as_good(s, &result))
        return 0;
    edits_copy(&s->list, &s->without);
    s->now = result;
    level_add(&s->level, &result);
    return 1;
}

static int drop_part(struct smaller *s, size_t from, size_t n)
{
    edits_copy(&s->without, &s->list);
    for (size_t i = 0; i < n; i++)
        edits_drop(&s->without, from);
    return drop_if_idle(s);
}

/* Parts of that size, the newest first. Returns whether any went, or -1. */
static int drop_parts(struct smaller *s, size_t size)
{
    int any = 0;
    for (size_t end = s->list.n; end >= size; end = end > size ? end - size : 0) {
        const int rc = drop_part(s, end - size, size);
        if (rc < 0)
            return -1;
        any |= rc;
    }
    return any;
}

static int drop_halves(struct smaller *s)
{
    int rc = 0;
    for (size_t size = s->list.n / 2; s->list.n > MOST_SINGLE && size > 1 && rc >= 0; size /= 2)
        rc = drop_parts(s, size);
    return rc;
}

static int drop_singles(struct smaller *s)
{
    int rc;
    do
        rc = s->list.n != 0 ? drop_parts(s, 1) : 0;
    while (rc > 0);
    return rc;
}

/* The first pair that can go, the newest first: an edit that breaks something and the one that
   mends it. */
static int drop_pair(struct smaller *s)
{
    int tries = 0;
    for (size_t i = s->list.n; i-- > 1;)
        for (size_t j = i; j-- > 0;) {
            if (tries++ == MOST_PAIRS)
                return 0;
            edits_copy(&s->without, &s->list);
            edits_drop(&s->without, i);
            edits_drop(&s->without, j);
            const int rc = drop_if_idle(s);
            if (rc != 0)
                return rc;
        }
    return 0;
}

/* Whether any edit became a simpler one, at no cost; or -1 */
static int simplify(struct smaller *s)
{
    const struct task *t = s->run.task;
    int any = 0;
    for (size_t i = 0; t->simpler != NULL && i < s->list.n; i++) {
        edits_copy(&s->without, &s->list);
        if (t->simpler(t->self, &s->list.v[i], &s->without.v[i]) != 0)
            continue;
        const int rc = drop_if_idle(s);
        if (rc < 0)
            return -1;
        any |= rc;
    }
    return any;
}

static int drop_all(struct smaller *s)
{
    int rc = drop_halves(s);
    while (rc >= 0) {
        rc = drop_singles(s);
        if (rc >= 0)
            rc = drop_pair(s);
        if (rc == 0)
            return 0;
    }
    return rc;
}

/* What became simpler may need others no more. */
static int reduce(struct smaller *s)
{
    int rc = drop_all(s);
    while (rc == 0 && (rc = simplify(s)) > 0)
        rc = drop_all(s);
    return rc;
}

/* ---- what is kept ---- */

static double share_of(const struct result *after, const struct result *without)
{
    const double gain = 1 - after->time;
    if (gain <= 0)
        return 0;
    return without->outcome == OUTCOME_VALID ? (without->time - after->time) / gain : 1;
}

static int weigh(struct smaller *s, size_t i, const struct result *start, struct kept_edit *kept)
{
    struct edits alone = {0};
    struct result without, by_itself;
    kept->edit = s->list.v[i];
    edits_add(&alone, &kept->edit);
    edits_copy(&s->without, &s->list);
    edits_drop(&s->without, i);
    int rc = judge(s, &s->without, &without);
    if (rc == 0)
        rc = judge(s, &alone, &by_itself);
    edits_free(&alone);
    if (rc != 0)
        return -1;
    kept->share = share_of(&s->now, &without);
    kept->needs_others = !noise_is_faster(&by_itself, start, z);
    return 0;
}

static int weigh_all(struct smaller *s, struct minimised *out)
{
    static const struct edits none;
    struct result start;
    if (judge(s, &none, &start) != 0)
        return -1;
    out->kept = xcalloc(s->list.n, sizeof *out->kept);
    for (size_t i = 0; i < s->list.n; i++)
        if (weigh(s, i, &start, &out->kept[i]) != 0)
            return -1;
    edits_copy(&out->list, &s->list);
    out->after = s->now;
    return 0;
}

static int minimise(struct smaller *s, struct minimised *out)
{
    if (judge(s, &s->list, &out->before) != 0)
        return -1;
    if (out->before.outcome != OUTCOME_VALID)
        return fail("the list to be minimised, of %zu edits, is not valid: it is %s", s->list.n,
                    outcome_names[out->before.outcome]);
    s->now = out->before;
    s->most_error = out->before.error;
    level_begin(&s->level, &out->before);
    return reduce(s) == 0 ? weigh_all(s, out) : -1;
}

int search_minimise(const struct task *task, struct archive *archive, const struct edits *list,
                    struct minimised *out)
{
    static const struct search_plan plan = {.evaluations = LONG_MAX};
    struct smaller s;
    memset(&s, 0, sizeof s);
    memset(out, 0, sizeof *out);
    run_open(&s.run, &plan, task, archive);
    edits_copy(&s.list, list);
    const int rc = minimise(&s, out);
    if (rc != 0)
        minimised_free(out);
    edits_free(&s.list);
    edits_free(&s.without);
    run_close(&s.run);
    return rc;
}

void minimised_free(struct minimised *m)
{
    edits_free(&m->list);
    free(m->kept);
    memset(m, 0, sizeof *m);
}
