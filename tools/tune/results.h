/* results.h - the file of a tuning: a row for each tuple that was measured, only ever added to
   SPDX-License-Identifier: MIT

   It is a table of times that `train` and `ingest` read, behind a comment that names the kernel.
   Each row is one write, so that a kill cuts the last row at most; who opens the file again cuts
   that off. One process has it at a time. */
#pragma once

#include "runner.h"

#define RESULTS_TITLE "# kpred-train tune: " /* and the name of the kernel: the first line */

struct results;

struct result {
    const uint16_t *value; /* of each parameter its number */
    double time;           /* HUGE_VAL: it failed */
};

/* Opens the file or makes it, and reads it. `command` is told in a comment of a new one, or of one
   without rows; a file of another command is refused, unless `force` is set. 0, or -1 with a
   message. */
int results_open(struct results **r, const char *path, const struct spec *spec, const char *command,
                 int force);
/* `r` may be NULL. Of a run that failed nothing is left if it made the file and added no row. */
void results_close(struct results *r, int failed);

/* What the file had of a problem when it was opened, result by result, in its order: *at begins
   with 0. 1, or 0 at the end. */
int results_next(const struct results *r, const int32_t *problem, size_t *at, struct result *out);
size_t results_count(const struct results *r); /* of all problems */

/* 0, or -1 with a message: then the file is as it was. */
int results_append(struct results *r, const int32_t *problem, const uint16_t *value,
                   const struct answer *a);

/* A place in the file. Rows behind it can be taken back: how many they were. */
struct results_mark {
    off_t bytes;
    size_t rows; /* that were appended */
};
struct results_mark results_here(const struct results *r);
size_t results_take_back(struct results *r, struct results_mark to);

/* join.c: the files of several tuners become one, with rows in the order of the files. A row that
   stands there twice counts once; two that contradict each other are an error. `force`: see
   out_open_kept. `repeats`: they are no error, and both stay. 0, or -1 with messages: then there is
   no output. */
int join_files(const char *const *paths, size_t n, const char *to, int force, int repeats);
