/* compare.c - the times of several codes over a harness's cases
   SPDX-License-Identifier: MIT

   trial.h declares it. */
#include "child.h"
#include "trial.h"

#include "base/util.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_CODES = 256, ROUNDS = 31 };

struct contest {
    const struct cases *cases;
    const struct trial_plan *plan;
    struct case_room room;
    struct guarded block; /* a time for each code, in nanoseconds for a call */
    ev_kernel *const *codes;
    size_t n, i;
    double (*ns)[ROUNDS]; /* of each code; the child's own */
};

/* ---- in the child ---- */

/* So many rounds that they take a quarter of the time limit at most, 3 at least */
static size_t rounds_of(const struct contest *c, double a_round_ns)
{
    const double fit = c->plan->limits.seconds * 1e9 / 4 / a_round_ns;
    return fit < 3 ? 3 : fit > ROUNDS ? ROUNDS : (size_t)fit;
}

/* Each round begins with another code. */
static void run_contest(void *user)
{
    struct contest *c = user;
    struct child_timer timer;
    double a_round = 1;
    child_timer(&timer, c->cases, &c->room, c->i, 0);
    const uint64_t calls = child_calls(&timer, c->codes[0]);
    for (size_t k = 0; k < c->n; k++)
        a_round += (double)child_sample(&timer, c->codes[k], calls);
    const size_t rounds = rounds_of(c, a_round);
    for (size_t r = 0; r < rounds; r++)
        for (size_t k = 0; k < c->n; k++) {
            const size_t code = (r + k) % c->n;
            c->ns[code][r] = (double)child_sample(&timer, c->codes[code], calls);
        }
    for (size_t k = 0; k < c->n; k++) {
        const double quiet = timing_quiet(c->ns[k], rounds) / (double)calls;
        memcpy(c->block.area[0].at + k * sizeof quiet, &quiet, sizeof quiet);
    }
}

/* ---- in the parent ---- */

static int contest_case(struct contest *c, struct sandbox *s, double *us)
{
    const struct sandbox_job job = {NULL, run_contest, c, 0};
    const char *label = c->cases->v[c->i].label;
    enum sandbox_end end = SANDBOX_DONE;
    int code = 0;
    if (sandbox_run(s, &job, &end, &code) != 0)
        return -1;
    if (end == SANDBOX_TIMED_OUT)
        return fail("%s: case %s: timing %zu codes takes longer than %g s", c->cases->path, label,
                    c->n, c->plan->limits.seconds);
    if (end != SANDBOX_DONE)
        return fail("%s: case %s: a code crashes while it is timed (%s)", c->cases->path, label,
                    code < SANDBOX_EXITED ? strsignal(code) : "it ends the process");
    for (size_t k = 0; k < c->n; k++) {
        double ns;
        memcpy(&ns, c->block.area[0].at + k * sizeof ns, sizeof ns);
        if (!(ns > 0 && ns < 1e9 * c->plan->limits.seconds))
            return fail("%s: case %s: a time of %g ns cannot be", c->cases->path, label, ns);
        us[k * c->cases->n + c->i] = ns / 1000;
    }
    return 0;
}

static int contest_all(struct contest *c, double *us)
{
    const size_t bytes = c->n * sizeof *us;
    struct sandbox *s = NULL;
    int rc = guarded_make(&c->block, &bytes, 1, GUARDED_BEHIND);
    if (rc == 0)
        rc = case_room_make(&c->room, c->cases);
    if (rc == 0)
        rc = sandbox_open(&s, &c->plan->limits);
    for (c->i = 0; rc == 0 && c->i < c->cases->n; c->i++)
        if (!c->cases->v[c->i].shape->untimed)
            rc = contest_case(c, s, us);
    sandbox_close(s);
    case_room_free(&c->room);
    guarded_free(&c->block);
    return rc;
}

int trial_compare(const struct host *h, ev_kernel *const *codes, size_t n,
                  const struct trial_plan *plan, double *us)
{
    struct contest c;
    struct cases *cases = NULL;
    if (n == 0 || n > MOST_CODES)
        return fail("%zu codes cannot be compared: 1 to %d can", n, MOST_CODES);
    if (cases_open(&cases, host_harness(h), host_path(h), plan->seed) != 0)
        return -1;
    memset(&c, 0, sizeof c);
    c.cases = cases;
    c.plan = plan;
    c.codes = codes;
    c.n = n;
    c.ns = xcalloc(n, sizeof *c.ns);
    for (size_t k = 0; k < n * cases->n; k++)
        us[k] = 0;
    const int rc = contest_all(&c, us);
    free(c.ns);
    cases_close(cases);
    return rc;
}
