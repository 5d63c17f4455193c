/* kernels.h - a harness for the tests of trials, and kernels that are right, wrong or hostile
   SPDX-License-Identifier: MIT

   A list of one edit names a kernel by the edit's `what`: nothing here needs a compiler. */
#pragma once

#include "evolve/trial.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

/* Cell 0 and the last one of `out` stay as they are. */
static const char kernels_harness[] =
    "#include <kpred_evolve.h>\n"
    "typedef void kernel(int n, const float *x, float *y, float *out, float *scratch);\n"
    "static void set_up(struct ev_case *c)\n"
    "{\n"
    "    const size_t n = (size_t)c->size[0];\n"
    "    ev_fill(c, ev_buffer(c, \"x\", EV_IN, EV_F32, n));\n"
    "    ev_fill(c, ev_buffer(c, \"y\", EV_INOUT, EV_F32, n));\n"
    "    ev_buffer(c, \"out\", EV_OUT, EV_F32, n + 2);\n"
    "    ev_buffer(c, \"scratch\", EV_SCRATCH, EV_F32, n);\n"
    "}\n"
    "static void call(const struct ev_case *c, ev_kernel *k)\n"
    "{\n"
    "    ((kernel *)k)((int)c->size[0], c->at[0], c->at[1], c->at[2], c->at[3]);\n"
    "}\n"
    "static const struct ev_shape shapes[] = {\n"
    "    {.size = {1000}, .seed = 1},\n"
    "    {.size = {1024}, .seed = 2},\n"
    "    {.size = {37}, .seed = 3, .held_out = 1, .special = 1, .untimed = 1},\n"
    "    {.size = {1022}, .seed = 4, .held_out = 1},\n"
    "};\n"
    "EV_HARNESS(.set_up = set_up, .call = call, .sizes = \"n\", EV_SHAPES(shapes));\n";

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

#define HOSTILE(name, act)                                   \
    KERNEL(name)                                             \
    {                                                        \
        (void)n, (void)x, (void)y, (void)out, (void)scratch; \
        k_right(n, x, y, out, scratch);                      \
        act;                                                 \
    }
#define BESIDE(name, buffer, index) HOSTILE(name, ((volatile float *)buffer)[index] = 1.5f)

HOSTILE(k_slow, for (int i = 0; i < 300 * k_one; i++) k_sink += 1)
HOSTILE(k_wrong, y[n / 2] += 1)
HOSTILE(k_wrong_a_bit, y[n / 2] *= 1.0001f)
HOSTILE(k_wrong_last, out[n] += 1)
HOSTILE(k_unwritten, memcpy(out + 1, out + 2, sizeof *out))
HOSTILE(k_touches_first, out[0] = 0)
HOSTILE(k_touches_last, out[n + 1] = out[n + 1] > 0 ? 1 : 2)
BESIDE(k_y_before, y, -k_one)
BESIDE(k_y_behind, y, n - 1 + k_one)
BESIDE(k_out_before, out, -k_one)
BESIDE(k_out_behind, out, n + 1 + k_one)
BESIDE(k_scratch_before, scratch, -k_one)
BESIDE(k_scratch_behind, scratch, n - 1 + k_one)
HOSTILE(k_reads_x_before, k_sink = x[-k_one])
HOSTILE(k_reads_x_behind, k_sink = x[n - 1 + k_one])
HOSTILE(k_reads_y_before, k_sink = y[-k_one])
HOSTILE(k_reads_out_behind, k_sink = out[n + 1 + k_one])

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

/* The place that x points to, without the word that says it is not written */
static float *writable(const float *x)
{
    uintptr_t at;
    memcpy(&at, &x, sizeof at);
    float *p;
    memcpy(&p, &at, sizeof p);
    return p;
}

HOSTILE(k_writes_input, ((volatile float *)writable(x))[n / 2] = 1)
static const struct itimerval no_timer;

HOSTILE(k_endless, while (k_one) k_sink += 1)
HOSTILE(k_null, *(volatile int *)(uintptr_t)(k_one - 1) = 1)
HOSTILE(k_exit_0, exit(0))
HOSTILE(k_fast_exit_0, _exit(0))
HOSTILE(k_raw_exit_0, syscall(SYS_exit_group, 0))
HOSTILE(k_raw_exit_7, syscall(SYS_exit_group, 7))
HOSTILE(k_thread_exit, syscall(SYS_exit, 0))
HOSTILE(k_fork_bomb, while (k_one) fork())
HOSTILE(k_kill_parent, kill(getppid(), SIGKILL))
HOSTILE(k_kill_parent_raw, syscall(SYS_kill, (long)getppid(), (long)SIGTERM))
HOSTILE(k_raise, raise(SIGTERM))
HOSTILE(k_stop, raise(SIGSTOP))
HOSTILE(k_abort, abort())
HOSTILE(k_alarm, alarm(0))
HOSTILE(k_timer, setitimer(ITIMER_REAL, &no_timer, NULL))
HOSTILE(k_mmap, mmap(NULL, 4096, PROT_READ, MAP_PRIVATE, 1, 0))
HOSTILE(k_mprotect,
        mprotect(writable(x) - ((uintptr_t)x & 4095) / sizeof *x, 4096, PROT_READ | PROT_WRITE))
HOSTILE(k_write, if (write(2, "", 1)) k_sink = 1)
static void hog_memory(void)
{
    for (size_t bytes = 1 << 20; k_one; bytes *= 2) {
        volatile char *p = malloc(bytes);
        p[bytes - 1] = 1;
    }
}
HOSTILE(k_memory_hog, hog_memory())
HOSTILE(k_signal, signal(SIGSEGV, SIG_IGN))

static int k_overflow(int depth)
{
    volatile char frame[4096];
    frame[depth % 4096] = (char)depth;
    return k_one ? k_overflow(depth + 1) + frame[depth % 4096] : 0;
}
HOSTILE(k_stack, k_sink = (float)k_overflow(0))

/* ---- stores into what parent and children share ---- */

static struct {
    unsigned char *from;
    size_t bytes;
} shared_areas[512];
static size_t n_shared_areas;

/* Those of this process, and of the children that it forks later */
static inline void find_shared_areas(void)
{
    char line[512];
    FILE *f = fopen("/proc/self/maps", "r");
    n_shared_areas = 0;
    while (f != NULL && fgets(line, sizeof line, f) != NULL) {
        unsigned long from = 0, to = 0;
        char rights[8] = "";
        if (sscanf(line, "%lx-%lx %7s", &from, &to, rights) == 3 && strcmp(rights, "rw-s") == 0
            && n_shared_areas < sizeof shared_areas / sizeof *shared_areas) {
            shared_areas[n_shared_areas].from = (unsigned char *)(uintptr_t)from;
            shared_areas[n_shared_areas++].bytes = to - from;
        }
    }
    if (f != NULL)
        fclose(f);
}

static uint64_t now_bits(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_nsec * 0x9e3779b97f4a7c15u >> 13;
}

static void store_wildly(void)
{
    const size_t area = n_shared_areas == 0 ? 0 : now_bits() % n_shared_areas;
    const size_t at = now_bits() % (shared_areas[area].bytes - 8);
    const uint64_t word = now_bits();
    memcpy(shared_areas[area].from + at, &word, sizeof word);
}
HOSTILE(k_wild, store_wildly())

static void sweep(int byte)
{
    for (size_t i = 0; i < n_shared_areas; i++)
        memset(shared_areas[i].from, byte, shared_areas[i].bytes);
}
HOSTILE(k_sweep, sweep(0))
HOSTILE(k_sweep_ones, sweep(255))

/* ---- the table ---- */

enum { /* what may come of it, as bits of outcomes */
       IS_VALID = 1 << OUTCOME_VALID,
       IS_CRASHED = 1 << OUTCOME_CRASHED,
       IS_WRONG = 1 << OUTCOME_WRONG,
       IS_TIMED_OUT = 1 << OUTCOME_TIMED_OUT,
       IS_BAD = IS_CRASHED | IS_WRONG
};

typedef void kernel_type(int n, const float *x, float *y, float *out, float *scratch);
enum kernel_how { HOW_CODE, HOW_INAPPLICABLE, HOW_REJECTED, HOW_GIVEN_UP, HOW_ABORT, HOW_EXIT };

static const struct {
    const char *name;
    kernel_type *code;
    unsigned may_be;
    enum kernel_how how;
} kernels[] = {
    {"right", k_right, IS_VALID, HOW_CODE},
    {"slow", k_slow, IS_VALID, HOW_CODE},
    {"wrong", k_wrong, IS_WRONG, HOW_CODE},
    {"wrong-a-bit", k_wrong_a_bit, IS_WRONG, HOW_CODE},
    {"wrong-last", k_wrong_last, IS_WRONG, HOW_CODE},
    {"unwritten", k_unwritten, IS_WRONG, HOW_CODE},
    {"lazy-above", k_lazy_above, IS_WRONG, HOW_CODE},
    {"lazy-below", k_lazy_below, IS_WRONG, HOW_CODE},
    {"lazy-when-packed", k_lazy_when_packed, IS_WRONG, HOW_CODE},
    {"touches-first", k_touches_first, IS_WRONG, HOW_CODE},
    {"touches-last", k_touches_last, IS_WRONG, HOW_CODE},
    {"y-before", k_y_before, IS_CRASHED, HOW_CODE},
    {"y-behind", k_y_behind, IS_CRASHED, HOW_CODE},
    {"out-before", k_out_before, IS_CRASHED, HOW_CODE},
    {"out-behind", k_out_behind, IS_CRASHED, HOW_CODE},
    {"scratch-before", k_scratch_before, IS_CRASHED, HOW_CODE},
    {"scratch-behind", k_scratch_behind, IS_CRASHED, HOW_CODE},
    {"reads-x-before", k_reads_x_before, IS_CRASHED, HOW_CODE},
    {"reads-x-behind", k_reads_x_behind, IS_CRASHED, HOW_CODE},
    {"reads-y-before", k_reads_y_before, IS_CRASHED, HOW_CODE},
    {"reads-out-behind", k_reads_out_behind, IS_CRASHED, HOW_CODE},
    {"writes-input", k_writes_input, IS_CRASHED, HOW_CODE},
    {"null", k_null, IS_CRASHED, HOW_CODE},
    {"exit-0", k_exit_0, IS_CRASHED, HOW_CODE},
    {"fast-exit-0", k_fast_exit_0, IS_CRASHED, HOW_CODE},
    {"raw-exit-0", k_raw_exit_0, IS_CRASHED, HOW_CODE},
    {"raw-exit-7", k_raw_exit_7, IS_CRASHED, HOW_CODE},
    {"thread-exit", k_thread_exit, IS_CRASHED, HOW_CODE},
    {"fork-bomb", k_fork_bomb, IS_CRASHED, HOW_CODE},
    {"kill-parent", k_kill_parent, IS_CRASHED, HOW_CODE},
    {"kill-parent-raw", k_kill_parent_raw, IS_CRASHED, HOW_CODE},
    {"raise", k_raise, IS_CRASHED, HOW_CODE},
    {"stop", k_stop, IS_CRASHED, HOW_CODE},
    {"abort", k_abort, IS_CRASHED, HOW_CODE},
    {"alarm", k_alarm, IS_CRASHED, HOW_CODE},
    {"timer", k_timer, IS_CRASHED, HOW_CODE},
    {"mmap", k_mmap, IS_CRASHED, HOW_CODE},
    {"mprotect", k_mprotect, IS_CRASHED, HOW_CODE},
    {"write", k_write, IS_CRASHED, HOW_CODE},
    {"memory-hog", k_memory_hog, IS_CRASHED, HOW_CODE},
    {"signal", k_signal, IS_CRASHED, HOW_CODE},
    {"stack", k_stack, IS_CRASHED, HOW_CODE},
    {"wild", k_wild, IS_VALID | IS_BAD, HOW_CODE},
    {"sweep", k_sweep, IS_BAD, HOW_CODE},
    {"sweep-ones", k_sweep_ones, IS_BAD, HOW_CODE},
    {"inapplicable", NULL, 1 << OUTCOME_INAPPLICABLE, HOW_INAPPLICABLE},
    {"rejected", NULL, 1 << OUTCOME_REJECTED, HOW_REJECTED},
    {"given-up", NULL, 1 << OUTCOME_UNCOMPILED, HOW_GIVEN_UP},
    {"compiler-aborts", NULL, 1 << OUTCOME_UNCOMPILED, HOW_ABORT},
    {"compiler-exits", NULL, 1 << OUTCOME_UNCOMPILED, HOW_EXIT},
    {"endless", k_endless, IS_TIMED_OUT, HOW_CODE}, /* last: it takes its time */
};
enum { N_KERNELS = sizeof kernels / sizeof *kernels };

static ev_kernel *kernels_compile(void *self, const struct edits *list, enum outcome *why)
{
    (void)self;
    const uint32_t i = list->v[0].what;
    find_shared_areas();
    switch (kernels[i].how) {
    case HOW_CODE: return (ev_kernel *)kernels[i].code;
    case HOW_INAPPLICABLE: *why = OUTCOME_INAPPLICABLE; return NULL;
    case HOW_REJECTED: *why = OUTCOME_REJECTED; return NULL;
    case HOW_ABORT: abort();
    case HOW_EXIT: exit(0);
    default: return NULL;
    }
}

static const struct trial_code kernels_code = {NULL, kernels_compile,      NULL,
                                               NULL, (ev_kernel *)k_right, (ev_kernel *)k_right};

static inline struct edits kernels_list(struct edit *e, uint32_t i)
{
    const struct edit one = {0, 0, i, 0, 0};
    *e = one;
    const struct edits list = {e, 1, 1};
    return list;
}

/* ---- harnesses as files ---- */

static inline const char *kernels_clang(void)
{
    const char *own = getenv("EVOLVE_CLANG");
    return own != NULL ? own : "clang-16";
}

/* Compiles a text as a harness; NULL if it is refused. */
static inline struct host *host_of(const char *text)
{
    char path[64] = "/tmp/kpred-test-XXXXXX";
    char file[96];
    struct host *h = NULL;
    if (mkdtemp(path) == NULL)
        return NULL;
    snprintf(file, sizeof file, "%s/h.c", path);
    FILE *f = fopen(file, "w");
    if (f != NULL) {
        fputs(text, f);
        fclose(f);
        host_open(&h, file, kernels_clang(), NULL);
    }
    unlink(file);
    rmdir(path);
    return h;
}

static inline struct trial_plan kernels_plan(int jobs, double seconds)
{
    const struct trial_plan plan = {
        {ORACLE_EXACT, 0, 0}, {seconds, (unsigned)seconds + 2, (size_t)256 << 20}, jobs, 1};
    return plan;
}
