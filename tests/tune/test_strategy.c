/* test_strategy.c - the tuner's strategy where the best tuple is known
   SPDX-License-Identifier: MIT */
#include "harness/test.h"
#include "tune/strategy.c"

#include <math.h>

enum { SIDE = 6, PARAMS = 4, TUPLES = SIDE * SIDE * SIDE * SIDE };

static uint16_t value[TUPLES * PARAMS];
static double rank[SIDE * PARAMS], times[TUPLES];
static unsigned n_values[PARAMS] = {SIDE, SIDE, SIDE, SIDE};
static const struct space space = {PARAMS, TUPLES, n_values, value, rank, 0};
static struct heap heap; /* empty between the tests */

/* Values are powers of two; the tuple is written in the base SIDE. */
static void plant(void)
{
    for (size_t i = 0; i < TUPLES; i++)
        for (size_t p = 0, left = i; p < PARAMS; p++, left /= SIDE)
            value[i * PARAMS + p] = (uint16_t)(left % SIDE);
    for (size_t i = 0; i < SIDE * PARAMS; i++)
        rank[i] = 1 << i % SIDE;
}

static const uint16_t *tuple(size_t i)
{
    return value + i * PARAMS;
}

static double away(int v, int from)
{
    return 0.3 * abs(v - from);
}

static double separable(size_t i)
{
    const uint16_t *v = tuple(i);
    return exp(away(v[0], 2) + away(v[1], 4) + away(v[2], 1) + away(v[3], 3));
}

/* Two products have to be right */
static double pairwise(size_t i)
{
    const uint16_t *v = tuple(i);
    return exp(away(v[0] + v[1], 7) + away(v[2] + v[3], 4) + away(v[0], 5) + 0.1 * v[2]);
}

/* With noise of up to 22 percent, the same in each run */
static double rugged(size_t i)
{
    return separable(i) * (1 + 0.22 * (double)(i * 2654435761u % 1000) / 1000);
}

/* A fifth of the tuples fail, the neighbours of the best one among them */
static double failing(size_t i)
{
    const uint16_t *v = tuple(i);
    return v[0] * v[1] > 8 ? HUGE_VAL : separable(i);
}

/* Two fifths of the tuples fail, next to the best ones: where a product of three is too large */
static double edge(size_t i)
{
    const uint16_t *v = tuple(i);
    const int sum = v[0] + v[1] + v[2];
    return sum > 8 ? HUGE_VAL
                   : exp(-0.3 * sum + 0.1 * v[0] + away(v[3], 3)) * (rugged(i) / separable(i));
}

static double noise(size_t i)
{
    return (double)(i * 40503u % 997) / 997;
}

/* Tables of other GPUs, the first one like the rugged times */
static double like(size_t i)
{
    return pow(separable(i), 0.6) * (1 + 0.5 * noise(i));
}

static double by_chance(size_t i)
{
    return exp(4 * noise(i + 7));
}

static double contrary(size_t i)
{
    return (1 + 0.2 * noise(i)) / separable(i);
}

/* Right but for the best tuples and those like them, which are slow there */
static double right_elsewhere(size_t i)
{
    return tuple(i)[0] == 2 && tuple(i)[1] > 2 ? 40 + noise(i) : separable(i) * (1 + noise(i) / 10);
}

static double fill(double (*time)(size_t))
{
    double best = HUGE_VAL;
    for (size_t i = 0; i < TUPLES; i++) {
        times[i] = time(i);
        best = times[i] < best ? times[i] : best;
    }
    return best;
}

/* Proposals until the best tuple; the first `keep` of them go to `log`. */
static size_t search(struct strategy *s, double best, size_t most, size_t *log)
{
    for (size_t n = 1; n <= most; n++) {
        const size_t i = strategy_next(s);
        if (log != NULL)
            log[n - 1] = i;
        strategy_tell(s, i, times[i]);
        if (times[i] <= best)
            return n;
    }
    return most + 1;
}

/* Chance needs 648 on the average. */
static void finds(double (*time)(size_t), size_t most)
{
    const double best = fill(time);
    size_t sum = 0;
    for (uint64_t seed = 1; seed <= 4; seed++) {
        struct strategy *s = strategy_new(&space, seed);
        sum += search(s, best, 300, NULL);
        strategy_free(s);
    }
    CASE(sum <= 4 * most, "found after %d on the average, at most %d", (int)(sum / 4), (int)most);
}

static struct strategy *begin(uint64_t seed, double (*known)(size_t))
{
    static double table[TUPLES];
    struct strategy *s = strategy_new(&space, seed);
    for (size_t i = 0; known != NULL && i < TUPLES; i++)
        table[i] = known(i);
    if (known != NULL)
        strategy_warm(s, table, 1);
    return s;
}

static void deterministic_and_resumed(double (*time)(size_t), double (*known)(size_t))
{
    enum { ALL = 60, FIRST_RUN = 37 };
    size_t a[ALL], b[ALL];
    (void)fill(time);
    struct strategy *s = begin(7, known), *again = begin(7, known);
    (void)search(s, 0, ALL, a);
    (void)search(again, 0, ALL, b);
    CHECK(memcmp(a, b, sizeof a) == 0);
    strategy_free(again);
    again = begin(7, known);
    for (size_t i = 0; i < FIRST_RUN; i++)
        strategy_tell(again, a[i], times[a[i]]);
    (void)search(again, 0, ALL - FIRST_RUN, b);
    CHECK(memcmp(a + FIRST_RUN, b, (ALL - FIRST_RUN) * sizeof *b) == 0);
    strategy_free(again);
    again = begin(8, known);
    (void)search(again, 0, ALL, b);
    CHECK(memcmp(a, b, sizeof a) != 0);
    strategy_free(s);
    strategy_free(again);
}

static void each_once(void)
{
    static unsigned char seen[TUPLES];
    struct strategy *s = strategy_new(&space, 3);
    (void)fill(failing);
    for (size_t n = 0; n < TUPLES; n++) {
        const size_t i = strategy_next(s);
        REQUIRE(i < TUPLES && !seen[i]);
        seen[i] = 1;
        strategy_tell(s, i, times[i]);
    }
    CHECK(strategy_next(s) == SIZE_MAX);
    strategy_free(s);
}

static void all_fail(void)
{
    struct strategy *s = strategy_new(&space, 3);
    for (size_t n = 0; n < 30; n++)
        strategy_tell(s, strategy_next(s), HUGE_VAL);
    CHECK(strategy_next(s) < TUPLES);
    strategy_free(s);
}

/* Failures among so many launches, on the average of four runs. */
static void avoids(double (*time)(size_t), size_t launches, size_t most)
{
    const size_t all = launches * 4;
    size_t failed = 0;
    (void)fill(time);
    for (uint64_t seed = 1; seed <= 4; seed++) {
        size_t log[128];
        struct strategy *s = strategy_new(&space, seed);
        (void)search(s, 0, launches, log);
        for (size_t i = 0; i < launches; i++)
            failed += times[log[i]] == HUGE_VAL;
        strategy_free(s);
    }
    CASE(failed * 100 <= all * most, "%d of %d launches failed", (int)failed, (int)all);
}

static double runs_by(const struct failures *f, int a, int b, int c, int d)
{
    return failures_works(f, (size_t)(a + SIDE * (b + SIDE * (c + SIDE * d))), 0);
}

/* Where nothing failed, nothing is said. One failure is enough for the tuples beyond it. */
static void a_failure_teaches(void)
{
    size_t tuples[10];
    double all[10];
    struct failures *f = failures_open(&space, NULL, &heap);
    (void)fill(edge);
    for (size_t i = 577, n = 0; n < 9; i = (i + 577) % TUPLES)
        if (times[i] < HUGE_VAL) {
            tuples[n] = i;
            all[n++] = times[i];
        }
    failures_learn(f, tuples, all, 9);
    CHECK(runs_by(f, 5, 5, 5, 0) >= 1);
    tuples[9] = 4 + SIDE * (4 + SIDE * (3 + SIDE * 2));
    all[9] = HUGE_VAL;
    failures_learn(f, tuples, all, 10);
    CHECK(runs_by(f, 4, 4, 3, 2) < 0.4);
    CHECK(runs_by(f, 5, 4, 3, 2) < 0.4 && runs_by(f, 4, 4, 4, 1) < 0.4);
    CHECK(runs_by(f, 1, 1, 1, 2) > 0.8);
    heap_free(&heap);
}

static int is_over(int kind, const uint16_t *v)
{
    const int a = 1 << v[0], b = 1 << v[1], c = 1 << v[2];
    return (int[]){a * b > 100, a > 2 * b, a * b * c > 500, (a + b) * c > 100}[kind];
}

/* Limits of a product, a quotient and a sum: 50 tuples tell of all. */
static void limits_are_found(void)
{
    for (int kind = 0; kind < 4; kind++) {
        struct failures *f = failures_open(&space, NULL, &heap);
        size_t tuples[50];
        double all[50];
        for (size_t i = 0; i < 50; i++) {
            tuples[i] = i * 577 % TUPLES;
            all[i] = is_over(kind, tuple(tuples[i])) ? HUGE_VAL : 1;
        }
        failures_learn(f, tuples, all, 50);
        for (size_t i = 0; i < TUPLES; i++)
            CHECK_EQ(failures_works(f, i, 0) < 0.5, is_over(kind, tuple(i)));
        heap_free(&heap);
    }
}

/* What failed on another GPU is suspected as soon as one of these tuples has failed here. */
static void elsewhere(void)
{
    static double failed[TUPLES];
    size_t tuples[21];
    double all[21];
    for (size_t i = 0; i < TUPLES; i++)
        failed[i] = i % 3 == 0 ? 0.5 : 0;
    for (size_t i = 0; i < 21; i++) {
        tuples[i] = i < 20 ? 61 * i + (61 * i % 3 == 0) : 600;
        all[i] = i < 20 ? 1 : HUGE_VAL;
    }
    struct failures *f = failures_open(&space, failed, &heap);
    failures_learn(f, tuples, all, 21);
    for (size_t i = 1; i < TUPLES; i += 101)
        CHECK(i % 3 == 0 ? failures_works(f, i, 0) < 0.4 : failures_works(f, i, 0) > 0.6);
    heap_free(&heap);
}

/* Launches until it is enough, and the share by which the best one found is then slower. */
static size_t stop(uint64_t seed, double share, const double *like, double best, double *gap)
{
    struct strategy *s = strategy_new(&space, seed);
    double found = HUGE_VAL;
    size_t n = 0;
    if (like != NULL)
        strategy_warm(s, like, 1);
    CHECK(!strategy_is_enough(s, share));
    do {
        const size_t i = strategy_next(s);
        strategy_tell(s, i, times[i]);
        found = times[i] < found ? times[i] : found;
    } while (++n < 200 && !strategy_is_enough(s, share));
    *gap = found / best - 1;
    strategy_free(s);
    return n;
}

static void stops(double (*time)(size_t), const double *like, double share, size_t most)
{
    const double best = fill(time);
    size_t sum = 0, right = 0;
    for (uint64_t seed = 1; seed <= 10; seed++) {
        double gap;
        const size_t n = stop(seed, share, like, best, &gap);
        CHECK(n >= STRATEGY_LEAST);
        sum += n;
        right += gap <= share + 1e-9;
    }
    CASE(sum <= 10 * most && right >= 9, "%d of 10 stops at %g are right, after %d launches",
         (int)right, share, (int)sum / 10);
}

static void enough(void)
{
    static double like[TUPLES];
    for (size_t i = 0; i < TUPLES; i++)
        like[i] = 3 * separable(i);
    stops(separable, NULL, 0.02, 35);
    stops(pairwise, NULL, 0.02, 70);
    stops(rugged, NULL, 0.3, 30);
    stops(separable, like, 0.02, 40);
}

/* A table of a like GPU, one of chance with failures and unknown times, and an order */
static void warm(void)
{
    static double like[TUPLES], chance[TUPLES], score[TUPLES];
    const double best = fill(rugged);
    for (size_t i = 0; i < TUPLES; i++) {
        like[i] = 3 * separable(i);
        chance[i] = i % 7 == 0 ? HUGE_VAL : i % 5 == 0 ? NAN : 1 + (double)(i * 40503u % 997);
        score[i] = -times[i];
    }
    struct strategy *s = strategy_new(&space, 1);
    strategy_warm(s, like, 1);
    strategy_warm(s, chance, 1);
    CHECK(search(s, best, 60, NULL) <= 40);
    strategy_free(s);
    s = strategy_new(&space, 1);
    strategy_prior(s, score);
    CHECK(search(s, best, 1, NULL) == 1);
    strategy_free(s);
}

/* The first tuple is the best one of the table with the larger weight. */
static void weights(void)
{
    static double one[TUPLES], other[TUPLES];
    for (size_t i = 0; i < TUPLES; i++) {
        one[i] = i == 5 ? 1 : 2;
        other[i] = i == 9 ? 1 : 2;
    }
    for (int k = 0; k < 2; k++) {
        struct strategy *s = strategy_new(&space, 1);
        strategy_warm(s, one, k == 0 ? 1 : 0.1);
        strategy_warm(s, other, k == 0 ? 0.1 : 1);
        CHECK_EQ(strategy_next(s), k == 0 ? 5u : 9u);
        strategy_free(s);
    }
}

/* The best of the rugged times is there after so many on the average, of four runs. */
static void knows(const char *name, double (*table)(size_t), double (*others)(size_t), size_t most)
{
    static double told[2][TUPLES];
    const double best = fill(rugged);
    size_t sum = 0;
    for (size_t i = 0; i < TUPLES; i++) {
        told[0][i] = table(i);
        told[1][i] = others(i);
    }
    for (uint64_t seed = 1; seed <= 4; seed++) {
        struct strategy *s = strategy_new(&space, seed);
        for (size_t k = 0; k < 3; k++)
            strategy_warm(s, told[k > 0], 1);
        sum += search(s, best, 100, NULL);
        strategy_free(s);
    }
    CASE(sum <= 4 * most, "%s: found after %d, at most %d", name, (int)(sum / 4), (int)most);
}

static void tables_of_all_kinds(void)
{
    knows("all are right", like, like, 14);
    knows("one is right", like, by_chance, 6);
    knows("chance", by_chance, by_chance, 16);
    knows("the contrary", contrary, contrary, 10);
    knows("wrong of the best", right_elsewhere, right_elsewhere, 16);
}

/* Each tuple is 1 to itself and less to others, both ways alike; and steps from tuple to tuple,
   which cost least, give what a tuple by itself gives. */
static void likeness(void)
{
    static double known[TUPLES];
    static size_t all[TUPLES];
    static float out[TUPLES], back[TUPLES];
    struct columns columns;
    struct covariance c;
    for (size_t i = 0; i < TUPLES; i++) {
        all[i] = i;
        known[i] = log(separable(i));
    }
    columns_open(&columns, &space, &heap);
    columns_add_known(&columns, known, TUPLES);
    covariance_open(&c, &columns, 5);
    float *row = calloc(columns.width, sizeof *row);
    for (size_t i = 0; i < TUPLES; i += 101) {
        const size_t far = TUPLES - 1 - i;
        covariance_row(&c, i, COVARIANCE_ALL, row);
        covariance_all(&c, row, all, TUPLES, out);
        CHECK(fabsf(out[i] - (float)covariance_self(&c, i)) < 1e-4f);
        for (size_t j = 0; j < TUPLES; j++)
            CHECK(j == i || out[j] * out[j] < covariance_self(&c, i) * covariance_self(&c, j));
        covariance_all(&c, row, &far, 1, back);
        CHECK(!(back[0] < out[far]) && !(back[0] > out[far]));
        covariance_row(&c, far, COVARIANCE_ALL, row);
        covariance_all(&c, row, all, TUPLES, back);
        CHECK(fabsf(out[far] - back[i]) < 1e-5f);
    }
    free(row);
    heap_free(&heap);
}

/* ---- what a result counts for ---- */

static int is_loss(const struct strategy *s, size_t result, double want)
{
    return fabs(s->r.loss[result] - want) < 1e-12;
}

/* Logarithms of times, of tuples from 0 on */
static const double failed = HUGE_VAL;

static struct strategy *told(const double *log, size_t n, double middle)
{
    struct strategy *s = strategy_new(&space, 1);
    s->hints.middle = middle;
    for (size_t i = 0; i < n; i++)
        strategy_tell(s, i, pow(2, log[i]));
    return s;
}

/* Losses beyond the median are made smaller, and a failure has the rank of the slowest one. */
static void losses(void)
{
    const double log[] = {3, failed, -1, 7, 2};
    struct strategy *s = told(log, 5, 0);
    take_losses(s, 5);
    CHECK(is_loss(s, 0, 3) && is_loss(s, 2, -1) && is_loss(s, 4, 2));
    CHECK(is_loss(s, 3, hints_clip(7, 3)) && is_loss(s, 1, hints_clip(7, 3)));
    take_losses(s, 1);
    CHECK(is_loss(s, 0, 3) && s->r.n == 1);
    strategy_free(s);
    s = told(log, 5, 6); /* on other GPUs half of the tuples were slower than that */
    take_losses(s, 5);
    CHECK(is_loss(s, 0, 3) && is_loss(s, 3, hints_clip(7, 5)) && is_loss(s, 1, hints_clip(7, 5)));
    strategy_free(s);
    s = told((const double[]){failed, failed}, 2, 4);
    learn_failures(s, 2);
    take_losses(s, 2);
    CHECK(is_loss(s, 0, 0) && is_loss(s, 1, 0));
    strategy_free(s);
}

/* As far as it is not a surprise, it has the middle one's. */
static void losses_of_failures(void)
{
    struct strategy *s = told((const double[]){failed, 3, 1, 7, 2, failed}, 6, 0);
    learn_failures(s, 0);
    CHECK(s->failures == NULL);
    learn_failures(s, 1);
    REQUIRE(s->failures != NULL);
    learn_failures(s, 6);
    take_losses(s, 6);
    for (size_t i = 0; i < 6; i += 5) {
        const double runs = failures_works(s->failures, i, 0);
        CHECK(runs > 0.05 && runs < 0.95 && is_loss(s, i, 3 + (hints_clip(7, 3) - 3) * runs));
    }
    strategy_free(s);
    s = told((const double[]){3, 1, failed}, 3, 0);
    learn_failures(s, 2);
    CHECK(s->failures == NULL);
    strategy_free(s);
}

/* Those of other problems are in units of the best one, which is the problem's own. */
static void losses_of_others(void)
{
    struct numbers numbers = {0};
    struct strategy *s = strategy_new(&space, 1);
    strategy_beside(s, 2, &numbers);
    strategy_tell(s, 7, 2);
    take_losses(s, 1);
    CHECK(is_loss(s, 0, 1));
    strategy_tell(s, 1, 16);
    strategy_tell(s, 0, 8);
    take_losses(s, 3);
    CHECK(is_loss(s, 0, 4) && is_loss(s, 1, 4) && is_loss(s, 2, 3));
    take_losses(s, 2);
    CHECK(is_loss(s, 0, 5) && is_loss(s, 1, 4));
    strategy_free(s);
}

/* ---- the first batch ---- */

/* The first proposals are the same whatever was measured; the next one follows from that. Fits are
   due after the first batch, and then after a quarter more results. */
static void first_batch(double (*known)(size_t), size_t first)
{
    static const size_t fits[] = {1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 15};
    size_t at = 0, n_differ = 0;
    (void)fill(rugged);
    while (fits[at] < first)
        at++;
    for (uint64_t seed = 1; seed <= 4; seed++) {
        struct strategy *s = begin(seed, known), *other = begin(seed, known);
        size_t fit = at;
        for (size_t n = 0; n <= 12; n++) {
            const size_t i = strategy_next(s), j = n <= first ? strategy_next(other) : i;
            CHECK(n >= first || i == j);
            n_differ += i != j;
            while (n >= first && fits[fit] <= n)
                fit++;
            CHECK_EQ(s->fit_at, fits[fit]);
            strategy_tell(s, i, times[i]);
            if (n < first)
                strategy_tell(other, j, n == 0 ? HUGE_VAL : 1 + noise(j));
        }
        strategy_free(s);
        strategy_free(other);
    }
    CHECK(n_differ > 1);
}

static void first_batches(void)
{
    first_batch(NULL, FIRST);
    first_batch(like, 1);
}

int main(void)
{
    plant();
    finds(separable, 60);
    finds(pairwise, 60);
    finds(rugged, 100);
    finds(failing, 60);
    deterministic_and_resumed(rugged, NULL);
    deterministic_and_resumed(rugged, by_chance);
    deterministic_and_resumed(edge, NULL);
    avoids(edge, 20, 25);
    avoids(edge, 100, 10);
    RUN_ALL(a_failure_teaches, limits_are_found, elsewhere, each_once, all_fail, enough, warm,
            weights, tables_of_all_kinds, likeness, losses, losses_of_failures, losses_of_others,
            first_batches);
    return test_end();
}
