/* process.c - see process.h
   SPDX-License-Identifier: MIT */
#include "process.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
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
    sigset_t none, usual;
    sigemptyset(&none);
    sigemptyset(&usual);
    sigaddset(&usual, SIGPIPE);
    sigaddset(&usual, SIGCHLD);
    posix_spawnattr_setsigmask(how, p->held != NULL ? p->held : &none);
    posix_spawnattr_setsigdefault(how, &usual);
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
        why = posix_spawnp(pid, p->words[0], &actions, &how, (char *const *)(uintptr_t)p->words,
                           p->environment != NULL ? p->environment : environ);
    posix_spawnattr_destroy(&how);
    posix_spawn_file_actions_destroy(&actions);
    return why;
}

int process_has_read(int fd)
{
    int n = 0, kind;
    socklen_t size = sizeof kind;
    const int is_socket = getsockopt(fd, SOL_SOCKET, SO_TYPE, &kind, &size) == 0;
    return ioctl(fd, is_socket ? TIOCOUTQ : FIONREAD, &n) != 0 || n == 0;
}

/* ---- the keeper ---- */

/* It waits on a pipe, which ends when this process does. What it ends is a process group, and
   whatever has the mark in its environment: that is inherited by those that left the group. */
static int to_keeper = -1;
static char mark[64];

static int has_mark(const char *pid)
{
    struct buf path = {0}, text = {0};
    char bytes[4096];
    ssize_t n;
    buf_printf(&path, "/proc/%s/environ", pid);
    const int fd = open(path.s, O_RDONLY | O_CLOEXEC);
    while (fd >= 0 && (n = read(fd, bytes, sizeof bytes)) > 0)
        for (ssize_t i = 0; i < n; i++)
            buf_add(&text, bytes[i] != '\0' ? bytes + i : "\n", 1);
    const int has = text.n > 0 && strstr(text.s, mark) != NULL;
    if (fd >= 0)
        close(fd);
    buf_free(&path);
    buf_free(&text);
    return has;
}

/* How many there were */
static int kill_marked(void)
{
    const struct dirent *entry;
    int n = 0;
    DIR *all = opendir("/proc");
    while (all != NULL && (entry = readdir(all)) != NULL)
        if (entry->d_name[strspn(entry->d_name, "0123456789")] == '\0' && has_mark(entry->d_name))
            n += kill((pid_t)atol(entry->d_name), SIGKILL) == 0;
    if (all != NULL)
        closedir(all);
    return n;
}

void process_end_kept(void)
{
    const struct timespec millisecond = {0, 1000000};
    for (int tries = 0; tries < 100 && mark[0] != '\0' && kill_marked() > 0; tries++)
        nanosleep(&millisecond, NULL);
}

static void guard_group(int from)
{
    pid_t group, last = 0;
    ssize_t n;
    while ((n = read(from, &group, sizeof group)) != 0)
        if (n == (ssize_t)sizeof group)
            last = group;
        else if (errno != EINTR)
            break;
    if (last > 0)
        kill(-last, SIGKILL);
    process_end_kept();
    _exit(0);
}

/* It belongs to nobody, so that this process has no children but its programs, and no signal of a
   terminal reaches it. */
static void become_keeper(const int ends[2])
{
    close(ends[1]);
    if (setsid() < 0 || fork() != 0)
        _exit(0);
    signal(SIGTERM, SIG_IGN);
    signal(SIGHUP, SIG_IGN);
    guard_group(ends[0]);
}

/* One program may run within another one that is kept, too. */
static int set_mark(void)
{
    static const char name[] = "KPREDKEEPER";
    struct buf value = {0};
    const char *others = getenv(name);
    snprintf(mark, sizeof mark, "<%ld.%.0f>", (long)getpid(), clock_seconds() * 1e6);
    buf_printf(&value, "%s%s", others != NULL ? others : "", mark);
    const int rc = setenv(name, value.s, 1);
    buf_free(&value);
    return rc;
}

int process_keep(void)
{
    int ends[2];
    if (to_keeper >= 0)
        return 0;
    if (pipe(ends) != 0 || set_mark() != 0)
        return -1;
    fflush(NULL);
    const pid_t pid = fork();
    if (pid < 0)
        return -1;
    if (pid == 0)
        become_keeper(ends);
    close(ends[0]);
    process_wait(pid, NULL);
    to_keeper = ends[1];
    return fcntl(to_keeper, F_SETFD, FD_CLOEXEC);
}

/* Of so few bytes a write is whole. If the keeper is gone, all else works as before. */
void process_kept(pid_t group)
{
    ssize_t n;
    do
        n = write(to_keeper, &group, sizeof group);
    while (n < 0 && errno == EINTR);
}

int process_wait(pid_t pid, int *status)
{
    while (waitpid(pid, status, 0) < 0)
        if (errno != EINTR)
            return -1;
    return 0;
}

int process_read(const char *const *words, int in, struct buf *text, int *status)
{
    struct process p = {.words = words, .in = in};
    int ends[2];
    pid_t pid = 0;
    FILE *from = pipe(ends) == 0 ? fdopen(ends[0], "rb") : NULL;
    if (from == NULL)
        return fail("a pipe for %s: %s", words[0], strerror(errno));
    fcntl(ends[0], F_SETFD, FD_CLOEXEC);
    fcntl(ends[1], F_SETFD, FD_CLOEXEC);
    p.out = ends[1];
    const int why = process_start(&p, &pid);
    close(ends[1]);
    const int rc = why == 0 ? read_stream(from, words[0], SIZE_MAX, text) : 0;
    fclose(from);
    if (why != 0)
        return why;
    if (process_wait(pid, status) != 0)
        return fail("%s: %s", words[0], strerror(errno));
    *status = WIFEXITED(*status) ? WEXITSTATUS(*status) : 128 + WTERMSIG(*status);
    return rc;
}
