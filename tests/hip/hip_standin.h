/* hip_standin.h - stands in for the HIP runtime in tests: a device with a scripted clock and errors
   SPDX-License-Identifier: MIT

   Given as KPRED_HIP_API_HEADER. The device is a clock: a launch (standin_launch) moves it on, an
   event reads it. Everything is done at once, in order; errors come where the test puts them.
   `standin` is all of the state; `standin = standin_fresh` begins anew. Modules, which
   examples/hip_select.c launches from, and memory that can be written to are at the end. */
#pragma once

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if defined(__cplusplus) && defined(__GNUC__) /* C as well, which casts as C does */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wold-style-cast"
#pragma GCC diagnostic ignored "-Wzero-as-null-pointer-constant"
#endif

/* clang-format off */
#define STANDIN_ERRORS(X)                                                                         \
    X(hipSuccess, 0) X(hipErrorInvalidValue, 1) X(hipErrorOutOfMemory, 2)                         \
    X(hipErrorInvalidConfiguration, 9) X(hipErrorNoDevice, 100) X(hipErrorInvalidImage, 200)      \
    X(hipErrorFileNotFound, 301) X(hipErrorInvalidHandle, 400) X(hipErrorNotFound, 500)           \
    X(hipErrorNotReady, 600) X(hipErrorIllegalAddress, 700)                                       \
    X(hipErrorLaunchOutOfResources, 701) X(hipErrorLaunchFailure, 719)                            \
    X(hipErrorStreamCaptureImplicit, 906)
/* clang-format on */
#define STANDIN_ERROR(name, code) name = code,
typedef enum hipError_t { STANDIN_ERRORS(STANDIN_ERROR) } hipError_t;
#undef STANDIN_ERROR

typedef enum hipStreamCaptureStatus {
    hipStreamCaptureStatusNone,
    hipStreamCaptureStatusActive,
    hipStreamCaptureStatusInvalidated
} hipStreamCaptureStatus;

typedef struct standin_event {
    int alive, recorded;
    double us;
} standin_event;

typedef struct standin_stream {
    int device;
} standin_stream;

typedef standin_event *hipEvent_t;
typedef standin_stream *hipStream_t;

/* clang-format off */
#define STANDIN_CALLS(X)                                                                          \
    X(hipGetDeviceCount) X(hipStreamIsCapturing) X(hipEventCreate) X(hipEventDestroy)             \
    X(hipEventRecord) X(hipEventSynchronize) X(hipEventElapsedTime) X(hipStreamSynchronize)       \
    X(hipMalloc) X(hipFree) X(hipMemsetAsync) X(launch)
/* clang-format on */
#define STANDIN_ENUM(name) STANDIN_##name,
enum standin_call { STANDIN_CALLS(STANDIN_ENUM) STANDIN_CALL_COUNT };
#undef STANDIN_ENUM

enum { STANDIN_EVENTS = 64 };

static struct standin {
    /* the script */
    int devices, current_device;
    hipStreamCaptureStatus capture;
    double quantum_us;               /* events are rounded down to multiples of it; 0: exact */
    double memset_us;                /* what hipMemsetAsync takes */
    double time_factor, time_offset; /* what hipEventElapsedTime makes of the truth */
    double (*distort)(double us);    /* then this, if not NULL */
    hipError_t unreadable;           /* what it returns for what is then below 0 */
    int fail_at[STANDIN_CALL_COUNT]; /* the call, counted from 1, that fails; 0: none */
    hipError_t fail_code[STANDIN_CALL_COUNT]; /* 700..719 but 701: and all calls after it */
    hipError_t async;                         /* what the next synchronisation will find */
    int heap;                                 /* 1: hipMalloc gives memory, not only an address */
    /* what a module's kernel does, `launched`; returns how long it takes */
    double (*kernel)(unsigned groups, unsigned threads, void **arguments);
    void (*watch)(enum standin_call call); /* told of each call, if not NULL */

    /* what has happened */
    double now_us;
    hipError_t pending, sticky;
    int calls[STANDIN_CALL_COUNT];
    int live_events, live_buffers, live_modules;
    const struct standin_function *launched; /* and its grid */
    unsigned grid_x, grid_y;
    int misuse; /* dead or foreign handles, or calls that break a capture */
    standin_event events[STANDIN_EVENTS];
    char buffer;
} standin;

#ifndef __cplusplus /* there it is only compiled, and some have no such initialisers */
static const struct standin standin_fresh = {.devices = 1, .time_factor = 1};
#endif

static inline hipError_t standin_fails(hipError_t error)
{
    if (error >= 700 && error <= 719 && error != hipErrorLaunchOutOfResources)
        standin.sticky = error;
    if (error != hipSuccess)
        standin.pending = error;
    return error;
}

/* Counts a call; the error that the script has for it */
static inline hipError_t standin_called(enum standin_call call)
{
    const int n = ++standin.calls[call];
    if (standin.watch)
        standin.watch(call);
    if (standin.sticky != hipSuccess)
        return standin_fails(standin.sticky);
    if (n == standin.fail_at[call])
        return standin_fails(standin.fail_code[call]);
    return hipSuccess;
}

/* Calls that no capture survives */
static inline hipError_t standin_called_uncaptured(enum standin_call call)
{
    standin.misuse += standin.capture != hipStreamCaptureStatusNone;
    return standin_called(call);
}

static inline hipError_t standin_misused(void)
{
    standin.misuse++;
    return standin_fails(hipErrorInvalidHandle);
}

/* A launch that takes so long */
static inline hipError_t standin_launch(double us)
{
    const hipError_t error = standin_called(STANDIN_launch);
    if (error == hipSuccess)
        standin.now_us += us;
    return error;
}

static inline hipError_t hipGetLastError(void)
{
    const hipError_t error = standin.pending;
    standin.pending = standin.sticky;
    return error;
}

static inline hipError_t hipGetDeviceCount(int *n)
{
    const hipError_t error = standin_called(STANDIN_hipGetDeviceCount);
    if (error == hipSuccess)
        *n = standin.devices;
    return error;
}

static inline hipError_t hipStreamIsCapturing(hipStream_t stream, hipStreamCaptureStatus *status)
{
    const hipError_t error = standin_called(STANDIN_hipStreamIsCapturing);
    (void)stream;
    if (error == hipSuccess)
        *status = standin.capture;
    return error;
}

static inline hipError_t hipEventCreate(hipEvent_t *event)
{
    const hipError_t error = standin_called(STANDIN_hipEventCreate);
    int i;
    *event = (hipEvent_t)&standin.buffer; /* what a failed call leaves is nobody's to use */
    if (error != hipSuccess)
        return error;
    for (i = 0; i < STANDIN_EVENTS && standin.events[i].alive; i++)
        ;
    if (i == STANDIN_EVENTS)
        return standin_fails(hipErrorOutOfMemory);
    *event = &standin.events[i];
    (*event)->alive = 1;
    (*event)->recorded = 0;
    standin.live_events++;
    return hipSuccess;
}

static inline int standin_is_event(hipEvent_t event)
{
    for (int i = 0; i < STANDIN_EVENTS; i++)
        if (event == &standin.events[i])
            return event->alive;
    return 0;
}

/* Releases even where it reports an error, as the real ones do */
static inline hipError_t hipEventDestroy(hipEvent_t event)
{
    const hipError_t error = standin_called(STANDIN_hipEventDestroy);
    if (!standin_is_event(event))
        return standin_misused();
    event->alive = 0;
    standin.live_events--;
    return error;
}

static inline hipError_t hipEventRecord(hipEvent_t event, hipStream_t stream)
{
    const hipError_t error = standin_called_uncaptured(STANDIN_hipEventRecord);
    const double quantum = standin.quantum_us;
    if (error != hipSuccess)
        return error;
    if (!standin_is_event(event))
        return standin_misused();
    if (stream && stream->device != standin.current_device)
        return standin_fails(hipErrorInvalidHandle);
    event->recorded = 1;
    event->us =
        quantum > 0 ? (double)(long long)(standin.now_us / quantum) * quantum : standin.now_us;
    return hipSuccess;
}

static inline hipError_t standin_wait(enum standin_call call)
{
    const hipError_t error = standin_called_uncaptured(call);
    const hipError_t async = standin.async;
    if (error != hipSuccess)
        return error;
    standin.async = hipSuccess;
    return standin_fails(async);
}

static inline hipError_t hipEventSynchronize(hipEvent_t event)
{
    return standin_is_event(event) ? standin_wait(STANDIN_hipEventSynchronize) : standin_misused();
}

static inline hipError_t hipStreamSynchronize(hipStream_t stream)
{
    (void)stream;
    return standin_wait(STANDIN_hipStreamSynchronize);
}

static inline hipError_t hipEventElapsedTime(float *ms, hipEvent_t from, hipEvent_t to)
{
    const hipError_t error = standin_called(STANDIN_hipEventElapsedTime);
    double us;
    if (error != hipSuccess)
        return error;
    if (!standin_is_event(from) || !standin_is_event(to) || !from->recorded || !to->recorded)
        return standin_misused();
    us = (to->us - from->us) * standin.time_factor + standin.time_offset;
    if (standin.distort)
        us = standin.distort(us);
    *ms = (float)(us / 1e3);
    return us < 0 ? standin_fails(standin.unreadable) : hipSuccess;
}

static inline int standin_is_buffer(const void *memory)
{
    return standin.heap ? memory != NULL : memory == &standin.buffer;
}

static inline hipError_t hipMalloc(void **memory, size_t bytes)
{
    const hipError_t error = standin_called_uncaptured(STANDIN_hipMalloc);
    *memory = (void *)&standin.events; /* what a failed call leaves is nobody's to use */
    if (error != hipSuccess)
        return error;
    *memory = standin.heap ? calloc(bytes, 1) : &standin.buffer;
    if (!*memory)
        return standin_fails(hipErrorOutOfMemory);
    standin.live_buffers++;
    return hipSuccess;
}

static inline hipError_t hipFree(void *memory)
{
    const hipError_t error = standin_called_uncaptured(STANDIN_hipFree);
    if (!standin_is_buffer(memory))
        return standin_misused();
    if (standin.heap)
        free(memory);
    standin.live_buffers--;
    return error;
}

static inline hipError_t hipMemsetAsync(void *memory, int value, size_t bytes, hipStream_t stream)
{
    const hipError_t error = standin_called(STANDIN_hipMemsetAsync);
    (void)stream;
    if (error == hipSuccess && !standin_is_buffer(memory))
        return standin_misused();
    if (error == hipSuccess && standin.heap)
        memset(memory, value, bytes);
    standin.now_us += standin.memset_us;
    return error;
}

/* ---- modules, and what else a program needs that launches from one ---- */

enum { STANDIN_MODULES = 64, STANDIN_FUNCTIONS = 4 };

typedef struct standin_function {
    char name[32];
    struct standin_module *module;
} * hipFunction_t;

typedef struct standin_module {
    int alive;
    char path[4096];
    struct standin_function functions[STANDIN_FUNCTIONS];
} * hipModule_t;

static struct standin_module standin_modules[STANDIN_MODULES];

typedef enum hipMemcpyKind { hipMemcpyHostToDevice = 1, hipMemcpyDeviceToHost } hipMemcpyKind;

static inline int standin_is_module(hipModule_t module)
{
    for (int i = 0; i < STANDIN_MODULES; i++)
        if (module == &standin_modules[i])
            return module->alive;
    return 0;
}

/* Any file that is not empty is a code object. */
static inline hipError_t hipModuleLoad(hipModule_t *module, const char *name)
{
    FILE *file = fopen(name, "rb");
    const int empty = !file || fgetc(file) == EOF;
    int i = 0;
    *module = (hipModule_t)&standin.buffer; /* what a failed call leaves is nobody's to use */
    if (!file)
        return standin_fails(hipErrorFileNotFound);
    fclose(file);
    while (i < STANDIN_MODULES && standin_modules[i].alive)
        i++;
    if (empty || i == STANDIN_MODULES)
        return standin_fails(empty ? hipErrorInvalidImage : hipErrorOutOfMemory);
    *module = &standin_modules[i];
    memset(*module, 0, sizeof **module);
    (*module)->alive = 1;
    snprintf((*module)->path, sizeof(*module)->path, "%s", name);
    standin.live_modules++;
    return hipSuccess;
}

static inline hipError_t hipModuleUnload(hipModule_t module)
{
    if (!standin_is_module(module))
        return standin_misused();
    module->alive = 0;
    standin.live_modules--;
    return hipSuccess;
}

static inline hipError_t hipModuleGetFunction(hipFunction_t *kernel, hipModule_t module,
                                              const char *name)
{
    int i = 0;
    if (!standin_is_module(module))
        return standin_misused();
    while (i < STANDIN_FUNCTIONS && module->functions[i].module
           && strcmp(module->functions[i].name, name) != 0)
        i++;
    if (!standin.kernel || !*name || i == STANDIN_FUNCTIONS)
        return standin_fails(hipErrorNotFound);
    *kernel = &module->functions[i];
    (*kernel)->module = module;
    snprintf((*kernel)->name, sizeof(*kernel)->name, "%s", name);
    return hipSuccess;
}

static inline hipError_t hipModuleLaunchKernel(hipFunction_t kernel, unsigned grid_x,
                                               unsigned grid_y, unsigned grid_z, unsigned group_x,
                                               unsigned group_y, unsigned group_z,
                                               unsigned shared_bytes, hipStream_t stream,
                                               void **arguments, void **extra)
{
    const unsigned groups = grid_x * grid_y * grid_z, threads = group_x * group_y * group_z;
    hipError_t error = hipSuccess;
    (void)shared_bytes, (void)stream;
    if (!kernel || !standin_is_module(kernel->module) || extra)
        return standin_misused();
    if (groups == 0 || threads == 0 || threads > 1024)
        return standin_fails(hipErrorInvalidConfiguration);
    standin.launched = kernel, standin.grid_x = grid_x, standin.grid_y = grid_y;
    error = standin_launch(0);
    if (error == hipSuccess)
        standin.now_us += standin.kernel(groups, threads, arguments);
    return error;
}

static inline hipError_t hipMemcpy(void *to, const void *from, size_t bytes, hipMemcpyKind kind)
{
    (void)kind;
    if (standin.sticky != hipSuccess)
        return standin_fails(standin.sticky);
    if (!standin.heap)
        return standin_misused();
    memcpy(to, from, bytes);
    return hipSuccess;
}

static inline const char *hipGetErrorName(hipError_t error)
{
#define STANDIN_NAME(name, code) \
    if (error == name)           \
        return #name;
    STANDIN_ERRORS(STANDIN_NAME)
#undef STANDIN_NAME
    return "another error";
}

static inline const char *hipGetErrorString(hipError_t error)
{
    return error == hipSuccess ? "no error" : "an error of the stand-in";
}

/* ---- what it is ---- */

typedef struct hipDeviceProp_t {
    char name[256];
} hipDeviceProp_t;

typedef enum hipDeviceAttribute_t {
    hipDeviceAttributeClockRate,
    hipDeviceAttributeMemoryClockRate,
    hipDeviceAttributeMultiprocessorCount,
    hipDeviceAttributeMaxThreadsPerBlock,
    hipDeviceAttributeMaxSharedMemoryPerBlock
} hipDeviceAttribute_t;

static inline hipError_t hipGetDeviceProperties(hipDeviceProp_t *properties, int device)
{
    (void)device;
    strcpy(properties->name, "stand-in");
    return hipSuccess;
}

static inline hipError_t hipDeviceGetAttribute(int *value, hipDeviceAttribute_t which, int device)
{
    (void)device;
    *value = which == hipDeviceAttributeMultiprocessorCount ? 1 : 1000000;
    return hipSuccess;
}

static inline hipError_t hipDriverGetVersion(int *version)
{
    *version = 1;
    return hipSuccess;
}

static inline hipError_t hipRuntimeGetVersion(int *version)
{
    return hipDriverGetVersion(version);
}

#if defined(__cplusplus) && defined(__GNUC__)
#pragma GCC diagnostic pop
#endif
