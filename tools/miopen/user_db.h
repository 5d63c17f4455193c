/* user_db.h - MIOpen's user perf-db: for each problem a line KEY=SOLVER:PARAMETERS;SOLVER:...
   SPDX-License-Identifier: MIT

   Lines of an existing file and new ones are collected, then written in the order of their keys,
   the lines of one key joined. What the file holds stays: an entry of a solver is replaced by a new
   one only on demand, and a line that cannot be read is kept as it is, behind the others. */
#pragma once

#include "base/util.h"

struct user_db_line {
    char *key, *entries; /* entries: what follows the `=`; NULL: a broken line, in `key` */
    size_t order;
    size_t number; /* of the file's line, or of SQLite the id in perf_db */
    int is_new;
};

struct user_db { /* all zero is the empty one */
    size_t n, cap, n_broken;
    struct user_db_line *lines;
    const char *path; /* of the file whose broken lines are told; NULL: none are */
    int is_sqlite;
};

struct user_db_counts {
    size_t added, replaced, kept; /* new entries; kept: the file had one of that solver */
    size_t before;                /* lines that the file had */
};

/* The lines of a file, which need not be there unless it must exist; broken ones are told. -1 with
   a message if the file cannot be read or is no perf-db. */
int user_db_read(struct user_db *u, const char *path, int must_exist);
/* A new line; the texts are copied. */
void user_db_add(struct user_db *u, const char *key, const char *entries);
/* Sorts, joins and writes; write errors are left to ferror(f). */
void user_db_write(struct user_db *u, int force, FILE *f, struct user_db_counts *counts);
/* Writes new lines and those that the file holds at this moment: who else merges into it waits, and
   what any program wrote before is kept. Broken lines are kept without a word. 0, or -1 with a
   message, the file then being as it was. */
int user_db_merge(const struct user_db *lines, const char *path, int force,
                  struct user_db_counts *counts);
void user_db_free(struct user_db *u);

/* The lengths of the next entry's solver and parameters. Returns where the parameters begin, NULL
   if there is no entry left; *at moves behind the entry. pre: the entries are no broken ones */
const char *user_db_next_entry(const char **at, size_t *n_solver, size_t *n_params);
/* The first entry of the solver of exactly that name: where its parameters begin, and their length;
   NULL if there is none. pre: as above */
const char *user_db_find_entry(const char *entries, const char *solver, size_t n_solver,
                               size_t *n_params);

/* The same for a SQLite perf-db, made if it is not there: one transaction. `all`, which is to be
   freed, takes what the file holds then: a line a row. -1 with a message, the file then being as it
   was. Only in kpred-train. */
int user_db_write_sqlite(const struct user_db *u, const char *path, int force,
                         struct user_db_counts *counts, struct user_db *all);
