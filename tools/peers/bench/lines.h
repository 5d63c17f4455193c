/* lines.h - the lines of the table: which peers there are, by which bodies, for which k
   SPDX-License-Identifier: MIT */
#pragma once

#include "measure.h"

enum { MAX_LINES = 64, LINE_NAME = 32 };

struct lines {
    size_t n;
    struct line v[MAX_LINES];
    char name[MAX_LINES][LINE_NAME];
};

/* Those whose name is among `only`, separated by commas, a peer's own or a line's; NULL: all. If
   the task has a k, those with this k alone. 0, or -1 with a message if there are none. */
int lines_make(struct lines *lines, const struct peer_task *task, const char *only);
