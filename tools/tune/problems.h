/* problems.h - the problems to tune for, from a CSV file
   SPDX-License-Identifier: MIT */
#pragma once

#include "model/spec.h"

struct problems {
    size_t n, n_fields;
    int32_t *v;    /* n x n_fields, in the spec's order; no two are the same */
    long *line;    /* n: where each stands first */
    double *count; /* n: how often each runs; 1 where there is no such column */
};

/* Reads a column for each field of the spec, in any order, and if `counts` a column "count" that is
   no field: of lines that are one problem it is summed up. 0, or -1 with a message. */
int problems_read(const char *path, const struct spec *spec, int counts, struct problems *out);
void problems_free(struct problems *p);
