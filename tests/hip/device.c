/* device.c - kpred_hip.h with a real runtime: the shortest of three memsets wins, and where there
   is no device that is said. Prints "device" or "no device", then what is wrong.
   SPDX-License-Identifier: MIT */
#define KPRED_HIP_IMPLEMENTATION
#include "kpred_hip.h"

#include <stdio.h>

enum { N = 3, FASTEST = 1 };
static const int32_t megabytes[N] = {256, 16, 64};

static kpred_tuple candidates[N];
static kpred_hip_plan plan;
static kpred_hip_timing timings[N];
static kpred_hip_result result;
static void *buffer;
static unsigned launches;
static int wrong;

#define RIGHT(x) ((x) ? (void)0 : (void)(wrong = 1, printf("line %d: not: %s\n", __LINE__, #x)))

static hipError_t launch(void *user, const kpred_tuple *candidate, hipStream_t stream)
{
    (void)user;
    launches++;
    return hipMemsetAsync(buffer, 0, (size_t)candidate->value[0] << 20, stream);
}

/* The runtime's own answer; both kinds of "none" come out as an error. */
static hipError_t device_error(void)
{
    int n = 0;
    const hipError_t error = hipGetDeviceCount(&n);
    (void)hipGetLastError();
    return error == hipSuccess && n < 1 ? hipErrorNoDevice : error;
}

static void refused(kpred_hip_status status, kpred_hip_status expected, hipError_t error)
{
    RIGHT(status == expected);
    RIGHT(result.error == error);
    RIGHT(result.winner == KPRED_HIP_NONE && !result.launched && !result.launches);
    RIGHT(timings[0].outcome == KPRED_HIP_UNTRIED && timings[0].launches == 0);
    RIGHT(launches == 0);
}

static void without_device(hipError_t error)
{
    RIGHT((int)error == 100 /* none */ || (int)error == 35 /* no driver */);
    refused(kpred_hip_select(&plan, candidates, N, timings, &result), KPRED_HIP_ERR_DEVICE, error);
    RIGHT(timings[N - 1].outcome == KPRED_HIP_UNTRIED);
    refused(kpred_hip_time(&plan, candidates, timings, &result), KPRED_HIP_ERR_DEVICE, error);
}

static void with_device(void)
{
    RIGHT(hipMalloc(&buffer, (size_t)megabytes[0] << 20) == hipSuccess);
    /* A processor finds its pages at the first touch, which takes long. */
    RIGHT(launch(NULL, &candidates[0], 0) == hipSuccess && hipStreamSynchronize(0) == hipSuccess);
    launches = 0;
    RIGHT(kpred_hip_select(&plan, candidates, N, timings, &result) == KPRED_HIP_OK);
    RIGHT(result.winner == FASTEST && timings[FASTEST].outcome == KPRED_HIP_WINNER);
    RIGHT(result.error == hipSuccess && result.launches == launches);
    RIGHT(timings[0].median_us > timings[FASTEST].median_us);
    RIGHT(kpred_hip_time(&plan, candidates, timings, &result) == KPRED_HIP_OK);
    RIGHT(timings[0].samples > 2 && timings[0].min_us > 0);
    RIGHT(timings[0].min_us <= timings[0].median_us);
    plan.budget_us = 0;
    RIGHT(kpred_hip_select(&plan, candidates, N, timings, &result) == KPRED_HIP_RANKED);
    RIGHT(result.winner == 0 && result.launched == 1);
    RIGHT(hipStreamSynchronize(0) == hipSuccess && hipFree(buffer) == hipSuccess);
    RIGHT(hipGetLastError() == hipSuccess);
}

int main(void)
{
    const hipError_t error = device_error();
    for (int i = 0; i < N; i++)
        candidates[i].value[0] = megabytes[i];
    plan.launch = launch;
    plan.budget_us = 400000;
    plan.drop_factor = 1e6; /* a probe may be late where the device is a processor */
    printf("%s\n", error == hipSuccess ? "device" : "no device");
    if (error == hipSuccess)
        with_device();
    else
        without_device(error);
    return wrong;
}
