/* test_trial.c - what comes of kernels that are right, wrong or hostile
   SPDX-License-Identifier: MIT */
#define _DEFAULT_SOURCE /* syscall, MAP_ANONYMOUS */
#include "harness/test.h"
#include "kernels.h"
#include "told.h"

#include "evolve/judge.h"

#include <sys/wait.h>

/* ---- evaluation ---- */

static struct host *usual, *with_own_error; /* compiled once for many tests */

struct results {
    struct result v[2 * N_KERNELS];
    int calls[2 * N_KERNELS];
};

static void keep(void *user, size_t i, const struct result *r)
{
    struct results *all = user;
    all->v[i] = *r;
    all->calls[i]++;
}

static struct result evaluate(struct trial *t, uint32_t kernel, enum effort effort)
{
    static struct results all;
    struct edit e;
    const struct edits list = kernels_list(&e, kernel);
    memset(&all, 0, sizeof all);
    trial_evaluate(t, &list, 1, effort, keep, &all);
    CHECK_EQ(all.calls[0], 1);
    return all.v[0];
}

static uint32_t kernel_named(const char *name)
{
    uint32_t i = 0;
    while (i < N_KERNELS && strcmp(kernels[i].name, name) != 0)
        i++;
    return i;
}

static void every_kernel(void)
{
    static struct results all;
    static struct edit edits[2 * N_KERNELS];
    static struct edits lists[2 * N_KERNELS];
    const struct trial_plan plan = kernels_plan(2, 1.5);
    struct trial *t = NULL;
    REQUIRE(usual != NULL && trial_open(&t, usual, &kernels_code, &plan) == 0);
    find_shared_areas();
    CHECK(n_shared_areas > 10);
    for (uint32_t i = 0; i < 2 * N_KERNELS; i++) /* good ones between the hostile ones */
        lists[i] = kernels_list(&edits[i], i % 2 == 0 ? 0 : i / 2);
    trial_evaluate(t, lists, 2 * N_KERNELS, EFFORT_SEARCH, keep, &all);
    for (uint32_t i = 0; i < 2 * N_KERNELS; i++) {
        const uint32_t kernel = edits[i].what;
        const struct result *r = &all.v[i];
        EXPECT((kernels[kernel].may_be >> r->outcome & 1) && all.calls[i] == 1, "%s is %s",
               kernels[kernel].name, outcome_names[r->outcome]);
        if (r->outcome == OUTCOME_VALID)
            EXPECT(r->n_cases == 2 && r->error == 0 && r->time > 0 && r->time < 1e6
                       && r->ratio[0] > 0 && r->spread >= 0,
                   "%s has times", kernels[kernel].name);
        else
            EXPECT(r->time >= HUGE_VAL, "%s has no time", kernels[kernel].name);
    }
    trial_close(t);
    CHECK(waitpid(-1, NULL, WNOHANG) == -1 && errno == ECHILD);
}

static void efforts(void)
{
    const struct trial_plan plan = kernels_plan(1, 20);
    struct trial *t = NULL;
    size_t cases[TASK_CASES];
    REQUIRE(usual != NULL && trial_open(&t, usual, &kernels_code, &plan) == 0);
    CHECK_EQ(trial_cases(t), 4);
    CHECK_TEXT(trial_case(t, 2).label, "n=37 special");
    CHECK(trial_case(t, 2).held_out && !trial_case(t, 2).timed && !trial_case(t, 0).held_out);
    CHECK(trial_case(t, 0).microseconds > 0 && trial_case(t, 3).microseconds > 0);
    CHECK_EQ(trial_timed(t, EFFORT_CONFIRM, cases), 2);
    CHECK_EQ(trial_timed(t, EFFORT_JUDGE, cases), 3);
    CHECK_EQ(cases[2], 3);
    CHECK_EQ(evaluate(t, 0, EFFORT_CONFIRM).n_cases, 2);
    CHECK_EQ(evaluate(t, 0, EFFORT_JUDGE).n_cases, 3);
    CHECK_EQ(evaluate(t, kernel_named("wrong"), EFFORT_CONFIRM).outcome, OUTCOME_WRONG);
    trial_close(t);
}

/* Ten times the work has to look slower, however busy the machine is. */
KERNEL(k_ten_times)
{
    for (int i = 0; i < 10 * k_one; i++) {
        volatile float *seen = y;
        for (int k = 0; k < n; k++)
            k_sink = seen[k];
    }
    k_right(n, x, y, out, scratch);
}

static ev_kernel *compile_ten_times(void *self, const struct edits *list, enum outcome *why)
{
    (void)self, (void)list, (void)why;
    return (ev_kernel *)k_ten_times;
}

static void slower_is_slower(void)
{
    const struct trial_plan plan = kernels_plan(1, 20);
    const struct trial_code code = {NULL, compile_ten_times,    NULL,
                                    NULL, (ev_kernel *)k_right, (ev_kernel *)k_right};
    ev_kernel *const both[] = {(ev_kernel *)k_right, (ev_kernel *)k_ten_times};
    double us[2 * 4];
    struct trial *t = NULL;
    REQUIRE(usual != NULL && trial_open(&t, usual, &code, &plan) == 0);
    const struct result r = evaluate(t, 0, EFFORT_SEARCH);
    CHECK_EQ(r.outcome, OUTCOME_VALID);
    CHECK(r.time > 1.5);
    CHECK_EQ(trial_compare(usual, both, 2, &plan, us), 0);
    CHECK(us[0] > 0 && us[4] > 1.5 * us[0] && us[4 + 3] > us[3]);
    CHECK(us[2] <= 0 && us[4 + 2] <= 0); /* it is not timed */
    trial_close(t);
}

/* Counts the calls that do not find in y, out and scratch what the first one found. */
static int n_changed;
KERNEL(k_looks)
{
    static float first[3];
    static int called;
    (void)n, (void)x;
    const float now[] = {y[0], out[1], scratch[2]};
    if (called++ == 0)
        memcpy(first, now, sizeof first);
    for (int i = 0; i < 3; i++)
        n_changed += memcmp(&now[i], &first[i], sizeof now[i]) != 0;
    y[0] = out[1] = scratch[2] = 0;
}

/* A timed call must not find the outputs of the one before. */
static void buffers_are_filled_anew(void)
{
    const struct trial_plan plan = kernels_plan(1, 20);
    struct child_timer timer;
    struct trial *t = NULL;
    REQUIRE(usual != NULL && trial_open(&t, usual, &kernels_code, &plan) == 0);
    child_timer(&timer, t->cases, &t->rooms[0], 0, 1);
    CHECK(child_sample(&timer, (ev_kernel *)k_looks, 100) > 0);
    CHECK_EQ(n_changed, 0);
    trial_close(t);
}

/* ---- only held-out cases see it, or only another poison ---- */

KERNEL(k_wrong_if_37)
{
    k_right(n, x, y, out, scratch);
    if (n == 37)
        y[3] += 1;
}

/* Right if scratch happens to begin with the bits of the first poison's */
static float k_first_poison;
KERNEL(k_reads_poison)
{
    if (k_first_poison == 0)
        k_first_poison = scratch[0]; /* each child has its own */
    const int is_first = memcmp(&k_first_poison, scratch, sizeof *scratch) == 0;
    k_right(n, x, y, out, scratch);
    if (!is_first)
        y[3] += 1;
}

/* Does its work once, and never again */
KERNEL(k_lazy)
{
    static int called;
    if (called++ == 0)
        k_right(n, x, y, out, scratch);
}

/* Does it while it is looked at, and not when it is timed */
KERNEL(k_tired)
{
    static int called;
    if (called++ < 2)
        k_right(n, x, y, out, scratch);
}

static ev_kernel *tricky[] = {(ev_kernel *)k_wrong_if_37, (ev_kernel *)k_reads_poison,
                              (ev_kernel *)k_lazy, (ev_kernel *)k_tired};
static ev_kernel *compile_tricky(void *self, const struct edits *list, enum outcome *why)
{
    (void)self, (void)why;
    return tricky[list->v[0].what];
}

static void tricks(void)
{
    const struct trial_plan plan = kernels_plan(1, 20);
    const struct trial_code code = {NULL, compile_tricky,       NULL,
                                    NULL, (ev_kernel *)k_right, (ev_kernel *)k_right};
    struct trial *t = NULL;
    REQUIRE(usual != NULL && trial_open(&t, usual, &code, &plan) == 0);
    CHECK_EQ(evaluate(t, 0, EFFORT_SEARCH).outcome, OUTCOME_VALID);
    CHECK_EQ(evaluate(t, 0, EFFORT_JUDGE).outcome, OUTCOME_WRONG);
    CHECK_EQ(evaluate(t, 1, EFFORT_SEARCH).outcome, OUTCOME_WRONG);
    CHECK_EQ(evaluate(t, 1, EFFORT_CONFIRM).outcome, OUTCOME_WRONG);
    CHECK_EQ(evaluate(t, 2, EFFORT_SEARCH).outcome, OUTCOME_WRONG);
    CHECK_EQ(evaluate(t, 3, EFFORT_SEARCH).outcome, OUTCOME_WRONG);
    trial_close(t);
}

/* What is written lies below the inputs on one side, and above on the other. */
static void sides(void)
{
    const struct trial_plan plan = kernels_plan(1, 20);
    struct trial *t = NULL;
    REQUIRE(usual != NULL && trial_open(&t, usual, &kernels_code, &plan) == 0);
    const struct guarded *in = t->cases->inputs, *out = t->rooms[0].sides;
    if (sizeof(void *) == 8) {
        CHECK((uintptr_t)out[GUARDED_BEFORE].map < (uintptr_t)in[GUARDED_BEFORE].map);
        CHECK((uintptr_t)out[GUARDED_BEHIND].map > (uintptr_t)in[GUARDED_BEHIND].map);
    }
    trial_close(t);
}

/* ---- code that is made soon ---- */

enum { SOON_RIGHT, SOON_WRONG, SOON_NONE, SOON_INAPPLICABLE };

static ev_kernel *compile_right(void *self, const struct edits *list, enum outcome *why)
{
    (void)self, (void)list, (void)why;
    return (ev_kernel *)k_right;
}

/* For the unmodified kernel what `self` says */
static ev_kernel *compile_soon(void *self, const struct edits *list, enum outcome *why)
{
    const uint32_t what = list->n == 0 ? *(const uint32_t *)self : list->v[0].what;
    *why = what == SOON_NONE ? OUTCOME_UNCOMPILED : OUTCOME_INAPPLICABLE;
    return what == SOON_RIGHT   ? (ev_kernel *)k_right
           : what == SOON_WRONG ? (ev_kernel *)k_wrong
                                : NULL;
}

/* What it shows to be wrong is wrong, what it does not show is compiled whole. Nothing is believed
   of it where it is wrong for the unmodified kernel. */
static void glances(void)
{
    const struct trial_plan plan = kernels_plan(1, 20);
    for (uint32_t own = SOON_RIGHT; own <= SOON_WRONG; own++) {
        const struct trial_code code = {&own, compile_right,        compile_soon,
                                        NULL, (ev_kernel *)k_right, (ev_kernel *)k_right};
        struct trial *t = NULL;
        REQUIRE(usual != NULL && trial_open(&t, usual, &code, &plan) == 0);
        CHECK_EQ(evaluate(t, SOON_RIGHT, EFFORT_SEARCH).outcome, OUTCOME_VALID);
        CHECK_EQ(evaluate(t, SOON_WRONG, EFFORT_SEARCH).outcome,
                 own == SOON_RIGHT ? OUTCOME_WRONG : OUTCOME_VALID);
        CHECK_EQ(evaluate(t, SOON_WRONG, EFFORT_CONFIRM).outcome, OUTCOME_VALID);
        CHECK_EQ(evaluate(t, SOON_NONE, EFFORT_SEARCH).outcome, OUTCOME_VALID);
        CHECK_EQ(evaluate(t, SOON_INAPPLICABLE, EFFORT_SEARCH).outcome,
                 own == SOON_RIGHT ? OUTCOME_INAPPLICABLE : OUTCOME_VALID);
        trial_close(t);
    }
}

/* ---- oracles ---- */

/* With this error of its first element in place of the largest */
static const char own_error[] =
    "static double error(const struct ev_case *c, void *const *want, void *const *got)\n"
    "{\n"
    "    (void)c;\n"
    "    return fabs((double)((float *)want[1])[0] - (double)((float *)got[1])[0]);\n"
    "}\n";

static const char *text_with_own_error(void)
{
    static char text[sizeof kernels_harness + sizeof own_error + 64];
    const char *last = strstr(kernels_harness, "EV_HARNESS(");
    snprintf(text, sizeof text, "%.*s%sEV_HARNESS(.error = error, %s",
             (int)(last - kernels_harness), kernels_harness, own_error,
             last + strlen("EV_HARNESS("));
    return text;
}

static enum outcome with_oracle(const struct host *h, const char *kernel, struct oracle oracle,
                                double *error)
{
    struct trial_plan plan = kernels_plan(1, 20);
    struct trial *t = NULL;
    struct result r = {.outcome = OUTCOME_GARBLED};
    plan.oracle = oracle;
    if (h != NULL && trial_open(&t, h, &kernels_code, &plan) == 0)
        r = evaluate(t, kernel_named(kernel), EFFORT_SEARCH);
    *error = r.error;
    trial_close(t);
    return r.outcome;
}

static void oracles(void)
{
    const struct oracle loose = {ORACLE_RELATIVE, 1e-3, 1e-6};
    const struct oracle tight = {ORACLE_RELATIVE, 1e-5, 1e-6};
    const struct oracle own = {ORACLE_HARNESS, 0, 0};
    double error;
    CHECK_EQ(with_oracle(usual, "wrong-a-bit", loose, &error), OUTCOME_VALID);
    CHECK(error > 5e-5 && error < 2e-4);
    CHECK_EQ(with_oracle(usual, "wrong-a-bit", tight, &error), OUTCOME_WRONG);
    CHECK_EQ(with_oracle(usual, "touches-last", loose, &error), OUTCOME_WRONG);
    CHECK_EQ(with_oracle(with_own_error, "wrong", own, &error), OUTCOME_VALID);
    CHECK(error > 0 && error < 1e-300); /* as good for the harness, but not equal */
    CHECK_EQ(with_oracle(with_own_error, "touches-last", own, &error), OUTCOME_WRONG);
    listen();
    with_oracle(usual, "right", own, &error);
    CHECK(strstr(heard(), "EV_HARNESS has no .error") != NULL);
}

/* ---- buffers within others ---- */

#define TOP                       \
    "#include <kpred_evolve.h>\n" \
    "typedef void kernel(int n, const float *x, float *y, float *out, float *scratch);\n"
#define CALL                                                  \
    "static void call(const struct ev_case *c, ev_kernel *k)" \
    "{ ((kernel *)k)((int)c->size[0], c->at[0], c->at[1], c->at[2], c->at[3]); }\n"
#define END "EV_HARNESS(.set_up = set_up, .call = call, .sizes = \"n\", EV_SHAPES(shapes));\n"

/* y and x are one buffer, and a case without any element */
static void overlaps(void)
{
    const char *text =
        TOP "static const struct ev_shape shapes[] = {{.size = {64}}, {.size = {0}, .alias = 1},"
            "{.size = {50}, .alias = 1, .held_out = 1}};\n"
            "static void set_up(struct ev_case *c) {"
            "size_t n = (size_t)c->size[0];"
            "size_t x = ev_buffer(c, \"x\", c->alias ? EV_INOUT : EV_IN, 0, n + 1);"
            "ev_fill(c, x);"
            "if (c->alias) ev_within(c, \"y\", x, 1, n);"
            "else ev_fill(c, ev_buffer(c, \"y\", EV_INOUT, 0, n));"
            "ev_buffer(c, \"out\", EV_OUT, 0, n + 2);"
            "ev_buffer(c, \"scratch\", EV_SCRATCH, 0, n); }\n" CALL END;
    const struct trial_plan plan = kernels_plan(1, 20);
    struct trial *t = NULL;
    struct host *h = host_of(text);
    REQUIRE(h != NULL && trial_open(&t, h, &kernels_code, &plan) == 0);
    CHECK_TEXT(trial_case(t, 1).label, "n=0 alias");
    CHECK_EQ(evaluate(t, 0, EFFORT_JUDGE).outcome, OUTCOME_VALID);
    CHECK_EQ(evaluate(t, kernel_named("wrong"), EFFORT_JUDGE).outcome, OUTCOME_WRONG);
    trial_close(t);
    host_close(h);
}

int main(void)
{
    usual = host_of(kernels_harness);
    with_own_error = host_of(text_with_own_error());
    RUN(efforts);
    RUN(slower_is_slower);
    RUN(buffers_are_filled_anew);
    RUN(tricks);
    RUN(sides);
    RUN(glances);
    RUN(oracles);
    RUN(overlaps);
    RUN(every_kernel);
    host_close(usual);
    host_close(with_own_error);
    return test_end();
}
