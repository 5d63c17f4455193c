/* test_loss.c - the intervals of examples/gemm_gpu/loss.c, where the truth is known
   SPDX-License-Identifier: MIT */
#define KPRED_HIP_API_HEADER "hip/hip_standin.h"
int loss_main(int argc, char **argv);
#define main loss_main
#include "examples/gemm_gpu/loss.c"
#undef main

#include "harness/test.h"

void old_race(const kpred_hip_plan *plan, const kpred_tuple *candidates, size_t n,
              kpred_hip_result *result)
{
    new_race(plan, candidates, n, result);
}

/* A header beside itself: a race in three loses, on few shapes by far more than on the others. The
   other header loses `more` on top. */
static void lose(uint64_t *random, double more)
{
    n_problems = 30;
    for (int is_new = 0; is_new < 2; is_new++)
        for (int i = 0; i < n_problems; i++)
            for (int r = 0; r < REPEATS; r++)
                cells[0][0][is_new].loss[i][r] = (test_random64(random) % 3 ? 0
                                                  : i < 2                   ? 0.5
                                                                            : 0.005)
                                                 + (is_new ? 0 : more);
}

static int without_zero(double more)
{
    int n = 0;
    for (uint64_t experiment = 0; experiment < 100; experiment++) {
        uint64_t random = experiment;
        lose(&random, more);
        const struct interval saved = interval_of(&cells[0][0][1], &cells[0][0][0]);
        CHECK(saved.low <= saved.mean && saved.mean <= saved.high);
        n += saved.low > 0 || saved.high < 0;
    }
    return n;
}

/* Where nothing differs, at most one interval in twenty may say that something does. */
static void a_header_beside_itself(void)
{
    const int n = without_zero(0);
    CHECK_OF(n <= 5, "intervals without 0");
    printf("%d of 100 intervals are without 0\n", n);
}

static void a_header_that_loses_more(void)
{
    CHECK(without_zero(0.1) >= 95);
}

int main(void)
{
    RUN_ALL(a_header_beside_itself, a_header_that_loses_more);
    return test_end();
}
