/* story.h - says what was read, written and left out, and how AITER is told of the tables
   SPDX-License-Identifier: MIT */
#pragma once

#include "asked.h"
#include "installed.h"
#include "rows.h"

void story_note(const struct asked *a, const struct rows *r);

/* For each family with a path: the variable to set, with all files in it that AITER is to read */
void story_variables(const struct installed *in, char *const path[N_FAMILIES]);
