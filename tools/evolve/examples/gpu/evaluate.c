/* evaluate.c - evaluates candidates of a kernel on a device, for kpred-evolve
   SPDX-License-Identifier: MIT

   usage: evaluate KERNEL.ini, as `--evaluate 'evaluate KERNEL.ini'`; or
          evaluate KERNEL.ini kpred-evolve search|check OPTION..., which becomes that command with
          this option, the source and the function

   kernel_text.h says what KERNEL.ini is. Outputs are compared with those of the first baseline,
   which is the unedited kernel. In the directory of the repository, for AMD, with --form
   code-object; NVIDIA, without any HIP, with --form asm; OpenCL 1.2, with --form ir and --target
   spir64:
     BASE="-std=c99 -I. -Iexamples -Itools tools/evolve/examples/gpu/evaluate.c tools/base/util.c
         tools/base/platform.c tools/base/number_text.c -lm -pthread -o evaluate"
     cc -D__HIP_PLATFORM_AMD__ $BASE -lamdhip64
     cc -isystem /usr/local/cuda/include -DKPRED_HIP_API_HEADER='"cuda_as_hip.h"' $BASE \
         -L/usr/local/cuda/lib64 -lcudart
     cc -DKPRED_HIP_API_HEADER='"opencl_as_hip.h"' $BASE -lOpenCL

   PoCL 3.1 has LLVM 15, and reads its bitcode alone: OpenCL gets the text of LLVM 16, whose one new
   attribute has its older names, as llvm-as-15 (or $LLVM_AS) assembles it. So kpred-evolve needs no
   second LLVM. A .cl file is for the device's own compiler. */
#define _XOPEN_SOURCE 700
#define KPRED_IMPLEMENTATION
#define KPRED_HIP_IMPLEMENTATION
#include "kpred_hip.h"

#include "../evaluator.h"
#include "kernel_text.h"

#include <stdint.h>
#include <unistd.h>

enum { MARGIN = 256 }; /* bytes behind each buffer that stay as they are */

/* ---- the device ---- */

static struct kernel_text own;
static hipModule_t module[2];
static hipFunction_t function[2];
static int is_loaded[2];
static void *device[TEXT_ARGUMENTS];
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
    error = hipModuleGetFunction(&function[which], module[which], own.function);
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

/* Has the kernel the arguments of the text? */
static int suits(hipFunction_t f)
{
    int does = f->n == own.n_arguments;
    for (size_t i = 0; does && i < own.n_arguments; i++) {
        const struct text_argument *a = &own.argument[i];
        does = f->bytes[i] == (a->role == ROLE_VALUE ? a->type->bytes : 0);
    }
    evaluator_why = does ? NULL : "the kernel has other arguments than [arguments] says";
    return does;
}

static int load_any(int which, const char *path)
{
    char bitcode[EVALUATOR_LINE];
    int status = 0;
    if (ends_with(path, ".cl"))
        status = load_file(which, path);
    else if ((status = lower(path, bitcode, sizeof bitcode)) == 0) {
        status = load_file(which, bitcode);
        remove(bitcode);
    }
    return status != 0 || suits(function[which]) ? status : EVALUATOR_FAILED;
}

#else

static int load_any(int which, const char *path)
{
    return load_file(which, path);
}

#endif

/* ---- cases ---- */

/* Each buffer of a case before a launch, and what the unedited kernel left in it */
static struct state {
    int is_filled, is_known;
    unsigned char *fresh[TEXT_ARGUMENTS], *want[TEXT_ARGUMENTS];
} state[TEXT_CASES];

static size_t bytes_of(size_t i, size_t number)
{
    const struct text_argument *a = &own.argument[i];
    return (size_t)text_number(&own, &a->list, 0, number, 0) * a->type->bytes;
}

static uint64_t draw(uint64_t *seed)
{
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return *seed >> 11;
}

/* A number as the type has it, at `to` */
static void put(const struct text_type *type, double value, void *to_here)
{
    const float single = (float)value;
    const int64_t whole = (int64_t)value;
    const uint64_t natural = (uint64_t)whole;
    if (type->is_real)
        memcpy(to_here, type->bytes == 4 ? (const void *)&single : &value, type->bytes);
    else
        for (size_t k = 0; k < type->bytes; k++) /* the least byte first, as devices have it */
            ((unsigned char *)to_here)[k] = (unsigned char)(natural >> 8 * k);
}

static void fill_buffer(size_t i, size_t number, unsigned char *fresh)
{
    const struct text_argument *a = &own.argument[i];
    const int is_real = a->type->is_real;
    const double least = text_number(&own, &a->list, 1, number, is_real ? -1 : 0);
    const double most = text_number(&own, &a->list, 2, number, is_real ? 1 : 99);
    uint64_t seed = 1000 * number + i;
    for (size_t at = 0; at < bytes_of(i, number); at += a->type->bytes) {
        const double unit = (double)draw(&seed) / 9007199254740992.0;
        const double real = least + (most - least) * unit;
        put(a->type, is_real ? real : floor(least + (most - least + 1) * unit), fresh + at);
    }
}

/* All bits set is not a number: an output that is not written is seen, and one behind the last. */
static void fill(size_t number)
{
    struct state *s = &state[number];
    for (size_t i = 0; i < own.n_arguments && !s->is_filled; i++) {
        const struct text_argument *a = &own.argument[i];
        if (a->role == ROLE_VALUE)
            continue;
        s->fresh[i] = xmalloc(bytes_of(i, number) + MARGIN);
        s->want[i] = xmalloc(bytes_of(i, number) + MARGIN);
        memset(s->fresh[i], 0xff, bytes_of(i, number) + MARGIN);
        if (a->role == ROLE_IN || a->role == ROLE_INOUT)
            fill_buffer(i, number, s->fresh[i]);
    }
    s->is_filled = 1;
}

/* Whether what a kernel left is to be kept: it may read what it wrote before. */
static int launches(void)
{
    for (size_t i = 0; i < own.n_arguments; i++)
        if (own.argument[i].role == ROLE_INOUT)
            return 1;
    return 4;
}

static hipError_t copy(int which_way, size_t number, unsigned char *const *buffers)
{
    hipError_t error = hipSuccess;
    for (size_t i = 0; i < own.n_arguments && error == hipSuccess; i++) {
        const size_t bytes = bytes_of(i, number) + MARGIN;
        if (own.argument[i].role != ROLE_VALUE)
            error = which_way == hipMemcpyHostToDevice
                        ? hipMemcpy(device[i], buffers[i], bytes, hipMemcpyHostToDevice)
                        : hipMemcpy(buffers[i], device[i], bytes, hipMemcpyDeviceToHost);
    }
    return error;
}

static hipError_t launch(int which, size_t number)
{
    static unsigned char value[TEXT_ARGUMENTS][8];
    void *arguments[TEXT_ARGUMENTS] = {NULL};
    unsigned n[6];
    for (size_t i = 0; i < 6; i++)
        n[i] = (unsigned)text_number(&own, i < 3 ? &own.groups : &own.lanes, i % 3, number, 1);
    for (size_t i = 0; i < own.n_arguments; i++) {
        const struct text_argument *a = &own.argument[i];
        arguments[i] = a->role == ROLE_VALUE ? (void *)value[i] : &device[i];
        put(a->type, text_number(&own, &a->list, 0, number, 0), value[i]);
    }
    hipError_t error = hipEventRecord(from, 0);
    for (int i = 0; i < launches() && error == hipSuccess; i++)
        error = hipModuleLaunchKernel(function[which], n[0], n[1], n[2], n[3], n[4], n[5], 0, 0,
                                      arguments, NULL);
    if (error == hipSuccess)
        error = hipEventRecord(to, 0);
    return error == hipSuccess ? hipEventSynchronize(to) : error;
}

/* What fails in a launch may have taken the device's context with it. */
static double run_on(int which, size_t number)
{
    float ms = 0;
    hipError_t error = copy(hipMemcpyHostToDevice, number, state[number].fresh);
    if (error == hipSuccess)
        error = launch(which, number);
    if (error == hipSuccess)
        error = hipEventElapsedTime(&ms, from, to);
    if (error == hipSuccess)
        return ms * 1e3 / launches();
    fprintf(stderr, "evaluate: %s\n",
            hipGetErrorName(error)); /* kpred-evolve tells the last line */
    return EVALUATOR_LOST;
}

static double run(int which, int number)
{
    struct state *s = &state[number];
    fill((size_t)number);
    if (!s->is_known) {
        const double time = run_on(EVALUATOR_BASELINE, (size_t)number);
        if (time < 0)
            return time;
        s->is_known = copy(hipMemcpyDeviceToHost, (size_t)number, s->want) == hipSuccess;
    }
    return run_on(which, (size_t)number);
}

/* The unedited kernel's outputs are those of the baseline that came last. */
static int load(int which, const char *path)
{
    for (size_t i = 0; i < TEXT_CASES && which == EVALUATOR_BASELINE; i++)
        state[i].is_known = 0;
    return load_any(which, path);
}

static int is_near(const struct text_type *type, const unsigned char *got,
                   const unsigned char *want, double far)
{
    float single[2];
    double value[2];
    if (memcmp(got, want, type->bytes) == 0)
        return 1;
    memcpy(single, got, 4);
    memcpy(single + 1, want, 4);
    value[0] = (double)single[0];
    value[1] = (double)single[1];
    if (!type->is_real)
        return 0;
    if (type->bytes == 8) {
        memcpy(value, got, 8);
        memcpy(value + 1, want, 8);
    }
    return (isnan(value[0]) && isnan(value[1]))
           || fabs(value[0] - value[1]) <= far * fmax(fabs(value[1]), far);
}

static int is_right(size_t i, size_t number, const unsigned char *got)
{
    const struct text_argument *a = &own.argument[i];
    const struct state *s = &state[number];
    const size_t bytes = bytes_of(i, number), step = a->type->bytes;
    const double far = text_number(&own, &a->list, a->role == ROLE_OUT ? 1 : 3, number, 0);
    if (memcmp(got + bytes, s->fresh[i] + bytes, MARGIN) != 0)
        return 0;
    if (a->role == ROLE_IN || a->role == ROLE_SCRATCH)
        return a->role == ROLE_SCRATCH || memcmp(got, s->fresh[i], bytes) == 0;
    for (size_t at = 0; at < bytes; at += step)
        if (!is_near(a->type, got + at, s->want[i] + at, far))
            return 0;
    return 1;
}

static double error_of(int number)
{
    double error = 0;
    for (size_t i = 0; i < own.n_arguments && error == 0; i++) {
        const size_t bytes = bytes_of(i, (size_t)number) + MARGIN;
        if (own.argument[i].role == ROLE_VALUE)
            continue;
        unsigned char *got = xmalloc(bytes);
        if (hipMemcpy(got, device[i], bytes, hipMemcpyDeviceToHost) != hipSuccess
            || !is_right(i, (size_t)number, got))
            error = -1;
        free(got);
    }
    return error;
}

/* ---- all of it ---- */

/* Buffers have room for the largest case. */
static hipError_t open_buffers(void)
{
    hipError_t error = hipSuccess;
    for (size_t i = 0; i < own.n_arguments && error == hipSuccess; i++) {
        size_t most = 0;
        for (size_t number = 0; number < own.n_cases; number++)
            most = bytes_of(i, number) > most ? bytes_of(i, number) : most;
        if (own.argument[i].role != ROLE_VALUE)
            error = hipMalloc(&device[i], most + MARGIN);
    }
    return error;
}

static hipError_t open_device(void)
{
    int devices = 0;
    hipError_t error = hipGetDeviceCount(&devices);
    if (error == hipSuccess && devices == 0)
        error = hipErrorNoDevice;
    if (error == hipSuccess)
        error = open_buffers();
    if (error == hipSuccess)
        error = hipEventCreate(&from);
    return error == hipSuccess ? hipEventCreate(&to) : error;
}

/* Errors of the release change nothing any more. */
static void close_device(void)
{
    unload(EVALUATOR_CANDIDATE);
    unload(EVALUATOR_BASELINE);
    for (size_t i = 0; i < own.n_arguments; i++)
        if (device[i] != NULL)
            (void)hipFree(device[i]);
    (void)hipEventDestroy(from);
    (void)hipEventDestroy(to);
}

/* Becomes the command behind KERNEL.ini. The source lies beside that. */
static int become(char **argv, int argc)
{
    struct buf source = {0}, self = {0}, path = {0}, command = {0};
    const char **word = xcalloc((size_t)argc + 6, sizeof *word);
    size_t n = 0;
    buf_add(&source, argv[1], (size_t)(base_name(argv[1]) - argv[1]));
    if (*own.source == '/')
        source.n = 0;
    buf_puts(&source, own.source);
    buf_add_absolute(&path, argv[1]);
    buf_add_absolute(&self, argv[0]);
    quote(&command, strchr(argv[0], '/') != NULL ? self.s : argv[0], '*');
    buf_puts(&command, " ");
    quote(&command, path.s, '*');
    for (int i = 2; i < argc; i++)
        word[n++] = argv[i];
    const char *const rest[] = {source.s, "--function", own.function, "--evaluate", command.s};
    for (size_t i = 0; i < sizeof rest / sizeof *rest; i++)
        word[n++] = rest[i];
    execvp(word[0], (char *const *)(void *)word);
    return fail("%s: cannot be run", word[0]), 2;
}

int main(int argc, char **argv)
{
    static struct evaluator_case cases[TEXT_CASES + 1];
    static struct evaluator e = {cases, load, run, error_of, {"", ""}};
    program_name = "evaluate";
    if (argc < 2) {
        fprintf(stderr, "usage: evaluate KERNEL.ini [kpred-evolve search|check OPTION...]\n");
        return 2;
    }
    own.path = argv[1];
    if (text_read(&own) != 0)
        return 1;
    if (argc > 2)
        return become(argv, argc);
    const hipError_t error = open_device();
    if (error != hipSuccess) {
        fprintf(stderr, "evaluate: there is no device here: %s\n", hipGetErrorName(error));
        return 77;
    }
    for (size_t i = 0; i < own.n_cases; i++)
        cases[i] = (struct evaluator_case){own.label[i], own.is_held_out[i], own.is_untimed[i]};
    const int status = evaluator_serve(&e);
    close_device();
    return status;
}
