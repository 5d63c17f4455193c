/* miopen.h - from MIOpen's log to a user perf-db of predicted parameters
   SPDX-License-Identifier: MIT */
#pragma once

#include "miopen/user_db.h"

/* Writes new lines into a SQLite perf-db; see user_db_write_sqlite. */
typedef int (*miopen_sqlite)(const struct user_db *, const char *path, int force,
                             struct user_db_counts *, struct user_db *);

/* The command of both programs; sqlite: NULL where there is no SQLite. */
int miopen_run(int argc, char **argv, miopen_sqlite sqlite);
