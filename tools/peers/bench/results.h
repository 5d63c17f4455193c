/* results.h - what was measured of each peer, as a table
   SPDX-License-Identifier: MIT */
#pragma once

#include "measure.h"

#include "base/table.h"

struct entry { /* a line of the table while it is measured */
    const struct line *line;
    struct loaded loaded;
    struct open_peer open;
    double *ns; /* of each round */
    size_t allocations, predictions, hits[2];
};

/* counts: text of lines "peer,k,instructions", or NULL. Sorts the nanoseconds. */
void results_print(struct entry *entry, size_t n, size_t rounds, const char *counts,
                   struct table_form form);
