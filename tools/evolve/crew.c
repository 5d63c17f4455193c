/* crew.c - processes that stay, and answer one request after another
   SPDX-License-Identifier: MIT

   process.h declares it. */
#include "process.h"

#include "base/util.h"

#include <errno.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

struct member {
    pid_t pid; /* 0: none */
    int socket, turns, is_asked;
    double deadline;
    size_t tag;
};

struct crew {
    struct crew_work work;
    int jobs, turn; /* turn: whose end is looked for first, so that none waits for long */
    struct member *v;
    struct pollfd *polls;
};

/* ---- whole messages: 0, or -1 if the other side is gone ---- */

static int send_all(int socket, const void *bytes, size_t n)
{
    for (const char *at = bytes; n > 0;) {
        const ssize_t sent = send(socket, at, n, MSG_NOSIGNAL);
        if (sent < 0 && errno != EINTR)
            return -1;
        at += sent > 0 ? sent : 0;
        n -= sent > 0 ? (size_t)sent : 0;
    }
    return 0;
}

static int receive_all(int socket, void *bytes, size_t n)
{
    for (char *at = bytes; n > 0;) {
        const ssize_t got = recv(socket, at, n, 0);
        if (got == 0 || (got < 0 && errno != EINTR))
            return -1;
        at += got > 0 ? got : 0;
        n -= got > 0 ? (size_t)got : 0;
    }
    return 0;
}

/* ---- in a member ---- */

enum { MEMBER_SOCKET = 3 }; /* where lock_files puts it */

static void member_main(const struct crew_work *w, pid_t parent, int socket)
{
    size_t bytes;
    lock_signals();
    if (lock_to_parent(parent) != 0 || lock_files(socket) != 0 || lock_memory(w->memory_bytes) != 0
        || (w->begin != NULL && w->begin(w->user) != 0))
        _exit(1);
    void *reply = xcalloc(1, w->reply_bytes);
    while (receive_all(MEMBER_SOCKET, &bytes, sizeof bytes) == 0) {
        void *request = xmalloc(bytes + 1);
        if (receive_all(MEMBER_SOCKET, request, bytes) != 0)
            break;
        w->answer(w->user, request, bytes, reply);
        free(request);
        if (send_all(MEMBER_SOCKET, reply, w->reply_bytes) != 0)
            break;
    }
    _exit(0);
}

/* ---- beginning and end of one ---- */

static void end_member(struct member *m)
{
    kill(m->pid, SIGKILL);
    process_wait(m->pid, NULL);
    close(m->socket);
    memset(m, 0, sizeof *m);
}

static int begin_member(struct crew *c, struct member *m)
{
    int ends[2];
    const pid_t self = getpid();
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0)
        return fail("cannot start a process: %s", strerror(errno));
    m->pid = fork();
    if (m->pid == 0)
        member_main(&c->work, self, ends[1]);
    close(ends[1]);
    m->socket = ends[0];
    m->turns = 0;
    if (m->pid > 0)
        return 0;
    m->pid = 0;
    close(ends[0]);
    return fail("cannot start a process: %s", strerror(errno));
}

int crew_open(struct crew **out, int jobs, const struct crew_work *work)
{
    *out = NULL;
    if (jobs < 1 || jobs > 1024)
        return fail("jobs: %d is not within 1 and 1024", jobs);
    struct crew *c = xcalloc(1, sizeof *c);
    c->work = *work;
    c->jobs = jobs;
    c->v = xcalloc((size_t)jobs, sizeof *c->v);
    c->polls = xcalloc((size_t)jobs, sizeof *c->polls);
    *out = c;
    return 0;
}

void crew_close(struct crew *c)
{
    if (c == NULL)
        return;
    for (int i = 0; i < c->jobs; i++)
        if (c->v[i].pid != 0)
            end_member(&c->v[i]);
    free(c->polls);
    free(c->v);
    free(c);
}

/* ---- asking ---- */

int crew_room(const struct crew *c)
{
    int room = 0;
    for (int i = 0; i < c->jobs; i++)
        room += !c->v[i].is_asked;
    return room;
}

static int send_request(const struct member *m, const void *request, size_t bytes)
{
    if (send_all(m->socket, &bytes, sizeof bytes) != 0)
        return -1;
    return send_all(m->socket, request, bytes);
}

/* One that died since its last answer is replaced once. */
static int ask_member(struct crew *c, struct member *m, const void *request, size_t bytes)
{
    if (m->pid != 0 && m->turns >= c->work.turns)
        end_member(m);
    if (m->pid != 0 && send_request(m, request, bytes) == 0)
        return 0;
    if (m->pid != 0)
        end_member(m);
    if (begin_member(c, m) != 0)
        return -1;
    send_request(m, request, bytes); /* if it is gone already, the waiting will find out */
    return 0;
}

int crew_ask(struct crew *c, const void *request, size_t bytes, size_t tag)
{
    int i = 0;
    while (i < c->jobs && c->v[i].is_asked)
        i++;
    if (i == c->jobs)
        return fail("%d %s being answered already", c->jobs,
                    as_counted((unsigned long long)c->jobs, "request is", "requests are"));
    struct member *m = &c->v[i];
    if (ask_member(c, m, request, bytes) != 0)
        return -1;
    m->is_asked = 1;
    m->deadline = clock_seconds() + c->work.seconds;
    m->tag = tag;
    return 0;
}

/* ---- waiting ---- */

/* The milliseconds until the next deadline; 0 once it is there */
static int patience(const struct crew *c)
{
    double least = HUGE_VAL;
    for (int i = 0; i < c->jobs; i++)
        if (c->v[i].is_asked && c->v[i].deadline < least)
            least = c->v[i].deadline;
    const double left = (least - clock_seconds()) * 1e3;
    return left <= 0 ? 0 : left > 1e6 ? 1000000 : (int)ceil(left);
}

static void poll_members(struct crew *c)
{
    for (int i = 0; i < c->jobs; i++) {
        const struct pollfd p = {c->v[i].is_asked ? c->v[i].socket : -1, POLLIN, 0};
        c->polls[i] = p;
    }
    if (poll(c->polls, (nfds_t)c->jobs, patience(c)) < 0)
        for (int i = 0; i < c->jobs; i++)
            c->polls[i].revents = 0;
}

static enum crew_end end_of(struct crew *c, int i, void *reply)
{
    struct member *m = &c->v[i];
    enum crew_end end = CREW_ANSWERED;
    if (c->polls[i].revents != 0)
        end = receive_all(m->socket, reply, c->work.reply_bytes) == 0 ? CREW_ANSWERED : CREW_DIED;
    else
        end = clock_seconds() < m->deadline ? CREW_IDLE : CREW_LATE;
    if (end == CREW_DIED || end == CREW_LATE)
        end_member(m);
    else if (end == CREW_ANSWERED) {
        m->turns++;
        m->is_asked = 0;
    }
    return end;
}

enum crew_end crew_wait(struct crew *c, size_t *tag, void *reply)
{
    while (crew_room(c) < c->jobs) {
        poll_members(c);
        for (int k = 0; k < c->jobs; k++) {
            const int i = (c->turn + k) % c->jobs;
            const size_t its_tag = c->v[i].tag;
            const enum crew_end end = c->v[i].is_asked ? end_of(c, i, reply) : CREW_IDLE;
            if (end == CREW_IDLE)
                continue;
            c->turn = i + 1;
            *tag = its_tag;
            return end;
        }
    }
    return CREW_IDLE;
}
