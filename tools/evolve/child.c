/* child.c - what runs in a child that is locked in: calls that are checked, calls that are timed
   SPDX-License-Identifier: MIT

   attempt.h and trial.h declare it. */
#include "attempt.h"

#include "base/numbers.h"

#include <math.h>
#include <string.h>
#include <time.h>

/* ---- what many times say ---- */

static void sort(double *v, size_t n)
{
    for (size_t i = 1; i < n; i++) {
        const double x = v[i];
        size_t k = i;
        for (; k > 0 && v[k - 1] > x; k--)
            v[k] = v[k - 1];
        v[k] = x;
    }
}

double timing_quiet(double *v, size_t n)
{
    sort(v, n);
    return v[n / 4];
}

static double median(double *v, size_t n)
{
    sort(v, n);
    return num_median(v, n);
}

/* The standard error of a median, from the median of the distances to it: neither is moved by the
   few values that an interruption made large. */
static double error_of_median(double *v, size_t n)
{
    const double to_deviation = 1.4826, of_median = 1.2533; /* if the distribution is normal */
    const double middle = median(v, n);
    for (size_t i = 0; i < n; i++)
        v[i] = fabs(v[i] - middle);
    return to_deviation * of_median * median(v, n) / sqrt((double)n);
}

struct timing timing_of(const uint64_t (*pairs)[2], size_t n)
{
    double v[TIMING_MOST];
    struct timing t = {0, 0, {0, 0}};
    for (int code = 0; code < 2; code++) {
        for (size_t i = 0; i < n; i++)
            v[i] = (double)pairs[i][code];
        t.ns[code] = timing_quiet(v, n);
    }
    for (size_t i = 0; i < n; i++)
        v[i] = (double)pairs[i][0] / (double)pairs[i][1];
    t.ratio = t.ns[0] / t.ns[1];
    t.error = error_of_median(v, n);
    return t;
}

uint64_t report_sum(const struct report *r, uint64_t number)
{
    const unsigned char *at = (const unsigned char *)r + sizeof r->sum;
    uint64_t sum = number;
    for (size_t i = 0; i < sizeof *r - sizeof r->sum; i += sizeof sum) {
        uint64_t word;
        memcpy(&word, at + i, sizeof word);
        sum = (sum ^ word) * UINT64_C(0x9e3779b97f4a7c15);
        sum ^= sum >> 32;
    }
    return sum;
}

/* ---- samples ---- */

static uint64_t clock_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

void child_timer(struct child_timer *t, const struct cases *cases, const struct case_room *room,
                 size_t i, int poison)
{
    t->cases = cases;
    t->room = room;
    t->i = i;
    t->poison = poison;
    t->c = cases->v[i].c;
    cases_point(cases, i, room, GUARDED_BEFORE, t->c.at);
}

/* A kernel that found its own outputs could leave work out that it did before. */
uint64_t child_sample(const struct child_timer *t, ev_kernel *kernel, uint64_t calls)
{
    uint64_t sum = 0;
    for (uint64_t k = 0; k < calls; k++) {
        cases_fill(t->cases, t->i, t->room, GUARDED_BEFORE, t->poison);
        const uint64_t from = clock_ns();
        t->cases->harness->call(&t->c, kernel);
        sum += clock_ns() - from;
    }
    return sum;
}

uint64_t child_calls(const struct child_timer *t, ev_kernel *kernel)
{
    uint64_t calls = 1;
    child_sample(t, kernel, 1);
    while (calls < CHILD_CALLS && child_sample(t, kernel, calls) < CHILD_SAMPLE_NS)
        calls *= 2;
    return calls;
}

/* ---- the candidate ---- */

static int is_chosen(const struct child_task *t, size_t i)
{
    return (t->chosen >> i & 1) != 0;
}

static void call_once(const struct child_task *t, size_t i, size_t room, enum guarded_side side,
                      int poison)
{
    struct ev_case c = t->cases->v[i].c;
    cases_point(t->cases, i, &t->rooms[room], side, c.at);
    cases_fill(t->cases, i, &t->rooms[room], side, poison);
    t->cases->harness->call(&c, t->kernel);
}

static int is_right(const struct child_task *t, size_t i)
{
    for (size_t w = 0; t->oracle != NULL && w < t->cases->n_written; w++) {
        if (t->cases->written[w].of != i)
            continue;
        const struct oracle_region r =
            cases_region(t->cases, w, &t->rooms[0], GUARDED_BEFORE, t->poison);
        if (!oracle_accepts(t->oracle, oracle_error(t->oracle, &r)))
            return 0;
    }
    return 1;
}

/* ---- times ---- */

static int is_far_slower(const uint64_t pair[2])
{
    return pair[0] / 4 > pair[1];
}

/* Is it not worth while to go on? After two pairs if the candidate is slower by far (one alone can
   be an interruption), after the first ones if it is slower by a tenth and more than the noise. One
   that looks faster is looked at for longer than others: a lucky reading must not lead a search. */
static int is_enough(const struct child_pairs *p, const uint64_t (*ns)[2], size_t n)
{
    if (n < p->first)
        return n > 1 && is_far_slower(ns[n - 1]) && is_far_slower(ns[n - 2]);
    if (n >= p->most || (n != p->first && n != p->usual))
        return n >= p->most;
    const struct timing t = timing_of(ns, n);
    return n == p->usual ? t.ratio + t.error > 1 : t.ratio - 2 * t.error > 1.1;
}

/* Points the timer to a room, and lets both codes find what they use in the caches. */
static void enter_room(const struct child_task *t, struct child_timer *timer, size_t i, size_t room)
{
    child_timer(timer, t->cases, &t->rooms[room], i, t->poison);
    child_sample(timer, t->baseline, 1);
    child_sample(timer, t->kernel, 1);
}

/* Candidate first, baseline first, and so on; a few in each room, as where buffers lie in memory
   can make as much of a difference as an edit. */
static void time_case(struct child_task *t, size_t i)
{
    struct child_timer timer;
    uint64_t(*ns)[2] = t->report->ns[i];
    enter_room(t, &timer, i, 0);
    if (t->calls[i] == 0)
        t->calls[i] = child_calls(&timer, t->baseline);
    const uint64_t from = clock_ns();
    size_t n = 0;
    while (n == 0 || (n < t->pairs[i].most && clock_ns() - from < t->most_ns)) {
        const int first = n % 2 == 0 ? 0 : 1;
        if (n > 0 && n % CHILD_STAY == 0)
            enter_room(t, &timer, i, n / CHILD_STAY % t->n_rooms);
        ns[n][first] = child_sample(&timer, first == 0 ? t->kernel : t->baseline, t->calls[i]);
        ns[n][!first] = child_sample(&timer, first == 0 ? t->baseline : t->kernel, t->calls[i]);
        n++;
        if (is_enough(&t->pairs[i], (const uint64_t(*)[2])ns, n))
            break;
    }
    t->report->n_pairs[i] = n;
    t->report->calls[i] = t->calls[i];
}

/* ---- all of it ---- */

static void call_everywhere(const struct child_task *t, size_t i)
{
    call_once(t, i, 0, GUARDED_BEHIND, !t->poison);
    for (size_t room = 1; t->pairs[i].most > 0 && room < t->n_rooms; room++)
        call_once(t, i, room, GUARDED_BEFORE, !t->poison);
}

static void child_say(struct child_task *t, enum child_word word)
{
    t->report->word = word;
    t->report->sum = report_sum(t->report, t->number);
    memcpy(t->block->area[0].at, t->report, sizeof *t->report);
}

void child_run(struct child_task *t)
{
    for (size_t i = 0; i < t->cases->n; i++) {
        if (!is_chosen(t, i))
            continue;
        call_once(t, i, 0, GUARDED_BEFORE, t->poison);
        if (!is_right(t, i)) {
            child_say(t, CHILD_WRONG);
            return;
        }
    }
    for (size_t i = 0; i < t->cases->n; i++)
        if (is_chosen(t, i) && t->pairs[i].most > 0)
            time_case(t, i);
    for (size_t i = 0; i < t->cases->n; i++)
        if (is_chosen(t, i))
            call_everywhere(t, i);
    child_say(t, CHILD_DONE);
}
