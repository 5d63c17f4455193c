/* opencl.c - examples/opencl_as_hip.h: the device that it takes, and what becomes of errors
   SPDX-License-Identifier: MIT

   The calls of OpenCL below go through functions here: they show platforms that are not there, fail
   when told to, and count events. An event of the user's that fails stands for a launch that fails
   on the device. (PoCL 3.1 aborts at times where a marker depends on such an event: none does.)
   Prints what is wrong.

   What PoCL cannot do on demand is tested with the stand-in (test_hip_errors.c, test_hip_plan.c): a
   stream that is captured, events that cannot be made or have no usable time, no memory for the
   flush, a context that is lost within a round, a launch that leaves its error for hipGetLastError
   alone. */
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <stdint.h>
#include <stdio.h>

/* ---- OpenCL, with faults ---- */

enum { GPU = CL_DEVICE_TYPE_GPU, CPU = CL_DEVICE_TYPE_CPU, FPGA = CL_DEVICE_TYPE_ACCELERATOR };

struct fake_device {
    cl_device_type type;
    cl_bool available, compiler;
    const char *version;
};
struct fake_platform {
    cl_uint n;
    struct fake_device device[4];
};

static const struct fake_platform *fake_platform; /* NULL: the real ones */
static cl_uint fake_platforms;
static cl_int refuse_marker, refuse_fill; /* the error of the next call */
static int live_events;

static cl_int get_platforms(cl_uint most, cl_platform_id *platform, cl_uint *n)
{
    if (fake_platform == NULL)
        return clGetPlatformIDs(most, platform, n);
    *n = fake_platforms;
    for (cl_uint i = 0; i < most && i < *n; i++)
        platform[i] = (cl_platform_id)(uintptr_t)&fake_platform[i];
    return *n > 0 ? CL_SUCCESS : -1001; /* of the loader, where there is none */
}

static cl_int get_devices(cl_platform_id platform, cl_device_type type, cl_uint most,
                          cl_device_id *device, cl_uint *n)
{
    const struct fake_platform *p = (const struct fake_platform *)(uintptr_t)platform;
    if (fake_platform == NULL)
        return clGetDeviceIDs(platform, type, most, device, n);
    *n = 0;
    for (cl_uint i = 0; i < p->n && *n < most; i++)
        if (p->device[i].type & type)
            device[(*n)++] = (cl_device_id)(uintptr_t)&p->device[i];
    return *n > 0 ? CL_SUCCESS : CL_DEVICE_NOT_FOUND;
}

static cl_int get_info(cl_device_id device, cl_device_info what, size_t size, void *value,
                       size_t *bytes)
{
    const struct fake_device *d = (const struct fake_device *)(uintptr_t)device;
    if (fake_platform == NULL)
        return clGetDeviceInfo(device, what, size, value, bytes);
    if (what == CL_DEVICE_VERSION)
        snprintf((char *)value, size, "%s", d->version);
    else
        *(cl_bool *)value = what == CL_DEVICE_AVAILABLE ? d->available : d->compiler;
    return CL_SUCCESS;
}

static cl_int taken(cl_int *refuse)
{
    const cl_int error = *refuse;
    *refuse = CL_SUCCESS;
    return error;
}

static cl_int counted(cl_int error)
{
    live_events += error == CL_SUCCESS;
    return error;
}

static cl_int marker(cl_command_queue queue, cl_uint n, const cl_event *list, cl_event *event)
{
    const cl_int error = taken(&refuse_marker);
    return error != CL_SUCCESS ? error
                               : counted(clEnqueueMarkerWithWaitList(queue, n, list, event));
}

static cl_int fill(cl_command_queue queue, cl_mem buffer, const void *pattern, size_t of, size_t at,
                   size_t bytes, cl_uint n, const cl_event *list, cl_event *event)
{
    const cl_int error = taken(&refuse_fill);
    return error != CL_SUCCESS ? error
                               : counted(clEnqueueFillBuffer(queue, buffer, pattern, of, at, bytes,
                                                             n, list, event));
}

static cl_int release(cl_event event)
{
    live_events--;
    return clReleaseEvent(event);
}

#define clGetPlatformIDs            get_platforms
#define clGetDeviceIDs              get_devices
#define clGetDeviceInfo             get_info
#define clEnqueueMarkerWithWaitList marker
#define clEnqueueFillBuffer         fill
#define clReleaseEvent              release
#define KPRED_HIP_API_HEADER        "opencl_as_hip.h"
#define KPRED_HIP_IMPLEMENTATION
#include "kpred_hip.h"

#include "memsets.h"

/* ---- the device ---- */

/* The device's place among those of the platform, from 1; 0: another one; -1: none */
static int chosen(const struct fake_platform *platforms, cl_uint n, cl_uint platform)
{
    cl_device_id device = NULL;
    const struct fake_device *first = platforms[platform].device;
    int is_found, place = 0;
    fake_platform = platforms;
    fake_platforms = n;
    is_found = opencl_choose(&device);
    fake_platform = NULL;
    for (int i = 0; i < (int)platforms[platform].n; i++)
        if (device == (cl_device_id)(uintptr_t)&first[i])
            place = i + 1;
    return is_found ? place : -1;
}

static void choice(void)
{
    static const struct fake_platform platforms[] = {
        {0, {{0, 0, 0, ""}}},
        {2, {{CPU, 1, 1, "OpenCL 3.0 PoCL"}, {CPU, 1, 1, "OpenCL 3.0"}}},
        {4,
         {{GPU, 0, 1, "OpenCL 3.0"},
          {GPU, 1, 0, "OpenCL 3.0"},
          {GPU, 1, 1, "OpenCL 1.1"},
          {FPGA, 1, 0, "OpenCL 1.2"}}},
        {2, {{CPU, 1, 1, "OpenCL 3.0"}, {GPU, 1, 1, "OpenCL 1.2 CUDA"}}},
        {2, {{GPU, 1, 1, "OpenCL 1.1"}, {GPU, 1, 1, "OpenCL 2.1"}}},
    };
    RIGHT(chosen(platforms, 0, 0) == -1);
    RIGHT(chosen(platforms, 1, 0) == -1);
    RIGHT(chosen(platforms, 2, 1) == 1);
    RIGHT(chosen(platforms, 3, 1) == 1);
    RIGHT(chosen(platforms, 5, 3) == 2);
    RIGHT(chosen(platforms + 2, 1, 0) == -1);
    RIGHT(chosen(platforms + 4, 1, 0) == 2);
}

/* ---- races of memsets ---- */

enum { BUDGET_US = 10000000 /* with other work, too */ };
static const int32_t megabytes[N] = {32, 1, 8};

static int faulty, fault_at; /* a candidate, and which of its launches */
static cl_int fault;         /* that ends so on the device */

static void fail_on_device(cl_int status, cl_command_queue queue)
{
    cl_int error;
    const cl_event event = clCreateUserEvent(opencl_state.context, &error);
    RIGHT(error == CL_SUCCESS && clSetUserEventStatus(event, status) == CL_SUCCESS);
    RIGHT(opencl_keep(event, queue) == hipSuccess);
    live_events++;
}

static hipError_t launch(void *user, const kpred_tuple *candidate, hipStream_t stream)
{
    (void)user;
    if (candidate == &candidates[faulty] && fault != 0 && --fault_at == 0)
        fail_on_device(fault, opencl_state.queue);
    return memset_launch(candidate, stream);
}

/* The race of a device whose launch number `at` of that candidate ends with this status */
static kpred_hip_status race_with(int candidate, int at, cl_int status)
{
    faulty = candidate, fault_at = at, fault = status;
    const kpred_hip_status ended = race();
    fault = 0;
    return ended;
}

static void of_a_device(void)
{
    /* A fault that stays: the race ends with the best so far. */
    RIGHT(race_with(FASTEST, 1, -1) == KPRED_HIP_ERR_STICKY && result.winner == 0);
    RIGHT(result.error == hipErrorLaunchFailure);
    RIGHT(timings[FASTEST].error == hipErrorLaunchFailure);
    RIGHT(timings[SECOND].outcome == KPRED_HIP_UNTRIED);
    /* Of one launch in a round: the others of the round are not blamed. */
    RIGHT(race_with(FASTEST, 3, CL_OUT_OF_RESOURCES) == KPRED_HIP_OK && result.winner == SECOND);
    RIGHT(timings[FASTEST].outcome == KPRED_HIP_FAILED);
    RIGHT(timings[FASTEST].error == hipErrorLaunchOutOfResources);
    RIGHT(timings[0].error == hipSuccess && timings[SECOND].error == hipSuccess);
    RIGHT(race() == KPRED_HIP_OK && result.winner == FASTEST);
}

/* What an enqueue says of a context that is lost, and of one launch that is too large */
static void of_an_enqueue(void)
{
    refuse_marker = CL_INVALID_COMMAND_QUEUE;
    RIGHT(race() == KPRED_HIP_ERR_STICKY && result.error == hipErrorLaunchFailure);
    refuse_fill = CL_OUT_OF_RESOURCES;
    RIGHT(race() == KPRED_HIP_OK && result.winner == FASTEST && launches > 6);
    RIGHT(timings[0].error == hipErrorLaunchOutOfResources);
    refuse_fill = CL_MEM_OBJECT_ALLOCATION_FAILURE;
    RIGHT(race() == KPRED_HIP_OK && result.winner == FASTEST);
    RIGHT(timings[0].error == CL_MEM_OBJECT_ALLOCATION_FAILURE);
}

/* What is pending before a race: an error of a call, and a fault on the device */
static void of_before(void)
{
    char byte;
    RIGHT(hipMemsetAsync(NULL, 0, 1, 0) == hipErrorInvalidValue);
    RIGHT(race() == KPRED_HIP_OK && result.winner == FASTEST);
    RIGHT(result.earlier == hipErrorInvalidValue && result.error == hipSuccess);
    fail_on_device(-1, opencl_state.queue);
    RIGHT(race() == KPRED_HIP_ERR_STICKY && launches == 0 && result.winner == KPRED_HIP_NONE);
    RIGHT(result.error == hipErrorLaunchFailure);
    fail_on_device(-1, opencl_state.queue);
    RIGHT(hipMemcpy(&byte, buffer, 1, hipMemcpyDeviceToHost) == hipErrorLaunchFailure);
    (void)hipGetLastError();
}

/* A queue without time stamps is refused. One of the program's own serves, and does not see what
   fails on another one. */
static void of_a_queue(void)
{
    cl_int error;
    plan.stream = clCreateCommandQueue(opencl_state.context, opencl_state.device, 0, &error);
    RIGHT(error == CL_SUCCESS && race() == KPRED_HIP_ERR_STREAM && launches == 0);
    RIGHT(result.error == CL_INVALID_COMMAND_QUEUE);
    RIGHT(clReleaseCommandQueue(plan.stream) == CL_SUCCESS);
    plan.stream = clCreateCommandQueue(opencl_state.context, opencl_state.device,
                                       CL_QUEUE_PROFILING_ENABLE, &error);
    RIGHT(error == CL_SUCCESS && race() == KPRED_HIP_OK && result.winner == FASTEST);
    fail_on_device(-1, opencl_state.queue);
    RIGHT(race() == KPRED_HIP_OK && hipStreamSynchronize(0) == hipErrorLaunchFailure);
    (void)hipGetLastError();
    RIGHT(clReleaseCommandQueue(plan.stream) == CL_SUCCESS);
    plan.stream = 0;
}

/* Launches that no call here waits for: their events go, and an error among them stays. */
static void without_a_wait(void)
{
    for (int i = 0; i < 1000; i++) {
        RIGHT(hipMemsetAsync(buffer, 0, 1, 0) == hipSuccess);
        if (i == 10)
            fail_on_device(-1, opencl_state.queue);
        if (i % 50 == 0)
            RIGHT(clFinish(opencl_state.queue) == CL_SUCCESS);
    }
    RIGHT(opencl_state.size < 256 && live_events < 256);
    RIGHT(hipStreamSynchronize(0) == hipErrorLaunchFailure && hipStreamSynchronize(0) == 0);
    (void)hipGetLastError();
}

static void with_device(void)
{
    open_memsets();
    races_of_memsets();
    of_a_device();
    of_an_enqueue();
    of_before();
    of_a_queue();
    without_a_wait();
    RIGHT(hipFree(buffer) == hipSuccess && live_events == 0);
}

int main(void)
{
    int n = 0;
    set_memsets(megabytes, BUDGET_US);
    plan.launch = launch;
    RIGHT(hipGetDeviceCount(&n) == hipSuccess);
    choice();
    if (n > 0)
        with_device();
    return wrong;
}
