/* new_names.h - the names that a new spec has for GPUs that no file has
   SPDX-License-Identifier: MIT */
#pragma once

#include "base/util.h"

/* Is there something to learn for such names, and room for them among these GPUs' tokens? Of one
   GPU they would learn what it says itself. */
int new_names_fit(const char *const *gpus, size_t n);

/* Adds the names, with a blank before each; or the lines of [unseen]. */
void new_names_add(const char *const *gpus, size_t n, int is_section, struct buf *out);
