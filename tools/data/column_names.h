/* column_names.h - what the names of a table's columns tell
   SPDX-License-Identifier: MIT */
#pragma once

#include "base/csv_records.h"
#include "model/spec.h"

/* Does the name say that the column holds times or speeds? Of "total flops" it is not known: that
   may be work. */
int column_is_measurement(const char *name);

/* Does the name look like that of a tuning parameter? It is a guess, for an advice. */
int column_is_tuning(const char *name);

/* Is the column called time_us or time_ms? */
int column_is_time(const char *name);

/* Which column of the header, the record at hand, is that of the times; -1: none. *us is the
   microseconds of one there. -2 with a message: there are two. */
int column_find_time(const struct csv_records *header, double *us);

/* There is none, in a table for the spec: -1, with a message which of its columns may be the times,
   or what else the table may be. */
int column_no_time(const struct csv_records *header, const struct spec *spec);
