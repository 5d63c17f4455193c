/* day.c - what a GPU says in the stages of day.sh that need a program of their own
   SPDX-License-Identifier: MIT

   usage: day sound FOLDER          what a race has to be right about: a name, ok or failed, figures
          day lost FOLDER           the same of a context that is lost, which ends the process
          day loss FOLDER PROBLEMS.csv BUDGET_US...   races, and all their candidates' times
          day vendor FOLDER PROBLEMS.csv   the product of cuBLAS or hipBLAS
          day cold FOLDER with|without     calls with a prediction before the launch, or without
   FOLDER has the variants. Rows of CSV are printed without a heading, those of a problem in one
   write. gemm_model.h says which tuples are legal; its weights need not have learned anything. The
   status is 77 where there is no device, or no library of the vendor's. */
#define _POSIX_C_SOURCE 200809L
#define KPRED_IMPLEMENTATION
#define KPRED_HIP_IMPLEMENTATION
#include "kpred_hip.h"

#include "gemm_model.h"

#include "device.h"

#include "blas_product.h"

#include <time.h>

enum { K = 10, DRAWN = 40, TABLES = 3, ROUNDS = 20, REPEATS = 4, MOST_BUDGETS = 8, CALLS = 24 };

static struct device device;
static kpred_tuple candidate[DRAWN];
static kpred_hip_timing timings[DRAWN];
static uint32_t seed = 1;

static double now_us(void *user)
{
    struct timespec t;
    (void)user;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return 1e6 * (double)t.tv_sec + 1e-3 * (double)t.tv_nsec;
}

static int compare_doubles(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double *x, size_t n)
{
    qsort(x, n, sizeof *x, compare_doubles);
    return x[n / 2];
}

/* ---- candidates ---- */

/* Legal tuples of the problem that is open, any two of which differ where there are enough */
static void draw(int n)
{
    const kpred_model *model = &kpred_model_gemm_gpu;
    const struct problem *p = &device.product.of;
    const int32_t problem[] = {p->m, p->n, p->k};
    for (int i = 0, tries = 0; i < n; tries++) {
        int32_t *value = candidate[i].value;
        int is_new = 1;
        for (int j = 0; j < PARAMS; j++) {
            const uint32_t values = (uint32_t)model->params[j].n_values;
            value[j] = model->params[j].values[next_random(&seed) % values];
        }
        for (int j = 0; j < i && tries < 100000; j++)
            is_new &= memcmp(value, candidate[j].value, PARAMS * sizeof *value) != 0;
        i += is_new && kpred_legal(model, problem, value);
    }
}

static hipError_t time_one(const kpred_tuple *tuple, double *us)
{
    static hipEvent_t event[2];
    static int is_ready;
    float ms = 0;
    hipError_t error = hipSuccess;
    for (int i = 0; i < 2 && !is_ready && error == hipSuccess; i++)
        error = hipEventCreate(&event[i]);
    is_ready |= error == hipSuccess;
    if (error == hipSuccess)
        error = hipEventRecord(event[0], 0);
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
static hipError_t time_all(int n, int rounds, double *typical)
{
    static double us[DRAWN][ROUNDS];
    hipError_t error = hipSuccess;
    for (int r = 0; r < rounds; r++)
        for (int i = 0; i < n && error == hipSuccess; i++) {
            const int k = (i + r) % n;
            error = time_one(&candidate[k], &us[k][r]);
        }
    for (int i = 0; i < n; i++)
        typical[i] = median(us[i], (size_t)rounds);
    return error;
}

static kpred_hip_plan plan_of(double budget_us)
{
    kpred_hip_plan plan = {0};
    plan.user = &device;
    plan.launch = launch;
    plan.budget_us = budget_us;
    return plan;
}

/* ---- sound: each candidate has a role ---- */

enum role { RIGHT, SLOW, WRONG, REFUSED, MISSING, POISONED };

/* Tuples without tiles have a role in place of them, and the tuple is the first candidate's. */
static hipError_t play(struct device *d, const kpred_tuple *tuple, hipStream_t stream)
{
    struct problem *p = &d->product.of;
    const struct problem of = *p;
    void *const a = d->a;
    kpred_tuple real = candidate[0];
    hipError_t error = find_variant(d, real.value);
    switch (error == hipSuccess ? (enum role)tuple->value[GROUP] : RIGHT) {
    case SLOW:
        for (int i = 0; i < 20 && error == hipSuccess; i++)
            error = launch_tuple(d, &real, stream);
        return error == hipSuccess ? launch_tuple(d, &real, stream) : error;
    case WRONG: /* leaves out the last row */
        p->m--;
        error = launch_tuple(d, &real, stream);
        break;
    case REFUSED: {
        void *none[] = {&d->a, &d->b, &d->c, &p->m, &p->n, &p->k, &p->m, &p->n};
        return hipModuleLaunchKernel(d->variants[d->now].gemm, 1, 1, 1, 1 << 20, 1, 1, 0, stream,
                                     none, NULL);
    }
    case MISSING: real.value[TILE_M] = 7; return launch_tuple(d, &real, stream);
    case POISONED:
        d->a = (void *)(uintptr_t)64;
        error = launch_tuple(d, &real, stream);
        d->a = a;
        break;
    default: return error == hipSuccess ? launch_tuple(d, &real, stream) : error;
    }
    *p = of;
    return error;
}

static void give_role(int i, enum role role)
{
    const kpred_tuple none = {0, {0}};
    candidate[i] = none;
    candidate[i].value[GROUP] = (int32_t)role;
}

static void say(const char *name, int is_right, const char *form, double x, double y)
{
    printf("%s,%s,", name, is_right ? "ok" : "failed");
    printf(form, x, y);
    printf("\n");
    fflush(stdout);
}

/* The longest turn of the race, as its figures have it */
static double longest_turn(int n, const kpred_hip_result *result)
{
    double most = 0;
    for (int i = 0; i < n; i++) {
        const kpred_hip_timing *t = &timings[i];
        most = t->entry_us > most ? t->entry_us : most;
        for (uint32_t s = 0; s < t->samples && s < KPRED_HIP_SAMPLES; s++)
            if (t->sample_us[s] * result->batch > most)
                most = t->sample_us[s] * result->batch;
    }
    return most;
}

static void roles_of_a_race(void)
{
    kpred_hip_plan plan = plan_of(1e6);
    kpred_hip_result result;
    double typical[4];
    plan.verify = verify;
    give_role(4, SLOW);
    give_role(5, WRONG);
    give_role(6, REFUSED);
    give_role(7, MISSING);
    const int is_timed = kpred_hip_select(&plan, candidate, 8, timings, &result) == KPRED_HIP_OK;
    const kpred_hip_outcome *slow = &timings[4].outcome;
    int best = 0;
    say("a wrong result never wins", is_timed && timings[5].outcome == KPRED_HIP_WRONG,
        "outcome %g", timings[5].outcome, 0);
    say("a launch that fails is left out", timings[6].outcome == KPRED_HIP_FAILED, "error %g",
        timings[6].error, 0);
    say("code that is missing is left out", timings[7].outcome == KPRED_HIP_FAILED, "error %g",
        timings[7].error, 0);
    say("a slow one is dropped", is_timed && *slow == KPRED_HIP_SLOWER, "%g us beside %g",
        timings[4].median_us, timings[is_timed ? result.winner : 0].median_us);
    if (time_all(4, ROUNDS, typical) != hipSuccess || !is_timed || result.winner > 3)
        best = -1;
    for (int i = 1; i < 4 && best >= 0; i++)
        best = typical[i] < typical[best] ? i : best;
    say("the winner is within 10 % of the fastest",
        best >= 0 && typical[result.winner] <= 1.1 * typical[best], "%g us beside %g",
        best >= 0 ? typical[result.winner] : 0, best >= 0 ? typical[best] : 0);
}

static void budgets_are_kept(void)
{
    static const double budgets[] = {1000, 5000, 20000};
    kpred_hip_result result;
    double typical[K];
    draw(K);
    (void)time_all(K, 3, typical); /* loads them */
    for (int b = 0; b < 3; b++) {
        const kpred_hip_plan plan = plan_of(budgets[b]);
        const int status = kpred_hip_select(&plan, candidate, K, timings, &result);
        const double most = budgets[b] + K * longest_turn(K, &result);
        say(b == 0   ? "a budget of 1 ms is kept"
            : b == 1 ? "a budget of 5 ms is kept"
                     : "a budget of 20 ms is kept",
            status == KPRED_HIP_OK && result.device_us <= most, "%.0f us of at most %.0f",
            result.device_us, most);
    }
}

static double jumping_clock(void *user)
{
    static int calls;
    (void)user;
    return ++calls > 8 ? 1e9 : 0;
}

static void a_race_is_cancelled(void)
{
    kpred_hip_plan plan = plan_of(1e6);
    kpred_hip_result result;
    plan.clock = jumping_clock;
    plan.wall_us = 1e6;
    const int status = kpred_hip_select(&plan, candidate, K, timings, &result);
    say("a race is cancelled by its clock",
        (status == KPRED_HIP_OK || status == KPRED_HIP_RANKED) && result.winner < K
            && result.launches <= 3 * K,
        "%g launches; status %g", result.launches, status);
}

static int open_small(void)
{
    const struct problem p = {256, 252, 260};
    return open_problem(&device, p) == hipSuccess ? 0 : -1;
}

static int sound(void)
{
    double typical[K];
    if (open_small() != 0)
        return EXIT_FAILURE;
    draw(K);
    if (told("launch", time_all(K, 3, typical)) != hipSuccess)
        return EXIT_FAILURE;
    device.other = play;
    roles_of_a_race();
    budgets_are_kept();
    a_race_is_cancelled();
    return EXIT_SUCCESS;
}

/* The status of the race that loses it, and of the one after it in the same process */
static int lost(void)
{
    const kpred_hip_plan plan = plan_of(5000);
    kpred_hip_result result;
    if (open_small() != 0)
        return EXIT_FAILURE;
    draw(4);
    device.other = play;
    give_role(2, POISONED);
    const int status = kpred_hip_select(&plan, candidate, 4, timings, &result);
    const int after = kpred_hip_select(&plan, candidate, 4, timings, &result);
    say("a lost context is said", status == KPRED_HIP_ERR_STICKY && after < 0, "status %g; then %g",
        status, after);
    return EXIT_SUCCESS;
}

/* ---- loss ---- */

static int rows_of_typical(const char *prefix, int table)
{
    double typical[K];
    if (time_all(K, ROUNDS, typical) != hipSuccess)
        return -1;
    for (int i = 0; i < K; i++)
        printf("%s,time,,%d,%d,%.3f,,\n", prefix, table, i, typical[i]);
    return 0;
}

static void rows_of_races(const char *prefix, int n, char **budgets, int from, int to)
{
    for (int r = from; r < to; r++)
        for (int b = 0; b < n; b++) {
            const kpred_hip_plan plan = plan_of(atof(budgets[b]));
            kpred_hip_result result;
            if (kpred_hip_select(&plan, candidate, K, timings, &result) != KPRED_HIP_OK)
                result.winner = 0;
            printf("%s,race,%s,%d,%d,,%u,%.1f\n", prefix, budgets[b], r, (int)result.winner,
                   (unsigned)result.launches, result.device_us);
        }
}

/* The fastest K of those that are drawn, in the order in which they were, so that a race is close.
   What fails, is wrong or cannot be timed is left out: -1 if too few are left. */
static int screen(void)
{
    static double us[DRAWN], sorted[DRAWN];
    int n = 0, kept = 0;
    draw(DRAWN);
    for (int i = 0; i < DRAWN; i++)
        if (launch_once(&device, &candidate[i], 0) == hipSuccess
            && verify(&device, &candidate[i], 0))
            candidate[n++] = candidate[i];
    if (n < K || time_all(n, 3, us) != hipSuccess)
        return -1;
    memcpy(sorted, us, sizeof us);
    qsort(sorted, (size_t)n, sizeof *sorted, compare_doubles);
    for (int i = 0; i < n && kept < K; i++)
        if (us[i] <= sorted[K - 1])
            candidate[kept++] = candidate[i];
    return 0;
}

static int loss(struct problem p, int n_budgets, char **budgets)
{
    char prefix[64];
    snprintf(prefix, sizeof prefix, "%d,%d,%d", p.m, p.n, p.k);
    if (screen() != 0 || rows_of_typical(prefix, 0) != 0)
        return -1;
    rows_of_races(prefix, n_budgets, budgets, 0, REPEATS / 2);
    if (rows_of_typical(prefix, 1) != 0)
        return -1;
    rows_of_races(prefix, n_budgets, budgets, REPEATS / 2, REPEATS);
    return rows_of_typical(prefix, 2);
}

/* ---- vendor ---- */

static int vendor(struct problem p)
{
    const kpred_tuple none = {0, {0}};
    kpred_hip_plan plan = plan_of(20000);
    kpred_hip_result result;
    device.other = launch_blas;
    plan.verify = verify;
    if (launch_once(&device, &none, 0) != hipSuccess
        || kpred_hip_time(&plan, &none, timings, &result) != KPRED_HIP_OK)
        return -1;
    printf("%d,%d,%d,%.3f\n", p.m, p.n, p.k, timings[0].median_us);
    return 0;
}

/* ---- cold ---- */

static int predict(kpred_ctx *ctx, const struct problem *p, kpred_tuple *best)
{
    const int32_t problem[] = {p->m, p->n, p->k};
    size_t n = 0;
    return kpred_predict(ctx, problem, KPRED_GEMM_GPU_FIELDS, best, 1, &n) == KPRED_OK ? 0 : -1;
}

/* A call with a problem that is new, until the device is done; what the kernel itself takes goes
   off. Columns: way, call, and us of the prediction, of finding or loading the code, of the rest */
static int cold_call(kpred_ctx *ctx, int call, const char *way, const kpred_tuple *usual)
{
    const struct problem p = {64 + 4 * call, 128, 64 + 8 * (call % 5)};
    kpred_tuple tuple = *usual;
    double at[4], kernel[5] = {0};
    if (open_problem(&device, p) != hipSuccess)
        return -1;
    at[0] = now_us(NULL);
    if (ctx != NULL && predict(ctx, &p, &tuple) != 0)
        return -1;
    at[1] = now_us(NULL);
    if (find_variant(&device, tuple.value) != hipSuccess)
        return -1;
    at[2] = now_us(NULL);
    if (launch(&device, &tuple, 0) != hipSuccess || hipStreamSynchronize(0) != hipSuccess)
        return -1;
    at[3] = now_us(NULL);
    for (int i = 0; i < 5; i++)
        (void)time_one(&tuple, &kernel[i]);
    printf("%s,%d,%.3f,%.3f,%.3f\n", way, call, at[1] - at[0], at[2] - at[1],
           at[3] - at[2] - median(kernel, 5));
    return 0;
}

static int cold(const char *way)
{
    static int32_t arena[KPRED_GEMM_GPU_ARENA(K)];
    static kpred_ctx ctx;
    const int is_with = strcmp(way, "with") == 0;
    int bad = open_small() != 0;
    draw(1);
    if (!bad && is_with)
        bad = kpred_init(&ctx, KPRED_VERSION, &kpred_model_gemm_gpu, K, arena,
                         sizeof arena / sizeof *arena)
              != KPRED_OK;
    for (int call = 1; call <= CALLS && !bad; call++)
        bad = cold_call(is_with ? &ctx : NULL, call, way, candidate) != 0;
    return bad ? EXIT_FAILURE : EXIT_SUCCESS;
}

/* ---- problems ---- */

static int each_problem(const char *path, int is_vendor, int n, char **budgets)
{
    FILE *file = fopen(path, "r");
    char line[1000];
    struct problem p;
    if (file == NULL) {
        fprintf(stderr, "gemm_gpu: cannot read %s\n", path);
        return EXIT_FAILURE;
    }
    while (fgets(line, sizeof line, file) != NULL) {
        if (sscanf(line, "%d,%d,%d", &p.m, &p.n, &p.k) != 3)
            continue; /* the heading, a comment */
        if (open_problem(&device, p) != hipSuccess
            || (is_vendor ? vendor(p) : loss(p, n, budgets)) != 0)
            fprintf(stderr, "gemm_gpu: %d,%d,%d is left out\n", p.m, p.n, p.k);
        fflush(stdout);
    }
    fclose(file);
    return EXIT_SUCCESS;
}

/* The stage that the words name; -1: there is none. */
static int stage(int n, char **words)
{
    if (n == 2 && strcmp(words[0], "sound") == 0)
        return sound();
    if (n == 2 && strcmp(words[0], "lost") == 0)
        return lost();
    if (n == 3 && strcmp(words[0], "cold") == 0)
        return cold(words[2]);
    if (n == 3 && strcmp(words[0], "vendor") == 0)
        return open_blas() == 0 ? each_problem(words[2], 1, 0, NULL) : EXIT_NO_DEVICE;
    if (n > 3 && n <= 3 + MOST_BUDGETS && strcmp(words[0], "loss") == 0)
        return each_problem(words[2], 0, n - 3, words + 3);
    return -1;
}

int main(int argc, char **argv)
{
    int status;
    if (argc > 1 && no_device())
        return EXIT_NO_DEVICE;
    setvbuf(stdout, NULL, _IOFBF, 1 << 16);
    device.folder = argc > 2 ? argv[2] : "";
    status = stage(argc - 1, argv + 1);
    if (status < 0) {
        fprintf(stderr, "usage: day sound|lost FOLDER | loss FOLDER PROBLEMS.csv BUDGET_US... | "
                        "vendor FOLDER PROBLEMS.csv | cold FOLDER with|without\n");
        return 2;
    }
    close_device(&device);
    return status;
}
