/* opencl_as_hip.h - calls of HIP by OpenCL 1.2 or later, so that kpred_hip.h works on its devices
   SPDX-License-Identifier: MIT

   cc -std=c99 -I. -Iexamples -DKPRED_HIP_API_HEADER='"opencl_as_hip.h"' ... -lOpenCL

   The state is in the file that defines KPRED_HIP_IMPLEMENTATION, or OPENCL_AS_HIP_IMPLEMENTATION.
   The device is the first GPU, else the first device of any kind, that is available and has a
   compiler and OpenCL 1.2; a program that has a queue of its own calls opencl_as_hip_use before all
   else. One thread uses these calls at a time.

   A stream is a command queue, in order and with profiling; 0 is the default one. An event is a
   marker, so a pair of them times what lies between, as in HIP. The event of each launch is kept. A
   wait returns the first error of the launches that it waits for: a kernel that fails on the device
   is seen. A module is a file with OpenCL C, or with bitcode of LLVM if the device takes it. Memory
   is an address that only these calls know; a kernel's argument is where an allocation begins.
   Errors of OpenCL keep their numbers, below 0, but for those that say that the context is lost or
   that a launch found no resources. */
#ifndef KPRED_OPENCL_AS_HIP_H
#define KPRED_OPENCL_AS_HIP_H

#ifndef CL_TARGET_OPENCL_VERSION
#define CL_TARGET_OPENCL_VERSION 120
#endif
#include <CL/cl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- types ---- */

enum { OPENCL_ARGUMENTS = 128 };

typedef cl_command_queue hipStream_t;
typedef cl_int hipError_t;
typedef struct opencl_event {
    cl_event marker; /* NULL: not recorded */
    cl_command_queue queue;
    uint64_t number; /* of the launch before it */
} * hipEvent_t;
typedef struct opencl_kernel {
    struct opencl_kernel *next; /* of the module */
    cl_kernel kernel;
    size_t threads; /* of a group, at most */
    int is_large;   /* it needs more memory of a group than the device has */
    cl_uint n;
    size_t bytes[OPENCL_ARGUMENTS]; /* 0: an address */
} * hipFunction_t;
typedef struct opencl_module {
    cl_program program;
    struct opencl_kernel *kernels;
} * hipModule_t;

/* HIP's numbers. kpred_hip.h goes on after 701 if the queue still works, and ends after 719. */
enum {
    hipSuccess = 0,
    hipErrorInvalidValue = 1,
    hipErrorOutOfMemory = 2,
    hipErrorNoDevice = 100,
    hipErrorFileNotFound = 301,
    hipErrorNotReady = 600,
    hipErrorLaunchOutOfResources = 701,
    hipErrorLaunchFailure = 719
};
typedef enum { hipStreamCaptureStatusNone } hipStreamCaptureStatus;
typedef enum { hipMemcpyHostToDevice = 1, hipMemcpyDeviceToHost = 2 } hipMemcpyKind;
typedef enum {
    hipDeviceAttributeClockRate,
    hipDeviceAttributeMemoryClockRate,
    hipDeviceAttributeMultiprocessorCount,
    hipDeviceAttributeMaxThreadsPerBlock,
    hipDeviceAttributeMaxSharedMemoryPerBlock
} hipDeviceAttribute_t;
typedef struct {
    char name[256];
} hipDeviceProp_t;

/* ---- state ---- */

struct opencl_memory {
    struct opencl_memory *next;
    uintptr_t base; /* of addresses that are nowhere else */
    size_t size;
    cl_mem buffer;
};

struct opencl_launch {
    cl_event event;
    cl_command_queue queue;
    uint64_t number;
};

struct opencl_state {
    cl_context context; /* NULL: not opened yet */
    cl_device_id device;
    cl_command_queue queue;
    hipError_t last;
    struct opencl_memory *memory;
    uintptr_t next_base;
    struct opencl_launch *launch; /* not waited for yet */
    size_t n, size;
    uint64_t launches; /* the number of the last one */
};

extern struct opencl_state opencl_state;
#if defined(KPRED_HIP_IMPLEMENTATION) || defined(OPENCL_AS_HIP_IMPLEMENTATION)
struct opencl_state opencl_state = {NULL, NULL, NULL, 0, NULL, 4096, NULL, 0, 0, 0};
#endif

/* Keeps the error for hipGetLastError. */
static inline hipError_t opencl_said(hipError_t error)
{
    if (error != hipSuccess)
        opencl_state.last = error;
    return error;
}

static inline hipError_t hipGetLastError(void)
{
    const hipError_t error = opencl_state.last;
    opencl_state.last = hipSuccess;
    return error;
}

/* ---- the device ---- */

/* Has it all that these calls need? */
static inline int opencl_suits(cl_device_id device)
{
    cl_bool available = CL_FALSE, compiler = CL_FALSE;
    char version[256] = "";
    int major = 0, minor = 0;
    return clGetDeviceInfo(device, CL_DEVICE_AVAILABLE, sizeof available, &available, NULL)
               == CL_SUCCESS
           && clGetDeviceInfo(device, CL_DEVICE_COMPILER_AVAILABLE, sizeof compiler, &compiler,
                              NULL)
                  == CL_SUCCESS
           && clGetDeviceInfo(device, CL_DEVICE_VERSION, sizeof version, version, NULL)
                  == CL_SUCCESS
           && available && compiler && sscanf(version, "OpenCL %d.%d", &major, &minor) == 2
           && 10 * major + minor >= 12;
}

/* The first such device of this type on any platform: 1 if there is one */
static inline int opencl_find(cl_device_type type, cl_device_id *device)
{
    enum { MOST = 16 };
    cl_platform_id platform[MOST];
    cl_device_id found[MOST];
    cl_uint n = 0;
    if (clGetPlatformIDs(MOST, platform, &n) != CL_SUCCESS)
        return 0;
    for (cl_uint i = 0; i < n && i < MOST; i++) {
        cl_uint devices = 0;
        if (clGetDeviceIDs(platform[i], type, MOST, found, &devices) != CL_SUCCESS)
            continue;
        for (cl_uint j = 0; j < devices && j < MOST; j++)
            if (opencl_suits(*device = found[j]))
                return 1;
    }
    return 0;
}

static inline int opencl_choose(cl_device_id *device)
{
    return opencl_find(CL_DEVICE_TYPE_GPU, device) || opencl_find(CL_DEVICE_TYPE_ALL, device);
}

/* Takes the queue's context and device, and keeps the queue. It has to be in order and with
   profiling. */
static inline hipError_t opencl_as_hip_use(cl_command_queue queue)
{
    struct opencl_state *s = &opencl_state;
    cl_context context;
    cl_device_id device;
    hipError_t error =
        clGetCommandQueueInfo(queue, CL_QUEUE_CONTEXT, sizeof context, &context, NULL);
    if (error == CL_SUCCESS)
        error = clGetCommandQueueInfo(queue, CL_QUEUE_DEVICE, sizeof device, &device, NULL);
    if (error == CL_SUCCESS)
        error = clRetainCommandQueue(queue);
    if (error == CL_SUCCESS)
        s->context = context, s->device = device, s->queue = queue;
    return opencl_said(error);
}

static inline hipError_t opencl_open(void)
{
    cl_device_id device;
    cl_context context;
    cl_command_queue queue;
    cl_int error;
    if (opencl_state.context != NULL)
        return hipSuccess;
    if (!opencl_choose(&device))
        return opencl_said(hipErrorNoDevice);
    context = clCreateContext(NULL, 1, &device, NULL, NULL, &error);
    if (error != CL_SUCCESS)
        return opencl_said(error);
    queue = clCreateCommandQueue(context, device, CL_QUEUE_PROFILING_ENABLE, &error);
    if (error == CL_SUCCESS) {
        error = opencl_as_hip_use(queue);
        (void)clReleaseCommandQueue(queue);
    }
    (void)clReleaseContext(context); /* the queue holds it */
    return opencl_said(error);
}

static inline hipError_t hipGetDeviceCount(int *n)
{
    const hipError_t error = opencl_open();
    *n = error == hipSuccess;
    return error;
}

static inline hipError_t hipGetDeviceProperties(hipDeviceProp_t *properties, int device)
{
    hipError_t error = opencl_open();
    (void)device;
    properties->name[0] = '\0';
    if (error == hipSuccess)
        error = clGetDeviceInfo(opencl_state.device, CL_DEVICE_NAME, sizeof properties->name,
                                properties->name, NULL);
    return opencl_said(error);
}

/* A number of the device, of 4 or 8 bytes; 0 if there is none */
static inline uint64_t opencl_number(cl_device_info which)
{
    cl_ulong wide = 0;
    cl_uint narrow = 0;
    size_t bytes = 0;
    if (clGetDeviceInfo(opencl_state.device, which, 0, NULL, &bytes) != CL_SUCCESS)
        return 0;
    if (bytes == sizeof narrow)
        (void)clGetDeviceInfo(opencl_state.device, which, sizeof narrow, &narrow, NULL);
    else if (bytes == sizeof wide)
        (void)clGetDeviceInfo(opencl_state.device, which, sizeof wide, &wide, NULL);
    return narrow + wide;
}

static inline hipError_t hipDeviceGetAttribute(int *value, hipDeviceAttribute_t which, int device)
{
    static const struct {
        cl_device_info name;
        uint64_t factor; /* HIP's clocks are in kHz; of memory OpenCL says none */
    } known[] = {{CL_DEVICE_MAX_CLOCK_FREQUENCY, 1000},
                 {CL_DEVICE_MAX_CLOCK_FREQUENCY, 0},
                 {CL_DEVICE_MAX_COMPUTE_UNITS, 1},
                 {CL_DEVICE_MAX_WORK_GROUP_SIZE, 1},
                 {CL_DEVICE_LOCAL_MEM_SIZE, 1}};
    const hipError_t error = opencl_open();
    const uint64_t number =
        error == hipSuccess ? opencl_number(known[which].name) * known[which].factor : 0;
    (void)device;
    *value = number > 0x7fffffff ? 0x7fffffff : (int)number;
    return error;
}

/* The version of OpenCL, as 1000 times the major number and 10 times the minor one */
static inline hipError_t hipRuntimeGetVersion(int *version)
{
    char text[256] = "";
    int major = 0, minor = 0;
    hipError_t error = opencl_open();
    if (error == hipSuccess)
        error = clGetDeviceInfo(opencl_state.device, CL_DEVICE_VERSION, sizeof text, text, NULL);
    if (error == hipSuccess && sscanf(text, "OpenCL %d.%d", &major, &minor) != 2)
        error = hipErrorInvalidValue;
    *version = 1000 * major + 10 * minor;
    return opencl_said(error);
}

/* The first three numbers of the driver's version; the last two have three digits each. */
static inline hipError_t hipDriverGetVersion(int *version)
{
    char text[256] = "";
    unsigned n[3] = {0, 0, 0};
    hipError_t error = opencl_open();
    if (error == hipSuccess)
        error = clGetDeviceInfo(opencl_state.device, CL_DRIVER_VERSION, sizeof text, text, NULL);
    (void)sscanf(text + strcspn(text, "0123456789"), "%u.%u.%u", &n[0], &n[1], &n[2]);
    *version = (int)(n[0] % 2000 * 1000000 + n[1] % 1000 * 1000 + n[2] % 1000);
    return opencl_said(error);
}

/* ---- streams and events ---- */

static inline cl_command_queue opencl_queue(hipStream_t stream)
{
    return stream != NULL ? stream : opencl_state.queue;
}

/* Nothing is ever captured. Refuses a queue of another context or device, and one that kpred_hip.h
   cannot time. */
static inline hipError_t hipStreamIsCapturing(hipStream_t stream, hipStreamCaptureStatus *status)
{
    cl_context context = NULL;
    cl_device_id device = NULL;
    cl_command_queue_properties of = 0;
    const hipError_t error = opencl_open();
    const cl_command_queue queue = opencl_queue(stream);
    *status = hipStreamCaptureStatusNone;
    if (error != hipSuccess)
        return error;
    if (clGetCommandQueueInfo(queue, CL_QUEUE_CONTEXT, sizeof context, &context, NULL) != CL_SUCCESS
        || clGetCommandQueueInfo(queue, CL_QUEUE_DEVICE, sizeof device, &device, NULL) != CL_SUCCESS
        || clGetCommandQueueInfo(queue, CL_QUEUE_PROPERTIES, sizeof of, &of, NULL) != CL_SUCCESS
        || context != opencl_state.context || device != opencl_state.device
        || !(of & CL_QUEUE_PROFILING_ENABLE) || (of & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE))
        return opencl_said(CL_INVALID_COMMAND_QUEUE);
    return hipSuccess;
}

/* What the status of a launch that failed on the device means to kpred_hip.h */
static inline hipError_t opencl_fault(cl_int status)
{
    return status == CL_OUT_OF_RESOURCES || status == CL_MEM_OBJECT_ALLOCATION_FAILURE
                   || status == CL_OUT_OF_HOST_MEMORY
               ? hipErrorLaunchOutOfResources
               : hipErrorLaunchFailure;
}

/* An error of an enqueue. On a queue that was right before, some say that the context is lost. */
static inline hipError_t opencl_refused(cl_int error)
{
    if (error == CL_INVALID_COMMAND_QUEUE || error == CL_INVALID_CONTEXT
        || error == CL_DEVICE_NOT_AVAILABLE)
        error = hipErrorLaunchFailure;
    return opencl_said(error == CL_OUT_OF_RESOURCES ? hipErrorLaunchOutOfResources : error);
}

/* CL_COMPLETE, above it before its end, below it an error */
static inline cl_int opencl_status(cl_event event)
{
    cl_int status = CL_COMPLETE;
    const cl_int asked =
        clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL);
    return asked != CL_SUCCESS ? asked : status;
}

/* Releases the launches of `queue` up to `number` that are over, and returns their first error. The
   errors of others are not this wait's. NULL: releases those of all queues that have no error. */
static inline hipError_t opencl_sweep(cl_command_queue queue, uint64_t number)
{
    struct opencl_state *s = &opencl_state;
    hipError_t first = hipSuccess;
    size_t left = 0;
    for (size_t i = 0; i < s->n; i++) {
        const struct opencl_launch l = s->launch[i];
        const int is_asked = queue == NULL || (l.queue == queue && l.number <= number);
        const cl_int status = is_asked ? opencl_status(l.event) : CL_QUEUED;
        if (status > CL_COMPLETE || (status < CL_COMPLETE && queue == NULL)) {
            s->launch[left++] = l;
            continue;
        }
        if (status < CL_COMPLETE && first == hipSuccess)
            first = opencl_fault(status);
        (void)clReleaseEvent(l.event);
    }
    s->n = left;
    return first;
}

/* After a wait, which returned `error`, for the launches of a queue up to a number */
static inline hipError_t opencl_waited(cl_int error, cl_command_queue queue, uint64_t number)
{
    const hipError_t first = opencl_sweep(queue, number);
    return opencl_said(first != hipSuccess ? first : error != CL_SUCCESS ? opencl_fault(error) : 0);
}

/* Room for one more launch where it is full: 1 if there is. Nobody may have waited for long. */
static inline int opencl_has_room(void)
{
    struct opencl_state *s = &opencl_state;
    const size_t size = 2 * s->size + 64;
    struct opencl_launch *more;
    (void)opencl_sweep(NULL, 0);
    if (s->n < s->size - s->size / 2)
        return 1;
    more = (struct opencl_launch *)realloc(s->launch, size * sizeof *more);
    if (more != NULL) {
        s->launch = more;
        s->size = size;
    }
    return s->n < s->size;
}

/* Keeps a launch's event for opencl_waited; without room for it, waits at once. */
static inline hipError_t opencl_keep(cl_event event, cl_command_queue queue)
{
    struct opencl_state *s = &opencl_state;
    const struct opencl_launch l = {event, queue, ++s->launches};
    cl_int error;
    if (s->n < s->size || opencl_has_room()) {
        s->launch[s->n++] = l;
        return hipSuccess;
    }
    error = clWaitForEvents(1, &event);
    (void)clReleaseEvent(event);
    return error == CL_SUCCESS ? hipSuccess : opencl_said(opencl_fault(error));
}

static inline hipError_t hipStreamSynchronize(hipStream_t stream)
{
    const hipError_t error = opencl_open();
    const cl_command_queue queue = opencl_queue(stream);
    return error != hipSuccess ? error : opencl_waited(clFinish(queue), queue, UINT64_MAX);
}

static inline hipError_t hipEventCreate(hipEvent_t *event)
{
    const hipError_t error = opencl_open();
    *event = error == hipSuccess ? (hipEvent_t)calloc(1, sizeof **event) : NULL;
    return error == hipSuccess && *event == NULL ? opencl_said(hipErrorOutOfMemory) : error;
}

static inline void opencl_unrecord(hipEvent_t event)
{
    if (event->marker != NULL)
        (void)clReleaseEvent(event->marker);
    event->marker = NULL;
}

static inline hipError_t hipEventDestroy(hipEvent_t event)
{
    opencl_unrecord(event);
    free(event);
    return hipSuccess;
}

static inline hipError_t hipEventRecord(hipEvent_t event, hipStream_t stream)
{
    cl_int error;
    opencl_unrecord(event);
    event->queue = opencl_queue(stream);
    event->number = opencl_state.launches;
    error = clEnqueueMarkerWithWaitList(event->queue, 0, NULL, &event->marker);
    if (error != CL_SUCCESS)
        event->marker = NULL;
    return opencl_refused(error);
}

static inline hipError_t hipEventSynchronize(hipEvent_t event)
{
    if (event->marker == NULL)
        return opencl_said(hipErrorInvalidValue);
    return opencl_waited(clWaitForEvents(1, &event->marker), event->queue, event->number);
}

/* When the marker was reached, in ns */
static inline hipError_t opencl_reached(hipEvent_t event, cl_ulong *ns)
{
    const cl_int error = event->marker == NULL
                             ? CL_INVALID_EVENT
                             : clGetEventProfilingInfo(event->marker, CL_PROFILING_COMMAND_END,
                                                       sizeof *ns, ns, NULL);
    return opencl_said(error == CL_PROFILING_INFO_NOT_AVAILABLE ? hipErrorNotReady : error);
}

static inline hipError_t hipEventElapsedTime(float *ms, hipEvent_t from, hipEvent_t to)
{
    cl_ulong begin = 0, end = 0;
    hipError_t error = opencl_reached(from, &begin);
    if (error == hipSuccess)
        error = opencl_reached(to, &end);
    if (error == hipSuccess)
        *ms = (float)(end < begin ? -1e-6 * (double)(begin - end) : 1e-6 * (double)(end - begin));
    return error;
}

/* ---- memory ---- */

static inline hipError_t hipMalloc(void **memory, size_t bytes)
{
    struct opencl_state *s = &opencl_state;
    struct opencl_memory *m;
    hipError_t error = opencl_open();
    if (error != hipSuccess)
        return error;
    m = (struct opencl_memory *)malloc(sizeof *m);
    if (m == NULL || bytes == 0 || bytes > UINTPTR_MAX - 8192 - s->next_base) {
        free(m);
        return opencl_said(bytes == 0 ? hipErrorInvalidValue : hipErrorOutOfMemory);
    }
    m->buffer = clCreateBuffer(s->context, CL_MEM_READ_WRITE, bytes, NULL, &error);
    if (error != CL_SUCCESS) {
        free(m);
        return opencl_said(error);
    }
    m->base = s->next_base, m->size = bytes, m->next = s->memory;
    s->next_base += (bytes / 4096 + 2) * 4096; /* a gap behind it */
    s->memory = m;
    *memory = (void *)m->base;
    return hipSuccess;
}

/* The allocation in which `bytes` of memory lie from this address on; NULL: none */
static inline struct opencl_memory *opencl_find_memory(const void *memory, size_t bytes)
{
    const uintptr_t at = (uintptr_t)memory;
    struct opencl_memory *m = opencl_state.memory;
    while (m != NULL && !(at >= m->base && at - m->base < m->size))
        m = m->next;
    return m != NULL && bytes <= m->size - (at - m->base) ? m : NULL;
}

static inline hipError_t hipFree(void *memory)
{
    struct opencl_memory **at = &opencl_state.memory, *m;
    if (memory == NULL)
        return hipSuccess;
    while (*at != NULL && (*at)->base != (uintptr_t)memory)
        at = &(*at)->next;
    m = *at;
    if (m == NULL)
        return opencl_said(hipErrorInvalidValue);
    *at = m->next;
    (void)clReleaseMemObject(m->buffer);
    free(m);
    return hipSuccess;
}

static inline hipError_t hipMemsetAsync(void *memory, int value, size_t bytes, hipStream_t stream)
{
    const struct opencl_memory *m = opencl_find_memory(memory, bytes);
    const unsigned char byte = (unsigned char)value;
    const cl_command_queue queue = opencl_queue(stream);
    cl_event event;
    hipError_t error;
    if (m == NULL)
        return opencl_said(hipErrorInvalidValue);
    error = clEnqueueFillBuffer(queue, m->buffer, &byte, 1, (uintptr_t)memory - m->base, bytes, 0,
                                NULL, &event);
    return error == CL_SUCCESS ? opencl_keep(event, queue) : opencl_refused(error);
}

/* On the default stream, and waits */
static inline hipError_t hipMemcpy(void *to, const void *from, size_t bytes, hipMemcpyKind kind)
{
    const void *there = kind == hipMemcpyHostToDevice ? to : from;
    const struct opencl_memory *m = opencl_find_memory(there, bytes);
    cl_int error;
    if (m == NULL)
        return opencl_said(hipErrorInvalidValue);
    if (kind == hipMemcpyHostToDevice)
        error = clEnqueueWriteBuffer(opencl_state.queue, m->buffer, CL_TRUE,
                                     (uintptr_t)there - m->base, bytes, from, 0, NULL, NULL);
    else
        error = clEnqueueReadBuffer(opencl_state.queue, m->buffer, CL_TRUE,
                                    (uintptr_t)there - m->base, bytes, to, 0, NULL, NULL);
    return opencl_waited(error, opencl_state.queue, UINT64_MAX);
}

/* ---- modules ---- */

/* The text of a file, of *length bytes; NULL if it cannot be read or is too long */
static inline char *opencl_read(const char *path, size_t *length)
{
    enum { MOST = 1 << 22 };
    FILE *file = fopen(path, "rb");
    char *text = file != NULL ? (char *)malloc(MOST) : NULL;
    const size_t n = text != NULL ? fread(text, 1, MOST, file) : 0;
    const int is_bad = n == 0 || n == MOST || ferror(file);
    if (file != NULL)
        fclose(file);
    if (is_bad) {
        free(text);
        return NULL;
    }
    text[n] = '\0';
    *length = n;
    return text;
}

/* Says why a program was not built: the first lines of the compiler's log. */
static inline void opencl_complain(cl_program program, const char *path)
{
    enum { LINES = 5 };
    size_t size = 0;
    char *log;
    const char *line;
    (void)clGetProgramBuildInfo(program, opencl_state.device, CL_PROGRAM_BUILD_LOG, 0, NULL, &size);
    line = log = (char *)calloc(size + 1, 1);
    if (log != NULL)
        (void)clGetProgramBuildInfo(program, opencl_state.device, CL_PROGRAM_BUILD_LOG, size, log,
                                    NULL);
    for (int i = 0; line != NULL && i < LINES && *line != '\0'; i++) {
        const size_t n = strcspn(line, "\n");
        fprintf(stderr, "%s: %.*s\n", path, (int)n, line);
        line += n + (line[n] == '\n');
    }
    free(log);
}

/* A program of this text or bitcode, built */
static inline hipError_t opencl_build(cl_program *program, const char *text, size_t length,
                                      const char *path)
{
    hipError_t error;
    const unsigned char *bytes = (const unsigned char *)text;
    if (length > 1 && memcmp(text, "BC", 2) == 0)
        *program = clCreateProgramWithBinary(opencl_state.context, 1, &opencl_state.device, &length,
                                             &bytes, NULL, &error);
    else
        *program = clCreateProgramWithSource(opencl_state.context, 1, &text, NULL, &error);
    if (error != CL_SUCCESS)
        return error;
    error = clBuildProgram(*program, 1, &opencl_state.device, "-cl-kernel-arg-info", NULL, NULL);
    if (error != CL_SUCCESS) {
        opencl_complain(*program, path);
        (void)clReleaseProgram(*program);
    }
    return error;
}

static inline hipError_t hipModuleLoad(hipModule_t *module, const char *path)
{
    hipError_t error = opencl_open();
    size_t length = 0;
    char *text;
    if (error != hipSuccess)
        return error;
    text = opencl_read(path, &length);
    *module = (hipModule_t)calloc(1, sizeof **module);
    if (text == NULL || *module == NULL)
        error = text == NULL ? hipErrorFileNotFound : hipErrorOutOfMemory;
    else
        error = opencl_build(&(*module)->program, text, length, path);
    free(text);
    if (error != hipSuccess) {
        free(*module);
        *module = NULL;
    }
    return opencl_said(error);
}

static inline void opencl_close_kernel(struct opencl_kernel *k)
{
    if (k->kernel != NULL)
        (void)clReleaseKernel(k->kernel);
    free(k);
}

/* Its kernels end with it. */
static inline hipError_t hipModuleUnload(hipModule_t module)
{
    hipError_t error;
    while (module->kernels != NULL) {
        struct opencl_kernel *k = module->kernels;
        module->kernels = k->next;
        opencl_close_kernel(k);
    }
    error = clReleaseProgram(module->program);
    free(module);
    return opencl_said(error);
}

/* Bytes of a number of OpenCL C; 0: not known here */
static inline size_t opencl_bytes(const char *type)
{
    static const struct {
        const char *name;
        size_t bytes;
    } known[] = {{"int", 4},   {"uint", 4},   {"float", 4},  {"long", 8}, {"ulong", 8},
                 {"short", 2}, {"ushort", 2}, {"double", 8}, {"char", 1}, {"uchar", 1}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strcmp(type, known[i].name) == 0)
            return known[i].bytes;
    return 0;
}

/* OpenCL wants the size of an argument, and a buffer for an address. */
static inline hipError_t opencl_ask_argument(struct opencl_kernel *k, cl_uint i)
{
    cl_kernel_arg_address_qualifier of = 0;
    char type[64] = "";
    hipError_t error =
        clGetKernelArgInfo(k->kernel, i, CL_KERNEL_ARG_ADDRESS_QUALIFIER, sizeof of, &of, NULL);
    if (error != CL_SUCCESS || of != CL_KERNEL_ARG_ADDRESS_PRIVATE)
        return error;
    error = clGetKernelArgInfo(k->kernel, i, CL_KERNEL_ARG_TYPE_NAME, sizeof type, type, NULL);
    k->bytes[i] = opencl_bytes(type);
    return error == CL_SUCCESS && k->bytes[i] == 0 ? CL_INVALID_ARG_SIZE : error;
}

/* Asked once, as a launch has to be quick */
static inline hipError_t opencl_ask(struct opencl_kernel *k)
{
    const cl_device_id device = opencl_state.device;
    cl_ulong local = 0;
    hipError_t error = clGetKernelInfo(k->kernel, CL_KERNEL_NUM_ARGS, sizeof k->n, &k->n, NULL);
    if (error == CL_SUCCESS && k->n > OPENCL_ARGUMENTS)
        error = CL_INVALID_ARG_INDEX;
    for (cl_uint i = 0; error == CL_SUCCESS && i < k->n; i++)
        error = opencl_ask_argument(k, i);
    if (error == CL_SUCCESS)
        error = clGetKernelWorkGroupInfo(k->kernel, device, CL_KERNEL_WORK_GROUP_SIZE,
                                         sizeof k->threads, &k->threads, NULL);
    if (error == CL_SUCCESS)
        error = clGetKernelWorkGroupInfo(k->kernel, device, CL_KERNEL_LOCAL_MEM_SIZE, sizeof local,
                                         &local, NULL);
    k->is_large = local > opencl_number(CL_DEVICE_LOCAL_MEM_SIZE);
    return error;
}

static inline hipError_t hipModuleGetFunction(hipFunction_t *kernel, hipModule_t module,
                                              const char *name)
{
    struct opencl_kernel *k = (struct opencl_kernel *)calloc(1, sizeof *k);
    hipError_t error;
    if (k == NULL)
        return opencl_said(hipErrorOutOfMemory);
    k->kernel = clCreateKernel(module->program, name, &error);
    if (error == CL_SUCCESS)
        error = opencl_ask(k);
    if (error != CL_SUCCESS) {
        opencl_close_kernel(k);
        return opencl_said(error);
    }
    k->next = module->kernels;
    module->kernels = k;
    *kernel = k;
    return hipSuccess;
}

/* ---- launches ---- */

static inline hipError_t opencl_arguments(const struct opencl_kernel *k, void **arguments)
{
    hipError_t error = CL_SUCCESS;
    for (cl_uint i = 0; i < k->n && error == CL_SUCCESS; i++) {
        const struct opencl_memory *m;
        if (k->bytes[i] > 0) {
            error = clSetKernelArg(k->kernel, i, k->bytes[i], arguments[i]);
            continue;
        }
        m = opencl_find_memory(*(void **)arguments[i], 0);
        if (m == NULL || m->base != (uintptr_t) * (void **)arguments[i])
            return CL_INVALID_ARG_VALUE;
        error = clSetKernelArg(k->kernel, i, sizeof m->buffer, &m->buffer);
    }
    return error;
}

/* A device may take what is beyond its own limits, and be slow or wrong: these come first. Memory
   of a group is declared in the kernel, so shared_bytes is 0; there is no `extra`. */
static inline hipError_t opencl_fits(const struct opencl_kernel *k, size_t threads,
                                     unsigned shared_bytes, void **extra)
{
    if (shared_bytes != 0 || extra != NULL)
        return hipErrorInvalidValue;
    if (threads > k->threads)
        return CL_INVALID_WORK_GROUP_SIZE;
    return k->is_large ? CL_OUT_OF_RESOURCES : hipSuccess;
}

static inline hipError_t hipModuleLaunchKernel(hipFunction_t kernel, unsigned grid_x,
                                               unsigned grid_y, unsigned grid_z, unsigned group_x,
                                               unsigned group_y, unsigned group_z,
                                               unsigned shared_bytes, hipStream_t stream,
                                               void **arguments, void **extra)
{
    const size_t group[3] = {group_x, group_y, group_z};
    const size_t all[3] = {(size_t)grid_x * group_x, (size_t)grid_y * group_y,
                           (size_t)grid_z * group_z};
    const cl_command_queue queue = opencl_queue(stream);
    cl_event event;
    hipError_t error = opencl_fits(kernel, group[0] * group[1] * group[2], shared_bytes, extra);
    if (error == CL_SUCCESS)
        error = opencl_arguments(kernel, arguments);
    if (error != CL_SUCCESS)
        return opencl_said(error);
    error = clEnqueueNDRangeKernel(queue, kernel->kernel, 3, NULL, all, group, 0, NULL, &event);
    return error == CL_SUCCESS ? opencl_keep(event, queue) : opencl_refused(error);
}

/* ---- names of errors ---- */

#define OPENCL_ERRORS(X)                            \
    X(hipSuccess)                                   \
    X(hipErrorInvalidValue)                         \
    X(hipErrorOutOfMemory)                          \
    X(hipErrorNoDevice)                             \
    X(hipErrorFileNotFound)                         \
    X(hipErrorNotReady)                             \
    X(hipErrorLaunchOutOfResources)                 \
    X(hipErrorLaunchFailure)                        \
    X(CL_DEVICE_NOT_AVAILABLE)                      \
    X(CL_COMPILER_NOT_AVAILABLE)                    \
    X(CL_MEM_OBJECT_ALLOCATION_FAILURE)             \
    X(CL_OUT_OF_RESOURCES)                          \
    X(CL_OUT_OF_HOST_MEMORY)                        \
    X(CL_BUILD_PROGRAM_FAILURE)                     \
    X(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST) \
    X(CL_INVALID_VALUE)                             \
    X(CL_INVALID_COMMAND_QUEUE)                     \
    X(CL_INVALID_BUFFER_SIZE)                       \
    X(CL_INVALID_KERNEL_NAME)                       \
    X(CL_INVALID_KERNEL_ARGS)                       \
    X(CL_INVALID_ARG_INDEX)                         \
    X(CL_INVALID_ARG_VALUE)                         \
    X(CL_INVALID_ARG_SIZE)                          \
    X(CL_INVALID_WORK_GROUP_SIZE)                   \
    X(CL_INVALID_WORK_ITEM_SIZE)                    \
    X(CL_INVALID_GLOBAL_WORK_SIZE)                  \
    X(CL_INVALID_EVENT)

static inline const char *hipGetErrorName(hipError_t error)
{
#define OPENCL_NAME(name) \
    if (error == name)    \
        return #name;
    OPENCL_ERRORS(OPENCL_NAME)
#undef OPENCL_NAME
    return "another error of OpenCL";
}

static inline const char *hipGetErrorString(hipError_t error)
{
    return hipGetErrorName(error);
}

#endif
