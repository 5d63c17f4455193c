/* kernels.h - a harness for the tests of trials, and kernels that are right, wrong or hostile
   SPDX-License-Identifier: MIT

   A list of one edit names a kernel by the edit's `what`: nothing here needs a compiler. */
#pragma once

#include "evolve/trial.h"
#include "told.h"

#include <signal.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>

/* ---- harnesses ---- */

#define TOP                       \
    "#include <kpred_evolve.h>\n" \
    "typedef void kernel(int n, const float *x, float *y, float *out, float *scratch);\n"
#define CALL                                                  \
    "static void call(const struct ev_case *c, ev_kernel *k)" \
    "{ ((kernel *)k)((int)c->size[0], c->at[0], c->at[1], c->at[2], c->at[3]); }\n"
#define SET_UP(body)   "static void set_up(struct ev_case *c) { " body " }\n"
#define SHAPES(shapes) "static const struct ev_shape shapes[] = {" shapes "};\n"
#define HARNESS(with)                                                     \
    "EV_HARNESS(" with ".set_up = set_up, .call = call, .sizes = \"n\", " \
    "EV_SHAPES(shapes));\n"

/* Cell 0 and the last one of `out` stay as they are. */
#define USUAL                                                                                \
    TOP SET_UP("const size_t n = (size_t)c->size[0];"                                        \
               "ev_fill(c, ev_buffer(c, \"x\", EV_IN, EV_F32, n));"                          \
               "ev_fill(c, ev_buffer(c, \"y\", EV_INOUT, EV_F32, n));"                       \
               "ev_buffer(c, \"out\", EV_OUT, EV_F32, n + 2);"                               \
               "ev_buffer(c, \"scratch\", EV_SCRATCH, EV_F32, n);")                          \
        CALL SHAPES("{.size = {1000}, .seed = 1}, {.size = {1024}, .seed = 2},"              \
                    "{.size = {37}, .seed = 3, .held_out = 1, .special = 1, .untimed = 1}, " \
                    "{.size = {1022}, .seed = 4, .held_out = 1}")

static inline const char *kernels_clang(void)
{
    const char *own = getenv("EVOLVE_CLANG");
    return own != NULL ? own : "clang-16";
}

/* Compiles a text as a harness; NULL if it is refused. */
static inline struct host *host_of(const char *text)
{
    struct host *h = NULL;
    put_text("h.c", "%s", text);
    host_open(&h, "h.c", kernels_clang(), NULL);
    return h;
}

static inline struct trial_plan kernels_plan(int jobs, double seconds)
{
    const struct trial_plan plan = {
        {ORACLE_EXACT, 0, 0}, {seconds, (unsigned)seconds + 2, (size_t)256 << 20}, jobs, 1};
    return plan;
}

/* ---- what kernels do ---- */

#if defined(__GNUC__)
#define KERNEL(name)                                                                        \
    __attribute__((noinline)) static void name(int n, const float *x, float *y, float *out, \
                                               float *scratch)
#else
#define KERNEL(name) static void name(int n, const float *x, float *y, float *out, float *scratch)
#endif

KERNEL(k_right)
{
    for (int i = 0; i < n; i++) {
        scratch[i] = x[i] * 2;
        y[i] += scratch[i];
        out[i + 1] = y[i] * x[i];
    }
}

/* A value that no optimiser knows */
static volatile int k_one = 1;
static volatile float k_sink;

/* The place that x points to, without the word that says it is not written */
static float *writable(const float *x)
{
    uintptr_t at;
    memcpy(&at, &x, sizeof at);
    float *p;
    memcpy(&p, &at, sizeof p);
    return p;
}

static const struct itimerval no_timer;

static void close_page_of(const float *x)
{
    mprotect(writable(x) - ((uintptr_t)x & 4095) / sizeof *x, 4096, PROT_READ | PROT_WRITE);
}

static void hog_memory(void)
{
    for (size_t bytes = 1 << 20; k_one; bytes *= 2) {
        volatile char *p = malloc(bytes);
        p[bytes - 1] = 1;
    }
}

static int overflow(int depth)
{
    volatile char frame[4096];
    frame[depth % 4096] = (char)depth;
    return k_one ? overflow(depth + 1) + frame[depth % 4096] : 0;
}

static uint64_t now_bits(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_nsec * 0x9e3779b97f4a7c15u >> 13;
}

static void store_wildly(void)
{
    const struct shared *s = shared_now();
    const size_t area = s->n == 0 ? 0 : now_bits() % s->n;
    const uint64_t word = now_bits();
    memcpy(s->area[area].from + now_bits() % (s->area[area].bytes - 8), &word, sizeof word);
}

static void sweep(int byte)
{
    const struct shared *s = shared_now();
    for (size_t i = 0; i < s->n; i++)
        memset(s->area[i].from, byte, s->area[i].bytes);
}

/* ---- kernels ---- */

enum { /* what may come of it, as bits of outcomes */
       VALID = 1 << OUTCOME_VALID,
       CRASHED = 1 << OUTCOME_CRASHED,
       WRONG = 1 << OUTCOME_WRONG,
       TIMED_OUT = 1 << OUTCOME_TIMED_OUT,
       BAD = CRASHED | WRONG
};

/* Right, and then it does something more: its name, what may come of it, and what it does */
#define STORE(at) *(volatile float *)(at) = 1.5f
#define EACH_HOSTILE(X)                                                            \
    X(slow, VALID, for (int i = 0; i < 300 * k_one; i++) k_sink += 1)              \
    X(wrong, WRONG, y[n / 2] += 1)                                                 \
    X(wrong_a_bit, WRONG, y[n / 2] *= 1.0001f)                                     \
    X(wrong_last, WRONG, out[n] += 1)                                              \
    X(unwritten, WRONG, memcpy(out + 1, out + 2, sizeof *out))                     \
    X(touches_first, WRONG, out[0] = 0)                                            \
    X(touches_last, WRONG, out[n + 1] = out[n + 1] > 0 ? 1 : 2)                    \
    X(y_before, CRASHED, STORE(y - k_one))                                         \
    X(y_behind, CRASHED, STORE(y + n - 1 + k_one))                                 \
    X(out_before, CRASHED, STORE(out - k_one))                                     \
    X(out_behind, CRASHED, STORE(out + n + 1 + k_one))                             \
    X(scratch_before, CRASHED, STORE(scratch - k_one))                             \
    X(scratch_behind, CRASHED, STORE(scratch + n - 1 + k_one))                     \
    X(reads_x_before, CRASHED, k_sink = x[-k_one])                                 \
    X(reads_x_behind, CRASHED, k_sink = x[n - 1 + k_one])                          \
    X(reads_y_before, CRASHED, k_sink = y[-k_one])                                 \
    X(reads_out_behind, CRASHED, k_sink = out[n + 1 + k_one])                      \
    X(writes_input, CRASHED, STORE(writable(x) + n / 2))                           \
    X(null, CRASHED, *(volatile int *)(uintptr_t)(k_one - 1) = 1)                  \
    X(exit_0, CRASHED, exit(0))                                                    \
    X(fast_exit_0, CRASHED, _exit(0))                                              \
    X(raw_exit_0, CRASHED, syscall(SYS_exit_group, 0))                             \
    X(raw_exit_7, CRASHED, syscall(SYS_exit_group, 7))                             \
    X(thread_exit, CRASHED, syscall(SYS_exit, 0))                                  \
    X(fork_bomb, CRASHED, while (k_one) fork())                                    \
    X(kill_parent, CRASHED, kill(getppid(), SIGKILL))                              \
    X(kill_parent_raw, CRASHED, syscall(SYS_kill, (long)getppid(), (long)SIGTERM)) \
    X(raise, CRASHED, raise(SIGTERM))                                              \
    X(stop, CRASHED, raise(SIGSTOP))                                               \
    X(abort, CRASHED, abort())                                                     \
    X(alarm, CRASHED, alarm(0))                                                    \
    X(timer, CRASHED, setitimer(ITIMER_REAL, &no_timer, NULL))                     \
    X(mmap, CRASHED, mmap(NULL, 4096, PROT_READ, MAP_PRIVATE, 1, 0))               \
    X(mprotect, CRASHED, close_page_of(x))                                         \
    X(write, CRASHED, if (write(2, "", 1)) k_sink = 1)                             \
    X(memory_hog, CRASHED, hog_memory())                                           \
    X(signal, CRASHED, signal(SIGSEGV, SIG_IGN))                                   \
    X(stack, CRASHED, k_sink = (float)overflow(0))                                 \
    X(wild, VALID | BAD, store_wildly())                                           \
    X(sweep, BAD, sweep(0))                                                        \
    X(sweep_ones, BAD, sweep(255))                                                 \
    X(endless, TIMED_OUT, while (k_one) k_sink += 1) /* last: it takes its time */

#define DEFINE(name, may_be, ...)                            \
    KERNEL(k_##name)                                         \
    {                                                        \
        (void)n, (void)x, (void)y, (void)out, (void)scratch; \
        k_right(n, x, y, out, scratch);                      \
        __VA_ARGS__;                                         \
    }
EACH_HOSTILE(DEFINE)

/* Kernels that do nothing where they are not looked at as closely, they hope: above or below the
   inputs, or where no page is between two buffers */
#define LAZY(name, when)                    \
    KERNEL(name)                            \
    {                                       \
        if (!(when))                        \
            k_right(n, x, y, out, scratch); \
    }
LAZY(k_lazy_above, (uintptr_t)x < (uintptr_t)out)
LAZY(k_lazy_below, (uintptr_t)x > (uintptr_t)out)
LAZY(k_lazy_when_packed, (uintptr_t)out - (uintptr_t)y <= 4096)

typedef void kernel_type(int n, const float *x, float *y, float *out, float *scratch);
enum kernel_how { HOW_CODE, HOW_INAPPLICABLE, HOW_REJECTED, HOW_GIVEN_UP, HOW_ABORT, HOW_EXIT };

#define ROW(name, may_be, ...) {#name, k_##name, may_be, HOW_CODE},
static const struct {
    const char *name;
    kernel_type *code;
    unsigned may_be;
    enum kernel_how how;
} kernels[] = {{"right", k_right, VALID, HOW_CODE},
               {"lazy_above", k_lazy_above, WRONG, HOW_CODE},
               {"lazy_below", k_lazy_below, WRONG, HOW_CODE},
               {"lazy_when_packed", k_lazy_when_packed, WRONG, HOW_CODE},
               {"inapplicable", NULL, 1 << OUTCOME_INAPPLICABLE, HOW_INAPPLICABLE},
               {"rejected", NULL, 1 << OUTCOME_REJECTED, HOW_REJECTED},
               {"given up", NULL, 1 << OUTCOME_UNCOMPILED, HOW_GIVEN_UP},
               {"compiler aborts", NULL, 1 << OUTCOME_UNCOMPILED, HOW_ABORT},
               {"compiler exits", NULL, 1 << OUTCOME_UNCOMPILED, HOW_EXIT},
               EACH_HOSTILE(ROW)};
enum { N_KERNELS = COUNT(kernels) };

static ev_kernel *kernels_compile(void *self, const struct edits *list, enum outcome *why)
{
    (void)self;
    const uint32_t i = list->v[0].what;
    find_shared();
    switch (kernels[i].how) {
    case HOW_CODE: return (ev_kernel *)kernels[i].code;
    case HOW_INAPPLICABLE: *why = OUTCOME_INAPPLICABLE; return NULL;
    case HOW_REJECTED: *why = OUTCOME_REJECTED; return NULL;
    case HOW_ABORT: abort();
    case HOW_EXIT: exit(0);
    default: return NULL;
    }
}

/* Code of these, beside a reference */
static inline struct trial_code
code_by(ev_kernel *(*compile)(void *, const struct edits *, enum outcome *), kernel_type *reference)
{
    const struct trial_code code = {
        NULL, compile, NULL, NULL, (ev_kernel *)k_right, (ev_kernel *)reference};
    return code;
}

static inline struct edits kernels_list(struct edit *e, uint32_t i)
{
    const struct edit one = {0, 0, i, 0, 0};
    *e = one;
    const struct edits list = {e, 1, 1};
    return list;
}
