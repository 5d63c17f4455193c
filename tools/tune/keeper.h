/* keeper.h - no process of a command outlives the tuner
   SPDX-License-Identifier: MIT

   A second process waits on a pipe. When the tuner is killed, the pipe ends, and the keeper ends
   the process group of the command that ran. */
#pragma once

#include <sys/types.h>

int keeper_start(void);         /* 0, or -1 with errno */
void keeper_watch(pid_t group); /* 0: none */

/* Ends processes that left the group of a command which has ended, where the system tells of them.
   pre: this process has no other children */
void keeper_end_orphans(void);
