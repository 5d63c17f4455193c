/* temporary.h - temporary files of outputs, which no end of the program leaves behind
   SPDX-License-Identifier: MIT

   A signal that ends the program, and exit(), remove them. What a SIGKILL or a crash leaves is
   removed by the next program that makes one in the same folder: those whose lock nobody has. */
#pragma once

/* Makes a file of the name, which ends with TEMPORARY_NAME and becomes that of the file: its
   descriptor, locked, or -1 with errno. The name has to stay where it is until temporary_forget. */
#define TEMPORARY_NAME ".kpred-XXXXXX"
int temporary_make(char *name);
void temporary_remove(const char *name); /* and forgets it */
void temporary_forget(const char *name); /* it has another name by now, or is gone */

/* Signals that would end the program wait between the two, which do not nest. */
void signals_hold(void);
void signals_release(void);
