/* sandbox.c - children that are locked in before they run what may do anything
   SPDX-License-Identifier: MIT

   sandbox.h declares it. */
#define _DEFAULT_SOURCE /* setitimer */
#include "sandbox.h"

#include "lock.h"

#include "base/numbers.h"
#include "base/util.h"

#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

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

/* Of processor time, so that a busy machine ends nobody too early */
static int set_run_budget(double seconds)
{
    const struct itimerval timer = timer_of(seconds);
    return seconds > 0 ? setitimer(ITIMER_VIRTUAL, &timer, NULL) : 0;
}

static int lock_in(const struct sandbox_job *job)
{
    lock_signals(); /* what prepared may have set some */
    if (set_run_budget(job->run_seconds) != 0)
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
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
        ;
    if (WIFSIGNALED(status) && WTERMSIG(status) == SIGSYS)
        return 0;
    return fail("this system cannot lock children in: it needs Linux on x86-64 or aarch64 with "
                "seccomp filters");
}

static uint64_t fresh_number(void)
{
    struct timespec t;
    clock_gettime(CLOCK_REALTIME, &t);
    return num_mix((uint64_t)t.tv_sec, (uint64_t)t.tv_nsec, (uint64_t)getpid());
}

int sandbox_open(struct sandbox **out, const struct sandbox_limits *limits)
{
    const size_t bytes = sizeof(uint64_t);
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
    s->random = fresh_number();
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
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
        ;
    return status;
}

static int is_phase(const struct sandbox *s, enum phase phase)
{
    return *phase_at(s) == num_mix(s->number, phase, 0);
}

static int is_timer(int signal)
{
    return signal == SIGALRM || signal == SIGVTALRM || signal == SIGXCPU;
}

static enum sandbox_end judge(const struct sandbox *s, int status)
{
    const int is_exit = WIFEXITED(status), code = is_exit ? WEXITSTATUS(status) : 0;
    if (is_exit && code == 0 && is_phase(s, PHASE_ENDED))
        return SANDBOX_DONE;
    if (is_exit && code > 0 && code < CHILD_FAILED && is_phase(s, PHASE_REFUSED))
        return SANDBOX_REFUSED;
    if (!is_exit && is_timer(WTERMSIG(status)))
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
    *end = judge(s, status);
    *code = !WIFEXITED(status)        ? WTERMSIG(status)
            : *end == SANDBOX_REFUSED ? WEXITSTATUS(status)
                                      : SANDBOX_EXITED + WEXITSTATUS(status);
    if (!guarded_margins_hold(&s->phase)) {
        guarded_mend(&s->phase);
        *end = *end == SANDBOX_DONE ? SANDBOX_CRASHED : *end;
    }
    return 0;
}
