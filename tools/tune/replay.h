/* replay.h - how many measurements the strategy would have needed on a table of all of them
   SPDX-License-Identifier: MIT */
#pragma once

#include "base/opts.h"
#include "base/table.h"

struct replay_asked {
    const char *spec, *table, *gpu; /* spec, gpu and model may be NULL */
    const char *model;
    struct opt_texts data; /* tables that are known beforehand */
    long seeds, budget;
    struct table_form form;
};

/* A row for each seed, on standard output. 0, or -1 after a message. */
int replay_print(const struct replay_asked *o);
