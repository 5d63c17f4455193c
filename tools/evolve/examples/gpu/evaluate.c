/* evaluate.c - evaluates candidates of the kernels beside it on a device, for kpred-evolve
   SPDX-License-Identifier: MIT

   usage: evaluate planted|reduce|stencil|softmax, as `--evaluate 'evaluate planted'`

   AMD, with --form code-object; NVIDIA, without any HIP, with --form asm; OpenCL 1.2, with
   --form ir and --target spir64:
     cc -std=c99 -I. -D__HIP_PLATFORM_AMD__ tools/evolve/examples/gpu/evaluate.c -lamdhip64 -lm \
         -o evaluate
     cc -std=c99 -I. -Iexamples -isystem /usr/local/cuda/include \
         -DKPRED_HIP_API_HEADER='"cuda_as_hip.h"' tools/evolve/examples/gpu/evaluate.c \
         -L/usr/local/cuda/lib64 -lcudart -lm -o evaluate
     cc -std=c99 -I. -Iexamples -DKPRED_HIP_API_HEADER='"opencl_as_hip.h"' \
         tools/evolve/examples/gpu/evaluate.c -lOpenCL -lm -o evaluate

   PoCL 3.1 has LLVM 15, and reads its bitcode alone: OpenCL gets the text of LLVM 16, whose one new
   attribute has its older names, as llvm-as-15 (or $LLVM_AS) assembles it. So kpred-evolve needs no
   second LLVM. A .cl file is for the device's own compiler. Each output is compared with what this
   program computes. */
#define _POSIX_C_SOURCE 200809L
#define KPRED_IMPLEMENTATION
#define KPRED_HIP_IMPLEMENTATION
#include "kpred_hip.h"

#include "../evaluator.h"

#include <math.h>
#include <stdint.h>

enum { LAUNCHES = 4, MARGIN = 64, MOST = 1 << 22 };
static const float nearly = 1e-5f;

/* ---- kernels: arguments are n, m, x and y ---- */

static float x[MOST], want[MOST], got[MOST + MARGIN];

static void planted(int n, int m)
{
    for (int i = 0; i < n; i++) {
        float sum = 0;
        for (int k = 0; k < m; k++)
            sum += x[i + k];
        want[i] = sum / (float)m;
    }
}

/* Lanes add up in the kernel's order: what is compared are sums of small integers, all exact. */
static void reduce(int n, int m)
{
    for (int i = 0; i < n; i++)
        want[i / (256 * m)] = (i % (256 * m) == 0 ? 0 : want[i / (256 * m)]) + x[i];
}

static int within(int i, int n)
{
    return i < 0 ? 0 : i >= n ? n - 1 : i;
}

static void stencil(int n, int m)
{
    for (int i = 0; i < n * m; i++) {
        const int row = i / m, column = i % m;
        const float *up = x + within(row - 1, n) * m, *down = x + within(row + 1, n) * m;
        const float across =
            x[row * m + within(column - 1, m)] + x[row * m + within(column + 1, m)] - 2 * x[i];
        want[i] = x[i] + 0.25f * across + 0.125f * (up[column] + down[column] - 2 * x[i]);
    }
}

static void softmax(int n, int m)
{
    for (int row = 0; row < n; row++) {
        const float *from = x + row * m;
        float most = from[0];
        double sum = 0;
        for (int k = 1; k < m; k++)
            most = fmaxf(most, from[k]);
        for (int k = 0; k < m; k++)
            sum += exp2((double)(from[k] - most));
        for (int k = 0; k < m; k++)
            want[row * m + k] = (float)(exp2((double)(from[k] - most)) / sum);
    }
}

static int all_of(int n, int m)
{
    return n * m;
}

static int n_of(int n, int m)
{
    (void)m;
    return n;
}

static int with_neighbours(int n, int m)
{
    return n + m;
}

static int groups_of(int n, int m)
{
    return (n + 256 * m - 1) / (256 * m);
}

static int by_64(int n, int m)
{
    return (n * m + 63) / 64;
}

static int n_by_64(int n, int m)
{
    (void)m;
    return (n + 63) / 64;
}

static const struct kernel {
    const char *name;
    void (*compute)(int n, int m); /* `want` */
    int (*inputs)(int n, int m), (*outputs)(int n, int m), (*groups)(int n, int m);
    unsigned lanes;
    float step; /* inputs are multiples of it */
    struct evaluator_case cases[6];
} kernels[] = {
    {"planted",
     planted,
     with_neighbours,
     n_of,
     n_by_64,
     64,
     1,
     {{"n=20000,m=33", 0, 0},
      {"n=8011,m=70", 0, 0},
      {"n=1000,m=1", 0, 1},
      {"n=12961,m=50", 1, 0},
      {"n=1,m=7", 1, 1}}},
    {"reduce",
     reduce,
     n_of,
     groups_of,
     groups_of,
     256,
     1,
     {{"n=200003,m=16", 0, 0},
      {"n=100000,m=4", 0, 0},
      {"n=100,m=1", 0, 1},
      {"n=300001,m=31", 1, 0},
      {"n=255,m=3", 1, 1}}},
    {"stencil",
     stencil,
     all_of,
     all_of,
     by_64,
     64,
     1,
     {{"n=300,m=320", 0, 0},
      {"n=111,m=513", 0, 0},
      {"n=3,m=1", 0, 1},
      {"n=257,m=301", 1, 0},
      {"n=1,m=130", 1, 1}}},
    {"softmax",
     softmax,
     all_of,
     all_of,
     n_of,
     64,
     10.3f,
     {{"n=20,m=640", 0, 0},
      {"n=33,m=331", 0, 0},
      {"n=40,m=64", 0, 1},
      {"n=23,m=513", 1, 0},
      {"n=5,m=1", 1, 1}}},
};

/* ---- the device ---- */

static const struct kernel *kernel;
static hipModule_t module[2];
static hipFunction_t function[2];
static int is_loaded[2];
static void *device_x, *device_y;
static hipEvent_t from, to;

static int refuse(hipError_t error)
{
    evaluator_why = hipGetErrorName(error);
    return error == hipErrorNoDevice ? EVALUATOR_LOST : EVALUATOR_FAILED;
}

static void unload(int which)
{
    if (!is_loaded[which])
        return;
    (void)hipModuleUnload(module[which]);
    is_loaded[which] = 0;
}

static hipError_t load_module(int which, const char *path)
{
    hipError_t error = hipModuleLoad(&module[which], path);
    if (error != hipSuccess)
        return error;
    error = hipModuleGetFunction(&function[which], module[which], kernel->name);
    is_loaded[which] = error == hipSuccess;
    return error;
}

static int load_file(int which, const char *path)
{
    unload(which);
    const hipError_t error = load_module(which, path);
    return error == hipSuccess ? 0 : refuse(error);
}

#ifdef KPRED_OPENCL_AS_HIP_H

/* Writes a line without the attribute memory(...), which was called otherwise, if at all. */
static void lower_line(char *line, FILE *to_assembler)
{
    char *at = strncmp(line, "attributes #", 12) == 0 ? strstr(line, " memory(") : NULL;
    const char *rest = at != NULL ? strchr(at, ')') : NULL;
    if (rest == NULL) {
        fputs(line, to_assembler);
        return;
    }
    const char *old = strncmp(at, " memory(none)", 13) == 0   ? " readnone"
                      : strncmp(at, " memory(read)", 13) == 0 ? " readonly"
                                                              : "";
    *at = '\0';
    fprintf(to_assembler, "%s%s%s", line, old, rest + 1);
}

/* The file as bitcode of LLVM 15, beside it */
static int lower(const char *path, char *bitcode, size_t size)
{
    static char line[1 << 16];
    char command[2 * EVALUATOR_LINE];
    const char *assembler = getenv("LLVM_AS");
    FILE *text = fopen(path, "r");
    snprintf(bitcode, size, "%s.bc", path);
    snprintf(command, sizeof command, "%s - -o %s", assembler != NULL ? assembler : "llvm-as-15",
             bitcode);
    FILE *to_assembler = text != NULL ? popen(command, "w") : NULL;
    while (to_assembler != NULL && fgets(line, sizeof line, text) != NULL)
        lower_line(line, to_assembler);
    if (text != NULL)
        fclose(text);
    if (to_assembler != NULL && pclose(to_assembler) == 0)
        return 0;
    evaluator_why = "llvm-as-15 makes no bitcode of it";
    return EVALUATOR_FAILED;
}

static int is_source(const char *path)
{
    const size_t n = strlen(path);
    return n > 3 && strcmp(path + n - 3, ".cl") == 0;
}

static int load(int which, const char *path)
{
    char bitcode[EVALUATOR_LINE];
    if (is_source(path))
        return load_file(which, path);
    if (lower(path, bitcode, sizeof bitcode) != 0)
        return EVALUATOR_FAILED;
    const int status = load_file(which, bitcode);
    remove(bitcode);
    return status;
}

#else

static int load(int which, const char *path)
{
    return load_file(which, path);
}

#endif

/* ---- cases ---- */

static void sizes_of(int number, int *n, int *m)
{
    sscanf(kernel->cases[number].sizes, "n=%d,m=%d", n, m);
}

/* From 0 to 15; where the largest one matters, few places have it, and others are below 3. */
static float draw(uint64_t *seed)
{
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    const int number = (int)(*seed >> 60), is_rare = (*seed >> 54 & 63) == 0;
    return (float)(kernel->step <= 1 ? number : is_rare ? 15 : number % 3);
}

/* Small multiples, of 1 where sums are to be exact, and so large for softmax that a power of two
   overflows without the largest being taken off; and what comes of them. Once for each case that
   another one was before */
static hipError_t set_up(int number)
{
    static int ready = -1;
    int n, m;
    uint64_t seed = 1;
    sizes_of(number, &n, &m);
    if (ready == number)
        return hipSuccess;
    for (int i = 0; i < kernel->inputs(n, m); i++)
        x[i] = (draw(&seed) - 2) * kernel->step;
    kernel->compute(n, m);
    ready = number;
    return hipMemcpy(device_x, x, (size_t)kernel->inputs(n, m) * sizeof *x, hipMemcpyHostToDevice);
}

/* All bits set is not a number: an output that is not written is seen, and one behind the last. */
static hipError_t launch(int which, int number)
{
    int n, m;
    sizes_of(number, &n, &m);
    void *arguments[] = {&n, &m, &device_x, &device_y};
    const unsigned groups = (unsigned)kernel->groups(n, m);
    hipError_t error =
        hipMemsetAsync(device_y, 0xff, ((size_t)kernel->outputs(n, m) + MARGIN) * sizeof *got, 0);
    if (error == hipSuccess)
        error = hipEventRecord(from, 0);
    for (int i = 0; i < LAUNCHES && error == hipSuccess; i++)
        error = hipModuleLaunchKernel(function[which], groups, 1, 1, kernel->lanes, 1, 1, 0, 0,
                                      arguments, NULL);
    if (error == hipSuccess)
        error = hipEventRecord(to, 0);
    return error == hipSuccess ? hipEventSynchronize(to) : error;
}

/* What fails in a launch may have taken the device's context with it. */
static double run(int which, int number)
{
    float ms = 0;
    hipError_t error = set_up(number);
    if (error == hipSuccess)
        error = launch(which, number);
    if (error == hipSuccess)
        error = hipEventElapsedTime(&ms, from, to);
    if (error == hipSuccess)
        return 1000.0 * (double)ms / LAUNCHES;
    fprintf(stderr, "evaluate: %s\n",
            hipGetErrorName(error)); /* kpred-evolve tells the last line */
    return EVALUATOR_LOST;
}

static int is_near(const float *a, const float *b, int n)
{
    for (int i = 0; i < n; i++)
        if (!(fabsf(a[i] - b[i]) <= nearly * fmaxf(fabsf(b[i]), nearly)))
            return 0;
    return 1;
}

static int is_untouched(const float *values)
{
    unsigned char poison[MARGIN * sizeof *values];
    memset(poison, 0xff, sizeof poison);
    return memcmp(values, poison, sizeof poison) == 0;
}

static double error_of(int number)
{
    int n, m;
    sizes_of(number, &n, &m);
    const int outputs = kernel->outputs(n, m), inputs = kernel->inputs(n, m);
    if (hipMemcpy(got, device_y, ((size_t)outputs + MARGIN) * sizeof *got, hipMemcpyDeviceToHost)
            != hipSuccess
        || !is_near(got, want, outputs) || !is_untouched(got + outputs))
        return -1;
    if (hipMemcpy(got, device_x, (size_t)inputs * sizeof *x, hipMemcpyDeviceToHost) != hipSuccess)
        return -1;
    return memcmp(got, x, (size_t)inputs * sizeof *x) == 0 ? 0 : -1;
}

/* ---- all of it ---- */

static hipError_t open_device(void)
{
    int devices = 0;
    hipError_t error = hipGetDeviceCount(&devices);
    if (error == hipSuccess && devices == 0)
        error = hipErrorNoDevice;
    if (error == hipSuccess)
        error = hipMalloc(&device_x, sizeof x);
    if (error == hipSuccess)
        error = hipMalloc(&device_y, sizeof got);
    if (error == hipSuccess)
        error = hipEventCreate(&from);
    return error == hipSuccess ? hipEventCreate(&to) : error;
}

int main(int argc, char **argv)
{
    static struct evaluator e = {NULL, load, run, error_of, {"", ""}};
    for (size_t i = 0; i < sizeof kernels / sizeof *kernels; i++)
        if (argc == 2 && strcmp(argv[1], kernels[i].name) == 0)
            kernel = &kernels[i];
    if (kernel == NULL) {
        fprintf(stderr, "usage: evaluate planted|reduce|stencil|softmax\n");
        return 2;
    }
    const hipError_t error = open_device();
    if (error != hipSuccess) {
        fprintf(stderr, "evaluate: there is no device here: %s\n", hipGetErrorName(error));
        return 77;
    }
    e.cases = kernel->cases;
    const int status = evaluator_serve(&e);
    unload(EVALUATOR_CANDIDATE);
    unload(EVALUATOR_BASELINE);
    return status;
}
