/* gpu_run.c - times code objects of reduce.cl on the device by turns, and compares what they give
   SPDX-License-Identifier: MIT

   usage: gpu_run CODE_OBJECT CODE_OBJECT...   (the first is the baseline; up to eight)

   AMD; HIP is in /opt/rocm, or where the compilers look anyway:
     cc -std=c99 -I. -isystem /opt/rocm/include -D__HIP_PLATFORM_AMD__ \
         tools/evolve/examples/gpu/gpu_run.c -L/opt/rocm/lib -lamdhip64 -o gpu_run &&
         ./gpu_run base.co evolved.co
   NVIDIA, without any HIP; what is given are files of PTX, or what ptxas makes of them:
     cc -std=c99 -I. -Iexamples -isystem /usr/local/cuda/include \
         -DKPRED_HIP_API_HEADER='"cuda_as_hip.h"' tools/evolve/examples/gpu/gpu_run.c \
         -L/usr/local/cuda/lib64 -lcudart -o gpu_run &&
         ./gpu_run base.ptx evolved.ptx

   Exit status: 0 if all outputs are equal to the first's, bit for bit, 1 if not, 2 for trouble, 77
   where there is no device. */
#define KPRED_IMPLEMENTATION
#define KPRED_HIP_IMPLEMENTATION
#include "kpred_hip.h"

#include <stdio.h>
#include <string.h>

enum { MOST = 8, LANES = 256, EACH = 16, ELEMENTS = (1 << 22) + 77 };
enum { GROUPS = (ELEMENTS + LANES * EACH - 1) / (LANES * EACH) };
enum { EXIT_TROUBLE = 2, EXIT_NO_DEVICE = 77 };

static struct gpu {
    size_t n;
    const char *path[MOST];
    hipModule_t module[MOST];
    hipFunction_t reduce[MOST];
    void *x, *sums;
} gpu;

static float host[ELEMENTS];
static float wanted[GROUPS], got[GROUPS]; /* the sums of the first, of another one */

static int trouble(const char *what, hipError_t error)
{
    fprintf(stderr, "gpu_run: %s: %s\n", what, hipGetErrorName(error));
    return EXIT_TROUBLE;
}

/* ---- the device ---- */

/* Small integers, so that the sums are exact in any order */
static hipError_t upload(struct gpu *g)
{
    hipError_t error = hipMalloc(&g->x, sizeof host);
    for (size_t i = 0; i < ELEMENTS; i++)
        host[i] = (float)(i * 7 % 1021) - 500;
    if (error == hipSuccess)
        error = hipMemcpy(g->x, host, sizeof host, hipMemcpyHostToDevice);
    return error == hipSuccess ? hipMalloc(&g->sums, sizeof wanted) : error;
}

static int open_all(struct gpu *g, char **paths, size_t n)
{
    hipError_t error = upload(g);
    if (error != hipSuccess)
        return trouble("memory", error);
    for (; g->n < n; g->n++) {
        const size_t i = g->n;
        g->path[i] = paths[i];
        if ((error = hipModuleLoad(&g->module[i], paths[i])) != hipSuccess)
            return trouble(paths[i], error);
        error = hipModuleGetFunction(&g->reduce[i], g->module[i], "reduce");
        if (error != hipSuccess)
            return trouble("kernel \"reduce\"", error);
    }
    return 0;
}

/* Errors of the release change nothing any more. */
static void close_all(const struct gpu *g)
{
    for (size_t i = 0; i < g->n; i++)
        (void)hipModuleUnload(g->module[i]);
    (void)hipFree(g->x);
    (void)hipFree(g->sums);
}

static int no_device(void)
{
    int devices = 0;
    hipError_t error = hipGetDeviceCount(&devices);
    if (error == hipSuccess && devices > 0)
        return 0;
    error = error == hipSuccess ? hipErrorNoDevice : error;
    fprintf(stderr, "gpu_run: there is no device here: %s\n", hipGetErrorName(error));
    return 1;
}

/* ---- the callbacks of a plan: a candidate is the number of a code object ---- */

static hipError_t launch(void *user, const kpred_tuple *candidate, hipStream_t stream)
{
    struct gpu *g = user;
    unsigned n = ELEMENTS, each = EACH;
    void *arguments[] = {&n, &each, &g->x, &g->sums};
    return hipModuleLaunchKernel(g->reduce[candidate->value[0]], GROUPS, 1, 1, LANES, 1, 1, 0,
                                 stream, arguments, NULL);
}

/* All bits set is not a number: a sum that is not written is seen. */
static hipError_t prepare(void *user, const kpred_tuple *candidate, hipStream_t stream)
{
    const struct gpu *g = user;
    (void)candidate;
    return hipMemsetAsync(g->sums, 0xff, sizeof wanted, stream);
}

static int verify(void *user, const kpred_tuple *candidate, hipStream_t stream)
{
    const struct gpu *g = user;
    (void)candidate, (void)stream;
    return hipMemcpy(got, g->sums, sizeof got, hipMemcpyDeviceToHost) == hipSuccess
           && memcmp(got, wanted, sizeof got) == 0;
}

/* What the first code object gives */
static hipError_t find_wanted(struct gpu *g)
{
    const kpred_tuple first = {0, {0}};
    hipError_t error = prepare(g, &first, 0);
    if (error == hipSuccess)
        error = launch(g, &first, 0);
    if (error == hipSuccess)
        error = hipStreamSynchronize(0);
    return error == hipSuccess ? hipMemcpy(wanted, g->sums, sizeof wanted, hipMemcpyDeviceToHost)
                               : error;
}

/* ---- the report ---- */

static int print(const struct gpu *g, const kpred_hip_timing *timings)
{
    int all_equal = 1;
    for (size_t i = 0; i < g->n; i++) {
        const kpred_hip_timing *t = &timings[i];
        const int is_equal = t->outcome != KPRED_HIP_WRONG && t->outcome != KPRED_HIP_FAILED;
        all_equal &= is_equal;
        printf("%-24s %s", g->path[i], is_equal ? "equal" : "NOT EQUAL");
        if (t->samples > 0)
            printf("  median %.2f us, MAD %.2f, %.3f of the first", t->median_us, t->mad_us,
                   t->median_us / timings[0].median_us);
        printf("\n");
    }
    return !all_equal;
}

static int race(struct gpu *g)
{
    kpred_tuple candidates[MOST] = {{0, {0}}};
    kpred_hip_timing timings[MOST];
    kpred_hip_result result;
    kpred_hip_plan plan = {0};
    kpred_hip_status status;
    for (size_t i = 0; i < g->n; i++)
        candidates[i].value[0] = (int32_t)i;
    plan.user = g;
    plan.launch = launch;
    plan.prepare = prepare;
    plan.verify = verify;
    plan.budget_us = 500000;
    plan.drop_factor = 100; /* each is to be timed, also one that is slower */
    plan.tolerance = 0.001;
    status = kpred_hip_select(&plan, candidates, g->n, timings, &result);
    if (status < KPRED_HIP_OK)
        return trouble(kpred_hip_status_string(status), result.error);
    return print(g, timings);
}

int main(int argc, char **argv)
{
    hipError_t error;
    int status;
    if (argc < 3 || argc > MOST + 1) {
        fprintf(stderr, "usage: gpu_run CODE_OBJECT CODE_OBJECT...\n");
        return EXIT_TROUBLE;
    }
    if (no_device())
        return EXIT_NO_DEVICE;
    if (open_all(&gpu, argv + 1, (size_t)argc - 1) != 0)
        return EXIT_TROUBLE;
    if ((error = find_wanted(&gpu)) != hipSuccess)
        return trouble(argv[1], error);
    status = race(&gpu);
    close_all(&gpu);
    return status;
}
