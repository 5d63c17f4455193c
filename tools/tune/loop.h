/* loop.h - measures tuple after tuple of each problem
   SPDX-License-Identifier: MIT */
#pragma once

#include "budget.h"
#include "known.h"
#include "problems.h"
#include "progress.h"
#include "results.h"
#include "runner.h"

struct loop {
    const struct spec *spec;
    const struct model *model; /* the rule of the spec */
    const struct problems *problems;
    size_t shard, n_shards; /* every n_shards-th problem, from number `shard` on */
    struct budget budget;
    double stop_at; /* the share that a problem has to have to gain, to go on; 0: none */
    size_t repeat;
    uint64_t seed;
    struct known *known;
    struct results *results;
    struct runner runner;
    struct progress *progress;
    double deadline; /* HUGE_VAL: none */
};

/* 0, or -1 if it came to no good end: there was a message, or child_die_of_signal ends it. */
int loop_run(struct loop *l);
/* The problems of one or several kernels together: together.h says which one is next. The budget
   and all else but the kernel are those of the first one. */
int loop_run_all(struct loop *const *l, size_t n);
