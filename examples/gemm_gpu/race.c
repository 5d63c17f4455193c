/* race.c - checks tuples of gemm.hip or gemm.cl, and races them on the device
   SPDX-License-Identifier: MIT

   usage: race [--budget US] [--all] [--times FILE] FOLDER M N K TUPLE...
   FOLDER has the variants. A TUPLE is ten numbers as in gemm.spec's [params], with _ between them.
   Each has a line: its number in the order given, what became of it, microseconds, GFLOP/s, the
   tuple, and the error. A tuple that does not compile, fails or is wrong is left out. The status
   is 0 if one has won, 77 where there is no device.

   --budget US: of the device, 1000000 if nothing is said. --all: none is dropped, so that the times
   compare. --times FILE: adds what was timed to a table of times. */
#define KPRED_IMPLEMENTATION
#define KPRED_HIP_IMPLEMENTATION
#include "kpred_hip.h"

#include "../race_rows.h"
#include "device.h"

enum { MOST = 32, BEFORE_TUPLES = 4, LARGEST = 32768 };

static struct {
    double budget_us;
    int all;
    const char *times;
} options = {1e6, 0, NULL};

static struct device device;
static kpred_tuple candidate[MOST];
static kpred_hip_timing timings[MOST];
static hipError_t unusable[MOST]; /* why a candidate cannot be launched */

static const char *outcome_name(const kpred_hip_timing *t)
{
    static const char *const names[] = {"untried", "failed", "wrong", "untimed",
                                        "slower",  "level",  "winner"};
    return names[t->outcome];
}

/* A number from 0 to LARGEST before the character `end`; NULL if there is none */
static const char *read_number(const char *text, char end, int32_t *value)
{
    char *at;
    const long number = strtol(text, &at, 10);
    if (at == text || *at != end || number < 0 || number > LARGEST)
        return NULL;
    *value = (int32_t)number;
    return at + 1;
}

static int read_tuple(const char *text, kpred_tuple *t)
{
    const char *at = text;
    for (int i = 0; i < PARAMS && at != NULL; i++) {
        at = read_number(at, i + 1 < PARAMS ? '_' : '\0', &t->value[i]);
        if (at != NULL && t->value[i] == 0 && i != SPREAD)
            at = NULL;
    }
    if (at == NULL)
        fprintf(stderr, "gemm_gpu: %s is not a tuple of %d numbers\n", text, PARAMS);
    return at == NULL ? -1 : 0;
}

static int read_problem(char **words, struct problem *p)
{
    int32_t size[3];
    for (int i = 0; i < 3; i++)
        if (read_number(words[i], '\0', &size[i]) == NULL || size[i] == 0) {
            fprintf(stderr, "gemm_gpu: %s is not a size from 1 to %d\n", words[i], LARGEST);
            return -1;
        }
    p->m = size[0];
    p->n = size[1];
    p->k = size[2];
    return 0;
}

/* As gemm.spec: a load does not straddle the edge of a matrix. */
static int is_legal(const kpred_tuple *t)
{
    const struct problem *p = &device.product.of;
    return p->n % t->value[VEC] == 0 && p->k % t->value[VEC] == 0;
}

static hipError_t launch_known(void *user, const kpred_tuple *t, hipStream_t stream)
{
    const hipError_t error = unusable[t - candidate];
    return error != hipSuccess ? error : launch(user, t, stream);
}

/* Loads the variants. */
static void warm_up(int n)
{
    for (int i = 0; i < n; i++) {
        unusable[i] = is_legal(&candidate[i]) ? find_variant(&device, candidate[i].value)
                                              : hipErrorInvalidValue;
        if (unusable[i] == hipSuccess)
            (void)launch_once(&device, &candidate[i], 0);
        (void)hipGetLastError();
    }
}

static void print_line(int i, const kpred_hip_timing *t, const struct problem *p)
{
    const double flop = 2.0 * p->m * p->n * p->k;
    printf("%2d %-8s %10.1f %8.2f ", i + 1, outcome_name(t), t->median_us,
           t->median_us > 0 ? flop / t->median_us / 1e3 : 0);
    for (int j = 0; j < PARAMS; j++)
        printf("%s%d", j > 0 ? "_" : " ", (int)candidate[i].value[j]);
    printf("%s%s\n", t->error != hipSuccess ? "  " : "",
           t->error != hipSuccess ? hipGetErrorName(t->error) : "");
}

/* 0, or -1 with a message */
static int add_rows(int n)
{
    const struct problem *p = &device.product.of;
    FILE *file = race_rows_open(options.times, "gemm_gpu",
                                "m,n,k,tile_m,tile_n,tile_k,thread_m,thread_n,vec,buffers,spread,"
                                "split,group");
    if (file == NULL)
        return -1;
    for (int i = 0; i < n; i++) {
        char text[16 * (3 + PARAMS)];
        int at = sprintf(text, "%d,%d,%d", p->m, p->n, p->k);
        for (int j = 0; j < PARAMS; j++)
            at += sprintf(text + at, ",%d", (int)candidate[i].value[j]);
        race_rows_add(file, text, &timings[i]);
    }
    return race_rows_close(file, options.times);
}

static int race(int n)
{
    kpred_hip_result result;
    kpred_hip_plan plan = {0};
    kpred_hip_status status;
    warm_up(n);
    plan.user = &device;
    plan.launch = launch_known;
    plan.verify = verify;
    plan.budget_us = options.budget_us;
    if (options.all) {
        plan.drop_factor = 1e6;
        plan.tolerance = 0.001;
    }
    status = kpred_hip_select(&plan, candidate, (size_t)n, timings, &result);
    for (int i = 0; i < n; i++)
        print_line(i, &timings[i], &device.product.of);
    printf("%s: %u launches in %.0f us\n", kpred_hip_status_string(status),
           (unsigned)result.launches, result.device_us);
    if (options.times != NULL && status == KPRED_HIP_OK && add_rows(n) != 0)
        return EXIT_FAILURE;
    return status == KPRED_HIP_OK ? EXIT_SUCCESS : EXIT_FAILURE;
}

/* How many words the options are, or -1 */
static int take_options(char **words, int n)
{
    int at = 0;
    while (at < n && strncmp(words[at], "--", 2) == 0) {
        const char *name = words[at++];
        if (strcmp(name, "--all") == 0) {
            options.all = 1;
            continue;
        }
        const char *value = at < n ? words[at++] : "";
        if (strcmp(name, "--times") == 0)
            options.times = value;
        else if (strcmp(name, "--budget") == 0)
            options.budget_us = strtod(value, NULL);
        else
            return -1;
    }
    return options.budget_us > 0 && options.budget_us <= 1e9 ? at : -1;
}

static int race_words(char **words, int n)
{
    struct problem p;
    int status = EXIT_FAILURE;
    if (read_problem(words + 1, &p) != 0)
        return 2;
    for (int i = BEFORE_TUPLES; i < n; i++)
        if (read_tuple(words[i], &candidate[i - BEFORE_TUPLES]) != 0)
            return 2;
    if (no_device())
        return EXIT_NO_DEVICE;
    device.folder = words[0];
    if (open_problem(&device, p) == hipSuccess)
        status = race(n - BEFORE_TUPLES);
    close_device(&device);
    return status;
}

int main(int argc, char **argv)
{
    const int taken = take_options(argv + 1, argc - 1), n = argc - 1 - taken;
    if (taken < 0 || n <= BEFORE_TUPLES || n > BEFORE_TUPLES + MOST) {
        fprintf(stderr, "usage: race [--budget US] [--all] [--times FILE] FOLDER M N K TUPLE...\n");
        return 2;
    }
    return race_words(argv + 1 + taken, n);
}
