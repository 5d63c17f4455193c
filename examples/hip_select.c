/* hip_select.c - predict, time, remember: the eight tuples that kpred_predict ranks first race on
   the device, and the winner is remembered, so that the next request for the problem costs nothing.
   A second argument names a file that remembers the winners for the next run on the same device;
   `-` is none.
   What is launched is a sum of two arrays: it stands for the real kernel, and the tuple decides no
   more than how wide its groups are and how much a thread does. The ranking is for a gfx906 of 60
   units, whatever device takes the times; docs/embedding.md says how to ask for the one there is.
   Without a device or a code object there is the ranking alone, and the reason why. With a third
   argument, TIMES.csv, what the races timed is added to a table from which kpred-train learns.

   AMD; HIP is in /opt/rocm, or where the compilers look anyway:
     hipcc --genco --offload-arch=gfx906 -O3 examples/hip_select_kernel.hip -o add.co
     cc -std=c99 -I. -isystem /opt/rocm/include -D__HIP_PLATFORM_AMD__ examples/hip_select.c \
         -L/opt/rocm/lib -lamdhip64 -o hip_select && ./hip_select add.co
   NVIDIA, without any HIP:
     nvcc -x cu -cubin -arch=sm_90 examples/hip_select_kernel.hip -o add.cubin
     cc -std=c99 -I. -Iexamples -isystem /usr/local/cuda/include \
         -DKPRED_HIP_API_HEADER='"cuda_as_hip.h"' examples/hip_select.c \
         -L/usr/local/cuda/lib64 -lcudart -o hip_select && ./hip_select add.cubin
   OpenCL, where the driver compiles the kernel:
     cc -std=c99 -I. -Iexamples -DKPRED_HIP_API_HEADER='"opencl_as_hip.h"' examples/hip_select.c \
         -lOpenCL -o hip_select && ./hip_select examples/hip_select_kernel.hip */
#define KPRED_IMPLEMENTATION
#define KPRED_HIP_IMPLEMENTATION
#include "kpred_hip.h"
#include "race_rows.h"
#include "weights/conv_asm_1x1u.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifndef BUDGET_US
#define BUDGET_US 20000
#endif

enum { K = 8, REMEMBERED = 64, ELEMENTS = 1 << 22, MOST_THREADS = 1024 };
enum { FIELDS = KPRED_CONV_ASM_1X1U_FIELDS, PARAMS = KPRED_CONV_ASM_1X1U_PARAMS };

static const kpred_model *const model = &kpred_model_conv_asm_1x1u;

/* gpu dir dtype n c h w k stride; the third request is the first one again. */
static const int32_t requests[][FIELDS] = {
    {KPRED_GPU_GFX906_60, KPRED_DIR_F, KPRED_DTYPE_FP32, 16, 64, 28, 28, 128, 1},
    {KPRED_GPU_GFX906_60, KPRED_DIR_F, KPRED_DTYPE_FP32, 16, 128, 27, 27, 256, 2},
    {KPRED_GPU_GFX906_60, KPRED_DIR_F, KPRED_DTYPE_FP32, 16, 64, 28, 28, 128, 1},
};

/* ---- the device ---- */

static struct gpu {
    const char *missing; /* what there are no timings without; NULL: nothing */
    hipModule_t module;
    hipFunction_t add;
    void *first, *second, *sum; /* ELEMENTS each */
    unsigned n;                 /* elements of the present problem */
} gpu;

static float host[ELEMENTS];

/* A library would return the error. */
static void must(hipError_t error, const char *what)
{
    if (error == hipSuccess)
        return;
    fprintf(stderr, "hip_select: %s: %s (%s)\n", what, hipGetErrorName(error),
            hipGetErrorString(error));
    exit(1);
}

/* Small integers, so that the sums are exact */
static float first_at(size_t i)
{
    return (float)(i % 1021);
}

static float second_at(size_t i)
{
    return (float)(i % 509);
}

static void *upload(float (*at)(size_t))
{
    void *memory = NULL;
    size_t i;
    for (i = 0; i < ELEMENTS; i++)
        host[i] = at(i);
    must(hipMalloc(&memory, sizeof host), "memory");
    must(hipMemcpy(memory, host, sizeof host, hipMemcpyHostToDevice), "copy to the device");
    return memory;
}

static void open_gpu(const char *code_object)
{
    int devices = 0;
    hipError_t error = hipGetDeviceCount(&devices);
    if (error == hipSuccess && devices < 1)
        error = hipErrorNoDevice;
    gpu.missing = error != hipSuccess ? hipGetErrorName(error)
                  : code_object       ? NULL
                                      : "no code object was given";
    if (gpu.missing)
        return;
    must(hipModuleLoad(&gpu.module, code_object), code_object);
    must(hipModuleGetFunction(&gpu.add, gpu.module, "add"), "kernel \"add\"");
    gpu.first = upload(first_at);
    gpu.second = upload(second_at);
    must(hipMalloc(&gpu.sum, sizeof host), "memory");
}

static void close_gpu(void)
{
    if (gpu.missing)
        return;
    must(hipFree(gpu.first), "release");
    must(hipFree(gpu.second), "release");
    must(hipFree(gpu.sum), "release");
    must(hipModuleUnload(gpu.module), "release");
}

/* ---- the callbacks of a plan ---- */

/* Neither the groups nor the elements of a thread need divide n: the kernel looks. */
static hipError_t launch(void *user, const kpred_tuple *candidate, hipStream_t stream)
{
    struct gpu *g = user;
    const int32_t *v = candidate->value;
    const unsigned wanted =
        64 * (unsigned)(v[KPRED_ASM_1X1U_WAVES_C_IN_GROUP] * v[KPRED_ASM_1X1U_WAVES_K_IN_GROUP]);
    const unsigned threads = wanted < MOST_THREADS ? wanted : MOST_THREADS;
    unsigned each = (unsigned)(v[KPRED_ASM_1X1U_READ_SIZE] * v[KPRED_ASM_1X1U_N_MULT]);
    void *arguments[] = {&g->first, &g->second, &g->sum, &g->n, &each};
    const unsigned in_group = threads * each, groups = (g->n + in_group - 1) / in_group;
    return hipModuleLaunchKernel(g->add, groups, 1, 1, threads, 1, 1, 0, stream, arguments, NULL);
}

/* All bits set is not a number. Without this, a candidate that writes nothing passes with what an
   earlier one has left. The price: launches are not batched. Who trusts the kernels has neither
   `verify` nor this; where a launch changes its input, this restores it. */
static hipError_t prepare(void *user, const kpred_tuple *candidate, hipStream_t stream)
{
    const struct gpu *g = user;
    (void)candidate;
    return hipMemsetAsync(g->sum, 0xff, g->n * sizeof *host, stream);
}

/* Called when the first launch of a candidate has completed */
static int verify(void *user, const kpred_tuple *candidate, hipStream_t stream)
{
    const struct gpu *g = user;
    size_t i = 0;
    (void)candidate, (void)stream;
    if (hipMemcpy(host, g->sum, g->n * sizeof *host, hipMemcpyDeviceToHost) != hipSuccess)
        return 0;
    while (i < g->n && host[i] == first_at(i) + second_at(i))
        i++;
    return i == g->n;
}

static kpred_hip_status time_them(const kpred_tuple *ranked, size_t n, kpred_hip_timing *timings,
                                  kpred_hip_result *result)
{
    kpred_hip_plan plan = {0};
    plan.user = &gpu;
    plan.launch = launch;
    plan.prepare = prepare;
    plan.verify = verify;
    plan.budget_us = BUDGET_US; /* once a problem */
    return kpred_hip_select(&plan, ranked, n, timings, result);
}

/* ---- what is remembered ---- */

/* In the caller's memory, like the arena; a library with threads would have a lock around it, or
   one for each. The key is the whole problem. */
struct memory {
    size_t n;
    struct decision {
        int32_t field[FIELDS];
        kpred_tuple tuple;
    } decision[REMEMBERED];
};

static const kpred_tuple *recall(const struct memory *m, const int32_t *field)
{
    size_t i;
    for (i = 0; i < m->n && i < REMEMBERED; i++)
        if (memcmp(m->decision[i].field, field, sizeof m->decision[i].field) == 0)
            return &m->decision[i].tuple;
    return NULL;
}

/* Where it is full, the oldest goes. */
static void remember(struct memory *m, const int32_t *field, const kpred_tuple *tuple)
{
    struct decision *d = &m->decision[m->n++ % REMEMBERED];
    memcpy(d->field, field, sizeof d->field);
    d->tuple = *tuple;
}

/* ---- the file of what is remembered ---- */

/* Its first line: what the decisions hold for. A library would add its own version. */
static const char *environment(void)
{
    static char text[512];
    hipDeviceProp_t properties;
    int driver = 0, runtime = 0;
    must(hipGetDeviceProperties(&properties, 0), "properties");
    must(hipDriverGetVersion(&driver), "version of the driver");
    must(hipRuntimeGetVersion(&runtime), "version of the runtime");
    sprintf(text, "# kpred %d, model %08lx%08lx, %s, driver %d, runtime %d\n", KPRED_VERSION,
            (unsigned long)(model->id >> 32), (unsigned long)(model->id & 0xffffffffu),
            properties.name, driver, runtime);
    return text;
}

/* Takes a line: the numbers of a problem and of a tuple that is legal there. 0, or -1 */
static int take(struct memory *m, const char *line)
{
    int32_t number[FIELDS + PARAMS];
    kpred_tuple tuple = {0, {0}};
    char *end;
    int i;
    for (i = 0; i < FIELDS + PARAMS; i++, line = end) {
        const long value = strtol(line, &end, 10);
        if (end == line || value < 0 || value > 0x7fffffff)
            return -1;
        number[i] = (int32_t)value;
    }
    memcpy(tuple.value, number + FIELDS, PARAMS * sizeof *number);
    if (strcmp(line, "\n") != 0 || !kpred_legal(model, number, tuple.value))
        return -1;
    remember(m, number, &tuple);
    return 0;
}

/* What another run wrote. A file of another environment is not used. Returns 1 on trouble. */
static int load(struct memory *m, const char *path)
{
    FILE *file = fopen(path, "r");
    char line[512];
    int number = 1, bad = 0;
    if (!file && errno == ENOENT)
        return 0;
    if (!file) {
        fprintf(stderr, "hip_select: %s: %s\n", path, strerror(errno));
        return 1;
    }
    if (!fgets(line, sizeof line, file) || strcmp(line, environment()) != 0)
        printf("not used, as it is of another device, driver or model: %s\n", path);
    else
        while (!bad && fgets(line, sizeof line, file)) {
            number++;
            bad = take(m, line) != 0;
        }
    if (bad)
        fprintf(stderr, "hip_select: %s:%d: no problem with a legal tuple: %s\n", path, number,
                line);
    fclose(file);
    return bad;
}

static void print_decision(FILE *file, const struct decision *d)
{
    int i;
    for (i = 0; i < FIELDS + PARAMS; i++)
        fprintf(file, "%s%d", i ? " " : "",
                (int)(i < FIELDS ? d->field[i] : d->tuple.value[i - FIELDS]));
    fprintf(file, "\n");
}

/* The file appears whole, in place of the old one. Returns 1 on trouble. */
static int store(const struct memory *m, const char *path)
{
    char name[4096];
    const int fits = snprintf(name, sizeof name, "%s.new", path) < (int)sizeof name;
    FILE *file = fits ? fopen(name, "w") : NULL;
    size_t i;
    int bad = !file;
    if (file) {
        fputs(environment(), file);
        for (i = 0; i < m->n && i < REMEMBERED; i++)
            print_decision(file, &m->decision[i]);
        bad = ferror(file);
        bad |= fclose(file) != 0 || bad || rename(name, path) != 0;
    }
    if (bad)
        fprintf(stderr, "hip_select: %s: %s\n", path, strerror(errno));
    return bad;
}

/* ---- output ---- */

static const char *problem_text(const int32_t *field, char between)
{
    static char text[32 * FIELDS];
    int f, n = 0;
    for (f = 0; f < FIELDS; f++) {
        if (model->fields[f].tokens)
            n += sprintf(text + n, "%s", model->fields[f].tokens[field[f]]);
        else
            n += sprintf(text + n, "%d", (int)field[f]);
        text[n++] = between;
    }
    text[n - 1] = '\0';
    return text;
}

static const char *text_of(const kpred_tuple *t)
{
    static char text[16 * PARAMS];
    int i, length = 0;
    for (i = 0; i < PARAMS; i++)
        length += sprintf(text + length, "%s%d", i ? "," : "", (int)t->value[i]);
    return text;
}

/* ---- a table of what was timed ---- */

static const char *times; /* its name; NULL: none */

static FILE *open_times(void)
{
    char columns[2000];
    size_t n = 0;
    int i;
    for (i = 0; i < FIELDS; i++)
        n += (size_t)snprintf(columns + n, sizeof columns - n, "%s,", model->fields[i].name);
    for (i = 0; i < PARAMS; i++)
        n += (size_t)snprintf(columns + n, sizeof columns - n, "%s%s", i ? "," : "",
                              model->params[i].name);
    return race_rows_open(times, model->name, columns);
}

/* 0, or -1 with a message */
static int add_times(const int32_t *field, const kpred_tuple *ranked, size_t n,
                     const kpred_hip_timing *timings)
{
    char row[1000];
    FILE *file = open_times();
    size_t i;
    if (!file)
        return -1;
    for (i = 0; i < n; i++) {
        snprintf(row, sizeof row, "%s,%s", problem_text(field, ','), text_of(&ranked[i]));
        race_rows_add(file, row, &timings[i]);
    }
    return race_rows_close(file, times);
}

static void print_timing(const kpred_hip_timing *t)
{
    static const char *const outcomes[] = {"untried", "failed", "wrong", "untimed",
                                           "slower",  "level",  "winner"};
    if (t->samples)
        printf(" %9.2f %9.2f %7.2f", t->median_us, t->min_us, t->mad_us);
    else
        printf(" %9s %9s %7s", "-", "-", "-");
    printf(" %8u  %s", (unsigned)t->launches, outcomes[t->outcome]);
    if (t->error != hipSuccess)
        printf(": %s", hipGetErrorName(t->error));
}

/* timings: NULL where there are none */
static void print_table(const kpred_tuple *ranked, size_t n, const kpred_hip_timing *timings)
{
    size_t i;
    printf("rank      %%  %s\n",
           timings ? "tuple                  median us    min us  MAD us launches  outcome"
                   : "tuple");
    for (i = 0; i < n; i++) {
        printf("%4d %6.2f  %-*s", (int)i + 1,
               100.0 * kpred_probability(ranked[i].score) / (1 << 24), timings ? 22 : 0,
               text_of(&ranked[i]));
        if (timings)
            print_timing(&timings[i]);
        printf("\n");
    }
}

/* ---- a request ---- */

static struct library {
    kpred_ctx ctx;
    int32_t arena[KPRED_CONV_ASM_1X1U_ARENA(K)];
    struct memory memory;
} library;

/* How much the stand-in for the kernel has to add: an element for each of the output */
static unsigned elements(const int32_t *field)
{
    const int32_t s = field[KPRED_CONV_STRIDE];
    const int32_t rows = (field[KPRED_CONV_H] + s - 1) / s;
    const int32_t columns = (field[KPRED_CONV_W] + s - 1) / s;
    const double n = (double)field[KPRED_CONV_N] * field[KPRED_CONV_K] * rows * columns;
    return n < ELEMENTS ? (unsigned)n : ELEMENTS;
}

/* Times the ranked and remembers the winner. Where nothing was timed, or the winner alone, the next
   request for the problem may have better luck, so nothing is remembered. Returns 1 on trouble. */
static int select_one(const int32_t *field, const kpred_tuple *ranked, size_t n)
{
    kpred_hip_timing timings[K];
    kpred_hip_result result;
    const kpred_hip_status status = time_them(ranked, n, timings, &result);
    print_table(ranked, n, timings);
    if (status < KPRED_HIP_OK) {
        fprintf(stderr, "hip_select: %s: %s\n", kpred_hip_status_string(status),
                result.what ? result.what : hipGetErrorName(result.error));
        return 1;
    }
    printf("%s: rank %d, %s; %u launches, %.0f us\n", status == KPRED_HIP_OK ? "winner" : "untimed",
           (int)result.winner + 1, text_of(&ranked[result.winner]), (unsigned)result.launches,
           result.device_us);
    if (status == KPRED_HIP_OK && (n == 1 || result.beaten > 0))
        remember(&library.memory, field, &ranked[result.winner]);
    if (times && status == KPRED_HIP_OK && add_times(field, ranked, n, timings) != 0)
        return 1;
    if (!result.launched) /* the output is that of whoever ran last */
        must(launch(&gpu, &ranked[result.winner], 0), "launch");
    return 0;
}

static int request(const int32_t *field)
{
    const kpred_tuple *known = recall(&library.memory, field);
    kpred_tuple ranked[K];
    kpred_status status;
    size_t n = 0;
    printf("%s\n", problem_text(field, ' '));
    gpu.n = elements(field);
    if (known) {
        printf("cached: %s\n", text_of(known));
        must(launch(&gpu, known, 0), "launch");
        return 0;
    }
    status = kpred_predict(&library.ctx, field, FIELDS, ranked, K, &n);
    if (status != KPRED_OK) {
        fprintf(stderr, "hip_select: %s\n", kpred_status_string(status));
        return 1;
    }
    if (!gpu.missing)
        return select_one(field, ranked, n);
    print_table(ranked, n, NULL);
    printf("no timings: %s\n", gpu.missing);
    return 0;
}

int main(int argc, char **argv)
{
    const size_t words = sizeof library.arena / sizeof *library.arena;
    const char *cache;
    size_t i;
    int bad = 0;
    if (argc > 4) {
        fprintf(stderr, "usage: hip_select [CODE_OBJECT [CACHE|- [TIMES.csv]]]\n");
        return 2;
    }
    times = argc > 3 ? argv[3] : NULL;
    if (kpred_init(&library.ctx, KPRED_VERSION, model, K, library.arena, words) != KPRED_OK)
        return 1;
    open_gpu(argv[1]);
    cache = gpu.missing || argc < 3 || strcmp(argv[2], "-") == 0 ? NULL : argv[2];
    if (cache && load(&library.memory, cache) != 0)
        return 1;
    for (i = 0; i < sizeof requests / sizeof *requests && !bad; i++) {
        bad = request(requests[i]);
        if (!gpu.missing && !bad)
            must(hipStreamSynchronize(0), "last launch");
    }
    if (cache && !bad)
        bad = store(&library.memory, cache);
    close_gpu();
    return bad;
}
