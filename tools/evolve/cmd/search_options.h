/* search_options.h - what the commands that search share: options of the search, and the search
   itself, into a log
   SPDX-License-Identifier: MIT */
#pragma once

#include "evolve/search.h"

#include "base/opts.h"

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

/* Is nothing there that could be a log? */
int search_is_new(const char *path);
/* -1 after a message if there is a log that is not to be resumed: now, and not after long work */
int search_check_log(const struct search_options *o);
/* Searches, with progress on a terminal, until the budget is spent or a signal comes; then prints
   the front. */
int search_into(const struct search_options *o, const struct task *task, struct archive *a);
