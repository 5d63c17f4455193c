/* timer.c - times tuples of gemm.hip on the device, for `kpred-train tune --server`
   SPDX-License-Identifier: MIT

   usage: timer FOLDER           a line of NAME=VALUE words in, microseconds or `failed` out
          timer FOLDER NAME=VALUE...   one tuple
          timer --about          the device, as comments for a table
   FOLDER has the variants that `make variants` compiles; the Makefile says how this is compiled.
   Each answer is the median of launches that kpred_hip_time makes, of a tuple whose result is
   right. It ends with status 77 where there is no device, and with 1 when the device's context is
   lost: then tune starts it again. */
#define KPRED_IMPLEMENTATION
#define KPRED_HIP_IMPLEMENTATION
#include "kpred_hip.h"

#include "device.h"

#include <time.h>

enum { BUDGET_US = 50000, FIELDS = 3, WORDS = FIELDS + PARAMS, LONGEST = 1000 };

static struct device device;

/* ---- words ---- */

struct request {
    int n;                /* words that were understood */
    int32_t value[WORDS]; /* m, n, k and the parameters; 0: not told */
};

static const char *name_of(int i)
{
    static const char *const fields[FIELDS] = {"m", "n", "k"};
    return i < FIELDS ? fields[i] : param_names[i - FIELDS];
}

/* 0, or -1 for what is no NAME=VALUE of ours */
static int take(struct request *r, const char *word)
{
    for (int i = 0; i < WORDS; i++) {
        const size_t n = strlen(name_of(i));
        char *end;
        long value;
        if (strncmp(word, name_of(i), n) != 0 || word[n] != '=')
            continue;
        value = strtol(word + n + 1, &end, 10);
        if (*end != '\0' || value < 0 || value > 32768)
            return -1;
        r->value[i] = (int32_t)value;
        r->n++;
        return 0;
    }
    return -1;
}

/* Only `spread` may be 0, and a load must not straddle an edge. What else is no variant has no
   file. */
static int is_legal(const struct request *r)
{
    for (int i = 0; i < WORDS; i++)
        if (r->value[i] == 0 && i != FIELDS + SPREAD)
            return 0;
    return r->n == WORDS && r->value[1] % r->value[FIELDS + VEC] == 0
           && r->value[2] % r->value[FIELDS + VEC] == 0;
}

/* ---- a measurement ---- */

/* Microseconds, or -1 after a line that says why */
static double measure(const struct request *r, hipError_t *error)
{
    const struct problem p = {r->value[0], r->value[1], r->value[2]};
    kpred_tuple tuple = {0, {0}};
    kpred_hip_timing timing;
    kpred_hip_result result;
    kpred_hip_plan plan = {0};
    kpred_hip_status status;
    if ((*error = open_problem(&device, p)) != hipSuccess)
        return -1;
    memcpy(tuple.value, r->value + FIELDS, PARAMS * sizeof *tuple.value);
    plan.user = &device;
    plan.launch = launch;
    plan.verify = verify;
    plan.budget_us = BUDGET_US;
    status = kpred_hip_time(&plan, &tuple, &timing, &result);
    *error = result.error;
    if (status == KPRED_HIP_OK && timing.samples > 0)
        return timing.median_us;
    fprintf(stderr, "gemm_gpu: %s: %s\n", kpred_hip_status_string(status),
            timing.outcome == KPRED_HIP_WRONG ? "the result is wrong"
                                              : hipGetErrorName(result.error));
    return -1;
}

/* Each answer goes out at once: tune waits for it. 0, 1 for `failed`, -1 if the context is lost */
static int answer(const struct request *r)
{
    hipError_t error = hipSuccess;
    const double us = is_legal(r) ? measure(r, &error) : -1;
    if (is_lost(error))
        return -1;
    if (us >= 0)
        printf("%.3f\n", us);
    else
        puts("failed");
    fflush(stdout);
    return us >= 0 ? 0 : 1;
}

static int serve(void)
{
    char line[LONGEST];
    while (fgets(line, sizeof line, stdin) != NULL) {
        struct request r = {0, {0}};
        for (char *word = strtok(line, " \n"); word != NULL; word = strtok(NULL, " \n"))
            if (take(&r, word) != 0)
                r.n = -WORDS;
        if (answer(&r) < 0)
            return EXIT_FAILURE;
    }
    return EXIT_SUCCESS;
}

static int once(char **words, int n)
{
    struct request r = {0, {0}};
    for (int i = 0; i < n; i++)
        if (take(&r, words[i]) != 0) {
            fprintf(stderr, "gemm_gpu: %s is no word of a tuple\n", words[i]);
            return EXIT_FAILURE;
        }
    return answer(&r) == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

/* ---- the device ---- */

static int attribute(hipDeviceAttribute_t which)
{
    int value = 0;
    return hipDeviceGetAttribute(&value, which, 0) == hipSuccess ? value : 0;
}

static int about(void)
{
    hipDeviceProp_t properties;
    char date[32] = "";
    const time_t now = time(NULL);
    int driver = 0, runtime = 0;
    if (told("properties", hipGetDeviceProperties(&properties, 0)) != hipSuccess
        || told("version", hipDriverGetVersion(&driver)) != hipSuccess
        || told("version", hipRuntimeGetVersion(&runtime)) != hipSuccess)
        return EXIT_FAILURE;
    strftime(date, sizeof date, "%Y-%m-%d", gmtime(&now));
    printf("# device: %s, %d multiprocessors\n", properties.name,
           attribute(hipDeviceAttributeMultiprocessorCount));
    printf("# driver: API %d, runtime %d\n", driver, runtime);
    printf("# highest clocks: %d MHz, memory %d MHz\n",
           attribute(hipDeviceAttributeClockRate) / 1000,
           attribute(hipDeviceAttributeMemoryClockRate) / 1000);
    printf("# date: %s\n", date);
    return EXIT_SUCCESS;
}

int main(int argc, char **argv)
{
    int status;
    if (argc < 2) {
        fprintf(stderr, "usage: timer FOLDER [NAME=VALUE...] | timer --about\n");
        return 2;
    }
    if (no_device())
        return EXIT_NO_DEVICE;
    if (strcmp(argv[1], "--about") == 0)
        return about();
    device.folder = argv[1];
    status = argc > 2 ? once(argv + 2, argc - 2) : serve();
    close_device(&device);
    return status;
}
