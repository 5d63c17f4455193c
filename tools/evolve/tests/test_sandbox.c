/* test_sandbox.c - children that are locked in, shared memory that is guarded, and a crew: children
   that stay and answer, and die
   SPDX-License-Identifier: MIT */
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS, syscall */
#include "told.h"

#include "evolve/process.h"

#include <setjmp.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/time.h>

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

static void write_all(void)
{
    const struct shared *s = shared_now();
    for (size_t i = 0; i < s->n; i++)
        if ((volatile unsigned char *)s->area[i].from != (volatile unsigned char *)seen)
            *s->area[i].from ^= 1;
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
    case 13: write_all(); break;
    case 12: ((volatile char *)0)[one - 1] = 1; break;
    default:
        while (one)
            ;
    }
    seen[2] = what;
}

static const struct sandbox_limits limits = {0.5, 3, (size_t)1 << 30};

static struct sandbox *opened(void)
{
    struct sandbox *s = NULL;
    if (sandbox_open(&s, &limits) != 0)
        program_stop("a sandbox");
    return s;
}

static enum sandbox_end run_one(struct sandbox *s, int (*prepare)(void *), int what, int *code)
{
    const struct sandbox_job job = {prepare, runs, &what, 0};
    enum sandbox_end end = SANDBOX_DONE;
    *code = -1;
    CHECK_EQ(sandbox_run(s, &job, &end, code), 0);
    return end;
}

/* None goes on behind a call that it may not make. A call of i386 is a fault where the kernel has
   none of them. */
static void ends(void)
{
    static const struct {
        int (*prepare)(void *);
        int what;
        enum sandbox_end end;
        int code;
    } all[] = {
        {NULL, 0, SANDBOX_DONE, 0},
        {ready, 1, SANDBOX_DONE, 0},
        {ready, 2, SANDBOX_DONE, 0},
        {refuses, 0, SANDBOX_REFUSED, 7},
        {ready, 3, SANDBOX_CRASHED, SANDBOX_EXITED},
        {ready, 4, SANDBOX_CRASHED, SANDBOX_EXITED + 3},
        {ready, 5, SANDBOX_CRASHED, SIGSEGV},
        {ready, 6, SANDBOX_CRASHED, SIGSYS},
        {ready, 7, SANDBOX_CRASHED, SIGSYS},
        {ready, 8, SANDBOX_CRASHED, SIGSYS},
        {ready, 9, SANDBOX_CRASHED, SIGSYS},
#if defined(__x86_64__)
        {ready, 10, SANDBOX_CRASHED, SIGSYS},
        {ready, 11, SANDBOX_CRASHED, SIGSYS},
#endif
        {ready, 12, SANDBOX_CRASHED, SIGSEGV},
        {prepares_badly, 0, SANDBOX_UNPREPARED, SIGABRT},
        {prepares_badly, 1, SANDBOX_UNPREPARED, SANDBOX_EXITED},
        {prepares_badly, 2, SANDBOX_UNPREPARED, SANDBOX_EXITED + 7},
        {prepares_badly, 3, SANDBOX_UNPREPARED, SANDBOX_EXITED + 64},
        {prepares_badly, 4, SANDBOX_REFUSED, 9},
        {prepares_badly, 5, SANDBOX_REFUSED, 10},
        {prepares_badly, 6, SANDBOX_REFUSED, 12},
        {prepares_badly, 7, SANDBOX_REFUSED, 14}
    };
    struct sandbox *s = opened();
    for (size_t i = 0; i < COUNT(all); i++) {
        const int is_done = all[i].end == SANDBOX_DONE, what = all[i].what;
        int code;
        seen[2] = -1;
        const enum sandbox_end end = run_one(s, all[i].prepare, what, &code);
        EXPECT(end == all[i].end && seen[2] == (is_done ? what : -1)
                   && (is_done || code == all[i].code || (what == 11 && code == SIGSEGV)),
               "row %zu: %d, %d", i, (int)end, code);
    }
    CHECK(seen[0] == 42 && seen[1] == 2);
    sandbox_close(s);
}

/* A child that writes to its phase itself is found out. */
static void own_phase(void)
{
    struct sandbox *s = opened();
    int code;
    find_shared();
    CHECK_EQ(shared_now()->n, 2); /* `seen` is one of them */
    CHECK_EQ(run_one(s, ready, 13, &code), SANDBOX_CRASHED);
    CHECK_EQ(code, SANDBOX_EXITED);
    CHECK_EQ(run_one(s, ready, 0, &code), SANDBOX_DONE);
    sandbox_close(s);
}

/* Endless ones; the time limit is not less than was asked for. */
static void late(void)
{
    struct sandbox *s = opened();
    int code;
    const double from = now();
    CHECK_EQ(run_one(s, ready, 99, &code), SANDBOX_TIMED_OUT);
    CHECK(now() - from >= 0.45);
    CHECK_EQ(run_one(s, prepares_badly, 99, &code), SANDBOX_TIMED_OUT);
    CHECK_EQ(run_one(s, ready, 0, &code), SANDBOX_DONE);
    sandbox_close(s);
    CHECK(no_children());
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

/* ---- shared memory with pages around it that nobody may touch ---- */

static sigjmp_buf back;

static void jump(int number)
{
    (void)number;
    siglongjmp(back, 1);
}

/* Does a store there end the process? */
static int is_closed(volatile unsigned char *at)
{
    volatile int closed = 0;
    struct sigaction act, old_segv, old_bus;
    memset(&act, 0, sizeof act);
    act.sa_handler = jump;
    sigemptyset(&act.sa_mask);
    sigaction(SIGSEGV, &act, &old_segv);
    sigaction(SIGBUS, &act, &old_bus);
    if (sigsetjmp(back, 1) == 0)
        *at = 1;
    else
        closed = 1;
    sigaction(SIGSEGV, &old_segv, NULL);
    sigaction(SIGBUS, &old_bus, NULL);
    return closed;
}

static void guards(void)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    const size_t bytes[] = {0, 1, 100, page - 1, page, page + 1, 3 * page};
    const size_t n = COUNT(bytes);
    struct guarded g;
    for (int side = 0; side < 2; side++) {
        REQUIRE(guarded_make(&g, bytes, n, (enum guarded_side)side) == 0);
        CHECK(guarded_margins_hold(&g));
        for (size_t i = 0; i < n; i++) {
            const struct guarded_area *a = &g.area[i];
            CHECK(side == GUARDED_BEFORE ? is_closed(a->at - 1) : is_closed(a->at + a->bytes));
            CHECK(is_closed(a->pages - 1) && is_closed(a->pages + a->page_bytes));
            if (bytes[i] > 0)
                CHECK(a->at[0] == 0 && !is_closed(a->at) && !is_closed(a->at + bytes[i] - 1));
        }
        CHECK(guarded_margins_hold(&g));
        guarded_free(&g);
    }
}

static void margins(void)
{
    const size_t bytes[] = {100, 5000, 0};
    struct guarded g;
    for (int side = 0; side < 2; side++) {
        REQUIRE(guarded_make(&g, bytes, 3, (enum guarded_side)side) == 0);
        for (size_t i = 0; i < 3; i++) {
            const struct guarded_area *a = &g.area[i];
            unsigned char *beside = side == GUARDED_BEHIND ? a->at - 1 : a->at + a->bytes;
            *beside ^= 1;
            CHECK(!guarded_margins_hold(&g));
            guarded_mend(&g);
            CHECK(guarded_margins_hold(&g));
        }
        guarded_seal(&g);
        CHECK(is_closed(g.area[0].at) && is_closed(g.area[1].at));
        guarded_free(&g);
    }
    const size_t much[] = {SIZE_MAX / 2};
    CHECK(guarded_make(&g, much, 1, GUARDED_BEHIND) == -1 && g.map == NULL);
}

/* Packed, nothing is closed between two areas, and everything at both ends. */
static void packed(void)
{
    const size_t bytes[] = {8, 5000, 0};
    struct guarded g;
    REQUIRE(guarded_pack(&g, bytes, 3) == 0);
    CHECK(guarded_margins_hold(&g));
    for (size_t i = 0; i < 3; i++)
        CHECK(g.area[i].at == g.area[i].pages && !is_closed(g.area[i].at));
    CHECK(g.area[1].pages == g.area[0].pages + g.area[0].page_bytes);
    CHECK(is_closed(g.area[0].at - 1));
    CHECK(is_closed(g.area[2].pages + g.area[2].page_bytes));
    guarded_mend(&g);
    g.area[0].at[8] ^= 1;
    CHECK(!guarded_margins_hold(&g));
    guarded_free(&g);
}

/* ---- a crew ---- */

enum { JOBS = 3, TURNS = 4 };

struct reply {
    int sum;
    pid_t pid;
};

static int begin(void *user)
{
    seen[0]++;
    return *(int *)user;
}

/* The sum of a request's bytes, unless its first byte asks for something else */
static void answer(void *user, const void *request, size_t bytes, void *reply)
{
    const unsigned char *at = request;
    struct reply r = {0, getpid()};
    (void)user;
    switch (bytes == 0 ? 0 : at[0]) {
    case 'a': abort();
    case 'e': exit(0);
    case 'l':
        while (one)
            ;
        break;
    case 'm': r.sum = malloc((size_t)2 << 30) == NULL; break;
    case 'f': r.sum = fcntl(4, F_GETFD) < 0 && write(2, "not seen\n", 9) == 9; break;
    default:
        for (size_t i = 0; i < bytes; i++)
            r.sum += at[i];
    }
    memcpy(reply, &r, sizeof r);
}

static struct crew *crew_of(double seconds, int *begins_with)
{
    struct crew *c = NULL;
    const struct crew_work work = {begins_with, begin,           answer, sizeof(struct reply),
                                   seconds,     (size_t)1 << 30, TURNS};
    CHECK_EQ(crew_open(&c, JOBS, &work), 0);
    return c;
}

static int good_begin;

static enum crew_end one_answer(struct crew *c, const char *request, struct reply *r)
{
    size_t tag = 0;
    CHECK_EQ(crew_ask(c, request, strlen(request), 77), 0);
    const enum crew_end end = crew_wait(c, &tag, r);
    CHECK_EQ(tag, 77);
    return end;
}

static void answers(void)
{
    struct crew *c = crew_of(60, &good_begin);
    struct reply r;
    size_t tag;
    CHECK_EQ(crew_wait(c, &tag, &r), CREW_IDLE);
    CHECK(one_answer(c, "\1\2\3", &r) == CREW_ANSWERED && r.sum == 6);
    CHECK(one_answer(c, "", &r) == CREW_ANSWERED && r.sum == 0);
    CHECK(one_answer(c, "m", &r) == CREW_ANSWERED && r.sum == 1);
    CHECK(one_answer(c, "f", &r) == CREW_ANSWERED && r.sum == 1);
    crew_close(c);
    CHECK(no_children());
}

/* More than a socket holds */
static void large_requests(void)
{
    enum { BYTES = 3000000 };
    struct crew *c = crew_of(60, &good_begin);
    struct reply r = {0, 0};
    size_t tag;
    char *request = malloc(BYTES);
    REQUIRE(request != NULL);
    memset(request, 1, BYTES);
    for (size_t i = 0; i < JOBS; i++)
        CHECK_EQ(crew_ask(c, request, BYTES, i), 0);
    for (size_t i = 0; i < JOBS; i++)
        CHECK(crew_wait(c, &tag, &r) == CREW_ANSWERED && r.sum == BYTES);
    free(request);
    crew_close(c);
}

/* All at once, each answered by its own; a fourth has no room. */
static void several(void)
{
    const char *texts[JOBS] = {"\1", "\2\2", "\3\3\3"};
    struct crew *c = crew_of(60, &good_begin);
    struct reply r[JOBS], any;
    size_t tag;
    for (size_t i = 0; i < JOBS; i++) {
        CHECK_EQ(crew_room(c), JOBS - (int)i);
        CHECK_EQ(crew_ask(c, texts[i], strlen(texts[i]), i), 0);
    }
    CHECK_EQ(crew_ask(c, "x", 1, 9), -1);
    CHECK(was_told("3 requests are being answered already"));
    for (int i = 0; i < JOBS; i++) {
        CHECK_EQ(crew_wait(c, &tag, &any), CREW_ANSWERED);
        REQUIRE(tag < JOBS);
        r[tag] = any;
    }
    for (int i = 0; i < JOBS; i++)
        EXPECT(r[i].sum == (i + 1) * (i + 1), "answer %d is %d", i, r[i].sum);
    CHECK(r[0].pid != r[1].pid && r[1].pid != r[2].pid && r[0].pid != r[2].pid);
    crew_close(c);
}

static void members_are_replaced(void)
{
    struct crew *c = crew_of(60, &good_begin);
    struct reply r;
    pid_t pid[2 * TURNS];
    for (int i = 0; i < 2 * TURNS; i++) {
        CHECK_EQ(one_answer(c, "\1", &r), CREW_ANSWERED);
        pid[i] = r.pid;
    }
    CHECK_EQ(pid[TURNS - 1], pid[0]);
    CHECK(pid[TURNS] != pid[0] && pid[2 * TURNS - 1] == pid[TURNS]);
    crew_close(c);
}

static void dying(void)
{
    struct crew *c = crew_of(60, &good_begin);
    struct reply r, before;
    CHECK_EQ(one_answer(c, "a", &r), CREW_DIED);
    CHECK_EQ(one_answer(c, "e", &r), CREW_DIED);
    CHECK(one_answer(c, "\5", &before) == CREW_ANSWERED && before.sum == 5);
    kill(before.pid, SIGKILL); /* while nothing is asked of it */
    while (waitid(P_PID, (id_t)before.pid, &(siginfo_t){0}, WEXITED | WNOWAIT) != 0)
        ;
    CHECK(one_answer(c, "\6", &r) == CREW_ANSWERED && r.sum == 6 && r.pid != before.pid);
    crew_close(c);
    CHECK(no_children());
}

/* An endless one ends at its time, and not before; the others are not kept waiting by it. */
static void members_are_late(void)
{
    struct crew *c = crew_of(0.6, &good_begin);
    struct reply r;
    size_t tag;
    const double from = now();
    CHECK_EQ(crew_ask(c, "l", 1, 5), 0);
    CHECK_EQ(crew_ask(c, "\1", 1, 6), 0);
    CHECK(crew_wait(c, &tag, &r) == CREW_ANSWERED && tag == 6);
    CHECK(crew_wait(c, &tag, &r) == CREW_LATE && tag == 5);
    CHECK(now() - from >= 0.59);
    CHECK_EQ(one_answer(c, "\1", &r), CREW_ANSWERED);
    CHECK_EQ(crew_ask(c, "l", 1, 5), 0);
    crew_close(c); /* which does not wait for it */
    CHECK(no_children());
}

static void cannot_begin(void)
{
    int bad_begin = 1;
    struct crew *c = crew_of(60, &bad_begin);
    struct reply r;
    const int before = seen[0];
    CHECK_EQ(one_answer(c, "\1", &r), CREW_DIED);
    CHECK_EQ(seen[0], before + 1);
    crew_close(c);
    CHECK(crew_open(&c, 0, &(struct crew_work){0}) == -1 && c == NULL);
    CHECK(was_told("jobs: 0 is not within 1 and 1024"));
}

int main(void)
{
    told_begin();
    void *shared = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shared == MAP_FAILED)
        return 1;
    seen = shared;
    RUN_ALL(ends, own_phase, late, parent_dies, refused, guards, margins, packed, answers,
            large_requests, several, members_are_replaced, dying, members_are_late, cannot_begin);
    return program_end();
}
