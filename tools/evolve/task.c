/* task.c - the names of what may become of a candidate
   SPDX-License-Identifier: MIT

   task.h declares them. */
#include "task.h"

const char *const outcome_names[N_OUTCOMES] = {
    "valid", "inapplicable", "rejected", "uncompiled", "crashed", "timed-out", "wrong", "garbled",
};
