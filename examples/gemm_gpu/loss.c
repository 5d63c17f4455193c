/* loss.c - what a race loses to the best of its candidates, with this kpred_hip.h and another one
   SPDX-License-Identifier: MIT

   usage: loss FOLDER BUDGET_US... <RANKED.csv
   FOLDER has the variants, RANKED.csv is what `kpred predict --problems --csv -k 10` prints. For
   each problem the first 4 and all tuples race with each budget, with both headers by turns. Before
   and after these races all tuples are timed in rounds: one half names the best, and the other one
   compares it with the winner. A line has the candidates and the budget; for both headers the mean
   loss in percent, launches, and the share of the budget that was spent; this header's loss again
   and how much less it is than the other's, with 95 % intervals. These draw problems, and of each
   problem its races. A problem with a tuple that fails or is wrong is left out. The Makefile
   compiles this file twice, and gives the other header's race a name, RACE. */
#ifdef RACE
#define KPRED_HIP_STATIC
#else
#define KPRED_IMPLEMENTATION
#define KPRED_HIP_IMPLEMENTATION
#define RACE new_race
#endif
#include "kpred_hip.h"

#ifdef KPRED_IMPLEMENTATION
#include "device.h"

#include <inttypes.h>
#include <math.h>
#endif

enum { K = 10, FEW = 4 };

void old_race(const kpred_hip_plan *plan, const kpred_tuple *tuples, size_t n,
              kpred_hip_result *result);
void new_race(const kpred_hip_plan *plan, const kpred_tuple *tuples, size_t n,
              kpred_hip_result *result);

void RACE(const kpred_hip_plan *plan, const kpred_tuple *tuples, size_t n, kpred_hip_result *result)
{
    kpred_hip_timing timings[K];
    if (kpred_hip_select(plan, tuples, n, timings, result) != KPRED_HIP_OK)
        result->winner = 0;
}

#ifdef KPRED_IMPLEMENTATION

enum { REPEATS = 12, ROUNDS = 100, MOST_PROBLEMS = 200, MOST_BUDGETS = 8, DRAWS = 2000 };

static struct device device;
static kpred_tuple tuples[K];
static double typical[2][K]; /* us, before and after the races */
static double budget[MOST_BUDGETS];
static int n_budgets, n_problems;
static uint32_t seed = 1;

/* Sums over the races of a number of candidates, a budget and a header */
static struct cell {
    double loss[MOST_PROBLEMS][REPEATS]; /* logarithm of the winner's time by the best one's */
    double launches, spent;
} cells[2][MOST_BUDGETS][2];
static struct races { /* of a problem */
    size_t winner[REPEATS];
    double launches, spent;
} races[2][MOST_BUDGETS][2];

/* ---- how fast the tuples are ---- */

static int compare_doubles(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static hipError_t time_one(const kpred_tuple *tuple, const hipEvent_t *event, double *us)
{
    float ms = 0;
    hipError_t error = hipEventRecord(event[0], 0);
    if (error == hipSuccess)
        error = launch(&device, tuple, 0);
    if (error == hipSuccess)
        error = hipEventRecord(event[1], 0);
    if (error == hipSuccess)
        error = hipEventSynchronize(event[1]);
    if (error == hipSuccess)
        error = hipEventElapsedTime(&ms, event[0], event[1]);
    *us = 1e3 * (double)ms;
    return error;
}

/* Medians of rounds, each of which begins with another tuple */
static hipError_t time_all(double *median)
{
    static double us[K][ROUNDS];
    hipEvent_t event[2];
    hipError_t error = hipEventCreate(&event[0]);
    if (error != hipSuccess || (error = hipEventCreate(&event[1])) != hipSuccess)
        return error;
    for (int r = 0; r < ROUNDS; r++)
        for (int i = 0; i < K && error == hipSuccess; i++) {
            const int k = (i + r) % K;
            error = time_one(&tuples[k], event, &us[k][r]);
        }
    for (int i = 0; i < K; i++) {
        qsort(us[i], ROUNDS, sizeof us[i][0], compare_doubles);
        median[i] = us[i][ROUNDS / 2];
    }
    (void)hipEventDestroy(event[0]);
    (void)hipEventDestroy(event[1]);
    return error;
}

/* The best of the first n by one half, the winner's time beside it by the other half */
static double loss_of(size_t winner, int n)
{
    double loss = 0;
    for (int half = 0; half < 2; half++) {
        int best = 0;
        for (int i = 1; i < n; i++)
            if (typical[half][i] < typical[half][best])
                best = i;
        loss += log(typical[!half][winner] / typical[!half][best]) / 2;
    }
    return loss;
}

/* ---- races ---- */

static void race(int n, int b, int repeat, int is_new)
{
    struct races *all = &races[n == K][b][is_new];
    kpred_hip_result result;
    kpred_hip_plan plan = {0};
    plan.user = &device;
    plan.launch = launch;
    plan.budget_us = budget[b];
    (is_new ? new_race : old_race)(&plan, tuples, (size_t)n, &result);
    all->winner[repeat] = result.winner;
    all->launches += (double)result.launches / REPEATS;
    all->spent += result.device_us / budget[b] / REPEATS;
}

static void race_by_turns(void)
{
    for (int r = 0; r < 2 * REPEATS * n_budgets; r++) {
        const int first = (int)(next_random(&seed) % 2), b = r / 2 % n_budgets;
        race(r % 2 ? K : FEW, b, r / 2 / n_budgets, first);
        race(r % 2 ? K : FEW, b, r / 2 / n_budgets, !first);
    }
}

/* Adds what has been lost and spent on this problem. */
static void add_problem(void)
{
    for (int c = 0; c < 4 * n_budgets; c++) {
        const int is_all = c & 1, is_new = c >> 1 & 1, b = c >> 2;
        const struct races *of = &races[is_all][b][is_new];
        struct cell *to = &cells[is_all][b][is_new];
        for (int r = 0; r < REPEATS; r++)
            to->loss[n_problems][r] = loss_of(of->winner[r], is_all ? K : FEW);
        to->launches += of->launches;
        to->spent += of->spent;
    }
    n_problems++;
}

static int all_work(void)
{
    for (int i = 0; i < K; i++)
        if (launch_once(&device, &tuples[i], 0) != hipSuccess || !verify(&device, &tuples[i], 0))
            return 0;
    return 1;
}

static int is_raced(struct problem p)
{
    if (n_problems == MOST_PROBLEMS || open_problem(&device, p) != hipSuccess || !all_work()
        || time_all(typical[0]) != hipSuccess)
        return 0;
    memset(races, 0, sizeof races);
    race_by_turns();
    return time_all(typical[1]) == hipSuccess;
}

static void race_problem(struct problem p)
{
    if (is_raced(p))
        add_problem();
    else
        fprintf(stderr, "gemm_gpu: %d %d %d is left out\n", p.m, p.n, p.k);
}

/* ---- input and output ---- */

/* line,m,n,k,rank,probability, and the tuple: the rank, or 0 */
static int read_row(const char *line, struct problem *p, int32_t *value)
{
    int rank = 0, at = 0;
    if (sscanf(line, "%*d,%d,%d,%d,%d,%*f,%n", &p->m, &p->n, &p->k, &rank, &at) != 4 || at == 0
        || rank < 1 || rank > K)
        return 0;
    for (int i = 0, n = 0; i < PARAMS; i++, at += n)
        if (sscanf(line + at, i + 1 < PARAMS ? "%" SCNd32 ",%n" : "%" SCNd32 "%n", &value[i], &n)
            != 1)
            return 0;
    return rank;
}

/* ---- intervals ---- */

/* By how much less is lost now; of what is lost now where there is no other. In percent. */
struct interval {
    double mean, low, high;
};

static double less(const struct cell *now, const struct cell *old, int problem, int repeat)
{
    return old ? old->loss[problem][repeat] - now->loss[problem][repeat]
               : now->loss[problem][repeat];
}

static int drawn_below(int n)
{
    return (int)(next_random(&seed) % (uint32_t)n);
}

/* The mean over problems and races; with `draw`, of as many, each drawn out of all */
static double mean(const struct cell *now, const struct cell *old, int draw)
{
    double sum = 0;
    for (int i = 0; i < n_problems; i++) {
        const int problem = draw ? drawn_below(n_problems) : i;
        for (int r = 0; r < REPEATS; r++)
            sum += less(now, old, problem, draw ? drawn_below(REPEATS) : r) / REPEATS;
    }
    sum /= n_problems;
    return 100 * (old ? sum : expm1(sum));
}

static struct interval interval_of(const struct cell *now, const struct cell *old)
{
    static double drawn[DRAWS];
    struct interval interval;
    for (int i = 0; i < DRAWS; i++)
        drawn[i] = mean(now, old, 1);
    qsort(drawn, DRAWS, sizeof drawn[0], compare_doubles);
    interval.mean = mean(now, old, 0);
    interval.low = drawn[DRAWS / 40];
    interval.high = drawn[DRAWS - 1 - DRAWS / 40];
    return interval;
}

static void print_line(int is_all, int b)
{
    const struct cell *old = &cells[is_all][b][0], *now = &cells[is_all][b][1];
    const struct interval lost = interval_of(now, NULL), saved = interval_of(now, old);
    printf("%2d %9.0f  %6.2f %6.2f  %5.1f %5.1f  %4.2f %4.2f  %6.2f (%.2f to %.2f)"
           "  %6.2f (%.2f to %.2f)\n",
           is_all ? K : FEW, budget[b], mean(old, NULL, 0), lost.mean, old->launches / n_problems,
           now->launches / n_problems, old->spent / n_problems, now->spent / n_problems, lost.mean,
           lost.low, lost.high, saved.mean, saved.low, saved.high);
}

static int print_lines(void)
{
    printf("%d problems; loss in percent, launches, share of the budget: before and now; the loss "
           "now, and less\n",
           n_problems);
    for (int l = 0; n_problems > 0 && l < 2 * n_budgets; l++)
        print_line(l / n_budgets, l % n_budgets);
    return n_problems > 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

int main(int argc, char **argv)
{
    char line[1000];
    struct problem p;
    n_budgets = argc - 2;
    for (int b = 0; b < n_budgets && b < MOST_BUDGETS; b++)
        budget[b] = atof(argv[b + 2]);
    if (n_budgets < 1 || n_budgets > MOST_BUDGETS || !(budget[n_budgets - 1] > 0)) {
        fprintf(stderr, "usage: loss FOLDER BUDGET_US... <RANKED.csv\n");
        return 2;
    }
    if (no_device())
        return EXIT_NO_DEVICE;
    device.folder = argv[1];
    while (fgets(line, sizeof line, stdin) != NULL) {
        int32_t value[PARAMS];
        const int rank = read_row(line, &p, value);
        if (rank > 0)
            memcpy(tuples[rank - 1].value, value, sizeof value);
        if (rank == K)
            race_problem(p);
    }
    close_device(&device);
    return print_lines();
}

#endif
