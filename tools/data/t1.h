/* t1.h - T1 inputs: what a tuner is told of a kernel, its parameters and their conditions
   SPDX-License-Identifier: MIT */
#pragma once

#include "tuner.h"

#include "base/intern.h"

/* ---- inputs ---- */

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

/* ---- the values of a parameter, which a Python expression gives ---- */

/*     [1, 2, 4]  ['fast', "slow"]  [True, False]  [0.5, 1.0]      a list
       [2**i for i in range(0, 6)]  [32 * i for i in [1, 2, 3]]    one for each of range() or a list
       list(range(32, 1025, 32))  tuple(...)  (1, 2)  range(4)
       [1] + [2 * i for i in range(1, 11)]                         one after the other

   Numbers are computed by + - * // % ** of integers, with Python's meaning. */

/* Where an expression stands, for messages */
struct t1_place {
    const char *path, *param;
    long line, column; /* of its first character */
};

/* Adds the values, each once, as a spec writes them: true and false as 1 and 0. 0, or -1 with a
   message that names the parameter and the column. */
int t1_values(const char *expression, const struct t1_place *place, struct interned *out);
