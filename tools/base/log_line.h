/* log_line.h - the lines of logs, one at a time, however long the log is
   SPDX-License-Identifier: MIT

   A carriage return ends a line too, since progress bars are rewritten with it and other messages
   follow; lines are counted as editors do. A NUL byte is as good as a blank. */
#pragma once

#include "util.h"

enum { LOG_LINE_MOST = (1 << 20) - 1 }; /* bytes of a line; what is longer is cut there */

struct log_line {
    char *text;
    size_t number;
    int is_cut;
    int at_end; /* the last one ended with LF, or the file begins */
};

/* Steps over a byte order mark. log_line_end afterwards. */
void log_line_begin(struct log_line *l, FILE *f);
/* 1: a line was read, 0: there is none */
int log_line_read(struct log_line *l, FILE *f);
void log_line_end(struct log_line *l);
/* What messages call the inputs of a command; none is standard input. */
const char *log_line_called(const char *const *paths, size_t n);
