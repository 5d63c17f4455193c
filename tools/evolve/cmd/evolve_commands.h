/* evolve_commands.h - the commands of kpred-evolve, and what those that search share
   SPDX-License-Identifier: MIT */
#pragma once

#include "evolve/search.h"

#include "base/opts.h"
#include "base/table.h"

/* ---- the commands ---- */

/* Each takes its own name as argv[0] and returns the status to exit with: 0, 1 for trouble with
   what it was given, 2 for a wrong command line. */

int cmd_check_kernel(int argc, char **argv);
int cmd_search(int argc, char **argv);
int cmd_report(int argc, char **argv);
int cmd_minimise(int argc, char **argv);
int cmd_export(int argc, char **argv);
int cmd_emit(int argc, char **argv);
int cmd_network(int argc, char **argv);
int cmd_ml(int argc, char **argv);
int cmd_ml_report(int argc, char **argv);
int cmd_ml_export(int argc, char **argv);

/* ---- options of a search, and the search itself ---- */

enum { SEARCH_OPTIONS = 10 };

struct search_options {
    struct search_plan plan;
    const char *log;
    int resume, method;
    long crossover, mutation, seconds;
};

/* Their lines of a table for opts_parse, with the defaults put into *o; the end comes behind. */
void search_options(struct opt table[SEARCH_OPTIONS], struct search_options *o);
extern const char search_options_help[]; /* what --help says of them */
/* Fills the plan in; -1 after a message */
int search_options_plan(struct search_options *o, long seed, double most_error);

/* -1 after a message if there is a log that is not to be resumed: now, and not after long work */
int search_check_log(const struct search_options *o);
/* Searches, with progress on a terminal, until the budget is spent or a signal comes; then prints
   the front. */
int search_into(const struct search_options *o, const struct task *task, struct archive *a);

/* ---- fronts, and how a search went, for people to read ---- */

/* Columns log,method,seed,evaluations,point,time,gain,low,high,error,edits,effort,list: the gain in
   percent of the baseline's time, with a 95 % interval */
void front_heading(struct table *t);
void front_rows(struct table *t, const char *log, const struct archive *a);

/* Column list is long: broken over lines, or whole as CSV and JSON; t is freed. */
int front_print(struct table *t, struct table_form form);

/* The evaluations by outcome, one line */
void outcomes_print(const size_t counts[N_OUTCOMES], FILE *f);
