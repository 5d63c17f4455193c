/* lock.h - how a process gives up its rights for good
   SPDX-License-Identifier: MIT */
#pragma once

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
