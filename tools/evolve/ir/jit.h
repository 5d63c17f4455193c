/* jit.h - turns an object into code of this process
   SPDX-License-Identifier: MIT */
#pragma once

#include "evolve/harness.h"

#include <llvm-c/Core.h>

/* Links the object at once, with what this process has, and gives the address of a function of it;
   NULL if there is none. Takes the object; the code stays as long as the process. */
ev_kernel *jit_link(LLVMMemoryBufferRef object, const char *function);
const char *jit_error(void); /* why there is none */
/* So that children which are forked from now on have less to do; for the process that forks them */
void jit_prepare(void);
