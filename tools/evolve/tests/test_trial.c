/* test_trial.c - what comes of kernels that are right, wrong or hostile, and harnesses that are
   refused, by what they are and by what their kernel does
   SPDX-License-Identifier: MIT

   SOAK=N: only hostile children, N of them or a few more, with progress. */
#define _DEFAULT_SOURCE /* syscall, MAP_ANONYMOUS */
#include "kernels.h"

#include "evolve/attempt.h"

#include <sys/prctl.h>

static struct host *usual, *with_own_error; /* compiled once for many tests */
static const uint32_t right;                /* the first kernel */
static struct trial_code kernels_code;

/* ---- evaluation ---- */

static struct trial *opened(const struct host *h, const struct trial_code *code, double seconds)
{
    const struct trial_plan plan = kernels_plan(1, seconds);
    struct trial *t = NULL;
    if (h == NULL || trial_open(&t, h, code, &plan) != 0)
        program_stop("a trial");
    return t;
}

static void keep(void *user, size_t i, const struct result *r)
{
    CHECK_EQ(i, 0);
    *(struct result *)user = *r;
}

static struct result evaluate(struct trial *t, uint32_t kernel, enum effort effort)
{
    struct result r = {.outcome = N_OUTCOMES};
    struct edit e;
    const struct edits list = kernels_list(&e, kernel);
    trial_evaluate(t, &list, 1, effort, keep, &r);
    return r;
}

#define OUTCOME(kernel, effort) evaluate(t, kernel, effort).outcome

static uint32_t kernel_named(const char *name)
{
    uint32_t i = 0;
    while (i < N_KERNELS && strcmp(kernels[i].name, name) != 0)
        i++;
    return i;
}

/* ---- hundreds of hostile children, with good ones between them ---- */

enum { ROUND = 2 * N_KERNELS, ROUNDS = 8 };
static struct edit chosen[ROUND];
static size_t counts[N_OUTCOMES], n_done;
static int calls[ROUND];

/* After the first round a good one may take longer than its time, as the machine may be busy. */
static void look(void *user, size_t i, const struct result *r)
{
    const uint32_t kernel = chosen[i].what;
    const unsigned may_be = kernels[kernel].may_be | (n_done < ROUND ? 0 : TIMED_OUT);
    const int has_times = r->n_cases == 2 && r->error <= 0 && r->time > 0 && r->time < 1e6
                          && r->ratio[0] > 0 && r->ratio[1] > 0 && r->spread >= 0;
    (void)user;
    EXPECT((may_be >> r->outcome & 1)
               && (r->outcome == OUTCOME_VALID ? has_times : r->time >= HUGE_VAL),
           "%s is %s, %g", kernels[kernel].name, outcome_names[r->outcome], r->time);
    counts[r->outcome]++, calls[i]++, n_done++;
}

/* First each kernel comes, then they come at random, and the endless one now and then. */
static uint32_t choose(int round, size_t i)
{
    static uint64_t seed = 1;
    if (round == 0)
        return i % 2 == 0 ? right : (uint32_t)i / 2;
    if (i % 8 == 0)
        return right;
    return round % 4 == 3 && i == 17 ? N_KERNELS - 1
                                     : (uint32_t)(test_random64(&seed) % (N_KERNELS - 1));
}

/* What the children began would be this process's child when they are gone. One whose parent was
   killed may still be dying. */
static void hostile(void)
{
    static struct edits lists[ROUND];
    const int soak = getenv("SOAK") != NULL,
              rounds = soak ? atoi(getenv("SOAK")) / ROUND + 1 : ROUNDS;
    const struct trial_plan plan = kernels_plan(2, 1.5);
    struct trial *t = NULL;
    REQUIRE(trial_open(&t, usual, &kernels_code, &plan) == 0);
    find_shared();
    CHECK(shared_now()->n > 10);
    for (int round = 0; round < rounds; round++) {
        for (size_t i = 0; i < ROUND; i++)
            lists[i] = kernels_list(&chosen[i], choose(round, i));
        trial_evaluate(t, lists, ROUND, EFFORT_SEARCH, look, NULL);
        if (soak && round % 50 == 49)
            printf("%zu children\n", n_done), fflush(stdout);
    }
    trial_close(t);
    for (int i = 0; i < ROUND; i++)
        CHECK_EQ(calls[i], rounds);
    CHECK(counts[OUTCOME_VALID] >= n_done / 16 && counts[OUTCOME_CRASHED] >= n_done / 4);
    for (int i = 0; i < 2000 && !no_children(); i++)
        nap();
    CHECK(no_children());
}

static void efforts(void)
{
    struct trial *t = opened(usual, &kernels_code, 20);
    size_t cases[TASK_CASES];
    const struct known_case *known = trial_cases(t)->v;
    CHECK_EQ(trial_cases(t)->n, 4);
    CHECK_TEXT(known[2].label, "n=37 special");
    CHECK(known[2].held_out && !known[2].timed && !known[0].held_out);
    CHECK(known[0].us > 0 && known[3].us > 0);
    CHECK_EQ(trial_timed(t, EFFORT_CONFIRM, cases), 2);
    CHECK_EQ(trial_timed(t, EFFORT_JUDGE, cases), 3);
    CHECK_EQ(cases[2], 3);
    struct result sure = evaluate(t, right, EFFORT_CONFIRM);
    sure.time = 99, sure = repeat_combine(&sure, 1); /* of its nanoseconds, not of this */
    CHECK(sure.n_cases == 2 && fabs(sure.time - (sure.ratio[0] + sure.ratio[1]) / 2) < 1e-9);
    CHECK_EQ(evaluate(t, right, EFFORT_JUDGE).n_cases, 3);
    CHECK_EQ(OUTCOME(kernel_named("wrong"), EFFORT_CONFIRM), OUTCOME_WRONG);
    /* What is written lies below the inputs on one side, and above on the other. */
    const struct guarded *in = t->cases->inputs, *out = t->rooms[0].sides;
    if (sizeof(void *) == 8) {
        CHECK((uintptr_t)out[GUARDED_BEFORE].map < (uintptr_t)in[GUARDED_BEFORE].map);
        CHECK((uintptr_t)out[GUARDED_BEHIND].map > (uintptr_t)in[GUARDED_BEHIND].map);
    }
    trial_close(t);
}

/* ---- kernels that only held-out cases, another poison or another call see through ---- */

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

enum { TEN_TIMES, WRONG_IF_37, READS_POISON, LAZY_ONE, TIRED, RIGHT };
static ev_kernel *compile_tricky(void *self, const struct edits *list, enum outcome *why)
{
    static ev_kernel *const tricky[] = {(ev_kernel *)k_ten_times,    (ev_kernel *)k_wrong_if_37,
                                        (ev_kernel *)k_reads_poison, (ev_kernel *)k_lazy,
                                        (ev_kernel *)k_tired,        (ev_kernel *)k_right};
    (void)self, (void)why;
    return tricky[list->v[0].what];
}

static void tricks(void)
{
    const struct trial_code code = code_by(compile_tricky, k_right);
    struct trial *t = opened(usual, &code, 20);
    const struct result r = evaluate(t, TEN_TIMES, EFFORT_SEARCH);
    CHECK(r.outcome == OUTCOME_VALID && r.time > 1.5);
    CHECK_EQ(OUTCOME(WRONG_IF_37, EFFORT_SEARCH), OUTCOME_VALID);
    CHECK_EQ(OUTCOME(WRONG_IF_37, EFFORT_JUDGE), OUTCOME_WRONG);
    CHECK_EQ(OUTCOME(READS_POISON, EFFORT_CONFIRM), OUTCOME_WRONG);
    for (uint32_t i = READS_POISON; i <= TIRED; i++)
        CHECK_EQ(OUTCOME(i, EFFORT_SEARCH), OUTCOME_WRONG);
    trial_close(t);
}

static void slower_is_slower(void)
{
    const struct trial_plan plan = kernels_plan(1, 20);
    ev_kernel *const both[] = {(ev_kernel *)k_right, (ev_kernel *)k_ten_times};
    double us[2][TASK_CASES];
    CHECK_EQ(trial_compare(usual, both, 2, &plan, us), 0);
    CHECK(us[0][0] > 0 && us[1][0] > 1.5 * us[0][0] && us[1][3] > us[0][3]);
    CHECK(us[0][2] <= 0 && us[1][2] <= 0); /* it is not timed */
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
    struct child_timer timer;
    struct trial *t = opened(usual, &kernels_code, 20);
    child_timer(&timer, t->cases, &t->rooms[0], 0, 1);
    CHECK(child_sample(&timer, (ev_kernel *)k_looks, 100) > 0);
    CHECK_EQ(n_changed, 0);
    trial_close(t);
}

/* ---- machines that do something else, too ---- */

/* The members wait seconds for a machine that is disturbed: here they count them. */
static int own_waits, *waits = &own_waits;
int nanosleep(const struct timespec *time, struct timespec *left)
{
    *waits += time->tv_sec > 0;
    (void)left;
    return time->tv_sec > 0 ? 0 : (int)syscall(SYS_clock_nanosleep, CLOCK_MONOTONIC, 0, time, NULL);
}

static struct trial *waiting(void)
{
    static struct trial_code code;
    waits = mmap(NULL, sizeof *waits, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    code = code_by(compile_tricky, k_right);
    return opened(usual, &code, 20);
}

/* A rival is its own measure. Samples of it may be longer than the baseline's: how many calls these
   have was found in a moment in which the machine was busy. */
static int rival_waits(void)
{
    struct edit one, other;
    struct trial *t = waiting();
    const struct edits list = kernels_list(&one, RIGHT), with = kernels_list(&other, TEN_TIMES);
    for (size_t i = 0; i < trial_cases(t)->n; i++)
        t->sample_ns[i] /= 4, t->calls[i] = (t->calls[i] + 3) / 4;
    const struct result r = repeat_compare(t, &list, &with);
    CHECK(r.outcome == OUTCOME_VALID && r.time < 1);
    trial_close(t);
    return *waits;
}

/* A busy machine waits by itself: one of ten times it does not. */
static void slow_rival(void)
{
    int least = rival_waits();
    for (int i = 0; i < 9 && least > 5; i++) {
        const int n = rival_waits();
        least = n < least ? n : least;
    }
    CHECK(least <= 5);
}

/* A machine that stays slow is waited for once. */
static void slow_machine(void)
{
    struct trial *t = waiting();
    for (size_t i = 0; i < trial_cases(t)->n; i++)
        t->sample_ns[i] /= 4;
    for (int i = 0; i < 6; i++)
        CHECK_EQ(OUTCOME(RIGHT, EFFORT_SEARCH), OUTCOME_VALID);
    CHECK(*waits >= 5 && *waits <= 10);
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
    for (uint32_t own = SOON_RIGHT; own <= SOON_WRONG; own++) {
        struct trial_code code = code_by(compile_right, k_right);
        code.self = &own;
        code.compile_soon = compile_soon;
        struct trial *t = opened(usual, &code, 20);
        CHECK_EQ(OUTCOME(SOON_RIGHT, EFFORT_SEARCH), OUTCOME_VALID);
        CHECK_EQ(OUTCOME(SOON_WRONG, EFFORT_SEARCH),
                 own == SOON_RIGHT ? OUTCOME_WRONG : OUTCOME_VALID);
        CHECK_EQ(OUTCOME(SOON_WRONG, EFFORT_CONFIRM), OUTCOME_VALID);
        CHECK_EQ(OUTCOME(SOON_NONE, EFFORT_SEARCH), OUTCOME_VALID);
        CHECK_EQ(OUTCOME(SOON_INAPPLICABLE, EFFORT_SEARCH),
                 own == SOON_RIGHT ? OUTCOME_INAPPLICABLE : OUTCOME_VALID);
        trial_close(t);
    }
}

/* ---- oracles ---- */

/* With this error of its first element in place of the largest */
static const char own_error[] =
    USUAL "static double error(const struct ev_case *c, void *const *want, void *const *got)\n"
          "{\n    (void)c;\n"
          "    return fabs((double)((float *)want[1])[0] - (double)((float *)got[1])[0]);\n"
          "}\n" HARNESS(".error = error, ");

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
    CHECK_EQ(with_oracle(usual, "wrong_a_bit", loose, &error), OUTCOME_VALID);
    CHECK(error > 5e-5 && error < 2e-4);
    CHECK_EQ(with_oracle(usual, "wrong_a_bit", tight, &error), OUTCOME_WRONG);
    CHECK_EQ(with_oracle(usual, "touches_last", loose, &error), OUTCOME_WRONG);
    CHECK_EQ(with_oracle(with_own_error, "wrong", own, &error), OUTCOME_VALID);
    CHECK(error > 0 && error < 1e-300); /* as good for the harness, but not equal */
    CHECK_EQ(with_oracle(with_own_error, "touches_last", own, &error), OUTCOME_WRONG);
}

/* y and x are one buffer, and a case without any element */
static void overlaps(void)
{
    struct host *h =
        host_of(TOP SHAPES("{.size = {64}}, {.size = {0}, .alias = 1}, {.size = {50}, .alias = 1, "
                           ".held_out = 1}")
                    SET_UP("size_t n = (size_t)c->size[0];"
                           "size_t x = ev_buffer(c, \"x\", c->alias ? EV_INOUT : EV_IN, 0, n + 1);"
                           "ev_fill(c, x);"
                           "if (c->alias) ev_within(c, \"y\", x, 1, n);"
                           "else ev_fill(c, ev_buffer(c, \"y\", EV_INOUT, 0, n));"
                           "ev_buffer(c, \"out\", EV_OUT, 0, n + 2);"
                           "ev_buffer(c, \"scratch\", EV_SCRATCH, 0, n);") CALL HARNESS(""));
    struct trial *t = opened(h, &kernels_code, 20);
    CHECK_TEXT(trial_cases(t)->v[1].label, "n=0 alias");
    CHECK_EQ(OUTCOME(right, EFFORT_JUDGE), OUTCOME_VALID);
    CHECK_EQ(OUTCOME(kernel_named("wrong"), EFFORT_JUDGE), OUTCOME_WRONG);
    trial_close(t);
    host_close(h);
}

/* ---- what is refused ---- */

static void refused_hosts(void)
{
    static const struct {
        const char *what, *text, *says;
    } all[] = {
        {"text that is no C", "int x = ;\n", "does not compile it"},
        {"nothing", "int x;\n", "has no EV_HARNESS"},
        {"a version to come",
         TOP SHAPES("{.size = {64}}") SET_UP("(void)c;") CALL
         "const struct ev_harness ev_harness = {.version = 9, .set_up = set_up, .call = call, "
         "EV_SHAPES(shapes)};\n",
         "version 9, not 1"},
        {"no set_up",
         TOP SHAPES("{.size = {64}}") CALL "EV_HARNESS(.call = call, EV_SHAPES(shapes));\n",
         "no .set_up"},
        {"no call",
         TOP SHAPES("{.size = {64}}")
             SET_UP("(void)c;") "EV_HARNESS(.set_up = set_up, EV_SHAPES(shapes));\n",
         "no .call"},
        {"no shapes",
         TOP SET_UP("(void)c;") CALL
         "EV_HARNESS(.set_up = set_up, .call = call, .sizes = \"n\");\n",
         "no shapes"},
        {"17 shapes", TOP SHAPES("[16] = {.size = {1}}") SET_UP("(void)c;") CALL HARNESS(""),
         "17 shapes, more than 16"},
        {"no names",
         TOP SHAPES("{.size = {64}}") SET_UP("(void)c;") CALL
         "EV_HARNESS(.set_up = set_up, .call = call, EV_SHAPES(shapes));\n",
         ".sizes \"\""},
        {"held-out cases alone",
         TOP SHAPES("{.size = {1}, .held_out = 1}, {.size = {2}, .untimed = 1}") SET_UP("(void)c;")
             CALL HARNESS(""),
         "timed and not held out"},
    };
    struct host *h = NULL;
    for (size_t i = 0; i < COUNT(all); i++) {
        h = host_of(all[i].text);
        const char *said = told();
        EXPECT(h == NULL && has(said, all[i].says) && has(said, "h.c")
                   && (i > 0 || has(said, "h.c:1:9: error")),
               "%s: %.150s", all[i].what, said);
    }
    CHECK(host_open(&h, "/nowhere/h.c", kernels_clang(), NULL) == -1 && h == NULL);
    CHECK(was_told("/nowhere/h.c"));
    CHECK(host_open(&h, "h.c", "no-such-compiler", NULL) == -1 && h == NULL);
    CHECK(was_told("no-such-compiler"));
}

static void refused_trial(const struct host *h, kernel_type *reference, const char *says)
{
    const struct trial_code code = code_by(kernels_compile, reference);
    const struct trial_plan plan = kernels_plan(1, 0.7);
    struct trial *t = NULL;
    const int rc = h == NULL ? 1 : trial_open(&t, h, &code, &plan);
    const char *said = told();
    EXPECT(rc == -1 && t == NULL && has(said, says) && has(said, "h.c"), "%s: %.150s", says, said);
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
    refused_trial(usual, k_null, "case n=1000: the unmodified kernel crashes: Segm");
    refused_trial(usual, k_write, "makes a system call");
    refused_trial(usual, k_raw_exit_7, "with status 7");
    refused_trial(usual, k_endless, "takes longer than 0.7 s");
    refused_trial(usual, k_random, "element 5 of buffer y differs between two runs");
    refused_trial(usual, k_depends, "element 1 of buffer out depends");
    refused_trial(usual, k_y_behind, "beside its buffers");
    refused_trial(usual, k_wrong, "the baseline's outputs are not those");
}

/* One harness for all of these, which takes what it does from the environment */
static const char bad_set_ups[] = "#include <stdlib.h>\n" TOP SHAPES("{.size = {64}}")
    SET_UP("switch (getenv(\"BAD_SET_UP\")[0]) {\n"
           "case '0': ev_fill(c, ev_buffer(c, \"x\", EV_IN, 0, 4)); break;\n"
           "case '1': break;\n"
           "case '2': for (int i = 0; i < 20; i++) ev_buffer(c, \"b\", EV_OUT, 0, 4); break;\n"
           "case '3': ev_buffer(c, NULL, EV_OUT, 0, 4); break;\n"
           "case '4': ev_buffer(c, \"y\", EV_OUT, 9, 4); break;\n"
           "case '5': ev_within(c, \"z\", ev_buffer(c, \"y\", EV_OUT, 0, 4), 2, 3); break;\n"
           "case '6': ev_buffer(c, \"y\", EV_OUT, 0, (size_t)-1); break;\n"
           "case '7': *(volatile int *)c->at[0] = 1; break;\n"
           "case '8': while (c->size[0]); break;\n"
           "case '9': ev_within(c, \"z\", 5, 0, 1); break;\n}") CALL HARNESS("");

static void refused_set_ups(void)
{
    static const char *const says[] = {"case n=64: buffer 0 (x): none is written",
                                       "there are no buffers",
                                       "buffer 20 (?): is one too many",
                                       "buffer 0 (?): has no name",
                                       "buffer 0 (y): has an unknown role or type",
                                       "buffer 1 (z): goes beyond",
                                       "buffer 0 (y): is too large",
                                       "set_up crashes",
                                       "set_up takes longer",
                                       "buffer 0 (?): lies in a buffer that is not there"};
    struct host *h = host_of(bad_set_ups);
    for (char number[2] = "0"; *number <= '9'; ++*number) {
        setenv("BAD_SET_UP", number, 1);
        refused_trial(h, k_right, says[*number - '0']);
    }
    host_close(h);
}

int main(void)
{
    told_begin();
    prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
    kernels_code = code_by(kernels_compile, k_right);
    usual = host_of(USUAL HARNESS(""));
    with_own_error = host_of(own_error);
    RUN(hostile);
    if (getenv("SOAK") != NULL)
        return program_end();
    RUN_ALL(efforts, tricks, slower_is_slower, buffers_are_filled_anew, slow_rival, slow_machine,
            glances, oracles, overlaps, refused_hosts, refused_set_ups, refused_kernels);
    host_close(usual);
    host_close(with_own_error);
    return program_end();
}
