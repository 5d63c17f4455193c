/* table.h - reads tables of problems, and of times as `kpred-train tune` writes them
   SPDX-License-Identifier: MIT */
#pragma once

#include "gemm.h"

struct row {
    struct problem p;
    struct tuple t; /* 0 in a table of problems alone, */
    double us;      /* and so is this */
};

struct table {
    struct row *row;
    size_t n;
};

/* The columns have to be those of tune, in its order, or the first three of them. Rows of failures
   are passed over. 0, or -1 after a message; table_free does no harm then. */
int table_read(struct table *out, const char *path);
void table_free(struct table *table);

int same_problem(struct problem p, struct problem q);
int same_tuple(const struct tuple *t, const struct tuple *u);
