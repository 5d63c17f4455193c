/* trials.c - how right and how fast candidates are on the cases of a harness
   SPDX-License-Identifier: MIT

   trial.h declares it. */
#include "judge.h"
#include "proof.h"

#include "base/numbers.h"
#include "base/util.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

/* ---- evaluation ---- */

struct hearer {
    void (*done)(void *user, size_t i, const struct result *result);
    void *user;
};

static void finish_one(struct trial *t, const struct hearer *h)
{
    size_t tag = 0;
    enum sandbox_end end;
    int code = 0;
    if (!sandbox_wait(t->sandbox, &tag, &end, &code))
        return;
    struct slot *s = &t->slots[tag];
    const struct result r = judge_result(t, s, end, code);
    s->is_busy = 0;
    h->done(h->user, s->i, &r);
}

/* No child can be had: the machine is full. That is no fault of the list, but there is nothing else
   to be said of it. */
static void give_up(const struct hearer *h, size_t i)
{
    struct result r;
    memset(&r, 0, sizeof r);
    r.outcome = OUTCOME_UNCOMPILED;
    r.time = r.error = HUGE_VAL;
    h->done(h->user, i, &r);
}

static void finish_all(struct trial *t, const struct hearer *h)
{
    while (sandbox_room(t->sandbox) < t->plan.jobs)
        finish_one(t, h);
}

/* If there is no child at once there may be one when the others have ended, or a little later. */
static void begin_one(struct trial *t, struct slot *s, const struct hearer *h)
{
    const struct timespec pause = {1, 0};
    for (int tries = 0; slot_start(t, s) != 0; tries++) {
        if (tries == 5) {
            give_up(h, s->i);
            return;
        }
        finish_all(t, h);
        nanosleep(&pause, NULL);
    }
}

void trial_evaluate(void *trial, const struct edits *lists, size_t n, enum effort effort,
                    void (*done)(void *user, size_t i, const struct result *result), void *user)
{
    struct trial *t = trial;
    const struct hearer h = {done, user};
    for (size_t i = 0; i < n; i++) {
        if (sandbox_room(t->sandbox) == 0)
            finish_one(t, &h);
        struct slot *s = slot_free(t);
        slot_set_task(t, s, effort);
        s->list = &lists[i];
        s->i = i;
        begin_one(t, s, &h);
    }
    finish_all(t, &h);
}

/* ---- opening ---- */

static int open_all(struct trial *t)
{
    if (t->plan.oracle.kind == ORACLE_HARNESS && t->harness->error == NULL)
        return fail("%s: EV_HARNESS has no .error, which this oracle calls", t->path);
    if (sandbox_open(&t->sandbox, t->plan.jobs, &t->plan.limits) != 0 || proof_set_up(t) != 0
        || cases_open(&t->cases, t->harness, t->path, t->plan.seed) != 0 || slots_make(t) != 0)
        return -1;
    return proof_harness(t);
}

int trial_open(struct trial **out, const struct host *h, const struct trial_code *code,
               const struct trial_plan *plan)
{
    struct trial *t = xcalloc(1, sizeof *t);
    t->harness = host_harness(h);
    t->path = host_path(h);
    t->code = *code;
    t->plan = *plan;
    t->random = num_mix(plan->seed, (uint64_t)time(NULL), (uint64_t)(slots_now() * 1e9));
    *out = NULL;
    if (open_all(t) != 0) {
        trial_close(t);
        return -1;
    }
    *out = t;
    return 0;
}

void trial_close(struct trial *t)
{
    if (t == NULL)
        return;
    sandbox_close(t->sandbox);
    slots_free(t);
    free(t->report);
    cases_close(t->cases);
    free(t);
}

size_t trial_cases(const struct trial *t)
{
    return t->cases->n;
}

struct trial_case trial_case(const struct trial *t, size_t i)
{
    const struct one_case *one = &t->cases->v[i];
    const double us = t->calls[i] == 0 ? 0 : t->sample_ns[i] / (double)t->calls[i] / 1000;
    const struct trial_case c = {one->label, one->shape->held_out, !one->shape->untimed,
                                 one->shape->size, us};
    return c;
}
