/* kpred_train.c - the program for those who make models
   SPDX-License-Identifier: MIT */
#include "bench.h"
#include "commands.h"

#include "eval/predictor.h"
#include "miopen/user_db.h"

#include <stddef.h>

/* The two commands that differ, so that kpred needs no SQLite and no networks of the paper. */
static int cmd_miopen_sqlite(int argc, char **argv)
{
    return miopen_run(argc, argv, user_db_write_sqlite);
}

/* A network of the paper stands beside that of the same kernel: it is told apart by its kind. */
static int open_and_time(struct bench *b, const char *name)
{
    struct predictor any;
    struct buf label = {NULL, 0, 0};
    if (predictor_open(name, &any))
        return -1;
    buf_printf(&label, any.is_paper ? "%s %s" : "%s", any.model.m.name, any.net);
    int bad = bench_model(b, &any.run, label.s, predictor_bytes(&any));
    buf_free(&label);
    predictor_close(&any);
    return bad;
}

static int cmd_bench_all(int argc, char **argv)
{
    return bench_run(argc, argv, open_and_time);
}

int main(int argc, char **argv)
{
    static const struct command table[] = {
        {"init", "files of a tuner to a spec for a kernel of one's own", cmd_init},
        {"ingest", "tuning results of any format to CSV", cmd_ingest},
        {"train", "tuning results to a generated header", cmd_train},
        {"eval", "how good a model's predictions are", cmd_eval},
        {"tune", "a command that times a tuple to a table of times", cmd_tune},
        {"merge", "the tables of several tuners to one", cmd_merge},
        {"relayout", "a header in the format of today", cmd_relayout},
        {"kernels", "the kernels that AITER has now, into a spec", cmd_kernels},
        {"miopen", "MIOpen's log to a user perf-db, SQLite's too", cmd_miopen_sqlite},
        {"aiter", "a language model's config to AITER's list of shapes", cmd_aiter_model},
        {"bench", "time and size of a prediction, by any kind of network", cmd_bench_all},
        {NULL, NULL, NULL},
    };
    return commands_run("kpred-train", table, argc, argv);
}
