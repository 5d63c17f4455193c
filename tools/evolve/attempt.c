/* attempt.c - what a trial has for one child, and what is believed of it
   SPDX-License-Identifier: MIT

   attempt.h declares it. */
#include "attempt.h"

#include "base/numbers.h"
#include "base/util.h"

#include <float.h>
#include <stdlib.h>
#include <string.h>

/* ---- which cases, and how long they are timed ---- */

static const struct depth {
    unsigned first, most; /* pairs */
    double usual_s;       /* what all cases may take; the first pairs are taken in any case */
    double most_s;        /* the same of candidates that look faster */
} depths[] = {{5, 21, 0.004, 0.016}, {10, 30, 0.012, 0.012}, {10, 40, 0.02, 0.02}};

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

enum { ALL_ROOMS = 16 << 20 }; /* bytes; where a large buffer lies makes no difference */

static size_t rooms_for(const struct cases *c)
{
    size_t bytes = 1;
    for (size_t w = 0; w < c->n_written; w++)
        bytes += c->written[w].bytes;
    const size_t fit = ALL_ROOMS / bytes;
    return fit < 1 ? 1 : fit < ATTEMPT_ROOMS ? fit : ATTEMPT_ROOMS;
}

int attempt_open(struct trial *t)
{
    const size_t bytes = sizeof *t->report;
    t->report = xcalloc(1, sizeof *t->report);
    t->task.report = xcalloc(1, sizeof *t->task.report);
    t->n_rooms = rooms_for(t->cases);
    if (case_room_make(&t->rooms[0], t->cases) != 0)
        return -1;
    for (size_t i = 1; i < t->n_rooms; i++)
        if (case_room_pack(&t->rooms[i], t->cases) != 0)
            return -1;
    return guarded_make(&t->block, &bytes, 1, GUARDED_BEHIND);
}

void attempt_close(struct trial *t)
{
    for (size_t i = 0; i < t->n_rooms; i++)
        case_room_free(&t->rooms[i]);
    t->n_rooms = 0;
    guarded_free(&t->block);
    free(t->task.report);
    free(t->report);
    t->task.report = t->report = NULL;
}

static int margins_hold(const struct guarded *g)
{
    if (guarded_margins_hold(g))
        return 1;
    guarded_mend(g);
    return 0;
}

int attempt_margins_hold(struct trial *t)
{
    int hold = margins_hold(&t->block);
    for (size_t i = 0; i < t->n_rooms; i++)
        for (int side = 0; side < SIDES; side++)
            hold &= margins_hold(&t->rooms[i].sides[side]);
    return hold;
}

/* ---- the task ---- */

void attempt_clear_task(struct trial *t)
{
    t->task = (struct child_task){.cases = t->cases,
                                  .rooms = t->rooms,
                                  .n_rooms = t->n_rooms,
                                  .block = &t->block,
                                  .baseline = t->code.baseline,
                                  .most_ns = (uint64_t)(t->plan.limits.seconds * 1e9 / 4),
                                  .report = t->task.report};
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

double attempt_set_task(struct trial *t, enum effort effort, int is_glance)
{
    size_t cases[TASK_CASES];
    const size_t n = trial_timed(t, effort, cases);
    attempt_clear_task(t);
    t->task.most_ns /= n;
    t->task.oracle = &t->plan.oracle;
    t->task.poison = effort == EFFORT_CONFIRM;
    t->task.chosen = chosen_at(t, effort);
    t->effort = effort;
    t->is_glance = is_glance;
    for (size_t k = 0; k < n && !is_glance; k++) {
        t->task.pairs[cases[k]] = pairs_of(&depths[effort], t->sample_ns[cases[k]], n);
        t->task.calls[cases[k]] = t->calls[cases[k]];
    }
    return most_seconds(t, t->task.chosen, effort);
}

static void run_in_child(void *user)
{
    struct trial *t = user;
    child_run(&t->task);
}

int attempt_run(struct trial *t, double seconds, enum sandbox_end *end, int *code)
{
    const struct sandbox_job job = {NULL, run_in_child, t, seconds};
    t->task.number = num_draw(&t->random);
    t->started = clock_seconds();
    return sandbox_run(t->sandbox, &job, end, code);
}

/* ---- judging: outputs ---- */

/* Where a child leaves outputs of a case: see call_everywhere in child.c. */
struct place {
    const struct case_room *room;
    enum guarded_side side;
};

static size_t places_of(const struct trial *t, size_t i, struct place places[ATTEMPT_ROOMS])
{
    size_t n = 1;
    places[0] = (struct place){&t->rooms[0], GUARDED_BEHIND};
    for (; t->task.pairs[i].most > 0 && n < t->n_rooms; n++)
        places[n] = (struct place){&t->rooms[n], GUARDED_BEFORE};
    return n;
}

static double own_error(const struct trial *t, size_t i, const struct place *p)
{
    const struct one_case *one = &t->cases->v[i];
    struct ev_case c = one->c;
    void *want[EV_MAX_BUFFERS];
    cases_point(t->cases, i, p->room, p->side, c.at);
    memcpy(want, c.at, sizeof want);
    for (size_t k = 0; k < c.n_buffers; k++) {
        const struct case_buffer *b = &one->place[k];
        if (c.buffer[k].role != EV_IN)
            want[k] = t->cases->want[!t->task.poison].area[0].at + t->cases->written[b->area].at
                      + b->offset;
    }
    const double error = t->harness->error(&c, want, c.at);
    return error >= 0 ? error : HUGE_VAL; /* a NaN is not */
}

/* The largest error of an output of the case there */
static double error_by(const struct oracle *o, const struct trial *t, size_t i,
                       const struct place *p)
{
    double most = 0;
    for (size_t w = 0; w < t->cases->n_written; w++) {
        const struct oracle_region r = cases_region(t->cases, w, p->room, p->side, !t->task.poison);
        if (t->cases->written[w].of == i)
            most = fmax(most, oracle_error(o, &r));
    }
    return most;
}

static double error_at(const struct trial *t, size_t i, const struct place *p)
{
    const double error = error_by(&t->plan.oracle, t, i, p);
    return t->plan.oracle.kind == ORACLE_HARNESS && error < HUGE_VAL ? own_error(t, i, p) : error;
}

double judge_case(const struct trial *t, size_t i, int *allowed)
{
    static const struct oracle exact = {ORACLE_RELATIVE, 0, 0};
    struct place places[ATTEMPT_ROOMS];
    const size_t n = places_of(t, i, places);
    double most = 0, differs = 0;
    for (size_t k = 0; k < n; k++)
        most = fmax(most, error_at(t, i, &places[k]));
    *allowed = oracle_accepts(&t->plan.oracle, most);
    for (size_t k = 0; k < n && most <= 0 && t->plan.oracle.kind != ORACLE_EXACT; k++)
        differs = fmax(differs, error_by(&exact, t, i, &places[k]));
    return differs > 0 ? DBL_MIN : most; /* in any bit */
}

static int judge_outputs(const struct trial *t, struct result *r)
{
    int allowed = 1;
    r->error = 0;
    for (size_t i = 0; allowed && i < t->cases->n; i++)
        if (t->task.chosen >> i & 1)
            r->error = fmax(r->error, judge_case(t, i, &allowed));
    return allowed;
}

/* ---- judging: times ---- */

int judge_times_can_be(const struct trial *t, size_t i, double *left)
{
    const struct report *p = t->report;
    const uint64_t n = p->n_pairs[i];
    double base[CHILD_PAIRS];
    if (n == 0 || n > t->task.pairs[i].most)
        return 0;
    for (size_t k = 0; k < n; k++)
        for (int code = 0; code < 2; code++) {
            *left -= 1e-9 * (double)p->ns[i][k][code];
            if (p->ns[i][k][code] == 0 || *left < 0)
                return 0;
        }
    for (size_t k = 0; k < n; k++)
        base[k] = (double)p->ns[i][k][1];
    return timing_quiet(base, n) > t->sample_ns[i] / 16;
}

static int judge_times(const struct trial *t, struct result *r)
{
    double left = clock_seconds() - t->started, time = 0, square = 0;
    size_t cases[TASK_CASES];
    const size_t n = trial_timed(t, t->effort, cases);
    for (size_t k = 0; k < n; k++) {
        const size_t i = cases[k];
        if (!judge_times_can_be(t, i, &left))
            return 0;
        const struct timing x =
            timing_of((const uint64_t(*)[2])t->report->ns[i], t->report->n_pairs[i]);
        r->ratio[k] = x.ratio;
        memcpy(r->ns[k], x.ns, sizeof x.ns);
        time += x.ratio;
        square += x.error * x.error;
    }
    r->n_cases = (int)n;
    r->time = time / (double)n;
    r->spread = sqrt(square) / (double)n;
    return 1;
}

/* ---- judging: all of it ---- */

int judge_take_report(struct trial *t)
{
    memcpy(t->report, t->block.area[0].at, sizeof *t->report);
    return t->report->sum == report_sum(t->report, t->task.number)
           && (t->report->word == CHILD_DONE || t->report->word == CHILD_WRONG);
}

static enum outcome judge_done(struct trial *t, struct result *r)
{
    if (!judge_take_report(t))
        return OUTCOME_GARBLED;
    if (t->report->word == CHILD_WRONG || !judge_outputs(t, r))
        return OUTCOME_WRONG;
    return t->is_glance || judge_times(t, r) ? OUTCOME_VALID : OUTCOME_GARBLED;
}

struct result judge_result(struct trial *t, enum sandbox_end end)
{
    struct result r = result_without(OUTCOME_CRASHED);
    const int hold = attempt_margins_hold(t);
    if (end == SANDBOX_DONE)
        r.outcome = hold ? judge_done(t, &r) : OUTCOME_WRONG;
    else if (end == SANDBOX_TIMED_OUT)
        r.outcome = OUTCOME_TIMED_OUT;
    return r;
}
