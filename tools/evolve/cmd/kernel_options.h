/* kernel_options.h - the options that the commands with a kernel and a harness share
   SPDX-License-Identifier: MIT */
#pragma once

#include "session.h"

#include "base/opts.h"

enum { KERNEL_OPTIONS = 10 };

/* Their lines of a table for opts_parse, with the defaults put into *o; the end comes behind. */
void kernel_options(struct opt table[KERNEL_OPTIONS], struct session_options *o);

/* What --help says of them */
extern const char kernel_options_help[];

/* `head` and `tail` with that between them; to be freed */
char *kernel_help(const char *head, const char *tail);
