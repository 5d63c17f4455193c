/* jit.h - turns an object into code of this process
   SPDX-License-Identifier: MIT */
#pragma once

#include "evolve/harness.h"

#include <llvm-c/Core.h>

/* Links the object at once, with what this process has, and gives the address of a function of it;
   NULL if there is none. Takes the object; the code stays until it is forgotten. */
ev_kernel *jit_link(LLVMMemoryBufferRef object, const char *function);
const char *jit_error(void); /* why the last call gave none; "" */
void jit_keep(void);         /* what is there cannot be forgotten any more */
void jit_forget(void);       /* frees the code of the last call, if it is not kept */
