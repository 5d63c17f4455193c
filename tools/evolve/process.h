/* process.h - runs programs, gives up the rights of a process, ends one that gets no memory
   SPDX-License-Identifier: MIT */
#pragma once

#include "base/util.h"

#include <sys/types.h>

/* ---- programs, and temporary folders ---- */

struct process_words { /* what a program is called with; all zero is empty */
    char **v;
    size_t n, cap;
};

void process_add(struct process_words *words, const char *word);
void process_free(struct process_words *words);
/* A new folder in TMPDIR, to be removed and its path freed; NULL after a message */
char *process_folder(void);

/* Runs the program that the first word names; its standard input is the open file `input`, or
   nothing if that is NULL, and its standard output is appended to `out`. Its exit status; or -1
   after a message if it could not be started, or died of a signal. Signals that the caller holds
   back reach it. */
int process_run(struct process_words *words, FILE *input, struct buf *out);

/* ---- how a process gives up its rights for good ---- */

/* It dies when its parent dies, which is that process, and leads a process group of its own. -1 if
   the parent is gone already. */
int lock_to_parent(pid_t parent);
/* It may have so much more memory than it has now. -1 if that cannot be set. */
int lock_memory(size_t more_bytes);
/* Every signal ends the process again, or does what it does by default; none is blocked. */
void lock_signals(void);
/* Standard input, output and error become /dev/null, and `keep` becomes 3; all other open files are
   closed. -1 if that fails. */
int lock_files(int keep);
/* No file can be made or grow, no core be written, no process begun, no file opened. */
int lock_limits(void);
/* From here on every system call but clock_gettime and exit_group ends the process with SIGSYS.
   -1 with errno if the system has no such filters. */
int lock_calls(void);

/* ---- the end of the program where LLVM, MLIR or C++ gets no memory ---- */

/* Once, at the start: from then on it is as in util.h, a message and status 1. A forked child ends
   by SIGKILL, without a word. */
void no_memory_begin(void);
