/* test_sandbox.c - children that are locked in
   SPDX-License-Identifier: MIT */
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS, syscall */
#include "harness/test.h"
#include "told.h"

#include "evolve/sandbox.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* ---- jobs ---- */

static volatile int one = 1;
static volatile int *seen; /* shared with the children */

static int ready(void *user)
{
    (void)user;
    return 0;
}

static int refuses(void *user)
{
    (void)user;
    return 7;
}

static int prepares_badly(void *user)
{
    switch (*(int *)user) {
    case 0: abort();
    case 1: exit(0);
    case 2: exit(7);
    case 3: exit(64);
    case 4: return malloc((size_t)2 << 30) == NULL ? 9 : 8;
    case 5: {
        struct rlimit cpu;
        getrlimit(RLIMIT_CPU, &cpu);
        return cpu.rlim_cur == 3 ? 10 : 11;
    }
    case 6: return sigaction(SIGUSR1, NULL, NULL) == 0 && getpgrp() == getpid() ? 12 : 13;
    case 7: return write(2, "this must not be seen\n", 22) == 22 && fcntl(4, F_GETFD) < 0 ? 14 : 15;
    default:
        while (one)
            ;
        return 0;
    }
}

/* Where memory is shared, first and last of it */
static struct shared {
    volatile unsigned char *v[64];
    size_t n;
} shared_now;

static void find_shared(struct shared *s)
{
    char line[512];
    FILE *f = fopen("/proc/self/maps", "r");
    s->n = 0;
    while (f != NULL && fgets(line, sizeof line, f) != NULL) {
        unsigned long from = 0;
        char rights[8] = "";
        if (sscanf(line, "%lx-%*x %7s", &from, rights) == 2 && strcmp(rights, "rw-s") == 0
            && s->n < 64)
            s->v[s->n++] = (volatile unsigned char *)(uintptr_t)from;
    }
    if (f != NULL)
        fclose(f);
}

static void write_all(const struct shared *s)
{
    for (size_t i = 0; i < s->n; i++)
        if (s->v[i] != (volatile unsigned char *)seen)
            *s->v[i] ^= 1;
}

/* Each is called in a child that is locked in. */
static void runs(void *user)
{
    struct timespec t;
    const int what = *(int *)user;
    switch (what) {
    case 0: seen[0] = 42; break;
    case 1: seen[1] = clock_gettime(CLOCK_MONOTONIC, &t) == 0; break;
    case 2: seen[1] = (int)syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &t) + 2; break;
    case 3: syscall(SYS_exit_group, 0); break;
    case 4: syscall(SYS_exit_group, 3); break;
    case 5: *(volatile int *)(uintptr_t)(one - 1) = 1; break;
    case 6: syscall(SYS_getpid); break;
    case 7: fork(); break;
    case 8: kill(getppid(), SIGKILL); break;
    case 9: open("/dev/null", O_RDONLY); break;
#if defined(__x86_64__)
    case 10: syscall(0x40000000 + SYS_clock_gettime, CLOCK_MONOTONIC, &t); break;
    case 11: __asm__ volatile("int $0x80" : : "a"(SYS_exit_group) : "memory"); break; /* i386 */
#endif
    case 13: write_all(&shared_now); break;
    case 12: ((volatile char *)0)[one - 1] = 1; break;
    default:
        while (one)
            ;
    }
    seen[2] = what;
}

static const struct sandbox_limits limits = {1, 3, (size_t)1 << 30};

static enum sandbox_end run_one(struct sandbox *s, int (*prepare)(void *), int what, int *code)
{
    const struct sandbox_job job = {prepare, runs, &what, 0};
    enum sandbox_end end = SANDBOX_DONE;
    *code = -1;
    CHECK_EQ(sandbox_run(s, &job, &end, code), 0);
    return end;
}

static void ends_well(void)
{
    struct sandbox *s;
    int code;
    REQUIRE(sandbox_open(&s, &limits) == 0);
    for (int what = 0; what < 3; what++) {
        CHECK_EQ(run_one(s, what == 0 ? NULL : ready, what, &code), SANDBOX_DONE);
        CHECK_EQ(seen[2], what);
    }
    CHECK_EQ(seen[0], 42);
    CHECK_EQ(seen[1], 2);
    CHECK_EQ(run_one(s, refuses, 0, &code), SANDBOX_REFUSED);
    CHECK_EQ(code, 7);
    sandbox_close(s);
}

/* None goes on behind its call. A call of i386 is a fault where the kernel has none of them. */
static void ends_badly(void)
{
    static const struct {
        int what, code;
    } all[] = {
        {3, SANDBOX_EXITED},
        {4, SANDBOX_EXITED + 3},
        {5, SIGSEGV},
        {6, SIGSYS},
        {7, SIGSYS},
        {8, SIGSYS},
        {9, SIGSYS},
#if defined(__x86_64__)
        {10, SIGSYS},
        {11, SIGSYS},
#endif
        {12, SIGSEGV},
    };
    struct sandbox *s;
    int code;
    REQUIRE(sandbox_open(&s, &limits) == 0);
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        const enum sandbox_end end = run_one(s, ready, all[i].what, &code);
        EXPECT(end == SANDBOX_CRASHED && seen[2] != all[i].what
                   && (code == all[i].code || (all[i].what == 11 && code == SIGSEGV)),
               "what %d is ended: %d, %d", all[i].what, (int)end, code);
    }
    sandbox_close(s);
}

static void preparing(void)
{
    static const struct {
        int what;
        enum sandbox_end end;
        int code;
    } all[] = {{0, SANDBOX_UNPREPARED, SIGABRT},
               {1, SANDBOX_UNPREPARED, SANDBOX_EXITED},
               {2, SANDBOX_UNPREPARED, SANDBOX_EXITED + 7},
               {3, SANDBOX_UNPREPARED, SANDBOX_EXITED + 64},
               {4, SANDBOX_REFUSED, 9},
               {5, SANDBOX_REFUSED, 10},
               {6, SANDBOX_REFUSED, 12},
               {7, SANDBOX_REFUSED, 14}};
    struct sandbox *s;
    int code;
    REQUIRE(sandbox_open(&s, &limits) == 0);
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        const enum sandbox_end end = run_one(s, prepares_badly, all[i].what, &code);
        EXPECT(end == all[i].end && code == all[i].code, "preparing %d: %d, %d", all[i].what,
               (int)end, code);
    }
    sandbox_close(s);
}

/* A child that writes to its phase itself is found out. */
static void own_phase(void)
{
    struct sandbox *s;
    int code;
    REQUIRE(sandbox_open(&s, &limits) == 0);
    find_shared(&shared_now);
    CHECK_EQ(shared_now.n, 2); /* `seen` is one of them */
    CHECK_EQ(run_one(s, ready, 13, &code), SANDBOX_CRASHED);
    CHECK_EQ(code, SANDBOX_EXITED);
    CHECK_EQ(run_one(s, ready, 0, &code), SANDBOX_DONE);
    sandbox_close(s);
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Endless ones; the time limit is not less than was asked for. */
static void late(void)
{
    struct sandbox *s;
    int code;
    const double from = now();
    REQUIRE(sandbox_open(&s, &limits) == 0);
    CHECK_EQ(run_one(s, ready, 99, &code), SANDBOX_TIMED_OUT);
    CHECK(now() - from >= 0.9);
    CHECK_EQ(run_one(s, prepares_badly, 99, &code), SANDBOX_TIMED_OUT);
    CHECK_EQ(run_one(s, ready, 0, &code), SANDBOX_DONE);
    sandbox_close(s);
    CHECK(waitpid(-1, NULL, WNOHANG) == -1 && errno == ECHILD);
}

/* ---- a parent that is killed ---- */

static int tells_pid(void *user)
{
    (void)user;
    seen[8] = (int)getpid();
    return 0;
}

static void endless(void *user)
{
    (void)user;
    seen[10] = 1;
    while (one)
        ;
}

static void doomed_parent(void)
{
    const struct sandbox_job job = {tells_pid, endless, NULL, 0};
    const struct sandbox_limits long_ones = {1000, 1000, (size_t)1 << 30};
    enum sandbox_end end;
    struct sandbox *s;
    int code;
    if (sandbox_open(&s, &long_ones) == 0)
        sandbox_run(s, &job, &end, &code);
    _exit(1);
}

static void nap(void)
{
    const struct timespec t = {0, 5000000};
    nanosleep(&t, NULL);
}

/* Gone, or dead and not yet fetched by whoever inherited it */
static int is_gone(int pid)
{
    char path[64], text[256] = "";
    snprintf(path, sizeof path, "/proc/%d/stat", pid);
    FILE *f = fopen(path, "r");
    if (f == NULL)
        return 1;
    const size_t n = fread(text, 1, sizeof text - 1, f);
    fclose(f);
    const char *state = n == 0 ? NULL : strrchr(text, ')');
    return state == NULL || state[2] == 'Z' || state[2] == 'X';
}

static void parent_dies(void)
{
    int gone = 0;
    const pid_t pid = fork();
    if (pid == 0)
        doomed_parent();
    for (int i = 0; i < 4000 && !seen[10]; i++)
        nap();
    CHECK(seen[10] && !is_gone(seen[8]));
    kill(pid, SIGKILL);
    waitpid(pid, NULL, 0);
    for (int i = 0; i < 2000 && !gone; i++) {
        gone = is_gone(seen[8]);
        nap();
    }
    CHECK(gone);
    if (!gone)
        kill(seen[8], SIGKILL);
}

static void refused(void)
{
    struct sandbox *s;
    const struct sandbox_limits none = {0, 1, 1}, no_cpu = {1, 0, 1};
    CHECK(sandbox_open(&s, &none) == -1 && s == NULL);
    CHECK(sandbox_open(&s, &no_cpu) == -1 && s == NULL);
}

int main(void)
{
    void *shared = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shared == MAP_FAILED)
        return 1;
    seen = shared;
    RUN(ends_well);
    RUN(ends_badly);
    RUN(preparing);
    RUN(own_phase);
    RUN(late);
    RUN(parent_dies);
    RUN(refused);
    return test_end();
}
