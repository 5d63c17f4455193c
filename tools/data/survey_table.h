/* survey_table.h - plain tables, of all that was timed or of the best tuples, for a survey
   SPDX-License-Identifier: MIT

   Fields are the columns that --fields names, and `gpu`. time_us or time_ms is the time. Columns of
   numbers whose names say that they are measurements are passed over. The others are parameters. */
#pragma once

#include "survey.h"

/* Adds a table, unpacked, to the survey. 0, or -1 with a message. */
int survey_table(struct survey *s, const struct survey_asked *asked, const char *path,
                 struct buf *text);
