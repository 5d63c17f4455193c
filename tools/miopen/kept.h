/* kept.h - tells which entries of a user perf-db the kernels' rules call illegal
   SPDX-License-Identifier: MIT */
#pragma once

#include "coverage.h"
#include "user_db.h"

/* A line on standard error for each such entry that stays in the file `u`, up to a number; with
   `force` those stay for which the run has no entry of its own. Kernels without a model, and those
   whose model does not know the GPU or the problem, are passed over. */
void kept_note(const struct coverage *c, const struct user_db *u, int force);
