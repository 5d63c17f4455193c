/* t1.h - T1 inputs: what a tuner is told of a kernel, its parameters and their conditions
   SPDX-License-Identifier: MIT */
#pragma once

#include "tuner.h"

#include "base/intern.h"

struct t1_condition {
    char *text;
    long line, column; /* in the file */
};

struct t1 {
    char *path, *kernel; /* "": it does not say */
    size_t n_sizes;
    int64_t size[TUNER_MAX_SIZES];
    struct interned params;
    struct interned *values; /* of each parameter */
    size_t n_conditions;
    struct t1_condition *conditions;
};

/* Is the text one? It tells by the member ConfigurationSpace. */
int t1_is(struct buf *text);
/* 0, or -1 with a message; to be freed in any case. */
int t1_read(struct t1 *t, const char *path, struct buf *text);
void t1_free(struct t1 *t);
