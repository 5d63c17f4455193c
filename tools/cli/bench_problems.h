/* bench_problems.h - pseudo-random problems that a model can predict
   SPDX-License-Identifier: MIT */
#pragma once

#include "kpred.h"

enum { BENCH_PROBLEMS = 32 };

/* Fills problems[BENCH_PROBLEMS][n_fields] with ones that it can predict, the same each time; how
   many there were within the tries. `tuples` has room for one. */
size_t bench_problems(kpred_ctx *ctx, int32_t *problems, kpred_tuple *tuples);
