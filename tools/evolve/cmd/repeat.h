/* repeat.h - a list evaluated in several children, as these differ by more than one of them tells
   SPDX-License-Identifier: MIT */
#pragma once

#include "evolve/trial.h"

/* As trial_evaluate. With EFFORT_SEARCH each list has one child. With more effort it has
   21: its time is the ratio of the lower quartiles of their times, and `spread` is the standard
   error of that by resampling. One that is not valid decides. */
void repeat_evaluate(struct trial *t, const struct edits *lists, size_t n, enum effort effort,
                     void (*done)(void *user, size_t i, const struct result *result), void *user);
/* As a task's compare */
struct result repeat_compare(struct trial *t, const struct edits *list, const struct edits *with);
