/* sandbox.c - children that are locked in before they run what may do anything
   SPDX-License-Identifier: MIT

   sandbox.h declares it. */
#define _DEFAULT_SOURCE /* setitimer, RLIMIT_AS */
#include "sandbox.h"

#include "lock.h"

#include "base/numbers.h"
#include "base/util.h"

#include <errno.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum phase { PHASE_PREPARING, PHASE_REFUSED, PHASE_RUNNING, PHASE_ENDED };

/* How far a child came is told in a shared area of its own, in words that only this job's number
   makes. */
struct child {
    pid_t pid; /* 0: none */
    int end;   /* the reading end of a pipe that its death closes */
    int is_late;
    double deadline;
    uint64_t number;
    size_t tag;
};

struct sandbox {
    int jobs;
    struct sandbox_limits limits;
    struct child *v;
    struct guarded phases;
    uint64_t random;
    struct pollfd *polls;
    size_t turn; /* whose end is looked for first, so that none waits for long */
    pid_t self;
};

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* ---- in the child ---- */

static volatile uint64_t *phase_at(const struct sandbox *s, size_t i)
{
    return (volatile uint64_t *)(void *)s->phases.area[i].at;
}

static void set_phase(const struct sandbox *s, size_t i, enum phase phase)
{
    *phase_at(s, i) = num_mix(s->v[i].number, phase, 0);
}

/* The pages this process has by now, in bytes; 0 if that is not known */
static size_t own_memory(void)
{
    unsigned long pages = 0;
    FILE *f = fopen("/proc/self/statm", "r");
    if (f == NULL)
        return 0;
    if (fscanf(f, "%lu", &pages) != 1)
        pages = 0;
    fclose(f);
    return (size_t)pages * (size_t)sysconf(_SC_PAGESIZE);
}

/* What a child may use of memory and of processor time, compiling included */
static int set_budget(const struct sandbox_limits *l)
{
    const size_t has = own_memory();
    const rlim_t most = (rlim_t)has + l->memory_bytes;
    const struct rlimit memory = {most, most};
    const struct rlimit cpu = {l->cpu_seconds, l->cpu_seconds + 1};
    const double whole = floor(l->seconds);
    const struct itimerval timer = {{0, 0},
                                    {(time_t)whole, (suseconds_t)((l->seconds - whole) * 1e6) + 1}};
    if (has == 0 || setrlimit(RLIMIT_AS, &memory) != 0 || setrlimit(RLIMIT_CPU, &cpu) != 0)
        return -1;
    return setitimer(ITIMER_REAL, &timer, NULL);
}

/* The parent may die before it is asked to be told: so it is looked at once more. */
static int bind_to_parent(const struct sandbox *s)
{
    if (prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0) != 0 || getppid() != s->self)
        return -1;
    return setpgid(0, 0);
}

/* Of processor time, so that a busy machine ends nobody too early */
static int set_run_budget(double seconds)
{
    const double whole = floor(seconds);
    const struct itimerval timer = {{0, 0},
                                    {(time_t)whole, (suseconds_t)((seconds - whole) * 1e6) + 1}};
    return seconds > 0 ? setitimer(ITIMER_VIRTUAL, &timer, NULL) : 0;
}

static int lock_in(const struct sandbox_job *job)
{
    lock_signals(); /* a compiler may have set some */
    if (set_run_budget(job->run_seconds) != 0)
        return -1;
    return lock_limits() == 0 && lock_calls() == 0 ? 0 : -1;
}

enum { CHILD_FAILED = 64 }; /* a status that `prepare` does not have */

static void child_main(struct sandbox *s, size_t i, const struct sandbox_job *job, int pipe_end)
{
    lock_signals();
    if (bind_to_parent(s) != 0 || lock_files(pipe_end) != 0 || set_budget(&s->limits) != 0)
        _exit(CHILD_FAILED);
    guarded_hide(&s->phases, i);
    const int code = job->prepare != NULL ? job->prepare(job->user) : 0;
    if (code != 0) {
        set_phase(s, i, PHASE_REFUSED);
        _exit(code);
    }
    if (lock_in(job) != 0)
        _exit(CHILD_FAILED);
    set_phase(s, i, PHASE_RUNNING);
    job->run(job->user);
    set_phase(s, i, PHASE_ENDED);
    syscall(SYS_exit_group, 0); /* not _exit, in which a sanitizer would call more */
    _exit(0);
}

/* ---- beginning and end ---- */

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
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
        ;
    if (WIFSIGNALED(status) && WTERMSIG(status) == SIGSYS)
        return 0;
    return fail("this system cannot lock children in: it needs Linux on x86-64 or aarch64 with "
                "seccomp filters");
}

int sandbox_open(struct sandbox **out, int jobs, const struct sandbox_limits *limits)
{
    *out = NULL;
    if (jobs < 1 || jobs > 1024)
        return fail("jobs: %d is not within 1 and 1024", jobs);
    if (!(limits->seconds > 0 && limits->seconds < 1e6) || limits->cpu_seconds == 0)
        return fail("time limit: %g s and %u s of processor time are not possible", limits->seconds,
                    limits->cpu_seconds);
    signal(SIGCHLD, SIG_DFL); /* a parent that ignores it is not told how its children ended */
    if (try_lock() != 0)
        return -1;
    const size_t n = (size_t)jobs;
    struct sandbox *s = xcalloc(1, sizeof *s);
    size_t *bytes = xcalloc(n, sizeof *bytes);
    for (size_t i = 0; i < n; i++)
        bytes[i] = sizeof(uint64_t);
    const int rc = guarded_make(&s->phases, bytes, n, GUARDED_BEHIND);
    free(bytes);
    if (rc != 0) {
        free(s);
        return -1;
    }
    s->jobs = jobs;
    s->limits = *limits;
    s->v = xcalloc(n, sizeof *s->v);
    s->polls = xcalloc(n, sizeof *s->polls);
    s->self = getpid();
    s->random = num_mix((uint64_t)time(NULL), (uint64_t)s->self, (uint64_t)(now() * 1e9));
    *out = s;
    return 0;
}

int sandbox_room(const struct sandbox *s)
{
    int room = 0;
    for (int i = 0; i < s->jobs; i++)
        room += s->v[i].pid == 0;
    return room;
}

int sandbox_start(struct sandbox *s, const struct sandbox_job *job, size_t tag)
{
    size_t i = 0;
    int ends[2];
    while (i < (size_t)s->jobs && s->v[i].pid != 0)
        i++;
    if (i == (size_t)s->jobs)
        return fail("%d jobs run already", s->jobs);
    if (pipe(ends) != 0)
        return fail("cannot start a child: %s", strerror(errno));
    struct child *c = &s->v[i];
    const struct child fresh = {0,  ends[0], 0, now() + s->limits.seconds, num_draw(&s->random),
                                tag};
    *c = fresh;
    set_phase(s, i, PHASE_PREPARING);
    c->pid = fork();
    if (c->pid == 0)
        child_main(s, i, job, ends[1]);
    close(ends[1]);
    if (c->pid > 0) {
        setpgid(c->pid, c->pid); /* the child does it, too: whoever comes first */
        return 0;
    }
    c->pid = 0;
    close(ends[0]);
    return fail("cannot start a child: %s", strerror(errno));
}

/* ---- waiting ---- */

static void kill_child(struct child *c)
{
    kill(-c->pid, SIGKILL);
    kill(c->pid, SIGKILL);
}

/* Its whole group is killed while the dead child still holds the group's number. */
static int reap(struct child *c)
{
    siginfo_t info;
    int status = 0;
    while (waitid(P_PID, (id_t)c->pid, &info, WEXITED | WNOWAIT) != 0 && errno == EINTR)
        ;
    kill(-c->pid, SIGKILL);
    while (waitpid(c->pid, &status, 0) < 0 && errno == EINTR)
        ;
    close(c->end);
    c->pid = 0;
    return status;
}

static int is_phase(const struct sandbox *s, size_t i, enum phase phase)
{
    return *phase_at(s, i) == num_mix(s->v[i].number, phase, 0);
}

static int is_timer(int signal)
{
    return signal == SIGALRM || signal == SIGVTALRM || signal == SIGXCPU;
}

static enum sandbox_end judge(const struct sandbox *s, size_t i, int status)
{
    const int is_exit = WIFEXITED(status), code = is_exit ? WEXITSTATUS(status) : 0;
    if (is_exit && code == 0 && is_phase(s, i, PHASE_ENDED))
        return SANDBOX_DONE;
    if (is_exit && code > 0 && code < CHILD_FAILED && is_phase(s, i, PHASE_REFUSED))
        return SANDBOX_REFUSED;
    if (s->v[i].is_late || (!is_exit && is_timer(WTERMSIG(status))))
        return SANDBOX_TIMED_OUT;
    return is_phase(s, i, PHASE_PREPARING) ? SANDBOX_UNPREPARED : SANDBOX_CRASHED;
}

static void end_child(struct sandbox *s, size_t i, size_t *tag, enum sandbox_end *end, int *code)
{
    const int status = reap(&s->v[i]);
    *tag = s->v[i].tag;
    *end = judge(s, i, status);
    *code = !WIFEXITED(status)        ? WTERMSIG(status)
            : *end == SANDBOX_REFUSED ? WEXITSTATUS(status)
                                      : SANDBOX_EXITED + WEXITSTATUS(status);
    const struct guarded own = {1, &s->phases.area[i], NULL, 0}; /* the others still run */
    if (!guarded_margins_hold(&own)) {
        guarded_mend(&own);
        *end = *end == SANDBOX_DONE ? SANDBOX_CRASHED : *end;
    }
}

/* The milliseconds until the next deadline; 0 once it is there */
static int patience(const struct sandbox *s)
{
    double least = HUGE_VAL;
    for (int i = 0; i < s->jobs; i++)
        if (s->v[i].pid != 0 && s->v[i].deadline < least)
            least = s->v[i].deadline;
    const double left = (least - now()) * 1e3;
    return left <= 0 ? 0 : left > 1e6 ? 1000000 : (int)ceil(left);
}

static void poll_children(struct sandbox *s)
{
    for (int i = 0; i < s->jobs; i++) {
        const struct pollfd p = {s->v[i].pid != 0 ? s->v[i].end : -1, POLLIN, 0};
        s->polls[i] = p;
    }
    if (poll(s->polls, (nfds_t)s->jobs, patience(s)) < 0)
        for (int i = 0; i < s->jobs; i++)
            s->polls[i].revents = 0;
}

/* Has this child ended, by itself or by its deadline? */
static int is_over(struct sandbox *s, size_t i)
{
    struct child *c = &s->v[i];
    if (c->pid == 0)
        return 0;
    if (s->polls[i].revents != 0)
        return 1;
    if (now() < c->deadline)
        return 0;
    c->is_late = 1;
    kill_child(c);
    return 1;
}

int sandbox_wait(struct sandbox *s, size_t *tag, enum sandbox_end *end, int *code)
{
    const size_t n = (size_t)s->jobs;
    while (sandbox_room(s) < s->jobs) {
        poll_children(s);
        for (size_t k = 0; k < n; k++) {
            const size_t i = (s->turn + k) % n;
            if (!is_over(s, i))
                continue;
            s->turn = i + 1;
            end_child(s, i, tag, end, code);
            return 1;
        }
    }
    return 0;
}

void sandbox_close(struct sandbox *s)
{
    if (s == NULL)
        return;
    for (int i = 0; i < s->jobs; i++)
        if (s->v[i].pid != 0) {
            kill_child(&s->v[i]);
            reap(&s->v[i]);
        }
    guarded_free(&s->phases);
    free(s->polls);
    free(s->v);
    free(s);
}
