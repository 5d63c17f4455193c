/* talk.c - see talk.h
   SPDX-License-Identifier: MIT */
#include "talk.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/select.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#if defined(__linux__)
#include <sys/prctl.h>
#endif

/* ---- signals ---- */

static int is_ready;
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
    act = (struct sigaction){.sa_handler = handler};
    sigemptyset(&act.sa_mask);
    sigaction(number, &act, NULL);
}

int talk_ready(void)
{
    static const int stops[] = {SIGINT, SIGTERM, SIGHUP};
    if (is_ready)
        return 0;
    if (process_keep() != 0 || sigprocmask(SIG_BLOCK, NULL, &usual) != 0)
        return fail("cannot begin: %s", strerror(errno));
#if defined(__linux__) && defined(PR_SET_CHILD_SUBREAPER)
    prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
#endif
    is_ready = 1;
    held = usual;
    sigaddset(&held, SIGCHLD);
    sigdelset(&usual, SIGCHLD);
    handle(SIGCHLD, on_child);
    handle(SIGPIPE, SIG_IGN);
    for (size_t i = 0; i < sizeof stops / sizeof *stops; i++) {
        sigaddset(&held, stops[i]);
        handle(stops[i], on_stop);
    }
    sigprocmask(SIG_SETMASK, &held, NULL);
    return 0;
}

int talk_must_stop(void)
{
    sigprocmask(SIG_SETMASK, &usual, NULL);
    sigprocmask(SIG_SETMASK, &held, NULL);
    return stop_signal != 0;
}

void talk_die_of_signal(void)
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

void talk_close(struct talk *t)
{
    close_end(&t->in);
    close_end(&t->out);
    close_end(&t->err);
    buf_free(&t->told);
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

/* Where its standard error goes; ours stays if both are -1. */
static int open_err(const struct talk *t, int ends[2])
{
    if (t->said == NULL)
        return isatty(STDERR_FILENO) ? open_pipe(ends, 0) : 0;
    ends[1] = open(t->said, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    return ends[1] >= 0 ? 0 : -1;
}

/* sh -c LINE sh NAME=value ...; 0, or what errno would be */
static int spawn_line(struct talk *t, int in, int out, int err)
{
    const char **words = xcalloc(t->n_words + 5, sizeof *words);
    const struct process p = {.words = words,
                              .environment = t->environment,
                              .in = in,
                              .out = out,
                              .err = err > 0 ? err : 0,
                              .held = is_ready ? &usual : NULL,
                              .leads_group = 1};
    memcpy(words, (const char *const[]){"/bin/sh", "-c", t->command, "sh"}, 4 * sizeof *words);
    for (size_t i = 0; i < t->n_words; i++)
        words[4 + i] = t->word[i];
    const int why = process_start(&p, &t->pid);
    free(words);
    return why;
}

int talk_begin(struct talk *t)
{
    int in[2] = {-1, -1}, out[2] = {-1, -1}, err[2] = {-1, -1}, why = 0;
    if (process_keep() != 0 || open_pipe(out, 0) != 0 || (t->word == NULL && open_pipe(in, 1) != 0)
        || open_err(t, err) != 0)
        why = errno;
    if (why == 0)
        why = spawn_line(t, in[0], out[1], err[1]);
    close_end(&in[0]);
    close_end(&out[1]);
    close_end(&err[1]);
    t->in = in[1];
    t->out = out[0];
    t->err = err[0];
    t->got.n = t->begun = 0;
    if (why == 0) {
        process_kept(t->pid);
        return 0;
    }
    t->pid = 0;
    talk_close(t);
    return fail("%s: cannot be started: %s", t->command, strerror(why));
}

/* ---- what it says on standard error ---- */

/* Up to the last line's end, or all of it at the end */
static void say_lines(struct talk *t, int is_end)
{
    const size_t n = is_end ? t->told.n : whole_lines(&t->told);
    if (n == 0)
        return;
    line_wipe();
    fwrite(t->told.s, 1, n, stderr);
    if (t->told.s[n - 1] != '\n')
        putc('\n', stderr);
    buf_drop(&t->told, n);
}

/* Reads once, without waiting: how many bytes. A line that does not end goes on after a while. */
static size_t pass_on(struct talk *t)
{
    enum { LONGEST = 1 << 16 };
    char bytes[4096];
    const ssize_t n = t->err >= 0 ? read(t->err, bytes, sizeof bytes) : 0;
    if (n == 0)
        close_end(&t->err);
    if (n > 0)
        buf_add(&t->told, bytes, (size_t)n);
    say_lines(t, n == 0 || t->told.n > LONGEST);
    return n > 0 ? (size_t)n : 0;
}

/* ---- waiting ---- */

/* It stays a zombie, and so its process group can have no other meaning until talk_stop. */
static int has_ended(const struct talk *t)
{
    siginfo_t info = {0};
    return waitid(P_PID, (id_t)t->pid, &info, WEXITED | WNOHANG | WNOWAIT) == 0
           && info.si_pid == t->pid;
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

enum talk_news talk_wait(struct talk *t, double deadline)
{
    for (;;) {
        const double left = deadline - clock_seconds();
        const int most = t->out > t->err ? t->out : t->err;
        fd_set outputs;
        if (stop_signal != 0)
            return TALK_STOP;
        if (has_ended(t))
            return TALK_ENDED;
        if (left <= 0)
            return TALK_LATE;
        const struct timespec wait = timespec_of(left);
        FD_ZERO(&outputs);
        set_end(t->out, &outputs);
        set_end(t->err, &outputs);
        if (pselect(most + 1, &outputs, NULL, NULL, &wait, is_ready ? &usual : NULL) <= 0)
            continue;
        if (t->err >= 0 && FD_ISSET(t->err, &outputs))
            (void)pass_on(t);
        if (t->out >= 0 && FD_ISSET(t->out, &outputs))
            return TALK_BYTES;
    }
}

size_t talk_take(struct talk *t, char *bytes, size_t room)
{
    ssize_t n;
    if (t->out < 0)
        return 0;
    do
        n = read(t->out, bytes, room);
    while (n < 0 && errno == EINTR);
    if (n == 0)
        close_end(&t->out);
    return n > 0 ? (size_t)n : 0;
}

/* ---- ending ---- */

enum { MOST_READS = 256 }; /* of what a pipe still holds, should somebody go on writing */

static const struct timespec millisecond = {0, 1000000};

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

/* Ends processes that left the group of a command which has ended, where the system tells of them:
   behind talk_ready they become children of this process when their parents end. */
static void end_orphans(void)
{
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

void talk_stop(struct talk *t)
{
    kill(-t->pid, SIGKILL);
    kill(t->pid, SIGKILL);
    process_wait(t->pid, &t->status);
    process_kept(0);
    if (is_ready)
        end_orphans();
    else
        process_end_kept();
    for (int i = 0; i < MOST_READS && pass_on(t) > 0;)
        i++;
    say_lines(t, 1);
    t->pid = 0;
}

void talk_end(struct talk *t)
{
    if (t->pid == 0)
        return;
    talk_stop(t);
    talk_close(t);
}

/* What closes its output is about to end: then talk_stop finds its own status, and not that of a
   kill. */
static void let_end(const struct talk *t, int most_ms)
{
    for (int ms = 0; ms < most_ms && !has_ended(t); ms++)
        nanosleep(&millisecond, NULL);
}

void talk_finish(struct talk *t)
{
    if (t->pid == 0)
        return;
    talk_close(t);
    let_end(t, 1000);
    talk_end(t);
}

/* ---- asking and hearing ---- */

/* It may be gone; then waiting finds out. */
static int write_to(const struct talk *t, const char *text)
{
    const struct buf all = {(char *)(uintptr_t)text, strlen(text), 0};
    struct sigaction before, ignore = {.sa_handler = SIG_IGN};
    sigaction(SIGPIPE, &ignore, &before);
    const int rc = write_whole(t->in, &all);
    sigaction(SIGPIPE, &before, NULL);
    return rc;
}

void talk_ask(struct talk *t, const char *line)
{
    (void)write_to(t, line + t->begun);
    t->begun = 0;
}

static size_t take_more(struct talk *t)
{
    char bytes[4096];
    const size_t n = talk_take(t, bytes, sizeof bytes);
    buf_add(&t->got, bytes, n);
    return n;
}

int talk_waits(struct talk *t)
{
    (void)take_more(t);
    return t->got.n > 0 ? 0 : t->out < 0 ? -1 : 1;
}

enum talk_news talk_settle(struct talk *t, const char *beginning, double deadline)
{
    double nap = 2e-5;
    if (t->begun == 0 && write_to(t, beginning) == 0)
        t->begun = strlen(beginning);
    for (;;) {
        const int has_read = process_has_read(t->in), waits = talk_waits(t);
        if (waits <= 0)
            return waits == 0 ? TALK_LINE : TALK_ENDED;
        if (has_read || clock_seconds() > deadline)
            return has_read ? TALK_READS : TALK_LATE;
        const enum talk_news news = talk_wait(t, clock_seconds() + nap);
        if (news == TALK_STOP || (news == TALK_ENDED && talk_waits(t) > 0))
            return news;
        nap = nap < 1e-3 ? 2 * nap : nap;
    }
}

/* The next line of what was read: 1, or 0 if none is whole */
static int take_line(struct buf *got, struct buf *line)
{
    const char *end = got->n == 0 ? NULL : memchr(got->s, '\n', got->n);
    if (end == NULL)
        return 0;
    line->n = 0;
    buf_add(line, got->s, (size_t)(end - got->s));
    buf_drop(got, line->n + 1);
    return 1;
}

enum talk_news talk_hear(struct talk *t, double deadline, struct buf *line)
{
    enum { LONGEST = 1 << 20 };
    while (!take_line(&t->got, line)) {
        if (t->got.n > LONGEST)
            return TALK_TOO_LONG;
        const enum talk_news news = talk_wait(t, deadline);
        if (news == TALK_LATE || news == TALK_STOP)
            return news;
        if (take_more(t) == 0 && (news == TALK_ENDED || t->out < 0)) {
            let_end(t, 100);
            return TALK_ENDED;
        }
    }
    return TALK_LINE;
}

/* ---- last words ---- */

/* That ended it, or its command in a shell, which ends with 128 and its number; 0: none did */
static int signal_of(const struct talk *t)
{
    const int status = WEXITSTATUS(t->status);
    return WIFSIGNALED(t->status) ? WTERMSIG(t->status) : status > 128 ? status - 128 : 0;
}

const char *talk_status_text(const struct talk *t, char text[64])
{
    const int status = WEXITSTATUS(t->status), number = signal_of(t);
    text[0] = '\0';
    if (WIFSIGNALED(t->status))
        snprintf(text, 64, "signal %d", number);
    else if (number > 0 && number <= 64)
        snprintf(text, 64, "status %d (signal %d)", status, number);
    else if (status != 0)
        snprintf(text, 64, "status %d", status);
    return text;
}

int talk_is_missing(const struct talk *t)
{
    const int status = WIFEXITED(t->status) ? WEXITSTATUS(t->status) : 0;
    return status == 126 || status == 127;
}

/* The last line that has more than blanks, and is not the shell's "Aborted"; NULL if there is none.
   It is in `text`. */
static char *last_line(const struct talk *t, struct buf *text)
{
    char *last = NULL, *line, *at;
    struct stat st;
    const char *of_shell = signal_of(t) != 0 ? strsignal(signal_of(t)) : NULL;
    if (stat(t->said, &st) != 0 || st.st_size == 0
        || read_file(t->said, (size_t)1 << 24, text) != 0)
        return NULL;
    for (at = text->s; (line = next_line(&at)) != NULL;) {
        line = trim_blanks(line);
        if (*line != '\0'
            && (of_shell == NULL || strncmp(line, of_shell, strlen(of_shell)) != 0 || last == NULL))
            last = line;
    }
    return last;
}

void talk_said(const struct talk *t, struct buf *out)
{
    struct buf text = {0};
    const char *last = last_line(t, &text);
    if (last != NULL)
        buf_printf(out, ", and said: %.300s", last);
    buf_free(&text);
}

void talk_last_words(const struct talk *t, struct buf *out)
{
    if (signal_of(t) != 0)
        buf_printf(out, "signal %d", signal_of(t));
    else
        buf_printf(out, "status %d", WEXITSTATUS(t->status));
    talk_said(t, out);
}
