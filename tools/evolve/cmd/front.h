/* front.h - the fronts of archives, and how a search went, for people to read
   SPDX-License-Identifier: MIT */
#pragma once

#include "evolve/archive.h"

#include "base/table.h"

/* Columns log,method,seed,evaluations,point,time,gain,low,high,error,edits,effort,list: the gain in
   percent of the baseline's time, with a 95 % interval */
void front_heading(struct table *t);
void front_rows(struct table *t, const char *log, const struct archive *a);

/* Column list is long: broken over lines, or whole as CSV and JSON; t is freed. */
int front_print(struct table *t, struct table_form form);

/* The evaluations by outcome, one line */
void outcomes_print(const size_t counts[N_OUTCOMES], FILE *f);
