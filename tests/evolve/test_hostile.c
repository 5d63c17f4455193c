/* test_hostile.c - thousands of hostile children, with good ones between them
   SPDX-License-Identifier: MIT

   SOAK=N: so many, in place of 800; with progress on standard error. */
#define _DEFAULT_SOURCE /* syscall, MAP_ANONYMOUS */
#include "kernels.h"

#include <sys/prctl.h>

enum { BATCH = 200, ENDLESS_OF = 400 }; /* one of so many is endless: each takes all its time */

static uint64_t seed = 1;
static size_t outcomes[N_OUTCOMES], n_done, n_odd;

static void keep(void *user, size_t i, const struct result *r)
{
    const struct edit *edits = user;
    const uint32_t kernel = edits[i].what;
    /* On a busy machine a good one may take longer than its time. */
    const unsigned may_be = kernels[kernel].may_be | TIMED_OUT;
    const int has_times = r->outcome != OUTCOME_VALID
                          || (r->error <= 0 && r->n_cases == 2 && r->time > 0 && r->time < 1e6
                              && r->ratio[0] > 0 && r->ratio[1] > 0 && r->spread >= 0);
    outcomes[r->outcome]++;
    n_done++;
    if ((may_be >> r->outcome & 1) && has_times)
        return;
    n_odd++;
    printf("  %s is %s, %g\n", kernels[kernel].name, outcome_names[r->outcome], r->time);
}

static uint32_t choose(size_t i)
{
    if (i % ENDLESS_OF == 17)
        return N_KERNELS - 1;
    return i % 8 == 0 ? 0 : (uint32_t)(test_random64(&seed) % (N_KERNELS - 1));
}

static void batch(struct trial *t, size_t first, size_t n)
{
    static struct edit edits[BATCH];
    static struct edits lists[BATCH];
    for (size_t i = 0; i < n; i++)
        lists[i] = kernels_list(&edits[i], choose(first + i));
    trial_evaluate(t, lists, n, EFFORT_SEARCH, keep, edits);
}

static size_t wanted(void)
{
    const char *soak = getenv("SOAK");
    int64_t n = 800;
    if (soak != NULL && parse_int(soak, 1, 100000000, &n) != 0)
        n = 800;
    return (size_t)n;
}

static void all_of_them(void)
{
    const size_t n = wanted();
    const struct trial_plan plan = kernels_plan(2, 0.75);
    const struct trial_code code = code_by(kernels_compile, k_right);
    struct trial *t = NULL;
    struct host *h = host_of(USUAL HARNESS(""));
    REQUIRE(h != NULL && trial_open(&t, h, &code, &plan) == 0);
    for (size_t i = 0; i < n; i += BATCH) {
        batch(t, i, n - i < BATCH ? n - i : BATCH);
        if (getenv("SOAK") != NULL && (i / BATCH) % 25 == 24)
            note("%zu of %zu children, %zu wrong records", n_done, n, n_odd);
    }
    trial_close(t);
    host_close(h);
    CHECK_EQ(n_done, n);
    CHECK_EQ(n_odd, 0);
    CHECK(outcomes[OUTCOME_VALID] >= n / 16);
    CHECK(outcomes[OUTCOME_CRASHED] >= n / 4);
}

/* Whatever the children began would be this process's child by now. One whose parent was killed may
   still be dying. */
static void none_left(void)
{
    int gone = no_children();
    for (int i = 0; i < 2000 && !gone; i++, gone = no_children())
        nap();
    CHECK(gone);
}

int main(void)
{
    program_begin();
    prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
    RUN(all_of_them);
    RUN(none_left);
    for (int i = 0; i < N_OUTCOMES; i++)
        printf("%s: %zu\n", outcome_names[i], outcomes[i]);
    return program_end();
}
