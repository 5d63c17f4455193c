/* replay.c - see replay.h
   SPDX-License-Identifier: MIT */
#include "replay.h"

#include <math.h>

static void count(const struct full_table *t, double best, size_t n, struct replay_row *row)
{
    if (best <= 1.05 * t->best && n < row->evals_5)
        row->evals_5 = n;
    if (best <= 1.01 * t->best && n < row->evals_1)
        row->evals_1 = n;
}

void replay_run(const struct full_table *t, const struct space *space, double *const *warm,
                size_t n_warm, uint64_t seed, size_t budget, struct replay_row *row)
{
    struct strategy *s = strategy_new(space, seed);
    double best = HUGE_VAL;
    *row = (struct replay_row){budget, budget, 0};
    for (size_t i = 0; i < n_warm; i++)
        strategy_warm(s, warm[i]);
    for (size_t n = 1; n <= budget && best > t->best; n++) {
        const size_t tuple = strategy_next(s);
        if (tuple == SIZE_MAX)
            break;
        strategy_tell(s, tuple, t->time[tuple]);
        best = t->time[tuple] < best ? t->time[tuple] : best;
        count(t, best, n, row);
    }
    row->share = best < HUGE_VAL ? t->best / best : 0;
    strategy_free(s);
}
