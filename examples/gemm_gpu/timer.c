/* timer.c - times tuples of gemm.hip on the device, for `kpred-train tune --server`
   SPDX-License-Identifier: MIT

   usage: timer [--budget US] FOLDER   a line of NAME=VALUE words in, microseconds or `failed` out
          timer [--budget US] FOLDER NAME=VALUE...   one tuple
          timer --about          the device, as comments for a table
   FOLDER has the variants that `make variants` compiles; the Makefile says how this is compiled.
   Each answer is the median of launches that kpred_hip_time makes, of a tuple whose result is
   right; they take US microseconds of the device, 50000 if nothing is said. It ends with status 77
   where there is no device, and with 1 when the device's context is lost: then tune starts it
   again. */
#define KPRED_IMPLEMENTATION
#define KPRED_HIP_IMPLEMENTATION
#include "kpred_hip.h"

#include "../own_kernel/tune_server.h"
#include "../race_rows.h"
#include "device.h"

#include <ctype.h>
#include <time.h>

enum { FIELDS = 3, WORDS = FIELDS + PARAMS, LARGEST = 32768 };

static struct device device;
static double budget_us = 50000;

/* Only `spread` may be 0, and a load must not straddle an edge. If not, tune_why says what is
   wrong. What else is no variant has no file. */
static int is_legal(const int *value)
{
    const int vec = value[FIELDS + VEC];
    tune_why = "a value is 0 or too large";
    for (int i = 0; i < WORDS; i++)
        if ((value[i] == 0 && i != FIELDS + SPREAD) || value[i] > LARGEST)
            return 0;
    tune_why = value[1] % vec != 0 ? "n % vec" : value[2] % vec != 0 ? "k % vec" : NULL;
    return tune_why == NULL;
}

/* ---- a measurement ---- */

/* Microseconds, or TUNE_FAILED after a line that says why */
static double time_tuple(struct problem p, const int *params, hipError_t *error)
{
    kpred_tuple tuple = {0, {0}};
    kpred_hip_timing timing;
    kpred_hip_result result;
    kpred_hip_plan plan = {0};
    kpred_hip_status status;
    if ((*error = open_problem(&device, p)) != hipSuccess)
        return TUNE_FAILED;
    for (int i = 0; i < PARAMS; i++)
        tuple.value[i] = params[i];
    if ((*error = told("launch", launch_once(&device, &tuple, 0))) != hipSuccess)
        return TUNE_FAILED;
    plan.user = &device;
    plan.launch = launch;
    plan.verify = verify;
    plan.budget_us = budget_us;
    status = kpred_hip_time(&plan, &tuple, &timing, &result);
    *error = result.error;
    if (status == KPRED_HIP_OK && timing.samples > 0)
        return timing.median_us;
    fprintf(stderr, "gemm_gpu: %s: %s\n", kpred_hip_status_string(status),
            timing.outcome == KPRED_HIP_WRONG ? "the result is wrong"
                                              : hipGetErrorName(result.error));
    return TUNE_FAILED;
}

static double measure(const int *value)
{
    const struct problem p = {value[0], value[1], value[2]};
    hipError_t error = hipSuccess;
    const double us = is_legal(value) ? time_tuple(p, value + FIELDS, &error) : TUNE_FAILED;
    return is_lost(error) ? TUNE_LOST : us;
}

static int serve(char **words, int n)
{
    const char *names[WORDS + 1] = {"m", "n", "k"};
    for (int i = 0; i < PARAMS; i++)
        names[FIELDS + i] = param_names[i];
    return tune_server(names, measure, words, n);
}

/* ---- the device ---- */

static int attribute(hipDeviceAttribute_t which)
{
    int value = 0;
    return hipDeviceGetAttribute(&value, which, 0) == hipSuccess ? value : 0;
}

/* A name as one word, which a column `gpu` of a table can have */
static void print_token(const char *name)
{
    int gap = 0, begun = 0;
    printf("# gpu: ");
    for (const char *at = name; *at != '\0'; at++) {
        const int lower = tolower((unsigned char)*at);
        const int is_word = isalnum(lower) != 0;
        if (is_word)
            printf("%s%c", gap ? "_" : "", lower);
        begun |= is_word;
        gap = !is_word && begun;
    }
    printf("\n");
}

static int about(void)
{
    hipDeviceProp_t properties;
    char environment[RACE_HEAD], date[32] = {0};
    const time_t now = time(NULL);
    if (race_environment(environment, sizeof environment) != 0
        || told("properties", hipGetDeviceProperties(&properties, 0)) != hipSuccess)
        return EXIT_FAILURE;
    strftime(date, sizeof date, "%Y-%m-%d", gmtime(&now));
    fputs(environment, stdout);
    print_token(properties.name);
    printf("# highest clocks: %d MHz, memory %d MHz\n",
           attribute(hipDeviceAttributeClockRate) / 1000,
           attribute(hipDeviceAttributeMemoryClockRate) / 1000);
    printf("# a block: %d threads, %d bytes of memory at most\n",
           attribute(hipDeviceAttributeMaxThreadsPerBlock),
           attribute(hipDeviceAttributeMaxSharedMemoryPerBlock));
    printf("# date: %s\n", date);
    return EXIT_SUCCESS;
}

/* Takes --budget US, if it is there; returns how many words that was, or -1. */
static int take_budget(int argc, char **argv)
{
    char *end = NULL;
    if (argc < 2 || strcmp(argv[1], "--budget") != 0)
        return 0;
    budget_us = argc > 2 ? strtod(argv[2], &end) : 0;
    if (budget_us > 0 && budget_us <= 1e9 && end != NULL && *end == '\0')
        return 2;
    fprintf(stderr, "gemm_gpu: --budget %s: is not more than 0 and at most 1e9 microseconds\n",
            argc > 2 ? argv[2] : "");
    return -1;
}

int main(int argc, char **argv)
{
    const int taken = take_budget(argc, argv);
    int status;
    if (taken < 0 || argc - taken < 2) {
        fprintf(stderr, "usage: timer [--budget US] FOLDER [NAME=VALUE...] | timer --about\n");
        return 2;
    }
    argc -= taken;
    argv += taken;
    if (no_device())
        return EXIT_NO_DEVICE;
    if (strcmp(argv[1], "--about") == 0)
        return about();
    device.folder = argv[1];
    status = serve(argv + 2, argc - 2);
    close_device(&device);
    return status;
}
