/* slots.c - what a trial has for each child: memory, a task, and the way into the sandbox
   SPDX-License-Identifier: MIT

   slots.h declares it. */
#include "slots.h"

#include "base/numbers.h"
#include "base/util.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

double slots_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* ---- which cases, and how long they are timed ---- */

static const struct depth {
    unsigned first, most; /* pairs */
    double usual_s;       /* what all cases may take; the first pairs are taken in any case */
    double most_s;        /* the same of candidates that look faster */
} depths[] = {{5, 21, 0.004, 0.016}, {15, 61, 0.03, 0.03}, {25, 105, 0.06, 0.06}};

static unsigned chosen_at(const struct trial *t, enum effort effort)
{
    unsigned chosen = 0;
    for (size_t i = 0; i < t->cases->n; i++)
        if (effort == EFFORT_JUDGE || !t->cases->v[i].shape->held_out)
            chosen |= 1u << i;
    return chosen;
}

size_t trial_timed(const struct trial *t, enum effort effort, size_t cases[TASK_CASES])
{
    const unsigned chosen = chosen_at(t, effort);
    size_t n = 0;
    for (size_t i = 0; i < t->cases->n; i++)
        if ((chosen >> i & 1) && !t->cases->v[i].shape->untimed)
            cases[n++] = i;
    return n;
}

static unsigned pairs_in(const struct depth *d, double seconds, double a_pair_s)
{
    const double fit = seconds / a_pair_s;
    return fit < d->first ? d->first : fit > d->most ? d->most : (unsigned)fit;
}

static struct child_pairs pairs_of(const struct depth *d, double sample_ns, size_t n_timed)
{
    const double a_pair = 2e-9 * sample_ns * (double)n_timed;
    const struct child_pairs p = {d->first, pairs_in(d, d->usual_s, a_pair),
                                  pairs_in(d, d->most_s, a_pair)};
    return p;
}

/* ---- memory ---- */

int slots_make(struct trial *t)
{
    const size_t bytes = sizeof(struct report);
    t->slots = xcalloc((size_t)t->plan.jobs, sizeof *t->slots);
    t->report = xcalloc(1, sizeof *t->report);
    for (int k = 0; k < t->plan.jobs; k++) {
        struct slot *s = &t->slots[k];
        s->trial = t;
        s->task.report = xcalloc(1, sizeof *s->task.report);
        if (case_room_make(&s->room, t->cases) != 0
            || guarded_make(&s->block, &bytes, 1, GUARDED_BEHIND) != 0)
            return -1;
    }
    return 0;
}

void slots_free(struct trial *t)
{
    for (int k = 0; t->slots != NULL && k < t->plan.jobs; k++) {
        case_room_free(&t->slots[k].room);
        guarded_free(&t->slots[k].block);
        free(t->slots[k].task.report);
    }
    free(t->slots);
}

/* Of everything that a child may write to */
int slot_margins_hold(struct slot *s)
{
    struct guarded *all[] = {&s->room.sides[0], &s->room.sides[1], &s->block};
    int hold = 1;
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (!guarded_margins_hold(all[i])) {
            guarded_mend(all[i]);
            hold = 0;
        }
    return hold;
}

/* ---- the child ---- */

static int prepare(void *user)
{
    struct slot *s = user;
    const struct trial *t = s->trial;
    enum outcome why = OUTCOME_UNCOMPILED;
    if (s->list != NULL)
        s->task.kernel = t->code.compile(t->code.self, s->list, &why);
    if (s->task.kernel == NULL)
        return 1 + (int)why;
    for (int k = 0; k < t->plan.jobs; k++)
        if (&t->slots[k] != s) {
            for (int side = 0; side < SIDES; side++)
                guarded_hide(&t->slots[k].room.sides[side], SIZE_MAX);
            guarded_hide(&t->slots[k].block, SIZE_MAX);
        }
    return 0;
}

static void run(void *user)
{
    struct slot *s = user;
    child_run(&s->task);
}

int slot_start(struct trial *t, struct slot *s)
{
    const struct sandbox_job job = {prepare, run, s, s->run_seconds};
    s->task.number = num_draw(&t->random);
    s->started = slots_now();
    s->is_busy = 1;
    if (sandbox_start(t->sandbox, &job, (size_t)(s - t->slots)) == 0)
        return 0;
    s->is_busy = 0;
    return -1;
}

struct child_task slot_task(const struct trial *t, const struct slot *s)
{
    struct child_task task;
    memset(&task, 0, sizeof task);
    task.cases = t->cases;
    task.room = &s->room;
    task.block = &s->block;
    task.baseline = t->code.baseline;
    task.most_ns = (uint64_t)(t->plan.limits.seconds * 1e9 / 4);
    task.report = s->task.report;
    return task;
}

struct slot *slot_free(struct trial *t)
{
    int k = 0;
    while (t->slots[k].is_busy)
        k++;
    return &t->slots[k];
}

/* One candidate in twenty never ends: so the limit is near what the slowest useful one needs, the
   timings of all cases and some calls. */
static double most_seconds(const struct trial *t, unsigned chosen, enum effort effort)
{
    double seconds = 0.006 + 1.2 * depths[effort].most_s;
    for (size_t i = 0; i < t->cases->n; i++)
        if (chosen >> i & 1)
            seconds +=
                t->calls[i] > 0 ? 20e-9 * t->sample_ns[i] / (double)t->calls[i] : 2 * t->whole_s[i];
    return seconds;
}

void slot_set_task(struct trial *t, struct slot *s, enum effort effort)
{
    size_t cases[TASK_CASES];
    const size_t n = trial_timed(t, effort, cases);
    s->task = slot_task(t, s);
    s->task.most_ns /= n;
    s->task.oracle = &t->plan.oracle;
    s->task.poison = effort == EFFORT_CONFIRM;
    s->task.chosen = chosen_at(t, effort);
    s->effort = effort;
    s->run_seconds = most_seconds(t, s->task.chosen, effort);
    for (size_t k = 0; k < n; k++) {
        s->task.pairs[cases[k]] = pairs_of(&depths[effort], t->sample_ns[cases[k]], n);
        s->task.calls[cases[k]] = t->calls[cases[k]];
    }
}

int slot_run_alone(struct trial *t, struct slot *s, enum sandbox_end *end, int *code)
{
    size_t tag = 0;
    s->list = NULL;
    s->run_seconds = 0;
    if (slot_start(t, s) != 0)
        return -1;
    sandbox_wait(t->sandbox, &tag, end, code);
    s->is_busy = 0;
    return 0;
}
