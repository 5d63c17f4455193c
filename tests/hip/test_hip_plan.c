/* test_hip_plan.c - kpred_hip.h on a simulated device: options, callbacks, arguments
   SPDX-License-Identifier: MIT */
#include "hip_scene.h"

/* ---- options ---- */

static void check_drop_factor(double plan_factor, double us)
{
    const double factor = plan_factor > 0 ? plan_factor : 1.15;
    scene_begin(12, us);
    for (size_t i = 0; i < scene.n; i++)
        scene.us[i] += i == 7 ? 0 : 0.039 * us * (double)i;
    scene.plan.drop_factor = plan_factor;
    scene_select();
    check_winner(0);
    for (size_t i = 0; i < scene.n; i++)
        CHECK_EQ(scene.launches[i] > 2, scene.us[i] <= us * factor);
}

static void drop_factor(void)
{
    static const double factors[] = {0, 1, 1.1, 1.15, 1.3, 5};
    for (size_t f = 0; f < COUNT(factors); f++) {
        check_drop_factor(factors[f], 100);
        check_drop_factor(factors[f], 0.5);
    }
}

static uint32_t rounds_to(double tolerance, double noise)
{
    scene_of_swings(2, noise, tolerance);
    CHECK_EQ(scene_select(), KPRED_HIP_OK);
    return scene.result.rounds;
}

static void tolerance(void)
{
    CHECK_EQ(rounds_to(0.5, 0.03), 2);
    CHECK_EQ(rounds_to(1e-9, 0.03), KPRED_HIP_SAMPLES - 1); /* and the probe */
    CHECK(rounds_to(0.03, 0.03) > 2);
    CHECK(rounds_to(0.03, 0.03) < rounds_to(0.02, 0.03));
    CHECK(rounds_to(0.02, 0.03) < KPRED_HIP_SAMPLES);
    CHECK_EQ(rounds_to(0, 0.005), rounds_to(0.005, 0.005));
}

static void clear_cases_end_early(void)
{
    scene_begin(3, 100);
    scene.us[2] = 90;
    scene_select();
    check_winner(2);
    CHECK_EQ(scene.result.rounds, 2);
    CHECK_EQ(scene.timings[2].samples, 3);
}

static void check_batch(double us, double least_us, uint32_t batch)
{
    scene_begin(3, us);
    scene.plan.least_us = least_us;
    scene_select();
    check_winner(0);
    CHECK_EQ(scene.result.batch, batch);
    CHECK_EQ(scene.result.launches, 6 + 3 * batch * scene.result.rounds);
    CHECK(scene_near(scene.timings[0].median_us, us));
    CHECK(scene_near(scene.timings[2].min_us, us));
    CHECK(scene.timings[1].samples >= 3);
}

static void short_launches_are_batched(void)
{
    check_batch(100, 0, 1);
    check_batch(20, 0, 1);
    check_batch(19.2, 0, 1);
    check_batch(18, 0, 2);
    check_batch(10, 0, 2);
    check_batch(2, 0, 10);
    check_batch(2, 100, 50);
    check_batch(2, 1, 1);
    check_batch(2, 511.9, 256);
    check_batch(2, 1e9, KPRED_HIP_MAX_BATCH);
    check_batch(0.01, 0, KPRED_HIP_MAX_BATCH);
}

/* A little faster with every launch at first */
static double settling_us(size_t i, int k)
{
    return scene.us[i] * (1 - 0.0001 * (k < 400 ? k : 400));
}

/* Below least_us by less than one in twenty is no reason to begin anew, with any batch. */
static void a_batch_that_is_nearly_long_enough_stays(void)
{
    scene_begin(3, 0.2);
    scene.script = settling_us;
    scene.plan.tolerance = 1e-9;
    scene_select();
    check_winner(0);
    CHECK_EQ(scene.result.batch, 100);
    CHECK_EQ(scene.result.rounds, KPRED_HIP_SAMPLES);
    CHECK_EQ(scene.timings[0].samples, KPRED_HIP_SAMPLES);
}

/* Entry saw it slow; from the first round on it is ten times as fast. */
static double warming_us(size_t i, int k)
{
    return scene.us[i] * (k > 2 ? 0.1 : 1);
}

static void a_batch_grows_when_launches_get_shorter(void)
{
    scene_begin(3, 50);
    scene.us[1] = 48;
    scene.script = warming_us;
    scene_select();
    check_winner(1);
    CHECK_EQ(scene.result.batch, 5);
    CHECK(scene_near(scene.timings[1].median_us, 4.8));
    CHECK_EQ(scene.timings[1].samples, scene.result.rounds - 1);
    scene_begin(3, 50);
    scene.script = warming_us;
    scene.plan.tolerance = 1e-9;
    scene_select();
    CHECK_EQ(scene.result.rounds, KPRED_HIP_SAMPLES);
    CHECK_EQ(scene.timings[0].samples, KPRED_HIP_SAMPLES - 1);
}

/* What a round took counts also where it is less than a microsecond. */
static void a_round_may_be_very_short(void)
{
    scene_begin(3, 1);
    scene.script = warming_us;
    scene.plan.least_us = 1e-3;
    scene.plan.tolerance = 1e-9;
    scene_select();
    CHECK_EQ(scene.result.batch, 1);
    CHECK(scene.result.rounds > 3);
    CHECK(scene_near(scene.result.device_us, standin.now_us));
}

/* A single time that is far too small must not make the race throw away what it knows. */
static double freak_us(size_t i, int k)
{
    return i == 2 && k == 20 ? 0.01 : scene.us[i];
}

static void a_freak_time_does_not_change_the_batch(void)
{
    scene_begin(4, 100);
    scene.plan.budget_us = 20000;
    scene.plan.tolerance = 1e-9;
    scene.script = freak_us;
    scene_select();
    check_winner(0);
    CHECK_EQ(scene.result.batch, 1);
    CHECK(scene.timings[0].samples > 40);
}

/* A larger batch than budget and launches have room for would end the race before it begins. */
static void a_batch_leaves_room_for_rounds(void)
{
    scene_begin(10, 2.2);
    scene.us[9] = 2;
    scene.plan.max_launches = 104;
    scene_select();
    check_winner(9);
    CHECK(scene.result.rounds >= 3);
    scene_begin(10, 2.2);
    scene.us[9] = 2;
    scene.plan.budget_us = 300;
    scene_select();
    check_winner(9);
    CHECK(scene.result.rounds >= 3);
}

static void launches_with_prepare_or_flush_are_not_batched(void)
{
    for (int way = 0; way < 3; way++) {
        scene_begin(3, 2);
        scene.plan.prepare = way == 0 ? scene_prepare : 0;
        scene.plan.flush = way == 1 ? scene_flush : 0;
        scene.plan.flush_bytes = way == 2 ? 1000 : 0;
        scene_select();
        check_winner(0);
        CHECK_EQ(scene.result.batch, 1);
        CHECK_EQ(scene.result.launches, 6 + 3 * scene.result.rounds);
    }
}

/* Never more than max_launches (check_result), and all of them if more is to be known */
static void max_launches(void)
{
    for (uint32_t most = 2; most < 150; most++) {
        scene_begin(5, 100);
        scene.plan.tolerance = 1e-9;
        scene.plan.max_launches = most;
        scene_select();
        check_winner(0);
        CHECK(scene.result.launches + 5 > most || most < 8);
    }
    scene_begin(1, 100);
    scene.plan.max_launches = 50;
    scene.plan.tolerance = 1e-9;
    CHECK_EQ(scene_time(), KPRED_HIP_OK);
    CHECK_EQ(scene.result.launches, 50);
}

static void entry_ends_at_two_thirds_of_the_budget(void)
{
    scene_begin(10, 100);
    scene.plan.budget_us = 1201;
    scene.plan.tolerance = 1e-9;
    scene_select();
    check_winner(0);
    for (size_t i = 0; i < 10; i++)
        CHECK_EQ(scene.timings[i].outcome == KPRED_HIP_UNTRIED, i >= 4);
    CHECK_EQ(scene.result.rounds, 1);
    CHECK(scene_near(scene.result.device_us, 1200));
}

/* Entry ends at two thirds of the launches, too, two for each candidate. */
static void entry_ends_at_two_thirds_of_the_launches(void)
{
    for (uint32_t most = 3; most < 40; most++) {
        const size_t entered = most * 2 / 3 / 2;
        scene_begin(10, 100);
        scene.plan.max_launches = most;
        scene_select();
        CHECK_EQ(10 - count_outcome(KPRED_HIP_UNTRIED), entered < 10 ? entered : 10);
    }
}

/* Times that events tell exactly: what the budget just has room for is done. */
static void a_budget_to_the_end(void)
{
    static const double beside[] = {0, 374};
    for (size_t i = 0; i < COUNT(beside); i++) {
        scene_begin(3, 125);
        scene.plan.budget_us = 750 + 2 * 375 + beside[i];
        scene.plan.tolerance = 1e-9;
        scene_select();
        check_winner(0);
        CHECK_EQ(scene.result.rounds, 2);
    }
}

static double loading_us(size_t i, int k)
{
    return scene.us[i] * (k == 1 ? 50 : 1);
}

static void what_a_warm_up_takes_is_charged(void)
{
    static const double times[] = {100, 0.5};
    for (size_t t = 0; t < COUNT(times); t++) {
        scene_begin(1, times[t]);
        scene.script = loading_us;
        scene_select();
        check_winner(0);
        CHECK(scene_near(scene.result.device_us, standin.now_us));
        CHECK(scene_near(scene.timings[0].median_us, times[t]));
    }
}

/* Both pass it, and the second one the budget that it gets once more. */
static void the_first_is_tried_with_any_budget(void)
{
    scene_begin(3, 100);
    scene.plan.budget_us = 1e-300;
    scene_select();
    check_winner(0);
    CHECK_EQ(scene.launches[0], 1);
    CHECK_EQ(scene.launches[1], 1);
    CHECK_EQ(count_outcome(KPRED_HIP_UNTRIED), 1);
    CHECK(scene_near(scene.timings[0].median_us, 100));
}

/* One launch that is preempted */
static struct {
    size_t candidate;
    int launch;
    double us;
} outlier;

static double preempted_us(size_t i, int k)
{
    return i == outlier.candidate && k == outlier.launch ? outlier.us : scene.us[i];
}

static void scene_of_outlier(size_t n, double us, double outlier_us)
{
    scene_begin(n, us);
    scene.script = preempted_us;
    outlier.candidate = 0;
    outlier.launch = 2;
    outlier.us = outlier_us;
}

/* A probe that takes half of the budget, nearly all of it, or more: the others are still tried. */
static void an_outlier_keeps_nobody_out(void)
{
    static const double us[] = {50e3, 60e3, 66e3, 67e3, 80e3, 99e3, 100e3, 200e3};
    for (size_t i = 0; i < 5 * COUNT(us); i++) {
        scene_of_outlier(5, 900, us[i / 5]);
        scene.us[0] = 1000;
        outlier.candidate = i % 5;
        scene.plan.prepare = scene_prepare;
        scene.prepare_us = 100;
        scene.plan.budget_us = 100e3;
        scene_select();
        CHECK_EQ(scene.status, KPRED_HIP_OK);
        CHECK(scene.result.winner != 0);
        CHECK_EQ(count_outcome(KPRED_HIP_UNTRIED), 0);
        CHECK(scene_near(scene.result.device_us, standin.now_us));
    }
}

/* It has no probe, and the others get the budget once more: four of them, or as many as fill it. */
static void a_warm_up_that_passes_the_budget(void)
{
    for (size_t slow = 0; slow < 5; slow++) {
        scene_begin(5, 900);
        scene.us[slow] = 2e6;
        scene.plan.budget_us = 20e3;
        scene_select();
        check_winner(slow == 0);
        CHECK_EQ(scene.timings[slow].outcome, KPRED_HIP_SLOWER);
        for (size_t i = 0; i < 5; i++)
            CHECK_EQ(scene.launches[i], i == slow ? 1 : 2);
        CHECK(scene_near(scene.result.device_us, 2e6 + 4 * 1800));
    }
    scene_begin(13, 1000);
    scene.us[0] = 2e6;
    scene.plan.budget_us = 20e3;
    scene_select();
    check_winner(1);
    CHECK_EQ(count_outcome(KPRED_HIP_UNTRIED), 2);
}

/* The same by the host's clock */
static void a_warm_up_that_passes_the_wall_time(void)
{
    scene_begin(5, 900);
    scene.us[0] = 2e6;
    scene.plan.clock = scene_clock;
    scene.plan.wall_us = 20e3;
    scene_select();
    check_winner(1);
    CHECK_EQ(scene.launches[0], 1);
    CHECK_EQ(count_outcome(KPRED_HIP_UNTRIED), 0);
}

/* The first probe waits for a prepare that takes long; k is of the launch before. */
static double slow_prepare_us(size_t i, int k)
{
    scene.prepare_us = i == 0 && k == 1 ? 50e3 : 100;
    return scene.us[i];
}

static void a_slow_prepare_keeps_nobody_out(void)
{
    scene_begin(5, 900);
    scene.script = slow_prepare_us;
    scene.plan.prepare = scene_prepare;
    scene.plan.budget_us = 80e3;
    scene_select();
    check_winner(0);
    CHECK_EQ(count_outcome(KPRED_HIP_UNTRIED), 0);
}

/* Of the next candidate, and of the first round */
static void prepare_and_flush_are_expected(void)
{
    scene_begin(10, 100);
    scene.plan.prepare = scene_prepare;
    scene.prepare_us = 500;
    scene.plan.budget_us = 1.5 * (3 * 1200 + 250);
    scene_select();
    CHECK_EQ(count_outcome(KPRED_HIP_UNTRIED), 7);
    scene_of_outlier(3, 100, 4100);
    scene.plan.flush = scene_flush;
    scene.flush_us = 500;
    scene.plan.budget_us = 8000;
    scene_select();
    CHECK_EQ(count_outcome(KPRED_HIP_UNTRIED), 0);
    CHECK_EQ(scene.result.rounds, 0);
    CHECK(scene_near(scene.result.device_us, 7600));
}

/* Behind the outlier there is still room for many rounds. */
static void an_outlier_does_not_end_the_rounds(void)
{
    scene_of_outlier(3, 100, 5000);
    outlier.launch = 3;
    scene.plan.tolerance = 1e-9;
    scene.plan.budget_us = 10000;
    scene_select();
    CHECK(scene.result.device_us > 10000 - 300 && scene.result.device_us <= 10000);
}

/* us that a turn costs beside its launches */
static double lead_us(void)
{
    return (scene.plan.prepare ? scene.prepare_us : 0) + (scene.plan.flush ? scene.flush_us : 0)
           + (scene.plan.flush_bytes ? standin.memset_us : 0);
}

static double longest_us; /* of all launches of a scene */

/* Code is loaded, and now and then a launch takes up to a thousand times as long. */
static double costly_us(size_t i, int k)
{
    double us = scene.us[i];
    if (scene.noise > 0)
        us *= scene_uniform() < scene.noise ? scene_between(1, 1000) : k == 1 ? 20 : 1;
    longest_us = us > longest_us ? us : longest_us;
    return us;
}

static void scene_of_budget(uint64_t seed)
{
    scene_begin((size_t)test_between(&seed, 1, 12), 0);
    scene.seed = seed;
    for (size_t i = 0; i < scene.n; i++)
        scene.us[i] = scene_between(5, scene_uniform() < 0.5 ? 500 : 6);
    scene.plan.prepare = scene_uniform() < 0.3 ? scene_prepare : 0;
    scene.plan.flush = scene_uniform() < 0.3 ? scene_flush : 0;
    scene.plan.flush_bytes = scene_uniform() < 0.3;
    scene.plan.verify = scene_verify;
    scene.wrong = (uint32_t)(test_random64(&scene.seed) & test_random64(&scene.seed));
    scene.prepare_us = scene_between(1, 1000);
    scene.flush_us = scene_between(1, 1000);
    standin.memset_us = scene_between(1, 1000);
    scene.plan.budget_us = scene_between(1, 1e5);
    scene.plan.tolerance = scene_uniform() < 0.5 ? 0 : 1e-9;
    scene.noise = scene_uniform() < 0.5 ? 0 : scene_between(0.01, 1);
    scene.script = costly_us;
    longest_us = 0;
}

/* What THE BUDGET of the header says. Where every launch of a candidate takes the same, no round
   takes longer than was expected. */
static double most_us(void)
{
    const double turn = longest_us * scene.result.batch + lead_us();
    const double budget = scene.plan.budget_us;
    const size_t turns = scene.noise > 0 && scene.n > 3 ? scene.n : 3;
    double wrong = 0;
    for (size_t i = 0; i < scene.n && scene.wrong >> i & 1; i++)
        wrong += scene.took[i][0] + lead_us();
    return (wrong > budget ? wrong : budget) + (double)turns * turn;
}

/* The device knows what has been spent. */
static void budgets_are_kept(void)
{
    for (uint64_t seed = 0; seed < 10000; seed++) {
        scene_of_budget(seed);
        scene_select();
        CHECK(scene_near(scene.result.device_us, standin.now_us));
        CHECK(standin.now_us <= most_us() + 1e-3);
        CHECK(scene.result.winner != KPRED_HIP_NONE || count_outcome(KPRED_HIP_WRONG) == scene.n);
    }
}

static void wrong_ones_are_charged(void)
{
    scene_begin(10, 100);
    scene.plan.verify = scene_verify;
    scene.plan.budget_us = 1001;
    scene.wrong = 0x3fe;
    scene_select();
    check_winner(0);
    CHECK_EQ(count_outcome(KPRED_HIP_WRONG), 3);
    CHECK_EQ(count_outcome(KPRED_HIP_UNTRIED), 6);
}

/* As with a budget of 0: it is no use to stop before there is a winner. */
static void entry_goes_on_until_one_works(void)
{
    scene_begin(10, 100);
    scene.plan.verify = scene_verify;
    scene.plan.budget_us = 10;
    scene.wrong = 0x7f;
    scene_select();
    check_winner(7);
    CHECK_EQ(count_outcome(KPRED_HIP_WRONG), 7);
    CHECK_EQ(count_outcome(KPRED_HIP_UNTRIED), 2);
    scene_begin(10, 100);
    scene.plan.verify = scene_verify;
    scene.plan.max_launches = 6;
    scene.wrong = 0x7f;
    CHECK_EQ(scene_select(), KPRED_HIP_ERR_CANDIDATES);
    CHECK_EQ(count_outcome(KPRED_HIP_WRONG), 5);
}

static void wall_time(void)
{
    scene_begin(10, 100);
    scene.plan.clock = scene_clock;
    scene.plan.wall_us = 1000;
    scene.plan.tolerance = 1e-9;
    scene_select();
    check_winner(0);
    CHECK_EQ(count_outcome(KPRED_HIP_UNTRIED), 6);
    CHECK_EQ(scene.result.rounds, 1);
    CHECK(scene_near(scene.result.wall_us, 1200));
}

/* What is used up to the last microsecond is used up. */
static void wall_time_to_the_end(void)
{
    scene_begin(3, 100);
    scene.plan.clock = scene_clock;
    scene.host_us = 5000; /* no clock begins at 0 */
    scene.plan.wall_us = 600 + 2 * 300;
    scene.plan.tolerance = 1e-9;
    scene_select();
    check_winner(0);
    CHECK_EQ(scene.result.rounds, 2);
    CHECK(scene_near(scene.result.wall_us, 1200));
}

/* Where looking at the clock takes long: the device does next to nothing. */
static void wall_time_of_the_host(void)
{
    scene_begin(10, 1);
    scene.plan.clock = scene_clock;
    scene.clock_us = 1000;
    scene.plan.wall_us = 1.5;
    scene_select();
    check_winner(0);
    CHECK_EQ(scene.result.launches, 2);
    CHECK_EQ(count_outcome(KPRED_HIP_UNTRIED), 9);
}

static void a_clock_without_a_limit(void)
{
    scene_begin(3, 100);
    scene.plan.clock = scene_clock;
    scene_select();
    check_winner(0);
    CHECK(scene_near(scene.result.wall_us, standin.now_us));
}

/* ---- budget 0 ---- */

static void scene_of_trust(size_t n)
{
    scene_begin(n, 100);
    scene.plan.budget_us = 0;
}

static void check_trusted(size_t winner)
{
    CHECK_EQ(scene.status, KPRED_HIP_RANKED);
    CHECK_EQ(scene.result.winner, winner);
    CHECK_EQ(scene.result.launched, 1);
    CHECK_EQ(scene.launches[winner], 1);
    CHECK_EQ(scene.result.launches, winner + 1);
    CHECK_EQ(standin.calls[STANDIN_hipEventCreate], 0);
    CHECK_EQ(standin.calls[STANDIN_hipMalloc], 0);
}

static void without_budget_the_first_is_launched(void)
{
    scene_of_trust(5);
    scene.us[0] = 1e6;
    scene.plan.prepare = scene_prepare;
    scene.plan.flush = scene_flush;
    scene.plan.flush_bytes = 1000;
    scene_select();
    check_trusted(0);
    CHECK(strcmp(scene.trace, "pl") == 0);
    CHECK_EQ(standin.calls[STANDIN_hipStreamSynchronize], 0);
    CHECK_EQ(count_outcome(KPRED_HIP_UNTRIED), 4);
}

static void without_budget_the_first_that_is_right(void)
{
    scene_of_trust(5);
    scene.plan.verify = scene_verify;
    scene.wrong = 5;
    scene_select();
    check_trusted(1);
    CHECK(strcmp(scene.trace, "lvlv") == 0);
    scene_of_trust(5);
    scene.plan.verify = scene_verify;
    scene.wrong = 31;
    CHECK_EQ(scene_select(), KPRED_HIP_ERR_CANDIDATES);
    CHECK_EQ(count_outcome(KPRED_HIP_WRONG), 5);
    CHECK_EQ(scene.result.launched, 0);
}

static void without_budget_all_fail(void)
{
    scene_of_trust(5);
    scene.plan.launch = scene_refuse;
    scene.launch_leaves = scene.launch_returns = hipErrorInvalidConfiguration;
    CHECK_EQ(scene_select(), KPRED_HIP_ERR_CANDIDATES);
    CHECK_EQ(scene.result.error, hipErrorInvalidConfiguration);
    for (size_t i = 0; i < 5; i++)
        CHECK_EQ(scene.timings[i].error, hipErrorInvalidConfiguration);
}

static void time_without_budget(void)
{
    scene_of_trust(1);
    CHECK_EQ(scene_time(), KPRED_HIP_RANKED);
    check_trusted(0);
}

/* ---- callbacks ---- */

/* How often `unit` stands in the trace, of which only its letters count; -1: not a whole number */
static int repeats(const char *unit)
{
    const size_t length = strlen(unit);
    size_t seen = 0;
    for (size_t i = 0; i < scene.traced; i++) {
        if (!strchr(unit, scene.trace[i]))
            continue;
        if (scene.trace[i] != unit[seen % length])
            return -1;
        seen++;
    }
    return seen % length ? -1 : (int)(seen / length);
}

static void prepare_precedes_each_launch(void)
{
    scene_begin(6, 3);
    scene.plan.prepare = scene_prepare;
    scene.prepare_us = 500;
    scene_select();
    check_winner(0);
    CHECK_EQ(repeats("pl"), scene.result.launches);
    for (size_t i = 0; i < 6; i++) {
        CHECK_EQ(scene.prepares[i], scene.launches[i]);
        CHECK(scene_near(scene.timings[i].median_us, 3));
    }
}

static void flushes_precede_each_timed_launch(void)
{
    scene_begin(6, 3);
    scene.plan.prepare = scene_prepare;
    scene.plan.flush = scene_flush;
    scene.plan.flush_bytes = 1000;
    scene.prepare_us = 500;
    scene.flush_us = 300;
    standin.memset_us = 70;
    scene_select();
    check_winner(0);
    CHECK_EQ(repeats("pfml"), scene.result.launches);
    CHECK(!strstr(scene.trace, "fl") && !strstr(scene.trace, "pl") && !strstr(scene.trace, "ml"));
    for (size_t i = 0; i < 6; i++)
        CHECK(scene_near(scene.timings[i].median_us, 3));
}

/* The order of calls is in scene_verify. */
static void verify_is_called_once(void)
{
    scene_begin(6, 3);
    scene.plan.verify = scene_verify;
    scene_select();
    check_winner(0);
    for (size_t i = 0; i < 6; i++)
        CHECK_EQ(scene.verified[i], 1);
}

static void a_wrong_one_never_wins(void)
{
    for (size_t i = 0; i < 6; i++) {
        scene_begin(6, 100);
        scene.us[i] = 1;
        scene.plan.verify = scene_verify;
        scene.wrong = 1u << i;
        scene_select();
        check_winner(i == 0);
        CHECK_EQ(scene.timings[i].outcome, KPRED_HIP_WRONG);
        CHECK_EQ(scene.launches[i], 1);
    }
}

static void all_are_wrong(void)
{
    scene_begin(6, 100);
    scene.plan.verify = scene_verify;
    scene.wrong = 63;
    CHECK_EQ(scene_select(), KPRED_HIP_ERR_CANDIDATES);
    CHECK_EQ(scene.result.error, hipSuccess);
    CHECK_EQ(count_outcome(KPRED_HIP_WRONG), 6);
    CHECK_EQ(scene.result.launches, 6);
}

static void not_ready_is_no_error(void)
{
    scene_begin(4, 100);
    scene.launch_leaves = hipErrorNotReady;
    scene_select();
    check_winner(0);
    scene_of_trust(4);
    scene.launch_leaves = hipErrorNotReady;
    scene_select();
    check_trusted(0);
}

static void streams(void)
{
    standin_stream stream = {0};
    scene_begin(4, 100);
    scene.plan.stream = &stream;
    scene_select();
    check_winner(0);
    scene_of_trust(4);
    scene.plan.stream = &stream;
    scene_select();
    check_trusted(0);
}

/* ---- arguments ---- */

static const char untouched[sizeof scene.timings];

static void check_refused(kpred_hip_status status, kpred_hip_status want, const char *what)
{
    CHECK_EQ(status, want);
    CHECK(scene.result.what && strcmp(scene.result.what, what) == 0);
    CHECK(scene.result.winner == KPRED_HIP_NONE);
    CHECK(memcmp(scene.timings, untouched, sizeof scene.timings) == 0);
    CHECK_EQ(standin.pending, hipErrorOutOfMemory);
    for (size_t i = 0; i < STANDIN_CALL_COUNT; i++)
        CHECK_EQ(standin.calls[i], 0);
    CHECK(scene.launches[0] == 0 && scene.host_us <= 0);
}

static void scene_of_arguments(void)
{
    scene_begin(3, 100);
    scene.plan.clock = scene_clock;
    scene.clock_us = 1;
    standin.pending = hipErrorOutOfMemory;
    memset(&scene.result, 0xA5, sizeof scene.result);
}

static void null_pointers(void)
{
    scene_of_arguments();
    check_refused(kpred_hip_select(0, scene.candidates, 3, scene.timings, &scene.result),
                  KPRED_HIP_ERR_NULL, "plan");
    check_refused(kpred_hip_select(&scene.plan, 0, 3, scene.timings, &scene.result),
                  KPRED_HIP_ERR_NULL, "candidates");
    check_refused(kpred_hip_select(&scene.plan, scene.candidates, 3, 0, &scene.result),
                  KPRED_HIP_ERR_NULL, "timings");
    check_refused(kpred_hip_time(0, scene.candidates, scene.timings, &scene.result),
                  KPRED_HIP_ERR_NULL, "plan");
    check_refused(kpred_hip_time(&scene.plan, 0, scene.timings, &scene.result), KPRED_HIP_ERR_NULL,
                  "candidate");
    check_refused(kpred_hip_time(&scene.plan, scene.candidates, 0, &scene.result),
                  KPRED_HIP_ERR_NULL, "timing");
    CHECK_EQ(kpred_hip_select(&scene.plan, scene.candidates, 3, scene.timings, 0),
             KPRED_HIP_ERR_NULL);
    CHECK_EQ(kpred_hip_time(&scene.plan, scene.candidates, scene.timings, 0), KPRED_HIP_ERR_NULL);
}

static void check_plan(kpred_hip_status want, const char *what)
{
    check_refused(kpred_hip_select(&scene.plan, scene.candidates, 3, scene.timings, &scene.result),
                  want, what);
    scene_of_arguments();
}

static void callbacks_that_are_missing(void)
{
    scene_of_arguments();
    scene.plan.launch = 0;
    check_plan(KPRED_HIP_ERR_NULL, "plan->launch");
    scene.plan.clock = 0;
    scene.plan.wall_us = 1;
    check_plan(KPRED_HIP_ERR_NULL, "plan->clock");
}

static void check_number(double *number, double least, double most, const char *what)
{
    const double bad[] = {-1, -1e-300, NAN, INFINITY, -INFINITY, least, most};
    for (size_t i = 0; i < COUNT(bad); i++) {
        scene_of_arguments();
        *number = bad[i];
        check_plan(KPRED_HIP_ERR_VALUE, what);
    }
}

static void numbers_out_of_range(void)
{
    check_number(&scene.plan.budget_us, -2, 1e18, "plan->budget_us");
    check_number(&scene.plan.wall_us, -2, 1e18, "plan->wall_us");
    check_number(&scene.plan.drop_factor, 0.999, 1e18, "plan->drop_factor");
    check_number(&scene.plan.tolerance, -2, 1, "plan->tolerance");
    check_number(&scene.plan.least_us, -2, 1e18, "plan->least_us");
    scene_of_arguments();
    scene.plan.max_launches = 1;
    check_plan(KPRED_HIP_ERR_VALUE, "plan->max_launches");
}

static void counts_out_of_range(void)
{
    scene_of_arguments();
    check_refused(kpred_hip_select(&scene.plan, scene.candidates, 0, scene.timings, &scene.result),
                  KPRED_HIP_ERR_VALUE, "n");
    check_refused(kpred_hip_select(&scene.plan, scene.candidates, (size_t)1 << 31, scene.timings,
                                   &scene.result),
                  KPRED_HIP_ERR_VALUE, "n");
    check_refused(
        kpred_hip_select(&scene.plan, scene.candidates, (size_t)-1, scene.timings, &scene.result),
        KPRED_HIP_ERR_VALUE, "n");
}

/* ---- texts ---- */

static void statuses_have_texts(void)
{
    static const char *const unknown = "unknown status";
    for (int a = KPRED_HIP_ERR_STICKY; a <= KPRED_HIP_CAPTURING; a++) {
        const char *text = kpred_hip_status_string((kpred_hip_status)a);
        CHECK(*text && strcmp(text, unknown) != 0);
        for (int b = KPRED_HIP_ERR_STICKY; b < a; b++)
            CHECK(strcmp(text, kpred_hip_status_string((kpred_hip_status)b)) != 0);
    }
    CHECK(strcmp(kpred_hip_status_string((kpred_hip_status)3), unknown) == 0);
    CHECK(strcmp(kpred_hip_status_string((kpred_hip_status)-9), unknown) == 0);
}

int main(void)
{
    RUN(drop_factor);
    RUN(tolerance);
    RUN(clear_cases_end_early);
    RUN(short_launches_are_batched);
    RUN(a_batch_that_is_nearly_long_enough_stays);
    RUN(a_batch_grows_when_launches_get_shorter);
    RUN(a_round_may_be_very_short);
    RUN(a_freak_time_does_not_change_the_batch);
    RUN(a_batch_leaves_room_for_rounds);
    RUN(launches_with_prepare_or_flush_are_not_batched);
    RUN(max_launches);
    RUN(entry_ends_at_two_thirds_of_the_budget);
    RUN(entry_ends_at_two_thirds_of_the_launches);
    RUN(a_budget_to_the_end);
    RUN(what_a_warm_up_takes_is_charged);
    RUN(the_first_is_tried_with_any_budget);
    RUN(an_outlier_keeps_nobody_out);
    RUN(a_warm_up_that_passes_the_budget);
    RUN(a_warm_up_that_passes_the_wall_time);
    RUN(a_slow_prepare_keeps_nobody_out);
    RUN(prepare_and_flush_are_expected);
    RUN(an_outlier_does_not_end_the_rounds);
    RUN(budgets_are_kept);
    RUN(wrong_ones_are_charged);
    RUN(entry_goes_on_until_one_works);
    RUN(wall_time);
    RUN(wall_time_to_the_end);
    RUN(wall_time_of_the_host);
    RUN(a_clock_without_a_limit);
    RUN(without_budget_the_first_is_launched);
    RUN(without_budget_the_first_that_is_right);
    RUN(without_budget_all_fail);
    RUN(time_without_budget);
    RUN(prepare_precedes_each_launch);
    RUN(flushes_precede_each_timed_launch);
    RUN(verify_is_called_once);
    RUN(a_wrong_one_never_wins);
    RUN(all_are_wrong);
    RUN(not_ready_is_no_error);
    RUN(streams);
    RUN(null_pointers);
    RUN(callbacks_that_are_missing);
    RUN(numbers_out_of_range);
    RUN(counts_out_of_range);
    RUN(statuses_have_texts);
    return test_end();
}
