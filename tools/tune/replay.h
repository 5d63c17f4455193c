/* replay.h - how many measurements the strategy would have needed on a table of all of them
   SPDX-License-Identifier: MIT */
#pragma once

#include "full_table.h"

struct replay_row {
    size_t evals_5, evals_1; /* measurements until within 5 and 1 percent of the table's best time,
                                failures included; a miss counts as the budget */
    double share;            /* of the best speed, at the budget */
};

/* `n_warm` times of all tuples are told beforehand. */
void replay_run(const struct full_table *t, const struct space *space, double *const *warm,
                size_t n_warm, uint64_t seed, size_t budget, struct replay_row *row);
