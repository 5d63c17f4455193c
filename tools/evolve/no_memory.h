/* no_memory.h - the end of the program where LLVM, MLIR or C++ gets no memory
   SPDX-License-Identifier: MIT */
#pragma once

/* Once, at the start: from then on it is as in util.h, a message and status 1. A forked child ends
   by SIGKILL, without a word. */
void no_memory_begin(void);
