/* lock.h - how a process gives up its rights for good
   SPDX-License-Identifier: MIT */
#pragma once

#include <sys/types.h>

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
