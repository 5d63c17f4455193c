/* jail.h - keeps commands from writing files, beginning processes, and work that takes long
   SPDX-License-Identifier: MIT

   The linker puts the functions of jail.c in the place of those that do this (FUZZ_WRAPS in
   fuzz.inc). */
#pragma once

extern int jail_is_shut; /* while it is 0, all is as ever */
extern int jail_refused; /* it has kept a command from something */
