/* process.h - starts other programs, and waits for children
   SPDX-License-Identifier: MIT */
#pragma once

#include "util.h"

#include <signal.h>
#include <sys/types.h>

/* A program to start. The first of its words is looked for in PATH if it has no slash. Words and
   environment end with NULL. */
struct process {
    const char *const *words;
    char *const *environment; /* NULL: ours */
    int in, out;              /* its standard input, -1: nothing, and its output */
    int err;                  /* its standard error; 0: ours */
    const sigset_t *held;     /* what it begins with blocked; NULL: nothing */
    int leads_group;          /* of its own; and a closed pipe ends it */
};

/* 0, or what errno would be */
int process_start(const struct process *p, pid_t *pid);

/* Has the other side read all that was written to this pipe or socket? Yes, where the system does
   not tell. */
int process_has_read(int fd);

/* From now on no program that is started outlives this process, even if that is killed: another
   process, the keeper, sees its end. 0, or -1 with errno */
int process_keep(void);
/* The keeper ends the process group as well; 0: there is none any more. */
void process_kept(pid_t group);
/* Ends all programs that were started since process_keep, with all that they started, where the
   system tells of them. */
void process_end_kept(void);

/* Waits for its end, whatever signals come. 0, or -1 with errno; status may be NULL. */
int process_wait(pid_t pid, int *status);

/* Starts a program of these words and standard input, appends what it prints to `text`, and waits
   for its end. 0 and its status, as a shell has it; what errno would be if it cannot be started; or
   -1 after a message. */
int process_read(const char *const *words, int in, struct buf *text, int *status);
