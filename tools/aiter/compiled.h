/* compiled.h - which kernels of a model an installation of AITER can run
   SPDX-License-Identifier: MIT

   ck and cktile kernels are compiled into a registry when AITER is built: those that its tuned
   tables name for the GPU, and a default. A row that names another one is an error when its shape
   is run. Kernels of asm, triton and flydsl need no build; that of opus may be compiled or not. */
#pragma once

#include "installed.h"

/* The lines of --compiled FILE, without blanks around them. 0, or -1 with a message: also if none
   names a kernel of a model of the target. */
int compiled_read(struct interned *names, const struct target *t, const char *path);

/* A flag for each kernel of the family's model, to be freed: by `names`, if there are any, else by
   what the family's installed tables name; without such tables all, which is told. only_ck: of
   other libraries none. *n is the number of kernels. */
unsigned char *compiled_flags(const struct interned *names, const struct installed *in,
                              const struct target *t, enum family_id family, int only_ck,
                              size_t *n);
