/* bench_any.c - `kpred-train bench`: that of kpred, for the paper's networks as well
   SPDX-License-Identifier: MIT */
#include "bench.h"
#include "commands.h"
#include "eval/predictor.h"

/* A network of the paper stands beside that of the same kernel: it is told apart by its kind. */
static int open_and_time(struct bench *b, const char *name)
{
    struct predictor any;
    struct buf label = {NULL, 0, 0};
    int bad;
    if (predictor_open(name, &any))
        return -1;
    buf_printf(&label, any.is_paper ? "%s %s" : "%s", any.model.m.name, any.net);
    bad = bench_model(b, &any.run, label.s, predictor_bytes(&any));
    buf_free(&label);
    predictor_close(&any);
    return bad;
}

int cmd_bench_any(int argc, char **argv)
{
    return bench_run(argc, argv, open_and_time);
}
