/* run.h - from AITER's log to tuned tables of predicted kernels
   SPDX-License-Identifier: MIT */
#pragma once

#include "base/opts.h"
#include "write.h"

struct aiter_options {
    const char *gpu, *family, *compiled, *output;
    struct opt_texts inputs, installed;
    long top, beam; /* top 0: one row a shape, for AITER */
    int is_exact, force, schema;
};

/* The status to exit with */
int aiter_run(const struct aiter_options *o);
