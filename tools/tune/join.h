/* join.h - the files of several tuners become one
   SPDX-License-Identifier: MIT */
#pragma once

#include <stddef.h>

/* Rows in the order of the files. A row that stands there twice counts once; two that contradict
   each other are an error. `force`: see out_open_kept. 0, or -1 with messages: then there is no
   output. */
int join_files(const char *const *paths, size_t n, const char *to, int force);
