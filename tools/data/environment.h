/* environment.h - what times depend on beside kernel, problem and tuple: device, driver, library
   SPDX-License-Identifier: MIT

   A table may say it in the comments that it begins with, `# device: ...` and so on, as programs do
   that raced (examples/race_rows.h). Times of two environments do not compare. A table with a
   column gpu has it there instead. */
#pragma once

enum { ENVIRONMENT_LINES = 3 };

struct environment {
    char *line[ENVIRONMENT_LINES]; /* of the first table that has such a line; NULL: none yet */
    char *path[ENVIRONMENT_LINES]; /* that table */
};

/* Is this text of another environment than the tables before? Then it is told, and is to be left
   out; else its lines count from now on. */
int environment_is_other(struct environment *e, const char *path, const char *text);
/* Is the line of a table such a comment? */
int environment_names(const char *line);
void environment_free(struct environment *e);
