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
    CHECK_EQ(SELECT(2, 100, .noise = noise, .script = swinging_us, .plan.tolerance = tolerance),
             KPRED_HIP_OK);
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

static void check_batch(double us, double least_us, uint32_t batch)
{
    SELECT(3, us, .plan.least_us = least_us);
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

/* Entry saw it slow; from the first round on it is ten times as fast. */
static double warming_us(size_t i, int k)
{
    return scene.us[i] * (k > 2 ? 0.1 : 1);
}

/* A single time that is far too small must not make the race throw away what it knows. */
static double freak_us(size_t i, int k)
{
    return i == 2 && k == 20 ? 0.01 : scene.us[i];
}

/* Never more than max_launches (check_result), and all of them if more is to be known */
static void max_launches(void)
{
    for (uint32_t most = 2; most < 150; most++) {
        SELECT(5, 100, .plan = {.tolerance = 1e-9, .max_launches = most});
        check_winner(0);
        CHECK(scene.result.launches + 5 > most || most < 8);
    }
}

static size_t launched_before(int k)
{
    size_t n = 0;
    for (size_t i = 0; i < scene.n; i++)
        n += scene.launches[i] > k;
    return n;
}

/* Warm-ups end at two thirds of the launches, with one probe among them, and the other probes at
   five sixths. Each candidate is a fifth slower than the last, so that no round follows, and what
   is left is for those that were not reached. */
static double staircase_us(size_t i, int k)
{
    (void)k;
    return 100 * pow(1.2, (double)i);
}

static void the_entry_leaves_launches(void)
{
    for (uint32_t most = 3; most < 60; most++) {
        const size_t warm = most * 2 / 3 > 2 ? most * 2 / 3 - 1 : 1;
        const size_t fit = (size_t)(most * ((1 + 2.0 / 3) / 2)) - warm,
                     probes = fit < warm ? fit : warm;
        SELECT(30, 100, .script = staircase_us, .plan.max_launches = most);
        check_winner(0);
        CHECK_EQ(scene.result.rounds, 0);
        CHECK_EQ(launched_before(0), most - probes < 30 ? most - probes : 30);
        CHECK(scene.result.launches == most || launched_before(0) == 30);
    }
}

/* Not all of 23 enter before the first rounds, and the clock gets faster after so many launches. */
static struct late {
    double us; /* of the last one */
    int launches;
    double factor, budget_us;
    size_t winner;
    int rounds;
} late;

static double stepping_us(size_t i, int k)
{
    const double us = i == 0 ? 100 : i == 1 ? 95 : i == 22 ? late.us : 150;
    int n = 0;
    (void)k;
    for (size_t j = 0; j < scene.n; j++)
        n += scene.launches[j];
    return us * (n > late.launches ? late.factor : 1);
}

/* The last one enters after two rounds, and is compared with the second in a third one only. After
   a single round, too, late ones drop nobody whose probe was by the slow clock. */
static void a_late_candidate(void)
{
    static const struct late rows[] = {
        {96, 32, 0.8, 4800, 1, 3}, {80, 32, 0.8, 4800, 22, 3}, {99, 17, 0.66, 3050, 1, 1}};
    for (size_t i = 0; i < COUNT(rows); i++) {
        late = rows[i];
        SELECT(23, 100, .script = stepping_us, .plan.budget_us = late.budget_us);
        CHECK((int)scene.result.rounds >= late.rounds);
        CHECK(late.rounds < 3 || scene.launches[22] >= 3);
        CHECK(scene.timings[22].outcome != KPRED_HIP_UNTIMED);
        check_winner(late.winner);
    }
}

static double loading_us(size_t i, int k)
{
    return scene.us[i] * (k == 1 ? 50 : 1);
}

static double cold_us(size_t i, int k)
{
    return i == 0 && k == 1 ? 250e3 : scene.us[i];
}

/* One launch that is preempted */
static struct outlier {
    size_t candidate;
    int launch;
    double us;
} outlier;

static double preempted_us(size_t i, int k)
{
    return i == outlier.candidate && k == outlier.launch ? outlier.us : scene.us[i];
}

/* A probe that takes half of the budget, nearly all of it, or more: the others are still tried. */
static void an_outlier_keeps_nobody_out(void)
{
    static const double us[] = {50e3, 60e3, 66e3, 67e3, 80e3, 99e3, 100e3, 200e3};
    for (size_t i = 0; i < 5 * COUNT(us); i++) {
        outlier = (struct outlier){i % 5, 2, us[i / 5]};
        CHECK_EQ(SELECT(5, 900, 0, 1000, .script = preempted_us, .prepare_us = 100,
                        .plan = {.prepare = scene_prepare, .budget_us = 100e3}),
                 KPRED_HIP_OK);
        CHECK(scene.result.winner != 0);
        CHECK_EQ(count_outcome(KPRED_HIP_UNTRIED), 0);
        CHECK(scene_near(scene.result.device_us, standin.now_us));
    }
}

/* It has no probe, and the others get the budget once more. */
static void a_warm_up_that_passes_the_budget(void)
{
    for (size_t slow = 0; slow < 5; slow++) {
        SELECT(5, 900, slow, 2e6, .plan.budget_us = 20e3);
        check_winner(slow == 0);
        CHECK_EQ(scene.timings[slow].outcome, KPRED_HIP_SLOWER);
        for (size_t i = 0; i < 5; i++)
            CHECK_EQ(scene.launches[i], i == slow ? 1 : 2);
        CHECK(scene_near(scene.result.device_us, 2e6 + 4 * 1800));
    }
}

/* The first probe waits for a prepare that takes long; k is of the launch before. */
static double slow_prepare_us(size_t i, int k)
{
    scene.prepare_us = i == 0 && k == 1 ? 50e3 : 100;
    return scene.us[i];
}

/* Behind the outlier no round fits, or there is still room for many. */
static void rounds_behind_an_outlier(void)
{
    outlier = (struct outlier){0, 2, 4100};
    SELECT(3, 100, .script = preempted_us, .flush_us = 500,
           .plan = {.flush = scene_flush, .budget_us = 8000});
    CHECK_EQ(count_outcome(KPRED_HIP_UNTRIED), 0);
    CHECK_EQ(scene.result.rounds, 0);
    CHECK(scene_near(scene.result.device_us, 7600));
    outlier = (struct outlier){0, 3, 5000};
    SELECT(3, 100, .script = preempted_us, .plan = {.tolerance = 1e-9, .budget_us = 10000});
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

static void flushes_precede_each_timed_launch(void)
{
    SELECT(6, 3, .prepare_us = 500, .flush_us = 300, .memset_us = 70,
           .plan = {.prepare = scene_prepare, .flush = scene_flush, .flush_bytes = 1000});
    check_winner(0);
    CHECK_EQ(repeats("pfml"), scene.result.launches);
    CHECK(!strstr(scene.trace, "fl") && !strstr(scene.trace, "pl") && !strstr(scene.trace, "ml"));
    for (size_t i = 0; i < 6; i++) {
        CHECK_EQ(scene.prepares[i], scene.launches[i]);
        CHECK(scene_near(scene.timings[i].median_us, 3));
    }
}

/* The order of calls is in scene_verify. */
static void verify_is_called_once_and_a_wrong_one_never_wins(void)
{
    for (size_t i = 0; i < 6; i++) {
        SELECT(6, 100, i, 1, .wrong = 1u << i, .plan.verify = scene_verify);
        check_winner(i == 0);
        CHECK_EQ(scene.timings[i].outcome, KPRED_HIP_WRONG);
        CHECK_EQ(scene.launches[i], 1);
        for (size_t k = 0; k < 6; k++)
            CHECK_EQ(scene.verified[k], 1);
    }
}

/* ---- rows ---- */

static standin_stream stream;

static const struct scene_row rows[] = {
    {"clear cases end early", 3, 100, 2, 90, .want = {.winner = 2, .rounds = 2, .samples = 3}},
    /* Below least_us by less than one in twenty is not a reason to begin anew, with any batch. */
    {"a batch that is nearly long enough stays", 3, 0.2, .script = settling_us,
     .plan = {.tolerance = 1e-9},
     .want = {.batch = 100, .rounds = KPRED_HIP_SAMPLES, .samples = KPRED_HIP_SAMPLES}},
    {"a batch grows when launches get shorter", 3, 50, 1, 48, .script = warming_us,
     .want = {.winner = 1, .batch = 5, .median_us = 4.8}},
    {"the round before does not count then", 3, 50, .script = warming_us,
     .plan = {.tolerance = 1e-9},
     .want = {.rounds = KPRED_HIP_SAMPLES, .samples = KPRED_HIP_SAMPLES - 1}},
    /* What a round took counts also where it is less than a microsecond. */
    {"a round may be very short", 3, 1, .script = warming_us,
     .plan = {.least_us = 1e-3, .tolerance = 1e-9}, .want = {.batch = 1, .least_rounds = 4}},
    {"a freak time does not change the batch", 4, 100, .script = freak_us,
     .plan = {.budget_us = 20000, .tolerance = 1e-9}, .want = {.batch = 1, .least_rounds = 40}},
    /* Times that events tell exactly: what the budget has room for with the batch is done. */
    {"rounds of a batch", 3, 5, .plan = {.budget_us = 240, .tolerance = 1e-9},
     .want = {.batch = 4, .rounds = 3, .device_us = 210}},
    /* A larger batch than budget and launches have room for would end the race before it begins. */
    {"a batch leaves room for rounds: launches", 10, 2.2, 9, 2, .plan = {.max_launches = 104},
     .want = {.winner = 9, .least_rounds = 3}},
    {"a batch leaves room for rounds: budget", 10, 2.2, 9, 2, .plan = {.budget_us = 300},
     .want = {.winner = 9, .least_rounds = 3}},
    {"launches with prepare are not batched", 3, 2, .plan = {.prepare = scene_prepare},
     .want = {.batch = 1, .rounds = 63, .launches = 195}},
    {"launches with flush are not batched", 3, 2, .plan = {.flush = scene_flush},
     .want = {.batch = 1, .rounds = 63, .launches = 195}},
    {"launches with flush_bytes are not batched", 3, 2, .plan = {.flush_bytes = 1000},
     .want = {.batch = 1, .rounds = 63, .launches = 195}},
    {"time takes all launches", 1, 100, .is_time = 1,
     .plan = {.tolerance = 1e-9, .max_launches = 50}, .want = {.launches = 50}},
    {"the next candidate's prepare is expected", 10, 100, .prepare_us = 500,
     .plan = {.prepare = scene_prepare, .budget_us = 1.5 * (3 * 1200 + 250)},
     .want = {.untried = 4}},
    {"entry ends at two thirds of the budget", 10, 100,
     .plan = {.budget_us = 1201, .tolerance = 1e-9},
     .want = {.untried = 1, .rounds = NOTHING, .device_us = 1200}},
    /* Times that events tell exactly: what the budget just has room for is done. */
    {"a budget to the end", 3, 125, .plan = {.budget_us = 1500, .tolerance = 1e-9},
     .want = {.rounds = 2}},
    {"a budget nearly to the next round", 3, 125, .plan = {.budget_us = 1874, .tolerance = 1e-9},
     .want = {.rounds = 2}},
    {"what a warm-up takes is charged", 1, 100, .script = loading_us, .want = {.median_us = 100}},
    {"what a short warm-up takes is charged", 1, 0.5, .script = loading_us,
     .want = {.median_us = 0.5}},
    /* Both pass it, and the second one the budget that it gets once more. */
    {"the first is tried with any budget", 3, 100, .plan = {.budget_us = 1e-300},
     .want = {.launches = 2, .untried = 1, .median_us = 100}},
    {"a warm-up that passes the budget, which nineteen others fill once more", 22, 1000, 0, 2e6,
     .plan = {.budget_us = 20e3}, .want = {.winner = 1, .untried = 2}},
    {"a warm-up that passes the wall time", 5, 900, 0, 2e6,
     .plan = {.clock = scene_clock, .wall_us = 20e3},
     .want = {.winner = 1, .launches = 9, .untried = NOTHING}},
    /* What loads code may leave nothing for the others: who is timed alone has beaten nobody. */
    {"a cold device", 10, 10e3, .script = cold_us, .plan = {.budget_us = 20e3},
     .want = {.winner = 1, .launches = 3, .untried = 8, .beaten = NOTHING}},
    {"each one is cold", 10, 90e3, .plan = {.budget_us = 20e3},
     .want = {.launches = 2, .untried = 8, .beaten = NOTHING}},
    {"the others fail", 2, 100, .wrong = 2, .plan = {.verify = scene_verify},
     .want = {.launches = 3, .beaten = NOTHING}},
    {"the others are beaten", 4, 100, 1, 300, .want = {.slower = 1, .level = 2, .beaten = 3}},
    {"a slow prepare keeps nobody out", 5, 900, .script = slow_prepare_us,
     .plan = {.prepare = scene_prepare, .budget_us = 80e3}, .want = {.untried = NOTHING}},
    {"wrong ones are charged", 10, 100, .wrong = 0x3fe,
     .plan = {.verify = scene_verify, .budget_us = 1001}, .want = {.wrong = 8, .untried = 1}},
    /* As with a budget of 0: it is of no use to stop before there is a winner. */
    {"entry goes on until one works", 10, 100, .wrong = 0x7f,
     .plan = {.verify = scene_verify, .budget_us = 10},
     .want = {.winner = 7, .wrong = 7, .untried = 2}},
    {"but not beyond max_launches", 10, 100, .wrong = 0x7f,
     .plan = {.verify = scene_verify, .max_launches = 6},
     .want = {KPRED_HIP_ERR_CANDIDATES, .wrong = 5}},
    {"wall time", 10, 100, .plan = {.clock = scene_clock, .wall_us = 1000, .tolerance = 1e-9},
     .want = {.untried = 4, .rounds = 1, .wall_us = 1500}},
    /* What is used up to the last microsecond is used up; no clock begins at 0. */
    {"wall time to the end", 3, 100, .host_us = 5000,
     .plan = {.clock = scene_clock, .wall_us = 1200, .tolerance = 1e-9},
     .want = {.rounds = 2, .wall_us = 1200}},
    /* Where looking at the clock takes long: the device does next to nothing. */
    {"wall time of the host", 10, 1, .clock_us = 1000,
     .plan = {.clock = scene_clock, .wall_us = 1.5}, .want = {.launches = 1, .untried = 9}},
    {"a clock without a limit", 3, 100, .plan = {.clock = scene_clock}, .want = {.wall_us = 1200}},
    {"all are wrong", 6, 100, .wrong = 63, .plan = {.verify = scene_verify},
     .want = {KPRED_HIP_ERR_CANDIDATES, .wrong = 6, .launches = 6}},
    {"not ready is not an error", 4, 100, .launch_leaves = hipErrorNotReady},
    {"a stream", 4, 100, .plan = {.stream = &stream}},

    {"without budget the first is launched", 5, 100, 0, 1e6, .has_no_budget = 1,
     .plan = {.prepare = scene_prepare, .flush = scene_flush, .flush_bytes = 1000},
     .want = {KPRED_HIP_RANKED, .launches = 1, .untried = 4, .trace = "pl"}},
    {"without budget the first that is right", 5, 100, .has_no_budget = 1, .wrong = 5,
     .plan = {.verify = scene_verify},
     .want = {KPRED_HIP_RANKED, .winner = 1, .launches = 2, .wrong = 1, .trace = "lvlv"}},
    {"without budget none is right", 5, 100, .has_no_budget = 1, .wrong = 31,
     .plan = {.verify = scene_verify}, .want = {KPRED_HIP_ERR_CANDIDATES, .wrong = 5}},
    {"time without budget", 1, 100, .has_no_budget = 1, .is_time = 1,
     .want = {KPRED_HIP_RANKED, .launches = 1}},
    {"without budget not ready is not an error", 4, 100, .has_no_budget = 1,
     .launch_leaves = hipErrorNotReady, .want = {KPRED_HIP_RANKED, .launches = 1}},
    {"without budget a stream", 4, 100, .has_no_budget = 1, .plan = {.stream = &stream},
     .want = {KPRED_HIP_RANKED, .launches = 1}},
};

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
    static const char *const what[] = {"plan", "candidates", "timings",
                                       "plan", "candidate",  "timing"};
    for (int i = 0; i < 6; i++) {
        const kpred_hip_plan *plan = i % 3 == 0 ? 0 : &scene.plan;
        const kpred_tuple *candidates = i % 3 == 1 ? 0 : scene.candidates;
        kpred_hip_timing *timings = i % 3 == 2 ? 0 : scene.timings;
        scene_of_arguments();
        check_refused(i < 3 ? kpred_hip_select(plan, candidates, 3, timings, &scene.result)
                            : kpred_hip_time(plan, candidates, timings, &scene.result),
                      KPRED_HIP_ERR_NULL, what[i]);
    }
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
    static const size_t counts[] = {0, (size_t)1 << 31, (size_t)-1};
    for (size_t i = 0; i < COUNT(counts); i++) {
        scene_of_arguments();
        check_refused(kpred_hip_select(&scene.plan, scene.candidates, counts[i], scene.timings,
                                       &scene.result),
                      KPRED_HIP_ERR_VALUE, "n");
    }
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
    scene_run_rows(rows, COUNT(rows));
    RUN_ALL(drop_factor, tolerance, short_launches_are_batched, max_launches,
            the_entry_leaves_launches, a_late_candidate, an_outlier_keeps_nobody_out,
            a_warm_up_that_passes_the_budget, rounds_behind_an_outlier, budgets_are_kept,
            flushes_precede_each_timed_launch, verify_is_called_once_and_a_wrong_one_never_wins,
            null_pointers, callbacks_that_are_missing, numbers_out_of_range, counts_out_of_range,
            statuses_have_texts);
    return test_end();
}
