/* tune.h - the command `tune`: measures the tuples of a kernel that promise most, or replays that
   SPDX-License-Identifier: MIT */
#pragma once

#include "base/opts.h"
#include "base/table.h"
#include "data/formats.h"

struct tune_options {
    const char *spec, *problems, *run, *server, *output; /* not of tune_all_run */
    const char *budget, *stop_at, *timeout, *shard, *model;
    struct opt_texts data;
    long repeat, seed;
    int force;                         /* go on with what another command measured */
    const char *line;                  /* of the shell, which runs all this again */
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

/* ---- how many measurements the strategy would have needed on a table of all of them ---- */

struct replay_asked {
    const char *spec, *table, *gpu; /* spec, gpu and model may be NULL */
    const char *model;
    struct opt_texts data; /* tables that are known beforehand */
    const char *stop_at;   /* a percentage, as stop_at_read takes it; NULL: none */
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

/* What is left to gain in all problems of the tables, with the time spent evenly and as --all
   does: a row for each of some budgets. Returns as replay_print does. */
int replay_all_print(const struct replay_all_asked *o);

/* ---- which problems to time next (next.c) ---- */

struct next_asked {
    const char *spec;
    struct opt_texts data; /* what was timed */
    long n, seed;
    struct table_form form;
    const struct data_format *readers;
};

/* A row for each problem, on standard output. Returns as replay_print does. */
int next_print(const struct next_asked *o);

/* ---- a part of a page (base/page.h): what a table shows of a tuning (tuning_page.c) ---- */

/* notes: what was told when the data were read, a line each. 0, or -1 with a message. */
int tuning_page(struct buf *page, const struct model *model, const struct dataset *data,
                char *notes);
