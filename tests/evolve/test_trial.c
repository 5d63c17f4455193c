/* test_trial.c - harnesses that are taken and refused, and what comes of kernels on them
   SPDX-License-Identifier: MIT */
#define _DEFAULT_SOURCE /* syscall, MAP_ANONYMOUS */
#include "harness/test.h"
#include "kernels.h"

#include "evolve/judge.h"

#include <sys/wait.h>

/* A CHECK with a text made as by printf */
static char expected[256];
#define EXPECT(condition, ...) \
    (snprintf(expected, sizeof expected, __VA_ARGS__), CHECK_OF(condition, expected))

/* ---- what is told on standard error ---- */

static char told[4096];
static int real_stderr;

static void listen(void)
{
    fflush(stderr);
    real_stderr = dup(2);
    FILE *f = tmpfile();
    dup2(fileno(f), 2);
    fclose(f);
}

static const char *heard(void)
{
    fflush(stderr);
    const off_t end = lseek(2, 0, SEEK_END);
    const ssize_t n = pread(2, told, sizeof told - 1, end > 4000 ? end - 4000 : 0);
    told[n < 0 ? 0 : n] = '\0';
    dup2(real_stderr, 2);
    close(real_stderr);
    return told;
}

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
    const struct trial_code code = {NULL, compile_ten_times, (ev_kernel *)k_right,
                                    (ev_kernel *)k_right};
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

/* Counts the calls that do not find in y what the first one found. */
static int n_changed;
KERNEL(k_looks)
{
    static float first;
    static int called;
    (void)n, (void)x, (void)out, (void)scratch;
    if (called++ == 0)
        first = y[0];
    n_changed += y[0] != first;
    y[0] += 1;
}

static void inouts_are_restored(void)
{
    const struct trial_plan plan = kernels_plan(1, 20);
    struct child_timer timer;
    struct trial *t = NULL;
    REQUIRE(usual != NULL && trial_open(&t, usual, &kernels_code, &plan) == 0);
    child_timer(&timer, t->cases, &t->slots[0].room, 0);
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
    const struct trial_code code = {NULL, compile_tricky, (ev_kernel *)k_right,
                                    (ev_kernel *)k_right};
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

static double element_error(enum oracle_kind kind, double floor, double want, double got)
{
    const struct oracle o = {kind, 1, floor};
    const double before[2] = {77, 78};
    const unsigned char *w = (const unsigned char *)&want;
    const unsigned char *b[2] = {(const unsigned char *)&before[0],
                                 (const unsigned char *)&before[1]};
    const struct oracle_region r = {EV_F64, EV_OUT,       1, (const unsigned char *)&got,
                                    {w, w}, {b[0], b[1]}, 0};
    return oracle_error(&o, &r);
}

static void errors_of_elements(void)
{
    const double inf = HUGE_VAL, nan = (double)NAN;
    CHECK(element_error(ORACLE_EXACT, 0, 1, 1) <= 0);
    CHECK(element_error(ORACLE_EXACT, 0, nan, -nan) <= 0);
    CHECK(element_error(ORACLE_EXACT, 0, 0.0, -0.0) >= inf);
    CHECK(element_error(ORACLE_EXACT, 0, 1, nan) >= inf);
    CHECK(element_error(ORACLE_RELATIVE, 0, -4, -5) == 0.25);
    CHECK(element_error(ORACLE_RELATIVE, 10, -4, -5) == 0.1);
    CHECK(element_error(ORACLE_RELATIVE, 0, 0, 1) >= inf);
    CHECK(element_error(ORACLE_RELATIVE, 0, inf, inf) <= 0);
    CHECK(element_error(ORACLE_RELATIVE, 0, inf, -inf) >= inf);
    CHECK(element_error(ORACLE_RELATIVE, 0, 1, inf) >= inf);
    CHECK(element_error(ORACLE_RELATIVE, 0, inf, 1) >= inf);
    CHECK(element_error(ORACLE_RELATIVE, 0, nan, 1) >= inf);
    CHECK(element_error(ORACLE_RELATIVE, 0, 1, nan) >= inf);
    CHECK(element_error(ORACLE_RELATIVE, 1, 0.0, -0.0) > 0);
    CHECK(element_error(ORACLE_RELATIVE, 1, 0.0, -0.0) < 1e-300);
}

static void errors_of_integers(void)
{
    const struct oracle o = {ORACLE_RELATIVE, 1, 1};
    const int16_t want[3] = {-100, 7, 7}, got[3] = {-101, 7, 7}, touched[3] = {-100, 7, 8};
    const int16_t before[2][3] = {{1, 2, 7}, {3, 4, 7}};
    struct oracle_region r = {EV_I16,
                              EV_OUT,
                              3,
                              (const unsigned char *)got,
                              {(const unsigned char *)want, (const unsigned char *)want},
                              {(const unsigned char *)before[0], (const unsigned char *)before[1]},
                              0};
    CHECK(oracle_error(&o, &r) == 0.01);
    CHECK_EQ(oracle_depends(&r), SIZE_MAX);
    r.got = (const unsigned char *)touched;
    CHECK(oracle_error(&o, &r) >= HUGE_VAL);
    r.role = EV_INOUT; /* where a value may be the one from before by chance */
    CHECK(oracle_error(&o, &r) < 1);
    r.want[1] = (const unsigned char *)touched;
    CHECK_EQ(oracle_depends(&r), 2);
    CHECK_EQ(oracle_differs(EV_I16, 3, want, got), 0);
    CHECK_EQ(oracle_differs(EV_I16, 3, want, want), SIZE_MAX);
}

/* ---- times ---- */

static void statistics(void)
{
    const uint64_t even[4][2] = {{10, 10}, {30, 10}, {20, 10}, {1000, 10}};
    const uint64_t odd[3][2] = {{5, 10}, {5, 10}, {6, 10}};
    double v[5] = {5, 1, 4, 2, 3};
    CHECK(timing_median(v, 5) == 3 && v[0] == 1 && v[4] == 5);
    CHECK(timing_of(even, 4).ratio == 2.5);
    CHECK(timing_of(even, 4).ns[0] == 25);
    CHECK(timing_of(even, 4).error > 0 && timing_of(even, 4).error < 2);
    CHECK(timing_of(odd, 3).ratio == 0.5);
    CHECK(timing_of(odd, 3).error <= 0);
}

/* Reports as a child could forge them */
static void forged_times(void)
{
    static struct report p;
    static struct trial t;
    static struct slot s;
    double left = 1e-3;
    memset(&p, 0, sizeof p);
    t.report = &p;
    t.sample_ns[0] = 20000;
    s.task.pairs[0].most = 5;
    p.n_pairs[0] = 2;
    for (int k = 0; k < 4; k++)
        p.ns[0][k / 2][k % 2] = 20000;
    CHECK(judge_times_can_be(&t, &s, 0, &left));
    CHECK(left > 0.9e-3 && left < 0.93e-3);
    p.ns[0][1][0] = 0;
    CHECK_OF(!judge_times_can_be(&t, &s, 0, &left), "no time at all");
    p.ns[0][1][0] = 1000000;
    CHECK_OF(!judge_times_can_be(&t, &s, 0, &left), "longer than it took");
    left = 1;
    CHECK(judge_times_can_be(&t, &s, 0, &left));
    p.ns[0][1][0] = UINT64_MAX;
    CHECK_OF(!judge_times_can_be(&t, &s, 0, &left), "very long");
    p.ns[0][1][0] = 20000;
    left = 1;
    p.n_pairs[0] = 6;
    CHECK_OF(!judge_times_can_be(&t, &s, 0, &left), "more pairs than were asked for");
    p.n_pairs[0] = 0;
    CHECK_OF(!judge_times_can_be(&t, &s, 0, &left), "no pairs");
    p.n_pairs[0] = 2;
    p.ns[0][0][1] = p.ns[0][1][1] = 100;
    CHECK_OF(!judge_times_can_be(&t, &s, 0, &left), "a baseline that did nothing");
}

static void forged_report(void)
{
    static struct report mine;
    struct trial t;
    struct slot s;
    const size_t bytes = sizeof mine;
    memset(&t, 0, sizeof t);
    memset(&s, 0, sizeof s);
    REQUIRE(guarded_make(&s.block, &bytes, 1, GUARDED_BEHIND) == 0);
    t.report = xmalloc(sizeof *t.report);
    s.task.number = 99;
    mine.word = CHILD_DONE;
    mine.sum = report_sum(&mine, 99);
    memcpy(s.block.area[0].at, &mine, sizeof mine);
    CHECK(judge_take_report(&t, &s));
    CHECK(judge_result(&t, &s, SANDBOX_CRASHED, 11).outcome == OUTCOME_CRASHED);
    s.block.area[0].at[bytes - 1] ^= 1;
    CHECK_OF(!judge_take_report(&t, &s), "a changed bit");
    CHECK_EQ(judge_result(&t, &s, SANDBOX_DONE, 0).outcome, OUTCOME_GARBLED);
    s.block.area[0].at[bytes - 1] ^= 1;
    s.task.number = 98;
    CHECK_OF(!judge_take_report(&t, &s), "the report of another job");
    s.block.area[0].pages[0] ^= 1;
    CHECK_EQ(judge_result(&t, &s, SANDBOX_DONE, 0).outcome, OUTCOME_WRONG);
    CHECK(guarded_margins_hold(&s.block));
    free(t.report);
    guarded_free(&s.block);
}

/* ---- harnesses that are refused ---- */

#define TOP                       \
    "#include <kpred_evolve.h>\n" \
    "typedef void kernel(int n, const float *x, float *y, float *out, float *scratch);\n"
#define CALL                                                  \
    "static void call(const struct ev_case *c, ev_kernel *k)" \
    "{ ((kernel *)k)((int)c->size[0], c->at[0], c->at[1], c->at[2], c->at[3]); }\n"
#define SET_UP(body) "static void set_up(struct ev_case *c) { " body "}\n"
#define BUFFERS                                        \
    "size_t n = (size_t)c->size[0];"                   \
    "ev_fill(c, ev_buffer(c, \"x\", EV_IN, 0, n));"    \
    "ev_fill(c, ev_buffer(c, \"y\", EV_INOUT, 0, n));" \
    "ev_buffer(c, \"out\", EV_OUT, 0, n + 2);"         \
    "ev_buffer(c, \"scratch\", EV_SCRATCH, 0, n);"
#define SHAPE "static const struct ev_shape shapes[] = {{.size = {64}}};\n"
#define END   "EV_HARNESS(.set_up = set_up, .call = call, .sizes = \"n\", EV_SHAPES(shapes));\n"

static void refused_host(const char *what, const char *text, const char *says)
{
    listen();
    struct host *h = host_of(text);
    const char *said = heard();
    EXPECT(h == NULL && strstr(said, says) != NULL && strstr(said, "h.c") != NULL, "%s: %s", what,
           said);
    host_close(h);
}

static void refused_hosts(void)
{
    struct host *h = NULL;
    refused_host("text that is no C", "int x = ;\n", "does not compile it");
    refused_host("clang's own message", "int x = ;\n", "h.c:1:9: error");
    refused_host("nothing", "int x;\n", "has no EV_HARNESS");
    refused_host("a version to come",
                 TOP SHAPE SET_UP("(void)c;") CALL
                 "const struct ev_harness ev_harness = {.version = 9, .set_up = set_up, .call = "
                 "call, EV_SHAPES(shapes)};\n",
                 "version 9, not 1");
    refused_host("no set_up", TOP SHAPE CALL "EV_HARNESS(.call = call, EV_SHAPES(shapes));\n",
                 "no .set_up");
    refused_host("no call",
                 TOP SHAPE SET_UP("(void)c;") "EV_HARNESS(.set_up = set_up, EV_SHAPES(shapes));\n",
                 "no .call");
    refused_host("no shapes",
                 TOP SET_UP("(void)c;") CALL
                 "EV_HARNESS(.set_up = set_up, .call = call, .sizes = \"n\");\n",
                 "no shapes");
    refused_host("17 shapes",
                 TOP
                 "static const struct ev_shape shapes[17] = {{.size = {1}}};\n" SET_UP("(void)c;")
                     CALL END,
                 "17 shapes, more than 16");
    refused_host("no names",
                 TOP SHAPE SET_UP("(void)c;") CALL
                 "EV_HARNESS(.set_up = set_up, .call = call, EV_SHAPES(shapes));\n",
                 ".sizes \"\"");
    refused_host("held-out cases alone",
                 TOP "static const struct ev_shape shapes[] = {{.size = {1}, .held_out = 1},"
                     "{.size = {2}, .untimed = 1}};\n" SET_UP("(void)c;") CALL END,
                 "timed and not held out");
    listen();
    CHECK(host_open(&h, "/nowhere/h.c", kernels_clang(), NULL) == -1 && h == NULL);
    CHECK(strstr(heard(), "/nowhere/h.c") != NULL);
    listen();
    char self[] = "tests/evolve/kernels.h";
    CHECK(host_open(&h, self, "no-such-compiler", NULL) == -1 && h == NULL);
    CHECK(strstr(heard(), "no-such-compiler") != NULL);
}

static void refused_trial(const char *what, kernel_type *reference, const char *says)
{
    const struct trial_code code = {NULL, kernels_compile, (ev_kernel *)k_right,
                                    (ev_kernel *)reference};
    const struct trial_plan plan = kernels_plan(1, 1);
    struct trial *t = NULL;
    listen();
    const int rc = usual == NULL ? 1 : trial_open(&t, usual, &code, &plan);
    const char *said = heard();
    EXPECT(rc == -1 && t == NULL && strstr(said, says) != NULL && strstr(said, "h.c") != NULL,
           "%s: %s", what, said);
}

KERNEL(k_depends)
{
    const float before = out[1];
    k_right(n, x, y, out, scratch);
    out[1] = -before;
}

KERNEL(k_random)
{
    k_right(n, x, y, out, scratch);
    y[5] = (float)now_bits();
}

static void refused_kernels(void)
{
    refused_trial("crash", k_null, "case n=1000: the unmodified kernel crashes: Segm");
    refused_trial("system call", k_write, "makes a system call");
    refused_trial("exit", k_raw_exit_7, "with status 7");
    refused_trial("endless", k_endless, "takes longer than 1 s");
    refused_trial("random", k_random, "element 5 of buffer y differs between two runs");
    refused_trial("not written", k_depends, "element 1 of buffer out depends");
    refused_trial("beside its buffers", k_y_behind, "beside its buffers");
    refused_trial("another baseline", k_wrong, "the baseline's outputs are not those");
}

/* One harness for all of these, which takes what it does from the environment */
static const char bad_set_ups[] =
    "#include <stdlib.h>\n" TOP SHAPE "static void set_up(struct ev_case *c) {\n"
    "switch (getenv(\"BAD_SET_UP\")[0]) {\n"
    "case '0': ev_fill(c, ev_buffer(c, \"x\", EV_IN, 0, 4)); break;\n"
    "case '1': break;\n"
    "case '2': for (int i = 0; i < 20; i++) ev_buffer(c, \"b\", EV_OUT, 0, 4); break;\n"
    "case '3': ev_buffer(c, NULL, EV_OUT, 0, 4); break;\n"
    "case '4': ev_buffer(c, \"y\", EV_OUT, 9, 4); break;\n"
    "case '5': ev_within(c, \"z\", ev_buffer(c, \"y\", EV_OUT, 0, 4), 2, 3); break;\n"
    "case '6': ev_buffer(c, \"y\", EV_OUT, 0, (size_t)-1); break;\n"
    "case '7': *(volatile int *)c->at[0] = 1; break;\n"
    "case '8': while (c->size[0]); break;\n"
    "case '9': ev_within(c, \"z\", 5, 0, 1); break;\n"
    "}}\n" CALL END;

static void refused_set_ups(void)
{
    static const char *const says[] = {"case n=64: buffer 0 (x): none is written",
                                       "there are no buffers",
                                       "buffer 20 (?): is one too many",
                                       "buffer 0 (?): has no name",
                                       "buffer 0 (y): has a role or a type that is none",
                                       "buffer 1 (z): goes beyond",
                                       "buffer 0 (y): is too large",
                                       "set_up crashes",
                                       "set_up takes longer",
                                       "buffer 0 (?): lies in a buffer that is not there"};
    struct host *before = usual;
    usual = host_of(bad_set_ups);
    for (char c = '0'; c <= '9'; c++) {
        const char number[2] = {c, '\0'};
        setenv("BAD_SET_UP", number, 1);
        refused_trial(says[c - '0'], k_right, says[c - '0']);
    }
    host_close(usual);
    usual = before;
}

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
    RUN(errors_of_elements);
    RUN(errors_of_integers);
    RUN(statistics);
    RUN(forged_times);
    RUN(forged_report);
    RUN(refused_hosts);
    RUN(efforts);
    RUN(slower_is_slower);
    RUN(inouts_are_restored);
    RUN(tricks);
    RUN(oracles);
    RUN(overlaps);
    RUN(refused_set_ups);
    RUN(refused_kernels);
    RUN(every_kernel);
    host_close(usual);
    host_close(with_own_error);
    return test_end();
}
