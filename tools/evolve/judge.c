/* judge.c - what is believed of a child, and what its outputs and times make of its list
   SPDX-License-Identifier: MIT

   judge.h declares it. */
#include "judge.h"

#include <float.h>
#include <string.h>

/* ---- outputs ---- */

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

/* ---- times ---- */

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

/* ---- all of it ---- */

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
    r->error = HUGE_VAL;
    if (t->report->word == CHILD_WRONG || !judge_outputs(t, r))
        return OUTCOME_WRONG;
    return t->is_glance || judge_times(t, r) ? OUTCOME_VALID : OUTCOME_GARBLED;
}

static enum outcome judge(struct trial *t, enum sandbox_end end, struct result *r)
{
    const int hold = attempt_margins_hold(t);
    switch (end) {
    case SANDBOX_DONE: return hold ? judge_done(t, r) : OUTCOME_WRONG;
    case SANDBOX_TIMED_OUT: return OUTCOME_TIMED_OUT;
    default: return OUTCOME_CRASHED;
    }
}

struct result judge_result(struct trial *t, enum sandbox_end end)
{
    struct result r;
    memset(&r, 0, sizeof r);
    r.error = HUGE_VAL;
    r.outcome = judge(t, end, &r);
    if (r.outcome != OUTCOME_VALID) {
        r.time = HUGE_VAL;
        r.spread = 0;
        r.n_cases = 0;
    }
    return r;
}
