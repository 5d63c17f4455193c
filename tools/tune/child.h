/* child.h - a command of the user's: begun, waited for, and ended with all its children
   SPDX-License-Identifier: MIT

   A command runs in a process group of its own. child_end ends the group and, on Linux, also the
   processes that have left it: they become children of this process when their parents end. */
#pragma once

#include "assign.h"

#include <sys/types.h>

struct child {
    pid_t pid;
    int in, out; /* our ends of its standard input and output; -1: none */
    int status;  /* as of waitpid; after child_end */
};

enum child_news {
    CHILD_BYTES, /* it wrote something, or closed its output */
    CHILD_ENDED,
    CHILD_LATE,
    CHILD_STOP /* a signal asks this process to end */
};

/* Once, before all else: signals that end this process wait until child_wait. 0, or -1 with a
   message. */
int child_ready(void);

/* Begins a line of the shell, with the words of `a` as its arguments "$@" and in its environment;
   NULL: it gets neither, but lines on its standard input. 0, or -1 with a message. */
int child_begin(struct child *c, const char *line, const struct assign *a);

/* Waits until there is news, or the clock of budget.h shows `deadline`. */
enum child_news child_wait(const struct child *c, double deadline);

/* What it wrote, without waiting: the number of bytes, or 0. The output is closed at its end. */
size_t child_take(struct child *c, char *bytes, size_t room);

/* Ends it with all its children. Bytes that it wrote before can still be taken. */
void child_end(struct child *c);
void child_close(struct child *c); /* its pipes */

/* Why it ended, in words: "status 3", "signal 11"; "" if it ended well. In `text`. */
const char *child_status_text(int status, char text[64]);
/* Is it the status by which a shell says that there is no such command, or that it cannot run? */
int child_status_missing(int status);

/* Has a signal asked this process to end? */
int child_must_stop(void);
/* If so, ends it by that signal. */
void child_die_of_signal(void);
