/* fields.h - a problem as users write it: FIELD=VALUE, or a line of MIOpenDriver
   SPDX-License-Identifier: MIT */
#pragma once

#include "base/opts.h"
#include "model/reasons.h"

struct given {
    struct opt_texts fields; /* FIELD=VALUE */
    const char *gpu;         /* in place of gpu=GPU; or NULL */
    const char *driver;      /* all but gpu and, if it names several, dir; or NULL */
    int nearest;             /* for the GPU */
};

/* The problem in the model's order. What is not given of a convolution is as MIOpenDriver has it,
   with a note on standard error, but for its direction, type and sizes. 0, or -1 with a message, or
   1 if the model has no field or value for the line, with *why. */
int given_problem(const struct given *g, const struct model *model, int32_t *problem,
                  struct reason *why);
