/* result_text.h - an evaluation as a line of a log
   SPDX-License-Identifier: MIT

   `valid search 0.9312 0.0021 0 2 0.93 0.94 | move 12 30 0 9f31c2aa`: outcome, effort, time,
   spread, error, the number of cases, their ratios, and the list. Reading brings the same bits
   back. */
#pragma once

#include "task.h"

void result_print(const struct edits *list, enum effort effort, const struct result *result,
                  struct edit_names names, struct buf *out);
/* Of a whole line, which it changes, into an empty list: 0, or -1 without a message. */
int result_parse(char *line, struct edit_names names, struct edits *list, enum effort *effort,
                 struct result *result);
