/* minimise.c - what a list can do without, and which of its edits all cases accept
   SPDX-License-Identifier: MIT

   search.h declares it. */
#include "run.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    MOST_SINGLE = 8, /* edits of a list of which parts are not tried first */
    MOST_PAIRS = 300
};
static const double z = 2;            /* standard deviations that noise may explain, */
static const double most_loss = 0.02; /* but no more than this part of the gain, */
static const double any_loss = 0.002; /* unless it is as little as that */

struct smaller {
    struct run run;
    struct edits start, list, without;
    struct result before; /* of the start */
};

/* ---- judging ---- */

static struct result minimise_compare(const struct smaller *s, const struct edits *list,
                                      const struct edits *with)
{
    const struct task *t = s->run.task;
    const struct result inapplicable = {.outcome = OUTCOME_INAPPLICABLE, .time = HUGE_VAL};
    return t->applies(t->program, list) ? t->compare(t->trial, list, with) : inapplicable;
}

static int minimise_judge(struct smaller *s, const struct edits *list, enum effort effort,
                          struct result *result)
{
    s->run.idle = 0;
    return run_one(&s->run, list, effort, result);
}

/* Is a time, as a part of the start's, as good as that? What was inexact stays no less exact. */
static int is_as_good(const struct smaller *s, const struct result *result)
{
    const struct result start = {.outcome = OUTCOME_VALID, .time = 1};
    return result->outcome == OUTCOME_VALID && result->error <= s->before.error
           && !noise_is_faster(&start, result, z)
           && (result->time - 1) * s->before.time
                  <= fmax(most_loss * (1 - s->before.time), any_loss);
}

/* ---- dropping ---- */

/* The list without some becomes the list, if that costs nothing. It is always compared with the
   start, so that small losses do not add up. */
static int drop_if_idle(struct smaller *s)
{
    const struct result result = minimise_compare(s, &s->without, &s->start);
    struct result all; /* the held-out cases, too */
    if (!is_as_good(s, &result) || minimise_judge(s, &s->without, EFFORT_JUDGE, &all) != 0
        || all.outcome != OUTCOME_VALID)
        return 0;
    edits_copy(&s->list, &s->without);
    return 1;
}

/* Parts of that size, the newest first. Returns whether any went. */
static int drop_parts(struct smaller *s, size_t size)
{
    int any = 0;
    for (size_t end = s->list.n; end >= size; end = end > size ? end - size : 0) {
        edits_copy(&s->without, &s->list);
        for (size_t i = 0; i < size; i++)
            edits_drop(&s->without, end - size);
        any |= drop_if_idle(s);
    }
    return any;
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
            if (drop_if_idle(s))
                return 1;
        }
    return 0;
}

/* Whether any edit became a simpler one, at no cost */
static int simplify(struct smaller *s)
{
    const struct task *t = s->run.task;
    int any = 0;
    for (size_t i = 0; t->simpler != NULL && i < s->list.n; i++) {
        edits_copy(&s->without, &s->list);
        if (t->simpler(t->program, &s->list.v[i], &s->without.v[i]) != 0)
            continue;
        any |= drop_if_idle(s);
    }
    return any;
}

static void drop_all(struct smaller *s)
{
    for (size_t size = s->list.n / 2; s->list.n > MOST_SINGLE && size > 1; size /= 2)
        drop_parts(s, size);
    do
        while (s->list.n != 0 && drop_parts(s, 1))
            ;
    while (drop_pair(s));
}

/* ---- what is kept ---- */

/* `without`: its time is a part of the list's */
static double share_of(const struct result *after, const struct result *without)
{
    const double gain = 1 - after->time;
    if (gain <= 0)
        return 0;
    return without->outcome == OUTCOME_VALID ? (without->time - 1) * after->time / gain : 1;
}

static int weigh(struct smaller *s, size_t i, const struct result *start,
                 const struct result *after, struct kept_edit *kept)
{
    struct edits alone = {0};
    struct result by_itself;
    kept->edit = s->list.v[i];
    edits_add(&alone, &kept->edit);
    edits_copy(&s->without, &s->list);
    edits_drop(&s->without, i);
    const int rc = minimise_judge(s, &alone, EFFORT_CONFIRM, &by_itself);
    edits_free(&alone);
    if (rc != 0)
        return -1;
    const struct result without = minimise_compare(s, &s->without, &s->list);
    if (s->run.task->gave_up != NULL && *s->run.task->gave_up)
        return -1;
    kept->share = share_of(after, &without);
    kept->needs_others = !noise_is_faster(&by_itself, start, z);
    kept->error = without.outcome == OUTCOME_VALID ? without.error : HUGE_VAL;
    return 0;
}

static int tell_steps(const struct task *t, struct minimised *out)
{
    if (t->steps == NULL)
        return 0;
    out->steps = xcalloc(out->list.n + 1, sizeof *out->steps);
    return t->steps(t->program, &out->list, out->steps) == 0
               ? 0
               : fail("a list that was valid does not apply any more");
}

static int weigh_all(struct smaller *s, struct minimised *out)
{
    struct result start;
    if (minimise_judge(s, &edits_none, EFFORT_CONFIRM, &start) != 0
        || minimise_judge(s, &s->list, EFFORT_CONFIRM, &out->after) != 0)
        return -1;
    out->kept = xcalloc(s->list.n, sizeof *out->kept);
    for (size_t i = 0; i < s->list.n; i++)
        if (weigh(s, i, &start, &out->after, &out->kept[i]) != 0)
            return -1;
    edits_copy(&out->list, &s->list);
    return tell_steps(s->run.task, out);
}

static int minimise(struct smaller *s, struct minimised *out)
{
    if (minimise_judge(s, &s->list, EFFORT_CONFIRM, &out->before) != 0)
        return -1;
    if (out->before.outcome != OUTCOME_VALID)
        return fail("the list to be minimised, of %zu %s, is not valid: it is %s", s->list.n,
                    as_counted(s->list.n, "edit", "edits"), outcome_names[out->before.outcome]);
    s->before = out->before;
    do
        drop_all(s);
    while (simplify(s)); /* what became simpler may need others no more */
    return weigh_all(s, out);
}

static void smaller_open(struct smaller *s, const struct task *task, struct archive *archive,
                         const struct edits *list)
{
    memset(s, 0, sizeof *s);
    run_open(&s->run, NULL, task, archive);
    edits_copy(&s->start, list);
}

static void smaller_close(struct smaller *s)
{
    edits_free(&s->start);
    edits_free(&s->list);
    edits_free(&s->without);
    run_close(&s->run);
}

int search_minimise(const struct task *task, struct archive *archive, const struct edits *list,
                    struct minimised *out)
{
    struct smaller s;
    memset(out, 0, sizeof *out);
    smaller_open(&s, task, archive, list);
    edits_copy(&s.list, list);
    const int rc = minimise(&s, out);
    if (rc != 0)
        minimised_free(out);
    smaller_close(&s);
    return rc;
}

void minimised_free(struct minimised *m)
{
    if (m->steps != NULL)
        edit_steps_free(m->steps, m->list.n);
    free(m->steps);
    edits_free(&m->list);
    free(m->kept);
    memset(m, 0, sizeof *m);
}

/* ---- mending: the edits that all cases accept together ---- */

/* A list that is fast on the cases of the search may be wrong on held-out ones by a few of its
   edits; the others may still gain. */

/* Adds a part of the start, or what all cases accept of it. */
static int add_part(struct smaller *s, size_t from, size_t n)
{
    struct edits longer = {0};
    struct result result;
    edits_copy(&longer, &s->list);
    for (size_t i = 0; i < n; i++)
        edits_add(&longer, &s->start.v[from + i]);
    int rc = minimise_judge(s, &longer, EFFORT_JUDGE, &result);
    if (rc == 0 && result.outcome == OUTCOME_VALID)
        edits_copy(&s->list, &longer);
    else if (rc == 0 && n > 1)
        rc = add_part(s, from, n / 2) != 0 ? -1 : add_part(s, from + n / 2, n - n / 2);
    edits_free(&longer);
    return rc;
}

int search_mend(const struct task *task, struct archive *archive, const struct edits *list,
                struct edits *right)
{
    struct smaller s;
    memset(right, 0, sizeof *right);
    smaller_open(&s, task, archive, list);
    const int rc = add_part(&s, 0, list->n);
    if (rc == 0)
        edits_copy(right, &s.list);
    smaller_close(&s);
    return rc;
}
