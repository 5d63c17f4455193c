/* t1_values.h - the values of a tuning parameter in a T1 input, which a Python expression gives
   SPDX-License-Identifier: MIT

       [1, 2, 4]  ['fast', "slow"]  [True, False]  [0.5, 1.0]      a list
       [2**i for i in range(0, 6)]  [32 * i for i in [1, 2, 3]]    one for each of range() or a list
       list(range(32, 1025, 32))  tuple(...)  (1, 2)  range(4)
       [1] + [2 * i for i in range(1, 11)]                         one after the other

   Numbers are computed by + - * // % ** of integers, with Python's meaning. */
#pragma once

#include "base/intern.h"

enum { T1_MAX_VALUES = 1024 }; /* of one list */

/* Where an expression stands, for messages */
struct t1_place {
    const char *path, *param;
    long line, column; /* of its first character */
};

/* Adds the values, each once, as a spec writes them: true and false as 1 and 0. 0, or -1 with a
   message that names the parameter and the column. */
int t1_values(const char *expression, const struct t1_place *place, struct interned *out);
