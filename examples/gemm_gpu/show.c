/* show.c - what the model's tuples are worth on problems that it has not seen, in GFLOP/s
   SPDX-License-Identifier: MIT

   usage: show FOLDER PROBLEMS.csv TIMES.csv [FOUND.csv]
   FOLDER has the variants, TIMES.csv is the table that the model learnt from, FOUND.csv has what a
   long search found for the same problems (`make full`). For each problem all candidates run by
   turns in one race of kpred_hip_select: the default tuple, the ten that the model names first, ten
   random legal ones, the best of the nearest problem in TIMES.csv, and the best of FOUND.csv. The
   last line has the geometric means of the share of the fastest of them. */
#define KPRED_IMPLEMENTATION
#define KPRED_HIP_IMPLEMENTATION
#include "kpred_hip.h"

#include "gemm_model.h"

#include "device.h"

#include <math.h>

enum { K = 10, FIELDS = KPRED_GEMM_GPU_FIELDS };
enum { DEFAULT, FIRST, RANDOM = FIRST + K, NEAREST = RANDOM + K, FOUND, CANDIDATES };
enum column { OF_DEFAULT, OF_FIRST, OF_TEN, OF_RANDOM, OF_NEAREST, OF_FOUND, COLUMNS };

static const char *const titles[COLUMNS] = {"default",   "k = 1",   "k = 10",
                                            "10 random", "nearest", "long search"};

/* Legal for every problem */
static const kpred_tuple default_tuple = {0, {64, 64, 16, 4, 4, 1, 2, 0, 1, 1}};

static struct device device;

/* ---- tables ---- */

/* How many octaves two problems are apart */
static double distance(const int32_t *a, const int32_t *b)
{
    double sum = 0;
    for (int i = 0; i < FIELDS; i++)
        sum += fabs(log2((double)a[i] / (double)b[i]));
    return sum;
}

/* A line of integers and a time: 0, or -1 for any other one, such as a failure's. */
static int read_row(char *line, int32_t row[FIELDS + PARAMS], double *us)
{
    char *at = line, *end;
    for (int i = 0; i < FIELDS + PARAMS; i++, at = end + 1) {
        row[i] = (int32_t)strtol(at, &end, 10);
        if (end == at || *end != ',')
            return -1;
    }
    *us = strtod(at, &end);
    return end == at || *us <= 0 ? -1 : 0;
}

/* The best legal tuple of the nearest problem of a table of tune, at most so far away; 1 if there
   is one. */
static int best_of(const char *path, const int32_t *problem, double most, kpred_tuple *best)
{
    FILE *file = fopen(path, "r");
    double nearest = most, best_us = 0;
    int found = 0;
    char line[1000];
    while (file != NULL && fgets(line, sizeof line, file) != NULL) {
        int32_t row[FIELDS + PARAMS];
        double us, d;
        if (read_row(line, row, &us) != 0 || (d = distance(row, problem)) > nearest
            || (found && d >= nearest && us >= best_us)
            || !kpred_legal(&kpred_model_gemm_gpu, problem, row + FIELDS))
            continue;
        found = 1, nearest = d, best_us = us;
        memcpy(best->value, row + FIELDS, PARAMS * sizeof *row);
    }
    if (file != NULL)
        fclose(file);
    return found;
}

/* ---- candidates ---- */

static void draw(const int32_t *problem, uint32_t *state, kpred_tuple *t)
{
    const kpred_model *m = &kpred_model_gemm_gpu;
    do
        for (int i = 0; i < PARAMS; i++) {
            const uint32_t n = (uint32_t)m->params[i].n_values;
            t->value[i] = m->params[i].values[next_random(state) % n];
        }
    while (!kpred_legal(m, problem, t->value));
}

static kpred_status predict(const int32_t *problem, kpred_tuple *best, size_t *n)
{
    static int32_t arena[KPRED_GEMM_GPU_ARENA(K)];
    static kpred_ctx ctx;
    const kpred_status status = kpred_init(&ctx, KPRED_VERSION, &kpred_model_gemm_gpu, K, arena,
                                           sizeof arena / sizeof *arena);
    return status == KPRED_OK ? kpred_predict(&ctx, problem, FIELDS, best, K, n) : status;
}

/* Where there is no such candidate, the default stands for it. */
static int collect(const int32_t *problem, const char *times, const char *found,
                   kpred_tuple candidate[CANDIDATES])
{
    uint32_t state = (uint32_t)(problem[0] * 7919 + problem[1] * 131 + problem[2]);
    size_t n = 0;
    kpred_status status;
    for (int i = 0; i < CANDIDATES; i++)
        candidate[i] = default_tuple;
    status = predict(problem, candidate + FIRST, &n);
    if (status != KPRED_OK) {
        fprintf(stderr, "gemm_gpu: %s\n", kpred_status_string(status));
        return -1;
    }
    for (int i = 0; i < K; i++)
        draw(problem, &state, &candidate[RANDOM + i]);
    (void)best_of(times, problem, 1e9, &candidate[NEAREST]);
    return found != NULL && best_of(found, problem, 0, &candidate[FOUND]);
}

/* ---- the race ---- */

static double gflops(const int32_t *problem, const kpred_hip_timing *t)
{
    return t->samples > 0 && t->outcome >= KPRED_HIP_SLOWER
               ? 2e-3 * problem[0] * problem[1] * problem[2] / t->median_us
               : 0;
}

static int race(const kpred_tuple *candidate, size_t n, kpred_hip_timing *timings)
{
    kpred_hip_result result;
    kpred_hip_plan plan = {0};
    kpred_hip_status status;
    for (size_t i = 0; i < n; i++)
        (void)launch_once(&device, &candidate[i], 0);
    plan.user = &device;
    plan.launch = launch;
    plan.verify = verify;
    plan.budget_us = 1e6;
    plan.drop_factor = 1e6; /* each is to be timed, also a slow one */
    plan.tolerance = 0.001;
    status = kpred_hip_select(&plan, candidate, n, timings, &result);
    if (status == KPRED_HIP_OK)
        return 0;
    fprintf(stderr, "gemm_gpu: %s: %s\n", kpred_hip_status_string(status),
            hipGetErrorName(result.error));
    return -1;
}

static double best_speed(const int32_t *problem, const kpred_hip_timing *t, int n)
{
    double best = 0;
    for (int i = 0; i < n; i++)
        best = gflops(problem, &t[i]) > best ? gflops(problem, &t[i]) : best;
    return best;
}

/* Fills a line of the table and prints it: 0 or -1. */
static int show(const int32_t *problem, const char *times, const char *found, double speed[COLUMNS])
{
    static const int from[COLUMNS] = {DEFAULT, FIRST, FIRST, RANDOM, NEAREST, FOUND};
    static const int count[COLUMNS] = {1, 1, K, K, 1, 1};
    static kpred_hip_timing timings[CANDIDATES];
    const struct problem p = {problem[0], problem[1], problem[2]};
    kpred_tuple candidate[CANDIDATES];
    const int searched = collect(problem, times, found, candidate);
    if (searched < 0 || open_problem(&device, p) != hipSuccess
        || race(candidate, searched ? CANDIDATES : FOUND, timings) != 0)
        return -1;
    printf("%6d %6d %6d", (int)p.m, (int)p.n, (int)p.k);
    for (int i = 0; i < COLUMNS; i++) {
        speed[i] =
            i == OF_FOUND && !searched ? 0 : best_speed(problem, timings + from[i], count[i]);
        printf(" %11.5g", speed[i]);
    }
    printf("\n");
    return 0;
}

/* ---- all problems ---- */

static void heading(void)
{
    printf("%6s %6s %6s", "m", "n", "k");
    for (int i = 0; i < COLUMNS; i++)
        printf(" %11s", titles[i]);
    printf("  GFLOP/s\n");
}

static void add_logs(const double speed[COLUMNS], double sum[COLUMNS])
{
    double best = 0;
    for (int i = 0; i < COLUMNS; i++)
        best = speed[i] > best ? speed[i] : best;
    for (int i = 0; i < COLUMNS; i++)
        sum[i] += log(speed[i] / best); /* minus infinity for what is not there */
}

static void footing(const double sum[COLUMNS], int n)
{
    printf("%-20s", "share of the best, %");
    for (int i = 0; i < COLUMNS && n > 0; i++)
        printf(" %11.1f", 100 * exp(sum[i] / n));
    printf("\n");
}

static int show_all(FILE *problems, const char *times, const char *found)
{
    double sum[COLUMNS] = {0};
    char line[1000];
    int n = 0, bad = 0;
    heading();
    while (!bad && fgets(line, sizeof line, problems) != NULL) {
        int m, columns, k;
        double speed[COLUMNS];
        if (sscanf(line, "%d,%d,%d", &m, &columns, &k) != FIELDS)
            continue; /* the header, a comment */
        const int32_t problem[FIELDS] = {m, columns, k};
        bad = show(problem, times, found, speed) != 0;
        if (!bad)
            add_logs(speed, sum), n++;
    }
    footing(sum, n);
    return bad || n == 0;
}

int main(int argc, char **argv)
{
    FILE *problems;
    int bad;
    if (argc < 4 || argc > 5) {
        fprintf(stderr, "usage: show FOLDER PROBLEMS.csv TIMES.csv [FOUND.csv]\n");
        return 2;
    }
    if (no_device())
        return EXIT_NO_DEVICE;
    problems = fopen(argv[2], "r");
    if (problems == NULL) {
        fprintf(stderr, "gemm_gpu: cannot read %s\n", argv[2]);
        return EXIT_FAILURE;
    }
    device.folder = argv[1];
    bad = show_all(problems, argv[3], argv[4]);
    fclose(problems);
    close_device(&device);
    return bad;
}
