/* process.c - see process.h
   SPDX-License-Identifier: MIT */
#include "process.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

static int add_files(posix_spawn_file_actions_t *actions, const struct process *p)
{
    const int why = p->in >= 0
                        ? posix_spawn_file_actions_adddup2(actions, p->in, 0)
                        : posix_spawn_file_actions_addopen(actions, 0, "/dev/null", O_RDONLY, 0);
    if (why != 0 || (p->err > 0 && posix_spawn_file_actions_adddup2(actions, p->err, 2) != 0))
        return why != 0 ? why : ENOMEM;
    return posix_spawn_file_actions_adddup2(actions, p->out, 1);
}

static void set_signals(posix_spawnattr_t *how, const struct process *p)
{
    sigset_t none, pipes;
    sigemptyset(&none);
    sigemptyset(&pipes);
    sigaddset(&pipes, SIGPIPE);
    posix_spawnattr_setsigmask(how, p->held != NULL ? p->held : &none);
    posix_spawnattr_setsigdefault(how, &pipes);
    posix_spawnattr_setpgroup(how, 0);
    posix_spawnattr_setflags(
        how, (short)(POSIX_SPAWN_SETSIGMASK
                     | (p->leads_group ? POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF : 0)));
}

int process_start(const struct process *p, pid_t *pid)
{
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t how;
    int why = posix_spawn_file_actions_init(&actions);
    if (why != 0)
        return why;
    posix_spawnattr_init(&how);
    set_signals(&how, p);
    why = add_files(&actions, p);
    if (why == 0)
        why = posix_spawnp(pid, p->words[0], &actions, &how, p->words,
                           p->environment != NULL ? p->environment : environ);
    posix_spawnattr_destroy(&how);
    posix_spawn_file_actions_destroy(&actions);
    return why;
}

int process_wait(pid_t pid, int *status)
{
    while (waitpid(pid, status, 0) < 0)
        if (errno != EINTR)
            return -1;
    return 0;
}

/* 0, or what errno is */
static int take(int from, struct buf *text)
{
    char bytes[4096];
    for (;;) {
        const ssize_t n = read(from, bytes, sizeof bytes);
        if (n > 0)
            buf_add(text, bytes, (size_t)n);
        else if (n == 0 || errno != EINTR)
            return n == 0 ? 0 : errno;
    }
}

int process_read(struct process *p, struct buf *text, int *status)
{
    int ends[2];
    pid_t pid = 0;
    if (pipe(ends) != 0)
        return fail("a pipe for %s: %s", p->words[0], strerror(errno));
    fcntl(ends[0], F_SETFD, FD_CLOEXEC);
    fcntl(ends[1], F_SETFD, FD_CLOEXEC);
    p->out = ends[1];
    const int why = process_start(p, &pid);
    close(ends[1]);
    const int lost = why == 0 ? take(ends[0], text) : 0;
    close(ends[0]);
    if (why != 0)
        return why;
    if (process_wait(pid, status) != 0)
        return fail("%s: %s", p->words[0], strerror(errno));
    return lost == 0 ? 0 : fail("%s: %s", p->words[0], strerror(lost));
}
