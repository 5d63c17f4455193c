/* test_oracle.c - errors of elements, and what is believed of times and reports
   SPDX-License-Identifier: MIT */
#include "harness/test.h"

#include "evolve/attempt.h"

#include "base/util.h"

#include <stdlib.h>

static double element_error(enum oracle_kind kind, double floor, double want, double got)
{
    const struct oracle o = {kind, 1, floor};
    const double before[2] = {77, 78};
    const unsigned char *w = (const unsigned char *)&want;
    const unsigned char *b[2] = {(const unsigned char *)&before[0],
                                 (const unsigned char *)&before[1]};
    const struct oracle_region r = {EV_F64, EV_OUT,       1, (const unsigned char *)&got,
                                    {w, w}, {b[0], b[1]}, 0};
    return oracle_error(&o, &r);
}

static void errors_of_elements(void)
{
    const double inf = HUGE_VAL, nan = (double)NAN;
    CHECK(element_error(ORACLE_EXACT, 0, 1, 1) <= 0);
    CHECK(element_error(ORACLE_EXACT, 0, nan, -nan) <= 0);
    CHECK(element_error(ORACLE_EXACT, 0, 0.0, -0.0) >= inf);
    CHECK(element_error(ORACLE_EXACT, 0, 1, nan) >= inf);
    CHECK(element_error(ORACLE_RELATIVE, 0, -4, -5) == 0.25);
    CHECK(element_error(ORACLE_RELATIVE, 10, -4, -5) == 0.1);
    CHECK(element_error(ORACLE_RELATIVE, 0, 0, 1) >= inf);
    CHECK(element_error(ORACLE_RELATIVE, 0, inf, inf) <= 0);
    CHECK(element_error(ORACLE_RELATIVE, 0, inf, -inf) >= inf);
    CHECK(element_error(ORACLE_RELATIVE, 0, 1, inf) >= inf);
    CHECK(element_error(ORACLE_RELATIVE, 0, inf, 1) >= inf);
    CHECK(element_error(ORACLE_RELATIVE, 0, nan, 1) >= inf);
    CHECK(element_error(ORACLE_RELATIVE, 0, 1, nan) >= inf);
    CHECK(element_error(ORACLE_RELATIVE, 1, 0.0, -0.0) > 0);
    CHECK(element_error(ORACLE_RELATIVE, 1, 0.0, -0.0) < 1e-300);
}

static void errors_of_integers(void)
{
    const struct oracle o = {ORACLE_RELATIVE, 1, 1};
    const int16_t want[3] = {-100, 7, 7}, got[3] = {-101, 7, 7}, touched[3] = {-100, 7, 8};
    const int16_t before[2][3] = {{1, 2, 7}, {3, 4, 7}};
    struct oracle_region r = {EV_I16,
                              EV_OUT,
                              3,
                              (const unsigned char *)got,
                              {(const unsigned char *)want, (const unsigned char *)want},
                              {(const unsigned char *)before[0], (const unsigned char *)before[1]},
                              0};
    CHECK(oracle_error(&o, &r) == 0.01);
    CHECK_EQ(oracle_depends(&r), SIZE_MAX);
    r.got = (const unsigned char *)touched;
    CHECK(oracle_error(&o, &r) >= HUGE_VAL);
    r.role = EV_INOUT; /* where a value may be the one from before by chance */
    CHECK(oracle_error(&o, &r) < 1);
    r.want[1] = (const unsigned char *)touched;
    CHECK_EQ(oracle_depends(&r), 2);
    CHECK_EQ(oracle_differs(EV_I16, 3, want, got), 0);
    CHECK_EQ(oracle_differs(EV_I16, 3, want, want), SIZE_MAX);
}

static void statistics(void)
{
    const uint64_t even[4][2] = {{10, 10}, {30, 10}, {20, 10}, {1000, 10}};
    const uint64_t odd[3][2] = {{5, 10}, {5, 10}, {6, 10}};
    double v[5] = {5, 1, 4, 2, 3}, one[1] = {7}, nine[9] = {9, 8, 7, 6, 5, 4, 3, 2, 1};
    CHECK(timing_quiet(v, 5) == 2 && v[0] == 1 && v[4] == 5);
    CHECK(timing_quiet(one, 1) == 7 && timing_quiet(nine, 9) == 3);
    CHECK(timing_of(even, 4).ratio == 2);
    CHECK(timing_of(even, 4).ns[0] == 20 && timing_of(even, 4).ns[1] == 10);
    CHECK(timing_of(even, 4).error > 0 && timing_of(even, 4).error < 2);
    CHECK(timing_of(odd, 3).ratio == 0.5);
    CHECK(timing_of(odd, 3).error <= 0);
}

/* Reports as a child could forge them */
static void forged_times(void)
{
    static struct report p;
    static struct trial t;
    double left = 1e-3;
    memset(&p, 0, sizeof p);
    t.report = &p;
    t.sample_ns[0] = 20000;
    t.task.pairs[0].most = 5;
    p.n_pairs[0] = 2;
    for (int k = 0; k < 4; k++)
        p.ns[0][k / 2][k % 2] = 20000;
    CHECK(judge_times_can_be(&t, 0, &left));
    CHECK(left > 0.9e-3 && left < 0.93e-3);
    p.ns[0][1][0] = 0;
    CHECK_OF(!judge_times_can_be(&t, 0, &left), "no time at all");
    p.ns[0][1][0] = 1000000;
    CHECK_OF(!judge_times_can_be(&t, 0, &left), "longer than it took");
    left = 1;
    CHECK(judge_times_can_be(&t, 0, &left));
    p.ns[0][1][0] = UINT64_MAX;
    CHECK_OF(!judge_times_can_be(&t, 0, &left), "very long");
    p.ns[0][1][0] = 20000;
    left = 1;
    p.n_pairs[0] = 6;
    CHECK_OF(!judge_times_can_be(&t, 0, &left), "more pairs than were asked for");
    p.n_pairs[0] = 0;
    CHECK_OF(!judge_times_can_be(&t, 0, &left), "no pairs");
    p.n_pairs[0] = 2;
    p.ns[0][0][1] = p.ns[0][1][1] = 100;
    CHECK_OF(!judge_times_can_be(&t, 0, &left), "a baseline that did nothing");
}

static void forged_report(void)
{
    static struct report mine;
    struct trial t = {0};
    const size_t bytes = sizeof mine;
    REQUIRE(guarded_make(&t.block, &bytes, 1, GUARDED_BEHIND) == 0);
    t.report = xmalloc(sizeof *t.report);
    t.task.number = 99;
    mine.word = CHILD_DONE;
    mine.sum = report_sum(&mine, 99);
    memcpy(t.block.area[0].at, &mine, sizeof mine);
    CHECK(judge_take_report(&t));
    CHECK(judge_result(&t, SANDBOX_CRASHED).outcome == OUTCOME_CRASHED);
    t.block.area[0].at[bytes - 1] ^= 1;
    CHECK_OF(!judge_take_report(&t), "a changed bit");
    CHECK_EQ(judge_result(&t, SANDBOX_DONE).outcome, OUTCOME_GARBLED);
    t.block.area[0].at[bytes - 1] ^= 1;
    t.task.number = 98;
    CHECK_OF(!judge_take_report(&t), "the report of another job");
    t.block.area[0].pages[0] ^= 1;
    CHECK_EQ(judge_result(&t, SANDBOX_DONE).outcome, OUTCOME_WRONG);
    CHECK(guarded_margins_hold(&t.block));
    free(t.report);
    guarded_free(&t.block);
}

int main(void)
{
    RUN_ALL(errors_of_elements, errors_of_integers, statistics, forged_times, forged_report);
    return test_end();
}
