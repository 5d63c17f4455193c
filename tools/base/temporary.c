/* temporary.c - see temporary.h
   SPDX-License-Identifier: MIT */
#define _POSIX_C_SOURCE 200809L
#include "temporary.h"

#include "util.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

static const int ends[] = {SIGHUP, SIGINT, SIGQUIT, SIGPIPE, SIGTERM, SIGXCPU, SIGXFSZ};

/* ---- what exit and signals remove ---- */

enum { MAX_OPEN = 8 }; /* more at a time are possible, but a signal leaves them */
static const char *volatile unfinished[MAX_OPEN];
static int held[MAX_OPEN]; /* a second descriptor: so the lock stays when the first is closed */
static pid_t owner; /* a child of it that is forked has its names, and leaves its files alone */

static void remove_all(void)
{
    for (int i = 0; i < MAX_OPEN && owner == getpid(); i++)
        if (unfinished[i] != NULL)
            unlink(unfinished[i]);
}

/* The action is reset here and not by SA_RESETHAND: Linux resets it before it blocks the signal, so
   that a second one, close behind, would end the program with the files in place. */
static void remove_and_end(int number)
{
    remove_all();
    signal(number, SIG_DFL);
    raise(number); /* it is blocked: it ends the program when the handler is left */
}

/* A signal that is ignored stays so: of `nohup`, and of what a shell runs in the background. */
static void catch_signals(void)
{
    struct sigaction act, old;
    memset(&act, 0, sizeof act);
    act.sa_handler = remove_and_end;
    sigfillset(&act.sa_mask);
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
        if (sigaction(ends[i], NULL, &old) == 0 && old.sa_handler == SIG_DFL)
            sigaction(ends[i], &act, NULL);
}

static void catch_ends(void)
{
    if (owner == 0)
        atexit(remove_all);
    owner = getpid();
    catch_signals();
}

static void remember(const char *name, int fd)
{
    int i = 0;
    while (i < MAX_OPEN && unfinished[i] != NULL)
        i++;
    if (i == MAX_OPEN)
        return;
    held[i] = fcntl(fd, F_DUPFD_CLOEXEC, 0);
    unfinished[i] = name;
}

void temporary_forget(const char *name)
{
    for (int i = 0; i < MAX_OPEN; i++) {
        if (unfinished[i] != name)
            continue;
        unfinished[i] = NULL;
        if (held[i] >= 0)
            close(held[i]);
    }
}

void temporary_remove(const char *name)
{
    unlink(name);
    temporary_forget(name);
}

/* ---- what a kill has left ---- */

/* Whose lock nobody has. It is one of flock: SQLite, which writes such a file too, gives up those
   of fcntl. A file system may have no locks: then nothing is removed. */
static void remove_if_left(const char *path)
{
    struct stat st;
    if (lstat(path, &st) != 0 || !S_ISREG(st.st_mode))
        return;
    const int fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0)
        return;
    if (flock(fd, LOCK_EX | LOCK_NB) == 0)
        unlink(path);
    close(fd);
}

static int is_temporary(const char *name)
{
    const size_t n = strcspn(TEMPORARY_NAME, "X");
    return strlen(name) == strlen(TEMPORARY_NAME) && strncmp(name, TEMPORARY_NAME, n) == 0
           && strspn(name + n, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789")
                  == strlen(name) - n;
}

/* In the folder of `name` */
static void remove_left(const char *name)
{
    struct buf path = {0};
    buf_add(&path, name, (size_t)(base_name(name) - name));
    const size_t n = path.n;
    DIR *folder = opendir(n > 0 ? path.s : ".");
    for (struct dirent *e; folder != NULL && (e = readdir(folder)) != NULL;) {
        if (!is_temporary(e->d_name))
            continue;
        path.n = n;
        buf_puts(&path, e->d_name);
        remove_if_left(path.s);
    }
    if (folder != NULL)
        closedir(folder);
    buf_free(&path);
}

/* ---- making one ---- */

/* Another program may have removed it before it was locked: -2. */
static int make_locked(char *name)
{
    struct stat st;
    const int fd = mkstemp(name);
    if (fd < 0)
        return -1;
    (void)flock(fd, LOCK_EX);
    if (fstat(fd, &st) != 0 || st.st_nlink > 0)
        return fd;
    close(fd);
    return -2;
}

int temporary_make(char *name)
{
    sigset_t all, before;
    const size_t n = strlen(name) - strlen(TEMPORARY_NAME);
    int fd;
    remove_left(name);
    catch_ends();
    sigfillset(&all);
    sigprocmask(SIG_BLOCK, &all, &before);
    while ((fd = make_locked(name)) == -2)
        strcpy(name + n, TEMPORARY_NAME);
    const int error = errno;
    if (fd >= 0)
        remember(name, fd);
    sigprocmask(SIG_SETMASK, &before, NULL);
    errno = error;
    return fd;
}

/* ---- signals that wait ---- */

static sigset_t before_hold;

void signals_hold(void)
{
    sigset_t waiting;
    sigemptyset(&waiting);
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
        sigaddset(&waiting, ends[i]);
    sigprocmask(SIG_BLOCK, &waiting, &before_hold);
}

void signals_release(void)
{
    sigprocmask(SIG_SETMASK, &before_hold, NULL);
}
