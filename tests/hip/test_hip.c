/* test_hip.c - kpred_hip.h on a simulated device: who wins, and the figures beside it
   SPDX-License-Identifier: MIT

   What a plan can ask for: test_hip_plan.c. What errors do: test_hip_errors.c. */
#include "hip_scene.h"

/* ---- who wins ---- */

/* Times 100 but for one candidate */
static void the_fastest_wins_wherever_it_is(void)
{
    static const double times[] = {98, 95, 90, 1};
    for (size_t i = 0; i < 30 * COUNT(times); i++) {
        SELECT(30, 100, i % 30, times[i / 30]);
        check_winner(i % 30);
        CHECK_EQ(count_outcome(KPRED_HIP_SLOWER), 29);
    }
}

static void equal_times_go_to_the_better_ranked(void)
{
    for (size_t n = 2; n <= 8; n++) {
        SELECT(n, 50);
        check_winner(0);
        CHECK_EQ(count_outcome(KPRED_HIP_LEVEL), n - 1);
    }
}

static int wins_of_the_second(double second_us, double noise)
{
    int wins = 0;
    for (uint64_t seed = 0; seed < 400; seed++) {
        SELECT(2, 100, 1, second_us, .noise = noise, .seed = seed);
        wins += scene.result.winner == 1;
    }
    return wins;
}

/* Chance alone would be one in two. */
static void noise_seldom_wins(void)
{
    CHECK(wins_of_the_second(100, 0.002) < 60);
    CHECK_EQ(wins_of_the_second(99, 0.002), 400);
    CHECK(wins_of_the_second(100, 0.03) < 180);
    CHECK(wins_of_the_second(99, 0.03) > 320);
}

/* A clock that slows down with every launch, and once by a third */
static double drifting_us(size_t i, int k)
{
    const int now = standin.calls[STANDIN_launch];
    (void)k;
    return scene.us[i] * (1 + 0.002 * now) * (now > 35 ? 1.3 : 1);
}

static int turns[4][4], turn;

/* Which candidate comes in which place of a round, after the 4 * 2 launches of entry */
static double noting_us(size_t i, int k)
{
    if (k > 2)
        turns[turn++ % 4][i]++;
    return 100;
}

static void every_round_has_an_order_of_its_own(void)
{
    memset(turns, turn = 0, sizeof turns);
    SELECT(4, 0, .script = noting_us, .plan.tolerance = 1e-9);
    CHECK_EQ(scene.result.rounds, KPRED_HIP_SAMPLES - 1);
    for (size_t place = 0; place < 4; place++)
        for (size_t i = 0; i < 4; i++)
            CHECK(turns[place][i] >= 6);
}

/* One launch in eight takes three times as long. */
static double interrupted_us(size_t i, int k)
{
    return scene.us[i] * (scene_uniform() < 0.125 && k > 2 ? 3 : 1);
}

static void drift_and_outliers_do_no_harm(void)
{
    for (size_t i = 0; i < 6; i++) {
        SELECT(6, 100, i, 98.5, .script = drifting_us);
        check_winner(i);
        SELECT(6, 100, i, 98, .script = interrupted_us, .seed = i);
        check_winner(i);
    }
}

static int odd_launch;

/* One launch of the second candidate takes three times as long. */
static double odd_us(size_t i, int k)
{
    return scene.us[i] * (i == 1 && k == odd_launch ? 3 : 1);
}

/* A warm-up may load code, and a probe be interrupted: the smaller of the two decides about entry,
   be it less than a microsecond. */
static void one_slow_launch_on_entry_does_no_harm(void)
{
    static const double times[] = {100, 0.4};
    for (size_t t = 0; t < COUNT(times); t++)
        for (odd_launch = 1; odd_launch <= 2; odd_launch++) {
            SELECT(3, times[t], 1, 0.9 * times[t], .script = odd_us);
            check_winner(1);
        }
}

static void scene_of_noise(uint64_t seed)
{
    scene_begin(8, 0);
    scene.seed = seed;
    for (size_t i = 0; i < scene.n; i++)
        scene.us[i] = scene_between(100, 110);
    scene.noise = 0.05;
}

static void two_runs_are_the_same(void)
{
    static struct scene first;
    for (uint64_t seed = 0; seed < 20; seed++) {
        scene_of_noise(seed);
        scene_select();
        first = scene;
        scene_of_noise(seed);
        scene.candidates[3].score = -1000;
        scene.candidates[0].value[0] = 77;
        scene_select();
        CHECK(memcmp(&first.result, &scene.result, sizeof first.result) == 0);
        CHECK(memcmp(first.timings, scene.timings, sizeof first.timings) == 0);
    }
}

static const struct scene_row rows[] = {
    {"one candidate", 1, 3, .want = {.launches = 2, .rounds = NOTHING, .batch = 1, .median_us = 3}},
    {"equal times behind a slower one", 5, 50, 0, 53,
     .want = {.winner = 1, .slower = 1, .level = 3}},
    {"a difference that does not matter", 2, 100, 1, 99.8, .noise = 0.001, .script = swinging_us,
     .want = {.level = 1}},
    {"a difference that matters", 2, 100, 1, 99.8, .noise = 0.001, .script = swinging_us,
     .plan = {.tolerance = 1e-9}, .want = {.winner = 1, .slower = 1}},
    /* Events are no finer than half a microsecond, whatever they say. */
    {"less than the resolution does not win", 2, 100, 1, 99.99, .want = {.level = 1}},
    {"time exactly", 1, 100, .is_time = 1, .want = {.rounds = 8, .samples = 9, .median_us = 100}},
};

/* ---- statistics, beside an independent computation ---- */

/* The value that has `rank` others before it */
static double naive_at(const double *x, size_t n, size_t rank)
{
    for (size_t i = 0; i < n; i++) {
        size_t less = 0, equal = 0;
        for (size_t j = 0; j < n; j++) {
            less += x[j] < x[i];
            equal += x[j] <= x[i];
        }
        if (less <= rank && rank < equal)
            return x[i];
    }
    return -1;
}

static double naive_median(const double *x, size_t n)
{
    return (naive_at(x, n, (n - 1) / 2) + naive_at(x, n, n / 2)) / 2;
}

/* Without a batch the probe is the first sample, else it is none, unless there is no other. */
static void check_statistics(size_t i)
{
    const kpred_hip_timing *t = &scene.timings[i];
    const double *took = scene.took[i];
    const size_t batch = scene.result.batch, before = batch > 1 ? 2 : 1;
    const size_t n = ((size_t)scene.launches[i] - before) / batch;
    double x[KPRED_HIP_SAMPLES], away[KPRED_HIP_SAMPLES];
    size_t b;
    x[0] = took[0] < took[1] ? took[0] : took[1];
    for (size_t r = 0; r < n && r < KPRED_HIP_SAMPLES; r++)
        for (x[r] = 0, b = 0; b < batch; b++)
            x[r] += took[before + r * batch + b] / (double)batch;
    CHECK_EQ(t->samples, n ? n : 1);
    double median = naive_median(x, t->samples);
    for (size_t r = 0; r < t->samples; r++)
        away[r] = fabs(x[r] - median);
    CHECK(scene_near(t->median_us, median));
    CHECK(scene_near(t->min_us, naive_at(x, t->samples, 0)));
    CHECK(fabs(t->mad_us - naive_median(away, t->samples)) < 1e-4);
}

static void statistics(void)
{
    for (uint64_t seed = 0; seed < 40; seed++) {
        scene_of_noise(seed);
        scene.plan.max_launches = 30 + 5 * (uint32_t)seed;
        scene.us[4] = 200;
        scene_select();
        for (size_t i = 0; i < scene.n; i++)
            if (scene.launches[i])
                check_statistics(i);
        CHECK_EQ(scene.timings[4].samples, scene.launches[4] > 0);
    }
}

static void statistics_of_batches(void)
{
    for (uint64_t seed = 0; seed < 20; seed++) {
        SELECT(4, 3, .seed = seed, .noise = 0.01);
        CHECK_EQ(scene.result.batch, 7);
        for (size_t i = 0; i < scene.n; i++)
            check_statistics(i);
    }
}

/* A fifth, rounded, but one of three: how many samples do not count at either end */
static void the_middle_of_samples(void)
{
    static const size_t cuts[] = {0, 0, 0, 1, 1, 1, 1, 1, 2, 2, 2, 2, 2, 3};
    double x[COUNT(cuts)];
    for (size_t n = 1; n < COUNT(cuts); n++) {
        double sum = 0;
        for (size_t i = 0; i < n; i++) {
            x[i] = (double)(i * i);
            sum += i >= cuts[n] && i + cuts[n] < n ? x[i] : 0;
        }
        CHECK(scene_near(kpri_hip_middle(x, n), sum / (double)(n - 2 * cuts[n])));
    }
}

/* ---- pairs ---- */

/* Five samples, `step` us apart; all of the first one 100 */
static void set_samples(size_t i, double step, kpred_hip_outcome outcome)
{
    kpred_hip_timing *t = &scene.timings[i];
    memset(t, 0, sizeof *t);
    t->outcome = outcome;
    t->rounds = 5;
    for (uint32_t r = 0; r < t->rounds; r++)
        t->sample_us[r] = 100 + step * r;
}

/* The rounds that both have, and in which both have a usable time: a gap of 0, 10 and 50 % */
static void a_pair_is_compared_round_by_round(void)
{
    kpri_hip_gap gap;
    set_samples(0, 0, KPRED_HIP_LEVEL);
    set_samples(1, 10, KPRED_HIP_LEVEL);
    scene.timings[0].sample_us[2] = NAN;
    scene.timings[0].rounds = 4;
    scene.timings[1].sample_us[3] = 150;
    gap = kpri_hip_compare(&scene.timings[1], &scene.timings[0]);
    CHECK_EQ(gap.n, 3);
    CHECK(scene_near(gap.mean, 0.1) && scene_near(gap.mad, 0.1));
    scene.timings[1].sample_us[0] = 0;
    gap = kpri_hip_compare(&scene.timings[0], &scene.timings[1]);
    CHECK_EQ(gap.n, 2);
    CHECK(scene_near(gap.mean, (100 / 110.0 + 100 / 150.0) / 2 - 1));
    scene.timings[0].rounds = 0;
    gap = kpri_hip_compare(&scene.timings[0], &scene.timings[1]);
    CHECK(gap.n == 0 && gap.mean <= 0 && gap.mad <= 0);
    CHECK(!kpri_hip_usable(1e12));
}

static void begin_pairs(kpri_hip_race *race, size_t n)
{
    memset(race, 0, sizeof *race);
    scene_begin(n, 100);
    race->timings = scene.timings;
    race->n = race->racing = n;
    race->batch = 1;
}

/* 2 % and 10 % to the first one; what is out of the race does not count. */
static void the_noise_is_the_mean_of_the_pairs(void)
{
    kpri_hip_race race;
    begin_pairs(&race, 4);
    race.racing = 3;
    set_samples(0, 0, KPRED_HIP_LEVEL);
    set_samples(1, 2, KPRED_HIP_LEVEL);
    set_samples(2, 50, KPRED_HIP_SLOWER);
    set_samples(3, 10, KPRED_HIP_LEVEL);
    CHECK(scene_near(kpri_hip_mean_mad(&race, 0), 0.06));
    CHECK(scene_near(kpri_hip_mean_mad(&race, 3),
                     (kpri_hip_compare(&scene.timings[0], &scene.timings[3]).mad
                      + kpri_hip_compare(&scene.timings[1], &scene.timings[3]).mad)
                         / 2));
}

/* Of the noise of the pair or of all, whichever is larger, and of the events' resolution */
static void the_error_of_a_gap(void)
{
    const kpri_hip_gap gap = {0.1, 0.02, 4};
    kpri_hip_race race;
    begin_pairs(&race, 2);
    for (int b = 1; b <= 2; b++) {
        const double step = 0.5 / (b * 100), all = 1.4826 * 0.05, own = 1.4826 * 0.02;
        race.batch = (uint32_t)b;
        CHECK(scene_near(kpri_hip_error2(&race, gap, 0.05, 100),
                         (all * all + step * step / 6) / (0.85 * 4)));
        CHECK(scene_near(kpri_hip_error2(&race, gap, 0.01, 100),
                         (own * own + step * step / 6) / (0.85 * 4)));
    }
}

/* The second is 10 % slower in every round, which chance would explain as the third swings by 40 %;
   the third is slower by more than that; of the fourth nothing is known. */
static void noise_of_others_keeps_one_in_the_race(void)
{
    kpri_hip_race race;
    double widest;
    begin_pairs(&race, 4);
    for (size_t i = 0; i < 4; i++)
        set_samples(i, i == 2 ? 40 : 0, KPRED_HIP_LEVEL);
    for (size_t r = 0; r < 5; r++)
        scene.timings[1].sample_us[r] = 110;
    scene.timings[3].rounds = 0;
    widest = kpri_hip_judge(&race, 0, 2);
    CHECK_EQ(race.racing, 3);
    CHECK_EQ(scene.timings[1].outcome, KPRED_HIP_LEVEL);
    CHECK_EQ(scene.timings[2].outcome, KPRED_HIP_SLOWER);
    CHECK_EQ(scene.timings[3].outcome, KPRED_HIP_LEVEL);
    CHECK(scene_near(widest, 1));
    kpri_hip_drop(&race, &scene.timings[3], KPRED_HIP_UNTIMED);
    CHECK(kpri_hip_judge(&race, 0, 2) < 1e-4);
    CHECK_EQ(scene.timings[1].outcome, KPRED_HIP_SLOWER);
}

static void two_rounds_drop_nobody(void)
{
    kpri_hip_race race;
    for (uint32_t rounds = 1; rounds <= 3; rounds++) {
        begin_pairs(&race, 2);
        set_samples(0, 0, KPRED_HIP_LEVEL);
        set_samples(1, 50, KPRED_HIP_LEVEL);
        scene.timings[1].rounds = rounds;
        scene.timings[1].sample_us[0] = 200;
        kpri_hip_judge(&race, 0, 2);
        CHECK_EQ(race.racing, rounds < 3 ? 2 : 1);
    }
}

/* Slower by 1.5 standard errors, each of 1.4826 * 2 % / sqrt(0.85 * 5): not dropped, but beaten by
   more than what does not matter. */
static void less_than_two_errors(void)
{
    kpri_hip_race race;
    begin_pairs(&race, 2);
    set_samples(0, 2, KPRED_HIP_LEVEL);
    set_samples(1, 0, KPRED_HIP_LEVEL);
    for (size_t r = 0; r < 5; r++)
        scene.timings[0].sample_us[r] += 1.5 * 1.4382 - 4;
    kpri_hip_judge(&race, 1, KPRI_HIP_SURE_SIGMAS);
    CHECK_EQ(scene.timings[0].outcome, KPRED_HIP_LEVEL);
    race.tolerance = 0.022;
    CHECK_EQ(kpri_hip_winners(&race), KPRED_HIP_LEVEL);
    CHECK_EQ(scene.timings[0].outcome, KPRED_HIP_LEVEL);
    race.tolerance = 0.02;
    CHECK_EQ(kpri_hip_winners(&race), KPRED_HIP_LEVEL);
    CHECK_EQ(scene.timings[0].outcome, KPRED_HIP_SLOWER);
    CHECK_EQ(scene.timings[1].outcome, KPRED_HIP_LEVEL);
}

/* ---- kpred_hip_time ---- */

static uint32_t rounds_to_time(double tolerance, double budget_us)
{
    SCENE(1, 100, .noise = 0.03, .script = swinging_us,
          .plan = {.tolerance = tolerance, .budget_us = budget_us});
    CHECK_EQ(scene_time(), KPRED_HIP_OK);
    check_statistics(0);
    return scene.result.rounds;
}

static void time_until_it_is_known_or_the_budget_ends(void)
{
    CHECK(rounds_to_time(0.5, 1e9) < 10);
    CHECK(rounds_to_time(0.03, 1e9) < rounds_to_time(0.02, 1e9));
    CHECK_EQ(rounds_to_time(1e-9, 1e9), KPRED_HIP_SAMPLES - 1);
    CHECK_EQ(rounds_to_time(1e-9, 1050), 8);
    CHECK_EQ(rounds_to_time(1e-9, 250), 0);
}

/* Close to normal: the sum of four */
static double normal_us(size_t i, int k)
{
    const double sum = scene_uniform() + scene_uniform() + scene_uniform() + scene_uniform();
    (void)k;
    return scene.us[i] * (1 + scene.noise * (sum - 2) * sqrt(3));
}

/* Known means two standard errors: right 19 times out of 20. Looking often costs some of that. */
static void time_is_as_good_as_it_says(void)
{
    int good = 0;
    for (uint64_t seed = 0; seed < 400; seed++) {
        SCENE(1, 100, .seed = seed, .noise = 0.006, .script = normal_us);
        CHECK_EQ(scene_time(), KPRED_HIP_OK);
        CHECK(scene.result.rounds < KPRED_HIP_SAMPLES);
        good += fabs(scene.timings[0].median_us / 100 - 1) <= 0.005;
    }
    CHECK(good >= 370);
}

int main(void)
{
    scene_run_rows(rows, COUNT(rows));
    RUN_ALL(the_fastest_wins_wherever_it_is, equal_times_go_to_the_better_ranked, noise_seldom_wins,
            every_round_has_an_order_of_its_own, drift_and_outliers_do_no_harm,
            one_slow_launch_on_entry_does_no_harm, two_runs_are_the_same, statistics,
            statistics_of_batches, the_middle_of_samples, a_pair_is_compared_round_by_round,
            the_noise_is_the_mean_of_the_pairs, the_error_of_a_gap,
            noise_of_others_keeps_one_in_the_race, two_rounds_drop_nobody, less_than_two_errors,
            time_until_it_is_known_or_the_budget_ends, time_is_as_good_as_it_says);
    return test_end();
}
