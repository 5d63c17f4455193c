/* test_loss.c - the intervals of examples/gemm_gpu/loss.c, where the truth is known
   SPDX-License-Identifier: MIT */
#include "harness/test.h" /* before a variable that would be shadowed */

#define KPRED_HIP_API_HEADER "hip/hip_standin.h"
int loss_main(int argc, char **argv);
#define main loss_main
#include "examples/gemm_gpu/loss.c"
#undef main

void old_race(const kpred_hip_plan *plan, const kpred_tuple *candidates, size_t n,
              kpred_hip_result *result)
{
    new_race(plan, candidates, n, result);
}

/* How many of 100 intervals are without 0. A race in three loses, on two shapes by far more than on
   the others; the other header loses `more` on top. */
static int without_zero(double more)
{
    int n = 0;
    n_problems = 30;
    for (uint64_t experiment = 0; experiment < 100; experiment++) {
        uint64_t random = experiment;
        for (int i = 0; i < 2 * n_problems * REPEATS; i++) {
            const int problem = i / 2 / REPEATS, loses = test_random64(&random) % 3 == 0;
            cells[0][0][i % 2].loss[problem][i / 2 % REPEATS] =
                loses * (problem < 2 ? 0.5 : 0.005) + (i % 2 ? 0 : more);
        }
        const struct interval saved = interval_of(&cells[0][0][1], &cells[0][0][0]);
        CHECK(saved.low <= saved.mean && saved.mean <= saved.high);
        n += saved.low > 0 || saved.high < 0;
    }
    return n;
}

/* Where nothing differs, one interval in twenty may say that something does. */
static void intervals(void)
{
    CHECK(without_zero(0) <= 5);
    CHECK(without_zero(0.1) >= 95);
}

int main(void)
{
    RUN(intervals);
    return test_end();
}
