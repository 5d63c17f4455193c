/* udb.h - MIOpen's user perf-db: a line KEY=SOLVER:PARAMETERS;SOLVER:PARAMETERS for each problem
   SPDX-License-Identifier: MIT

   Lines of an existing file and new ones are collected, then written in the order of their keys,
   the lines of one key joined. What the file holds stays: an entry of a solver is replaced by a new
   one only on demand, and a line that cannot be read is kept as it is, behind the others. */
#ifndef KPRED_TOOLS_UDB_H
#define KPRED_TOOLS_UDB_H

#include "base/util.h"

struct udb_line {
    char *key, *entries; /* entries: what follows the `=`; NULL: a broken line, in `key` */
    size_t order;
    int is_new;
};

struct udb { /* all zero is the empty one */
    size_t n, cap, n_broken;
    struct udb_line *lines;
};

struct udb_counts {
    size_t added, replaced, kept; /* new entries; kept: the file had one of that solver */
};

/* The lines of a file, which need not be there unless it must exist; broken ones are told. -1 with
   a message if the file cannot be read or is no perf-db. */
int udb_read(struct udb *u, const char *path, int must_exist);
/* A new line; the texts are copied. */
void udb_add(struct udb *u, const char *key, const char *entries);
/* Sorts, joins and writes; write errors are left to ferror(f). */
void udb_write(struct udb *u, int force, FILE *f, struct udb_counts *counts);
void udb_free(struct udb *u);

/* The lengths of the next entry's solver and parameters. Returns where the parameters begin, NULL
   if there is no entry left; *at moves behind the entry. pre: the entries are no broken ones */
const char *udb_next_entry(const char **at, size_t *n_solver, size_t *n_params);
/* The first entry of the solver of exactly that name: where its parameters begin, and their length;
   NULL if there is none. pre: as above */
const char *udb_find_entry(const char *entries, const char *solver, size_t n_solver,
                           size_t *n_params);

/* The same for a SQLite perf-db, made if it is not there: one transaction. -1 with a message, the
   file then being as it was. Only in kpred-train. */
int udb_write_sqlite(const struct udb *u, const char *path, int force, struct udb_counts *counts);

#endif
