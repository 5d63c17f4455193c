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
    int all;                           /* it is one of several kernels */
    const struct data_format *readers; /* of the data */
};

/* The status to exit with: 0, 1 after a message, 2 for a wrong command line. */
int tune_run(const struct tune_options *o);

/* What --all is given: one of each for each spec, in their order; or one command for all. */
struct tune_lists {
    struct opt_texts specs, problems, commands, outputs;
    int is_server; /* the commands are */
};

/* Several kernels with one budget; `o` has all else. Returns as tune_run does. */
int tune_all_run(const struct tune_options *o, const struct tune_lists *lists);
