/* kpred_train.c - the program for those who make models
   SPDX-License-Identifier: MIT */
#include "commands.h"
#include "miopen.h"

#include <stddef.h>

/* The one command that differs, so that kpred needs no SQLite. */
static int cmd_miopen_sqlite(int argc, char **argv)
{
    return miopen_run(argc, argv, user_db_write_sqlite);
}

int main(int argc, char **argv)
{
    static const struct command table[] = {
        {"ingest", "tuning results of any format to CSV", cmd_ingest},
        {"train", "tuning results to a generated header", cmd_train},
        {"eval", "how good a model's predictions are", cmd_eval},
        {"miopen", "MIOpen's log to a user perf-db, SQLite's too", cmd_miopen_sqlite},
        {"bench", "time and size of a prediction, by any kind of network", cmd_bench_any},
        {NULL, NULL, NULL},
    };
    return commands_run("kpred-train", table, argc, argv);
}
