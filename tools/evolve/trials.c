/* trials.c - how right and how fast candidates are on the cases of a harness
   SPDX-License-Identifier: MIT

   The members of a crew compile, run and judge: they answer with results. */
#include "attempt.h"

#include "base/numbers.h"
#include "base/util.h"

#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static void pause_a_second(void)
{
    const struct timespec second = {1, 0};
    nanosleep(&second, NULL);
}

/* ---- in a member of the crew ---- */

struct request { /* in front of the edits of the list, and of the one it is timed with */
    enum effort effort;
    int has_rival;
    size_t n, n_rival;
};

/* Memory and a sandbox of its own, in place of its parent's */
static int trials_begin(void *user)
{
    struct trial *t = user;
    t->random = num_mix(t->random, (uint64_t)getpid(), (uint64_t)(clock_seconds() * 1e9));
    for (size_t i = 0; i < TASK_CASES; i++)
        t->usual_ns[0][i] = t->sample_ns[i] / (double)t->calls[i];
    sandbox_close(t->sandbox);
    attempt_close(t);
    return sandbox_open(&t->sandbox, &t->plan.limits) == 0 && attempt_open(t) == 0 ? 0 : -1;
}

/* ---- a machine that does something else, too ---- */

/* Does the baseline, or the rival in its place, take much longer than usual? The first times of a
   rival are usual, and so are those of a machine that stays slow. */
static int is_disturbed(struct trial *t, enum effort effort, const struct result *r, int stays)
{
    size_t cases[TASK_CASES];
    int is_slow = 0;
    double *usual = t->usual_ns[t->rival_code != NULL];
    const size_t n = r->outcome == OUTCOME_VALID ? trial_timed(t, effort, cases) : 0;
    for (size_t k = 0; k < n; k++) {
        /* Of single calls, as samples of a rival have a number of calls of their own */
        const double ns = r->ns[k][1] / (double)t->report->calls[cases[k]];
        if (stays || !isfinite(usual[cases[k]]))
            usual[cases[k]] = ns;
        is_slow |= ns > 2 * usual[cases[k]];
    }
    return is_slow;
}

static int run_once(struct trial *t, enum effort effort, ev_kernel *kernel, int is_last,
                    struct result *r)
{
    enum sandbox_end end;
    int code;
    const double seconds = attempt_set_task(t, effort, 0);
    t->task.kernel = kernel;
    if (t->rival_code != NULL) {
        t->task.baseline = t->rival_code;
        memset(t->task.calls, 0, sizeof t->task.calls); /* the child finds out how many it takes */
    }
    if (attempt_run(t, seconds, &end, &code) != 0)
        return -1;
    *r = judge_result(t, end);
    return is_disturbed(t, effort, r, is_last) ? -1 : 0;
}

/* If the machine is too full for a child, or disturbed, it may not be so a little later. What is
   unedited takes long only then. */
static struct result run_and_judge(struct trial *t, enum effort effort, ev_kernel *kernel,
                                   int is_unedited)
{
    struct result r = result_without(OUTCOME_UNCOMPILED);
    int tries = 0;
    while ((run_once(t, effort, kernel, tries == 5, &r) != 0
            || (is_unedited && r.outcome == OUTCOME_TIMED_OUT))
           && tries++ < 5)
        pause_a_second();
    return r;
}

/* Most lists are wrong. Is this one, as code that is made soon? Then no other is made of it. */
static int is_bad_at_a_glance(struct trial *t, enum effort effort, const struct edits *list,
                              struct result *r)
{
    enum outcome why;
    enum sandbox_end end;
    int code, is_bad = 0;
    if (t->code.compile_soon == NULL || effort != EFFORT_SEARCH)
        return 0;
    ev_kernel *kernel = t->code.compile_soon(t->code.self, list, &why);
    if (kernel == NULL) {
        *r = result_without(why);
        return why != OUTCOME_UNCOMPILED;
    }
    const double seconds = attempt_set_task(t, effort, 1);
    t->task.kernel = kernel;
    if (attempt_run(t, seconds, &end, &code) == 0) {
        *r = judge_result(t, end);
        is_bad = r->outcome != OUTCOME_VALID;
    }
    if (t->code.forget != NULL)
        t->code.forget(t->code.self);
    return is_bad;
}

/* It is compiled once; the code stays as long as the process. */
static void take_rival(struct trial *t, const struct request *request, const char *bytes)
{
    enum outcome why;
    struct edits rival = edits_unpack(bytes, request->n_rival);
    const int is_new = t->rival_code == NULL || !edits_equal(&rival, &t->rival);
    edits_copy(&t->rival, &rival);
    edits_free(&rival);
    if (!request->has_rival)
        t->rival_code = NULL;
    else if (is_new) {
        t->rival_code = t->code.compile(t->code.self, &t->rival, &why);
        for (size_t i = 0; i < TASK_CASES; i++)
            t->usual_ns[1][i] = HUGE_VAL;
    }
}

static void answer(void *user, const void *bytes, size_t n_bytes, void *reply)
{
    (void)n_bytes;
    struct trial *t = user;
    struct request request;
    enum outcome why = OUTCOME_UNCOMPILED;
    struct result *r = reply;
    memcpy(&request, bytes, sizeof request);
    const char *at = (const char *)bytes + sizeof request;
    struct edits list = edits_unpack(at, request.n);
    take_rival(t, &request, at + request.n * sizeof *list.v);
    if (!is_bad_at_a_glance(t, request.effort, &list, r)) {
        ev_kernel *kernel = t->code.compile(t->code.self, &list, &why);
        *r = kernel != NULL ? run_and_judge(t, request.effort, kernel, list.n == 0)
                            : result_without(why);
        if (t->code.forget != NULL)
            t->code.forget(t->code.self);
    }
    edits_free(&list);
}

/* ---- evaluation ---- */

struct hearer {
    result_taker *done;
    void *user;
};

static void finish_one(struct trial *t, const struct hearer *h)
{
    size_t i = 0;
    struct result r;
    switch (crew_wait(t->crew, &i, &r)) {
    case CREW_IDLE: return;
    case CREW_DIED: r = result_without(OUTCOME_UNCOMPILED); break;
    case CREW_LATE: r = result_without(OUTCOME_TIMED_OUT); break;
    case CREW_ANSWERED: break;
    }
    h->done(h->user, i, &r);
}

static void finish_all(struct trial *t, const struct hearer *h)
{
    while (crew_room(t->crew) < t->plan.jobs)
        finish_one(t, h);
}

static struct buf request_of(const struct edits *list, enum effort effort, const struct edits *with)
{
    const struct request request = {effort, with != NULL, list->n, with != NULL ? with->n : 0};
    struct buf bytes = {0};
    buf_add(&bytes, (const char *)&request, sizeof request);
    edits_pack(list, &bytes);
    if (with != NULL)
        edits_pack(with, &bytes);
    return bytes;
}

/* If there is no process at once there may be one when the others have ended, or a little later.
   After that nothing else can be said of the list. */
static void begin_one(struct trial *t, const struct edits *list, enum effort effort, size_t i,
                      const struct hearer *h)
{
    const struct result none = result_without(OUTCOME_UNCOMPILED);
    struct buf request = request_of(list, effort, t->with);
    int tries = 0;
    while (crew_ask(t->crew, request.s, request.n, i) != 0 && tries++ < 5) {
        finish_all(t, h);
        pause_a_second();
    }
    buf_free(&request);
    if (tries > 5)
        h->done(h->user, i, &none);
}

void trial_evaluate(void *trial, const struct edits *lists, size_t n, enum effort effort,
                    result_taker *done, void *user)
{
    struct trial *t = trial;
    const struct hearer h = {done, user};
    for (size_t i = 0; i < n; i++) {
        if (crew_room(t->crew) == 0)
            finish_one(t, &h);
        begin_one(t, &lists[i], effort, i, &h);
    }
    finish_all(t, &h);
}

/* ---- opening ---- */

enum { MEMBER_TURNS = 1000 }; /* LLVM keeps some of what it once knew */

/* Compiling and running have the time limit each. */
static int gather_crew(struct trial *t)
{
    const double seconds = 2 * t->plan.limits.seconds + 10;
    const struct crew_work work = {t,           trials_begin,
                                   answer,      sizeof(struct result),
                                   seconds,     t->plan.limits.memory_bytes,
                                   MEMBER_TURNS};
    return crew_open(&t->crew, t->plan.jobs, &work);
}

static void know_cases(struct trial *t)
{
    t->known.n = t->cases->n;
    t->known.sizes = xstrdup(t->harness->sizes);
    for (size_t i = 0; i < t->cases->n; i++) {
        const struct one_case *one = &t->cases->v[i];
        struct known_case *c = &t->known.v[i];
        *c = (struct known_case){one->label, one->shape->held_out, !one->shape->untimed, {0}, 0};
        memcpy(c->size, one->shape->size, sizeof c->size);
        c->us = t->calls[i] == 0 ? 0 : t->sample_ns[i] / (double)t->calls[i] / 1000;
    }
}

static int open_all(struct trial *t)
{
    struct result r;
    if (t->plan.oracle.kind == ORACLE_HARNESS && t->harness->error == NULL)
        return fail("%s: EV_HARNESS has no .error, which this oracle calls", t->path);
    if (sandbox_open(&t->sandbox, &t->plan.limits) != 0 || proof_set_up(t) != 0
        || cases_open(&t->cases, t->harness, t->path, t->plan.seed) != 0 || attempt_open(t) != 0
        || proof_harness(t) != 0)
        return -1;
    /* Where the unmodified kernel does not pass, no list is looked at in this way. */
    if (is_bad_at_a_glance(t, EFFORT_SEARCH, &edits_none, &r))
        t->code.compile_soon = NULL;
    know_cases(t);
    return gather_crew(t);
}

int trial_open(struct trial **out, const struct host *h, const struct trial_code *code,
               const struct trial_plan *plan)
{
    struct trial *t = xcalloc(1, sizeof *t);
    t->harness = h->harness;
    t->path = h->path;
    t->code = *code;
    t->plan = *plan;
    t->random = num_mix(plan->seed, (uint64_t)time(NULL), (uint64_t)(clock_seconds() * 1e9));
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
    crew_close(t->crew);
    sandbox_close(t->sandbox);
    attempt_close(t);
    cases_close(t->cases);
    free(t->known.sizes);
    free(t);
}

const struct known_cases *trial_cases(const struct trial *t)
{
    return &t->known;
}

/* ---- a list evaluated in several children ---- */

enum { CHILDREN = REPEAT_MOST, RESAMPLES = 100 };

struct repeated {
    struct result of[CHILDREN];
    size_t n;
};

struct repeats {
    struct repeated *v; /* one for each list */
    result_taker *done;
    void *user;
};

/* The mean over the cases of the ratios of quiet times, of those of n results that are picked */
static double ratios_of(const struct result *of, size_t n, const size_t *pick,
                        double ratio[TASK_CASES])
{
    const size_t n_cases = (size_t)of[0].n_cases;
    double sum = 0, times[CHILDREN], ns[2];
    for (size_t c = 0; c < n_cases; c++) {
        for (int code = 0; code < 2; code++) {
            for (size_t i = 0; i < n; i++)
                times[i] = of[pick[i]].ns[c][code];
            ns[code] = timing_quiet(times, n);
        }
        ratio[c] = ns[0] / ns[1];
        sum += ratio[c];
    }
    return sum / (double)n_cases;
}

/* The standard error of that: the deviation among drawings of as many, with repetition */
static double error_of(const struct result *of, size_t n)
{
    uint64_t random = 1;
    double sum = 0, squares = 0, ratio[TASK_CASES];
    for (int k = 0; k < RESAMPLES; k++) {
        size_t pick[CHILDREN];
        for (size_t i = 0; i < n; i++)
            pick[i] = (size_t)(num_draw(&random) % n);
        const double time = ratios_of(of, n, pick, ratio);
        sum += time;
        squares += time * time;
    }
    const double mean = sum / RESAMPLES, variance = squares / RESAMPLES - mean * mean;
    return variance > 0 ? sqrt(variance) : 0;
}

struct result repeat_combine(const struct result *of, size_t n)
{
    struct result r = of[0];
    size_t all[CHILDREN];
    for (size_t i = 0; i < n; i++) {
        if (of[i].outcome != OUTCOME_VALID)
            return of[i];
        r.error = fmax(r.error, of[i].error);
        r.spread = fmin(r.spread, of[i].spread);
        all[i] = i;
    }
    r.time = ratios_of(of, n, all, r.ratio);
    r.spread = fmax(r.spread / sqrt((double)n), error_of(of, n));
    return r;
}

static void trials_take(void *user, size_t i, const struct result *result)
{
    struct repeats *all = user;
    struct repeated *p = &all->v[i / CHILDREN];
    p->of[p->n++] = *result;
    if (p->n == CHILDREN) {
        const struct result r = repeat_combine(p->of, CHILDREN);
        all->done(all->user, i / CHILDREN, &r);
    }
}

void repeat_evaluate(void *t, const struct edits *lists, size_t n, enum effort effort,
                     result_taker *done, void *user)
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
    trial_evaluate(t, many, n * CHILDREN, effort, trials_take, &all);
    free(many);
    free(all.v);
}

struct result repeat_compare(void *trial, const struct edits *list, const struct edits *with)
{
    struct trial *t = trial;
    struct result r = {.outcome = OUTCOME_UNCOMPILED};
    t->with = with;
    repeat_evaluate(t, list, 1, EFFORT_CONFIRM, result_keep, &r);
    t->with = NULL;
    return r;
}

/* ---- the times of several codes ---- */

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

/* ---- several codes: in the child ---- */

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

/* ---- several codes: in the parent ---- */

static int contest_case(struct contest *c, struct sandbox *s, double (*us)[TASK_CASES])
{
    const struct sandbox_job job = {NULL, run_contest, c, 0};
    const char *label = c->cases->v[c->i].label;
    enum sandbox_end end = SANDBOX_DONE;
    int code = 0;
    if (sandbox_run(s, &job, &end, &code) != 0)
        return -1;
    if (end == SANDBOX_TIMED_OUT)
        return fail("%s: case %s: timing %zu %s takes longer than %g s", c->cases->path, label,
                    c->n, as_counted(c->n, "code", "codes"), c->plan->limits.seconds);
    if (end != SANDBOX_DONE)
        return fail("%s: case %s: a code crashes while it is timed (%s)", c->cases->path, label,
                    code < SANDBOX_EXITED ? strsignal(code) : "it ends the process");
    for (size_t k = 0; k < c->n; k++) {
        double ns;
        memcpy(&ns, c->block.area[0].at + k * sizeof ns, sizeof ns);
        if (!(ns > 0 && ns < 1e9 * c->plan->limits.seconds))
            return fail("%s: case %s: a time of %g ns cannot be", c->cases->path, label, ns);
        us[k][c->i] = ns / 1000;
    }
    return 0;
}

static int contest_all(struct contest *c, double (*us)[TASK_CASES])
{
    const size_t bytes = c->n * sizeof(double);
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
                  const struct trial_plan *plan, double (*us)[TASK_CASES])
{
    struct contest c = {.plan = plan, .codes = codes, .n = n};
    struct cases *cases = NULL;
    if (n == 0 || n > MOST_CODES)
        return fail("%zu codes cannot be compared: 1 to %d can", n, MOST_CODES);
    if (cases_open(&cases, h->harness, h->path, plan->seed) != 0)
        return -1;
    c.cases = cases;
    c.ns = xcalloc(n, sizeof *c.ns);
    memset(us, 0, n * sizeof *us);
    const int rc = contest_all(&c, us);
    free(c.ns);
    cases_close(cases);
    return rc;
}
