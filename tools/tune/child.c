/* child.c - a command of the user's: begun, waited for, and ended with all its children
   SPDX-License-Identifier: MIT */
#include "runner.h"

#include "base/process.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/select.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#if defined(__linux__)
#include <sys/prctl.h>
#endif

/* ---- orphans ---- */

/* Kills the children that Linux names; where it names none, nothing. */
static void kill_children(void)
{
    char path[64];
    long pid;
    snprintf(path, sizeof path, "/proc/self/task/%ld/children", (long)getpid());
    FILE *f = fopen(path, "r");
    while (f != NULL && fscanf(f, "%ld", &pid) == 1)
        kill((pid_t)pid, SIGKILL);
    if (f != NULL)
        fclose(f);
}

/* Ends processes that left the group of a command which has ended, where the system tells of them.
   pre: this process has no other children */
static void end_orphans(void)
{
    const struct timespec millisecond = {0, 1000000};
    for (int tries = 0; tries < 1000;) {
        const pid_t pid = waitpid(-1, NULL, WNOHANG);
        if (pid < 0)
            return;
        if (pid > 0)
            continue;
        kill_children();
        nanosleep(&millisecond, NULL);
        tries++;
    }
}

/* ---- signals ---- */

static volatile sig_atomic_t stop_signal;
static sigset_t usual, held; /* what was blocked before, and what is while nothing waits */

static void on_stop(int number)
{
    stop_signal = number;
}

/* It only interrupts the waiting. */
static void on_child(int number)
{
    (void)number;
}

static void handle(int number, void (*handler)(int))
{
    struct sigaction act;
    if (sigaction(number, NULL, &act) != 0 || (number != SIGCHLD && act.sa_handler == SIG_IGN))
        return; /* nohup and the like */
    memset(&act, 0, sizeof act);
    sigemptyset(&act.sa_mask);
    act.sa_handler = handler;
    sigaction(number, &act, NULL);
}

int child_ready(void)
{
    static const int stops[] = {SIGINT, SIGTERM, SIGHUP};
    static int is_ready;
    if (is_ready++)
        return 0;
    if (process_keep() != 0 || sigprocmask(SIG_BLOCK, NULL, &usual) != 0)
        return fail("cannot begin: %s", strerror(errno));
#if defined(__linux__) && defined(PR_SET_CHILD_SUBREAPER)
    prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
#endif
    held = usual;
    sigaddset(&held, SIGCHLD);
    for (size_t i = 0; i < sizeof stops / sizeof *stops; i++)
        sigaddset(&held, stops[i]);
    sigdelset(&usual, SIGCHLD);
    sigprocmask(SIG_SETMASK, &held, NULL);
    handle(SIGCHLD, on_child);
    handle(SIGPIPE, SIG_IGN);
    for (size_t i = 0; i < sizeof stops / sizeof *stops; i++)
        handle(stops[i], on_stop);
    return 0;
}

int child_must_stop(void)
{
    sigprocmask(SIG_SETMASK, &usual, NULL);
    sigprocmask(SIG_SETMASK, &held, NULL);
    return stop_signal != 0;
}

void child_die_of_signal(void)
{
    if (stop_signal == 0)
        return;
    signal(stop_signal, SIG_DFL);
    raise(stop_signal);
    sigprocmask(SIG_SETMASK, &usual, NULL);
}

/* ---- beginning ---- */

static void close_end(int *fd)
{
    if (*fd >= 0)
        close(*fd);
    *fd = -1;
}

/* Ends that no other command inherits: ours (which of the two) does not wait, either. */
static int open_pipe(int ends[2], int ours)
{
    if (pipe(ends) != 0)
        return -1;
    if (ends[0] >= FD_SETSIZE || fcntl(ends[0], F_SETFD, FD_CLOEXEC) != 0
        || fcntl(ends[1], F_SETFD, FD_CLOEXEC) != 0 || fcntl(ends[ours], F_SETFL, O_NONBLOCK) != 0)
        return close(ends[0]), close(ends[1]), -1;
    return 0;
}

/* sh -c LINE sh NAME=value ...; 0, or what errno would be */
static int spawn_line(struct child *c, const char *line, const struct assign *a, const int std[3])
{
    char shell[] = "/bin/sh", name[] = "sh", option[] = "-c", *words = xstrdup(line);
    char *argv[KPRED_MAX_FIELDS + KPRED_MAX_TUPLE + 5] = {shell, option, words, name};
    const struct process p = {.words = argv,
                              .environment = a != NULL ? a->environment : NULL,
                              .in = std[0],
                              .out = std[1],
                              .err = std[2] > 0 ? std[2] : 0,
                              .held = &usual,
                              .leads_group = 1};
    for (size_t i = 0; a != NULL && i < a->n; i++)
        argv[4 + i] = a->word[i];
    const int why = process_start(&p, &c->pid);
    free(words);
    return why;
}

int child_begin(struct child *c, const char *line, const struct assign *a)
{
    int in[2] = {-1, -1}, out[2] = {-1, -1}, err[2] = {-1, -1}, why = 0;
    *c = (struct child){.in = -1, .out = -1, .err = -1};
    if (open_pipe(out, 0) != 0 || (a == NULL && open_pipe(in, 1) != 0)
        || (isatty(STDERR_FILENO) && open_pipe(err, 0) != 0))
        why = errno;
    if (why == 0)
        why = spawn_line(c, line, a, (const int[]){in[0], out[1], err[1]});
    close_end(&in[0]);
    close_end(&out[1]);
    close_end(&err[1]);
    c->in = in[1];
    c->out = out[0];
    c->err = err[0];
    if (why == 0) {
        process_kept(c->pid);
        return 0;
    }
    child_close(c);
    return fail("%s: cannot be started: %s", line, strerror(why));
}

/* ---- what it says on standard error ---- */

/* So much of what was read: up to the last line's end, or all of it at the end */
static size_t whole_lines(const struct buf *told, int is_end)
{
    size_t n = told->n;
    while (!is_end && n > 0 && told->s[n - 1] != '\n')
        n--;
    return n;
}

static void say_lines(struct child *c, int is_end)
{
    struct buf rest = {NULL, 0, 0};
    const size_t n = whole_lines(&c->told, is_end);
    if (n == 0)
        return;
    line_wipe();
    fwrite(c->told.s, 1, n, stderr);
    if (c->told.s[n - 1] != '\n')
        putc('\n', stderr);
    buf_add(&rest, c->told.s + n, c->told.n - n);
    buf_free(&c->told);
    c->told = rest;
}

/* Reads once, without waiting: how many bytes. A line that does not end goes on after a while. */
static size_t pass_on(struct child *c)
{
    enum { LONGEST = 1 << 16 };
    char bytes[4096];
    const ssize_t n = c->err >= 0 ? read(c->err, bytes, sizeof bytes) : 0;
    if (n == 0)
        close_end(&c->err);
    if (n > 0)
        buf_add(&c->told, bytes, (size_t)n);
    say_lines(c, n == 0 || c->told.n > LONGEST);
    return n > 0 ? (size_t)n : 0;
}

/* ---- waiting ---- */

/* It stays a zombie, and so its process group can have no other meaning until child_end. */
static int has_ended(const struct child *c)
{
    siginfo_t info;
    memset(&info, 0, sizeof info);
    return waitid(P_PID, (id_t)c->pid, &info, WEXITED | WNOHANG | WNOWAIT) == 0
           && info.si_pid == c->pid;
}

static struct timespec timespec_of(double seconds)
{
    const time_t whole = (time_t)seconds;
    return (struct timespec){whole, (long)((seconds - (double)whole) * 1e9)};
}

static void set_end(int fd, fd_set *outputs)
{
    if (fd >= 0)
        FD_SET(fd, outputs);
}

enum child_news child_wait(struct child *c, double deadline)
{
    for (;;) {
        const double left = deadline - clock_seconds();
        const int most = c->out > c->err ? c->out : c->err;
        fd_set outputs;
        if (stop_signal != 0)
            return CHILD_STOP;
        if (has_ended(c))
            return CHILD_ENDED;
        if (left <= 0)
            return CHILD_LATE;
        const struct timespec wait = timespec_of(left);
        FD_ZERO(&outputs);
        set_end(c->out, &outputs);
        set_end(c->err, &outputs);
        if (pselect(most + 1, &outputs, NULL, NULL, &wait, &usual) <= 0)
            continue;
        if (c->err >= 0 && FD_ISSET(c->err, &outputs))
            (void)pass_on(c);
        if (c->out >= 0 && FD_ISSET(c->out, &outputs))
            return CHILD_BYTES;
    }
}

size_t child_take(struct child *c, char *bytes, size_t room)
{
    ssize_t n;
    if (c->out < 0)
        return 0;
    do
        n = read(c->out, bytes, room);
    while (n < 0 && errno == EINTR);
    if (n == 0)
        close_end(&c->out);
    return n > 0 ? (size_t)n : 0;
}

/* ---- ending ---- */

enum { MOST_READS = 256 }; /* of what a pipe still holds, should somebody go on writing */

void child_end(struct child *c)
{
    kill(-c->pid, SIGKILL);
    kill(c->pid, SIGKILL);
    process_wait(c->pid, &c->status);
    process_kept(0);
    end_orphans();
    for (int i = 0; i < MOST_READS && pass_on(c) > 0;)
        i++;
    say_lines(c, 1);
}

void child_close(struct child *c)
{
    close_end(&c->in);
    close_end(&c->out);
    close_end(&c->err);
    buf_free(&c->told);
}

/* A shell whose command died of a signal ends with 128 and its number. */
const char *child_status_text(int status, char text[64])
{
    const int number = WIFEXITED(status) ? WEXITSTATUS(status) : 0;
    text[0] = '\0';
    if (WIFSIGNALED(status))
        snprintf(text, 64, "signal %d", WTERMSIG(status));
    else if (number > 128 && number <= 128 + 64)
        snprintf(text, 64, "status %d (signal %d)", number, number - 128);
    else if (number != 0)
        snprintf(text, 64, "status %d", number);
    return text;
}

int child_status_missing(int status)
{
    return WIFEXITED(status) && (WEXITSTATUS(status) == 126 || WEXITSTATUS(status) == 127);
}
