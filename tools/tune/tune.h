/* tune.h - the command `tune`: measures the tuples of a kernel that promise most
   SPDX-License-Identifier: MIT */
#pragma once

#include "base/opts.h"
#include "data/formats.h"

struct tune_options {
    const char *spec, *problems, *run, *server, *output, *budget, *stop_at, *timeout, *shard,
        *model;
    struct opt_texts data;
    long repeat, seed;
    const struct data_format *readers; /* of the data */
};

/* The status to exit with: 0, 1 after a message, 2 for a wrong command line. */
int tune_run(const struct tune_options *o);
