/* sandbox.c - shared areas with guards, and children that are locked in before they run what may
   do anything
   SPDX-License-Identifier: MIT

   process.h declares it. */
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS */
#include "process.h"

#include "base/numbers.h"
#include "base/util.h"

#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* ---- shared memory with pages around it that nobody may touch ---- */

enum { PATTERN = 4096 };

static const unsigned char *pattern(void)
{
    static unsigned char bytes[PATTERN];
    if (bytes[0] == 0)
        for (size_t i = 0; i < PATTERN; i++)
            bytes[i] = (unsigned char)(i * 167 + (i >> 8) + 89);
    return bytes;
}

struct margin {
    unsigned char *at;
    size_t bytes;
};

static struct margin margin_of(const struct guarded_area *a)
{
    const int is_behind = a->at == a->pages;
    const struct margin m = {is_behind ? a->at + a->bytes : a->pages, a->page_bytes - a->bytes};
    return m;
}

static size_t page_size(void)
{
    return (size_t)sysconf(_SC_PAGESIZE);
}

/* At least one page, so that an empty area has an address, too */
static size_t page_bytes(size_t bytes, size_t page)
{
    return bytes == 0 ? page : (bytes + page - 1) / page * page;
}

/* All pages of the areas, `gap` bytes between each two and a page at both ends; 0 if that is too
   much. */
static size_t map_size(const size_t *bytes, size_t n, size_t page, size_t gap)
{
    size_t sum = 2 * page;
    for (size_t i = 0; i < n; i++) {
        if (bytes[i] > SIZE_MAX / 4 || sum > SIZE_MAX / 4)
            return 0;
        sum += page_bytes(bytes[i], page) + gap;
    }
    return sum;
}

static int open_areas(struct guarded *g, const size_t *bytes, enum guarded_side side, size_t page,
                      size_t gap)
{
    unsigned char *at = g->map + page;
    for (size_t i = 0; i < g->n; i++) {
        struct guarded_area *a = &g->area[i];
        a->pages = at;
        a->bytes = bytes[i];
        a->page_bytes = page_bytes(bytes[i], page);
        a->at = side == GUARDED_BEFORE ? at : at + a->page_bytes - bytes[i];
        if (mprotect(a->pages, a->page_bytes, PROT_READ | PROT_WRITE) != 0)
            return -1;
        at += a->page_bytes + gap;
    }
    return 0;
}

enum { ANYWHERE, LOW };

/* Systems with addresses of 64 bits leave this middle of them free, and begin above. */
static void *low_address(size_t bytes)
{
#if UINTPTR_MAX > 0xffffffffu
    static uintptr_t next = 0x200000000000u;
    void *at;
    memcpy(&at, &next, sizeof at);
    next += (bytes >> 30 << 30) + (2u << 30);
    next = next < 0x400000000000u ? next : 0x200000000000u;
    return at;
#else
    return (void)bytes, NULL;
#endif
}

static int sandbox_make(struct guarded *g, const size_t *bytes, size_t n, enum guarded_side side,
                        size_t gap, int where)
{
    const size_t page = page_size();
    *g = (struct guarded){.map_bytes = map_size(bytes, n, page, gap)};
    g->map = g->map_bytes == 0 ? MAP_FAILED
                               : mmap(where == LOW ? low_address(g->map_bytes) : NULL, g->map_bytes,
                                      PROT_NONE, MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (g->map == MAP_FAILED) {
        memset(g, 0, sizeof *g);
        return fail("no memory for %zu buffers: %s", n, strerror(errno));
    }
    g->n = n;
    g->area = xcalloc(n + 1, sizeof *g->area);
    if (open_areas(g, bytes, side, page, gap) != 0) {
        const int error = errno;
        guarded_free(g);
        return fail("no memory for %zu buffers: %s", n, strerror(error));
    }
    guarded_mend(g);
    return 0;
}

int guarded_make(struct guarded *g, const size_t *bytes, size_t n, enum guarded_side side)
{
    return sandbox_make(g, bytes, n, side, page_size(), ANYWHERE);
}

int guarded_make_low(struct guarded *g, const size_t *bytes, size_t n, enum guarded_side side)
{
    return sandbox_make(g, bytes, n, side, page_size(), LOW);
}

int guarded_pack(struct guarded *g, const size_t *bytes, size_t n)
{
    return sandbox_make(g, bytes, n, GUARDED_BEFORE, 0, ANYWHERE);
}

void guarded_free(struct guarded *g)
{
    if (g->map != NULL)
        munmap(g->map, g->map_bytes);
    free(g->area);
    memset(g, 0, sizeof *g);
}

static size_t piece(size_t left)
{
    return left < PATTERN ? left : PATTERN;
}

int guarded_margins_hold(const struct guarded *g)
{
    for (size_t i = 0; i < g->n; i++) {
        const struct margin m = margin_of(&g->area[i]);
        for (size_t k = 0; k < m.bytes; k += PATTERN)
            if (memcmp(m.at + k, pattern(), piece(m.bytes - k)) != 0)
                return 0;
    }
    return 1;
}

void guarded_mend(const struct guarded *g)
{
    for (size_t i = 0; i < g->n; i++) {
        const struct margin m = margin_of(&g->area[i]);
        for (size_t k = 0; k < m.bytes; k += PATTERN)
            memcpy(m.at + k, pattern(), piece(m.bytes - k));
    }
}

int guarded_seal(struct guarded *g)
{
    for (size_t i = 0; i < g->n; i++)
        if (mprotect(g->area[i].pages, g->area[i].page_bytes, PROT_READ) != 0)
            return fail("buffers cannot be sealed: %s", strerror(errno));
    return 0;
}

/* ---- children that are locked in ---- */

enum phase { PHASE_PREPARING, PHASE_REFUSED, PHASE_RUNNING, PHASE_ENDED };

/* How far a child came is told in a shared area, in words that only this job's number makes. */
struct sandbox {
    struct sandbox_limits limits;
    struct guarded phase;
    uint64_t random, number;
    pid_t self;
};

/* ---- in the child ---- */

static volatile uint64_t *phase_at(const struct sandbox *s)
{
    return (volatile uint64_t *)(void *)s->phase.area[0].at;
}

static void set_phase(const struct sandbox *s, enum phase phase)
{
    *phase_at(s) = num_mix(s->number, phase, 0);
}

static struct itimerval timer_of(double seconds)
{
    const double whole = floor(seconds);
    const struct itimerval timer = {{0, 0},
                                    {(time_t)whole, (suseconds_t)((seconds - whole) * 1e6) + 1}};
    return timer;
}

static int set_budget(const struct sandbox_limits *l)
{
    const struct rlimit cpu = {l->cpu_seconds, l->cpu_seconds + 1};
    const struct itimerval timer = timer_of(l->seconds);
    if (lock_memory(l->memory_bytes) != 0 || setrlimit(RLIMIT_CPU, &cpu) != 0)
        return -1;
    return setitimer(ITIMER_REAL, &timer, NULL);
}

/* The time of the job is that of the processor, so that a busy machine ends nobody too early. */
static int lock_in(const struct sandbox_job *job)
{
    const struct itimerval timer = timer_of(job->run_seconds);
    lock_signals(); /* what prepared may have set some */
    if (job->run_seconds > 0 && setitimer(ITIMER_VIRTUAL, &timer, NULL) != 0)
        return -1;
    return lock_limits() == 0 && lock_calls() == 0 ? 0 : -1;
}

enum { CHILD_FAILED = 64 }; /* a status that `prepare` does not have */

static void child_main(struct sandbox *s, const struct sandbox_job *job)
{
    lock_signals();
    if (lock_to_parent(s->self) != 0 || lock_files(-1) != 0 || set_budget(&s->limits) != 0)
        _exit(CHILD_FAILED);
    const int code = job->prepare != NULL ? job->prepare(job->user) : 0;
    if (code != 0) {
        set_phase(s, PHASE_REFUSED);
        _exit(code);
    }
    if (lock_in(job) != 0)
        _exit(CHILD_FAILED);
    set_phase(s, PHASE_RUNNING);
    job->run(job->user);
    set_phase(s, PHASE_ENDED);
    syscall(SYS_exit_group, 0); /* not _exit, in which a sanitizer would call more */
    _exit(0);
}

/* ---- opening ---- */

/* A child that is locked in and calls something else has to die of it: 0 if it does. */
static int try_lock(void)
{
    int status = 0;
    const pid_t pid = fork();
    if (pid < 0)
        return fail("cannot start a child: %s", strerror(errno));
    if (pid == 0) {
        lock_signals();
        if (lock_limits() == 0 && lock_calls() == 0)
            syscall(SYS_getppid);
        _exit(1);
    }
    process_wait(pid, &status);
    if (WIFSIGNALED(status) && WTERMSIG(status) == SIGSYS)
        return 0;
    return fail("this system cannot lock children in: it needs Linux on x86-64 or aarch64 with "
                "seccomp filters");
}

int sandbox_open(struct sandbox **out, const struct sandbox_limits *limits)
{
    const size_t bytes = sizeof(uint64_t);
    struct timespec now;
    *out = NULL;
    if (!(limits->seconds > 0 && limits->seconds < 1e6) || limits->cpu_seconds == 0)
        return fail("time limit: %g s and %u s of processor time are not possible", limits->seconds,
                    limits->cpu_seconds);
    signal(SIGCHLD, SIG_DFL); /* a parent that ignores it is not told how its children ended */
    if (try_lock() != 0)
        return -1;
    struct sandbox *s = xcalloc(1, sizeof *s);
    if (guarded_make(&s->phase, &bytes, 1, GUARDED_BEHIND) != 0) {
        free(s);
        return -1;
    }
    s->limits = *limits;
    s->self = getpid();
    clock_gettime(CLOCK_REALTIME, &now);
    s->random = num_mix((uint64_t)now.tv_sec, (uint64_t)now.tv_nsec, (uint64_t)s->self);
    *out = s;
    return 0;
}

void sandbox_close(struct sandbox *s)
{
    if (s == NULL)
        return;
    guarded_free(&s->phase);
    free(s);
}

/* ---- a job ---- */

/* Its whole group is killed while the dead child still holds the group's number. */
static int reap(pid_t pid)
{
    siginfo_t info;
    int status = 0;
    while (waitid(P_PID, (id_t)pid, &info, WEXITED | WNOWAIT) != 0 && errno == EINTR)
        ;
    kill(-pid, SIGKILL);
    process_wait(pid, &status);
    return status;
}

static int is_phase(const struct sandbox *s, enum phase phase)
{
    return *phase_at(s) == num_mix(s->number, phase, 0);
}

static enum sandbox_end sandbox_judge(const struct sandbox *s, int status)
{
    const int is_exit = WIFEXITED(status), code = is_exit ? WEXITSTATUS(status) : 0;
    const int signal = is_exit ? 0 : WTERMSIG(status);
    if (is_exit && code == 0 && is_phase(s, PHASE_ENDED))
        return SANDBOX_DONE;
    if (is_exit && code > 0 && code < CHILD_FAILED && is_phase(s, PHASE_REFUSED))
        return SANDBOX_REFUSED;
    if (signal == SIGALRM || signal == SIGVTALRM || signal == SIGXCPU)
        return SANDBOX_TIMED_OUT;
    return is_phase(s, PHASE_PREPARING) ? SANDBOX_UNPREPARED : SANDBOX_CRASHED;
}

int sandbox_run(struct sandbox *s, const struct sandbox_job *job, enum sandbox_end *end, int *code)
{
    s->number = num_draw(&s->random);
    set_phase(s, PHASE_PREPARING);
    const pid_t pid = fork();
    if (pid < 0)
        return fail("cannot start a child: %s", strerror(errno));
    if (pid == 0)
        child_main(s, job);
    setpgid(pid, pid); /* the child does it, too: whoever comes first */
    const int status = reap(pid);
    *end = sandbox_judge(s, status);
    *code = !WIFEXITED(status)        ? WTERMSIG(status)
            : *end == SANDBOX_REFUSED ? WEXITSTATUS(status)
                                      : SANDBOX_EXITED + WEXITSTATUS(status);
    if (!guarded_margins_hold(&s->phase)) {
        guarded_mend(&s->phase);
        *end = *end == SANDBOX_DONE ? SANDBOX_CRASHED : *end;
    }
    return 0;
}
