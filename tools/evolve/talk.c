/* talk.c - a program of the user's that stays: begun, asked, heard, ended
   SPDX-License-Identifier: MIT

   talk.h declares it. */
#include "talk.h"

#include "base/util.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* ---- beginning ---- */

/* Of both ends, that no other program keeps open. */
static int open_ends(int ends[2])
{
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0)
        return -1;
    for (int i = 0; i < 2; i++)
        if (fcntl(ends[i], F_SETFD, FD_CLOEXEC) != 0)
            return close(ends[0]), close(ends[1]), -1;
    return 0;
}

static void become(const struct talk *t, pid_t parent, int socket)
{
    const int said = open(t->said, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    lock_signals();
    if (lock_to_parent(parent) == 0 && said >= 0 && dup2(socket, 0) == 0 && dup2(socket, 1) == 1
        && dup2(said, 2) == 2)
        execl("/bin/sh", "sh", "-c", t->command, (char *)NULL);
    _exit(127);
}

int talk_begin(struct talk *t)
{
    int ends[2];
    const pid_t self = getpid();
    if (process_keep() != 0 || open_ends(ends) != 0)
        return fail("%s: cannot be started: %s", t->command, strerror(errno));
    fflush(NULL);
    t->pid = fork();
    if (t->pid == 0)
        become(t, self, ends[1]);
    close(ends[1]);
    t->socket = ends[0];
    t->got.n = 0;
    t->begun = 0;
    if (t->pid > 0) {
        process_kept(t->pid);
        return 0;
    }
    t->pid = 0;
    close(ends[0]);
    return fail("%s: cannot be started: %s", t->command, strerror(errno));
}

/* What closes its output is about to end: then talk_end finds its own status, and not that of a
   kill. */
static void let_end(const struct talk *t, int most_ms)
{
    const struct timespec pause = {0, 2000000};
    for (int ms = 0; ms < most_ms; ms += 2) {
        siginfo_t info;
        memset(&info, 0, sizeof info);
        if (waitid(P_PID, (id_t)t->pid, &info, WEXITED | WNOHANG | WNOWAIT) == 0
            && info.si_pid == t->pid)
            return;
        nanosleep(&pause, NULL);
    }
}

void talk_end(struct talk *t)
{
    if (t->pid == 0)
        return;
    kill(-t->pid, SIGKILL);
    kill(t->pid, SIGKILL); /* it may not have come to lead its group yet */
    process_wait(t->pid, &t->status);
    process_kept(0);
    process_end_kept();
    close(t->socket);
    t->pid = 0;
}

void talk_finish(struct talk *t)
{
    if (t->pid == 0)
        return;
    shutdown(t->socket, SHUT_RDWR);
    let_end(t, 1000);
    talk_end(t);
}

/* ---- asking and hearing ---- */

int talk_waits(const struct talk *t)
{
    char byte;
    if (t->got.n > 0)
        return 0;
    const ssize_t n = recv(t->socket, &byte, 1, MSG_PEEK | MSG_DONTWAIT);
    return n > 0 ? 0 : n == 0 ? -1 : 1;
}

void talk_ask(struct talk *t, const char *line)
{
    send_all(t->socket, line + t->begun, strlen(line + t->begun));
    t->begun = 0;
}

enum talk_news talk_settle(struct talk *t, const char *beginning, double deadline)
{
    struct timespec pause = {0, 20000};
    t->begun = strlen(beginning);
    send_all(t->socket, beginning, t->begun);
    for (;;) {
        const int has_read = process_has_read(t->socket), waits = talk_waits(t);
        if (waits <= 0)
            return waits == 0 ? TALK_LINE : TALK_ENDED;
        if (has_read || clock_seconds() > deadline)
            return has_read ? TALK_READS : TALK_LATE;
        nanosleep(&pause, NULL);
        pause.tv_nsec = pause.tv_nsec < 1000000 ? 2 * pause.tv_nsec : pause.tv_nsec;
    }
}

/* The next line of what was read: 1, or 0 if none is whole */
static int take_line(struct buf *got, struct buf *line)
{
    struct buf rest = {0};
    const char *end = got->n == 0 ? NULL : memchr(got->s, '\n', got->n);
    if (end == NULL)
        return 0;
    line->n = 0;
    buf_add(line, got->s, (size_t)(end - got->s));
    buf_add(&rest, end + 1, got->n - (size_t)(end + 1 - got->s));
    buf_free(got);
    *got = rest;
    return 1;
}

/* 1: bytes came; 0: it is late; -1: it has closed its output */
static int read_more(struct talk *t, double deadline)
{
    char bytes[4096];
    struct pollfd p = {t->socket, POLLIN, 0};
    const double left = (deadline - clock_seconds()) * 1e3;
    if (left <= 0)
        return 0;
    if (poll(&p, 1, left > 1e6 ? 1000000 : (int)ceil(left)) <= 0)
        return clock_seconds() < deadline;
    const ssize_t n = recv(t->socket, bytes, sizeof bytes, 0);
    if (n > 0)
        buf_add(&t->got, bytes, (size_t)n);
    return n > 0 || (n < 0 && errno == EINTR) ? 1 : -1;
}

enum talk_news talk_hear(struct talk *t, double deadline, struct buf *line)
{
    enum { LONGEST = 1 << 20 };
    while (!take_line(&t->got, line)) {
        if (t->got.n > LONGEST)
            return TALK_TOO_LONG;
        const int came = read_more(t, deadline);
        if (came < 0)
            let_end(t, 100);
        if (came <= 0)
            return came == 0 ? TALK_LATE : TALK_ENDED;
    }
    return TALK_LINE;
}

/* ---- last words ---- */

/* That ended it, or its command in a shell; 0: none did */
static int signal_of(const struct talk *t)
{
    const int status = WEXITSTATUS(t->status);
    return WIFSIGNALED(t->status) ? WTERMSIG(t->status) : status > 128 ? status - 128 : 0;
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
