/* process.h - runs a program and takes what it writes; temporary folders
   SPDX-License-Identifier: MIT */
#pragma once

#include "base/util.h"

struct process_words { /* what a program is called with; all zero is empty */
    char **v;
    size_t n, cap;
};

void process_add(struct process_words *words, const char *word);
void process_free(struct process_words *words);
/* A new folder in TMPDIR, to be removed and its path freed; NULL after a message */
char *process_folder(void);

/* Runs the program that the first word names; its standard input is the open file `input`, or
   nothing if that is NULL, and its standard output is appended to `out`. Its exit status; or -1
   after a message if it could not be started, or died of a signal. Signals that the caller holds
   back reach it. */
int process_run(struct process_words *words, FILE *input, struct buf *out);
