/* bench.h - times predictions, for both programs
   SPDX-License-Identifier: MIT */
#pragma once

#include "model/model.h"

struct bench;

/* Opens a model by its name or path, times it with bench_model, and closes it. 0, or -1 with a
   message. */
typedef int (*bench_opener)(struct bench *b, const char *model);

/* A line for each beam; bytes: what the model adds to a program. 0, or -1 with a message. */
int bench_model(struct bench *b, const kpred_model *run, const char *name, size_t bytes);

/* The command of both programs; open: NULL where there is only the default network. */
int bench_run(int argc, char **argv, bench_opener open);
