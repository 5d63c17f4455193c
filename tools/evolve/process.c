/* process.c - runs a program and takes what it writes; temporary folders
   SPDX-License-Identifier: MIT

   process.h declares it. */
#include "process.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

void process_add(struct process_words *words, const char *word)
{
    words->v = xgrow(words->v, words->n + 1, &words->cap, sizeof *words->v);
    words->v[words->n++] = xstrdup(word);
    words->v[words->n] = NULL;
}

void process_free(struct process_words *words)
{
    for (size_t i = 0; i < words->n; i++)
        free(words->v[i]);
    free(words->v);
}

/* 0, or what errno would be */
static int start(struct process_words *words, FILE *input, const int ends[2], pid_t *pid)
{
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t how;
    sigset_t none;
    int why = posix_spawn_file_actions_init(&actions);
    if (why != 0)
        return why;
    sigemptyset(&none);
    posix_spawnattr_init(&how);
    posix_spawnattr_setflags(&how, POSIX_SPAWN_SETSIGMASK);
    posix_spawnattr_setsigmask(&how, &none);
    if (input != NULL)
        why = posix_spawn_file_actions_adddup2(&actions, fileno(input), 0);
    else
        why = posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
    if (why == 0)
        why = posix_spawn_file_actions_adddup2(&actions, ends[1], 1);
    if (why == 0)
        why = posix_spawn_file_actions_addclose(&actions, ends[0]);
    if (why == 0)
        why = posix_spawnp(pid, words->v[0], &actions, &how, words->v, environ);
    posix_spawnattr_destroy(&how);
    posix_spawn_file_actions_destroy(&actions);
    return why;
}

/* 0, or what errno is */
static int take(int from, struct buf *out)
{
    char bytes[4096];
    for (;;) {
        const ssize_t n = read(from, bytes, sizeof bytes);
        if (n > 0)
            buf_add(out, bytes, (size_t)n);
        else if (n == 0 || errno != EINTR)
            return n == 0 ? 0 : errno;
    }
}

static int end_of(pid_t pid, const char *name)
{
    int status;
    while (waitpid(pid, &status, 0) < 0)
        if (errno != EINTR)
            return fail("%s: %s", name, strerror(errno));
    if (WIFSIGNALED(status))
        return fail("%s was ended by signal %d", name, WTERMSIG(status));
    return WEXITSTATUS(status);
}

int process_run(struct process_words *words, FILE *input, struct buf *out)
{
    int ends[2];
    pid_t pid = 0;
    if (pipe(ends) != 0)
        return fail("a pipe for %s: %s", words->v[0], strerror(errno));
    const int why = start(words, input, ends, &pid);
    close(ends[1]);
    const int lost = why == 0 ? take(ends[0], out) : 0;
    close(ends[0]);
    if (why != 0)
        return fail("%s cannot be started: %s", words->v[0], strerror(why));
    const int status = end_of(pid, words->v[0]);
    return lost == 0 || status < 0 ? status : fail("%s: %s", words->v[0], strerror(lost));
}

char *process_folder(void)
{
    const char *temporary = getenv("TMPDIR");
    struct buf path = {NULL, 0, 0};
    if (temporary == NULL || temporary[0] == '\0')
        temporary = "/tmp";
    buf_printf(&path, "%s/kpred-evolve-XXXXXX", temporary);
    if (mkdtemp(path.s) != NULL)
        return path.s;
    fail("%s: cannot make a temporary folder: %s", temporary, strerror(errno));
    buf_free(&path);
    return NULL;
}
