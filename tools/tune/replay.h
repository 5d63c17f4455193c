/* replay.h - how many measurements the strategy would have needed on a table of all of them
   SPDX-License-Identifier: MIT */
#pragma once

#include "base/opts.h"
#include "base/table.h"
#include "data/formats.h"

struct replay_asked {
    const char *spec, *table, *gpu; /* spec, gpu and model may be NULL */
    const char *model;
    struct opt_texts data; /* tables that are known beforehand */
    const char *stop_at;   /* a percentage, as budget.h reads it; NULL: none */
    long seeds, budget;
    struct table_form form;
};

/* A row for each seed, on standard output. The status to exit with: 0, 1 after a message, 2 for a
   wrong command line. */
int replay_print(const struct replay_asked *o);

struct replay_all_asked {
    struct opt_texts specs, tables; /* of one spec all tables, else one for each */
    const char *stop_at;
    long seeds, budget;
    struct table_form form;
    const struct data_format *readers;
};

/* What is left to gain in all problems of the tables, with the time spent evenly and by together.h:
   a row for each of some budgets. Returns as replay_print does. */
int replay_all_print(const struct replay_all_asked *o);
