/* keeper.c - see keeper.h
   SPDX-License-Identifier: MIT */
#include "keeper.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#if defined(__linux__)
#include <sys/prctl.h>
#endif

static int to_keeper = -1;

/* ---- the keeper ---- */

static void keep(int from)
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
    _exit(0);
}

/* It belongs to nobody, so that the tuner has no children but its commands, and no signal of a
   terminal reaches it. */
static void become_keeper(const int ends[2])
{
    close(ends[1]);
    if (setsid() < 0 || fork() != 0)
        _exit(0);
    signal(SIGTERM, SIG_IGN);
    signal(SIGHUP, SIG_IGN);
    keep(ends[0]);
}

int keeper_start(void)
{
    int ends[2];
    if (pipe(ends) != 0)
        return -1;
    fflush(NULL);
    const pid_t pid = fork();
    if (pid < 0)
        return -1;
    if (pid == 0)
        become_keeper(ends);
    close(ends[0]);
    while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
        ;
    to_keeper = ends[1];
#if defined(__linux__) && defined(PR_SET_CHILD_SUBREAPER)
    prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
#endif
    return fcntl(to_keeper, F_SETFD, FD_CLOEXEC);
}

/* Of so few bytes a write is whole. If the keeper is gone, all else works as before. */
void keeper_watch(pid_t group)
{
    ssize_t n;
    do
        n = write(to_keeper, &group, sizeof group);
    while (n < 0 && errno == EINTR);
}

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

void keeper_end_orphans(void)
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
