/* untuned.h - the lists of shapes that AITER's tuners read
   SPDX-License-Identifier: MIT

   A header line, M,N,K or with more columns, and a line a shape; blanks around a cell do not count.
   What columns there are tells some families; of the others the file's name does. */
#pragma once

#include "families.h"

#include <stddef.h>
#include <stdint.h>

enum { UNTUNED_COLUMNS = 32 };

struct untuned {
    const char *path;
    int n;                 /* columns */
    int m, n_at, k, b;     /* which they are; -1: there is none */
    int is_fused;          /* fused MoE, which has no M, N and K */
    enum family_id family; /* FAMILY_NONE: the columns do not tell */
};

struct untuned_row {
    char *cell[UNTUNED_COLUMNS]; /* in the line */
    int n;
};

/* Is the first line of a file the header of such a list? 1 if it is, 0 if it is that of something
   else, -1 with a message if it is one with wrong columns. Changes the line. */
int untuned_header(struct untuned *u, const char *path, size_t number, char *line);

/* The cells of another line; 1, 0 if it is empty, -1 with a message. Changes the line. */
int untuned_row(const struct untuned *u, size_t number, char *line, struct untuned_row *row);
