/* device.c - kpred_hip.h with a real runtime: the shortest of three memsets wins, and where there
   is not a device that is said. Prints "device" or "no device", then what is wrong.
   SPDX-License-Identifier: MIT */
#define KPRED_HIP_IMPLEMENTATION
#include "kpred_hip.h"

#include "memsets.h"

static const int32_t megabytes[N] = {256, 16, 64};

static hipError_t launch(void *user, const kpred_tuple *candidate, hipStream_t stream)
{
    (void)user;
    return memset_launch(candidate, stream);
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
    open_memsets();
    races_of_memsets();
    RIGHT(hipStreamSynchronize(0) == hipSuccess && hipFree(buffer) == hipSuccess);
    RIGHT(hipGetLastError() == hipSuccess);
}

int main(void)
{
    const hipError_t error = device_error();
    set_memsets(megabytes, 400000);
    plan.launch = launch;
    printf("%s\n", error == hipSuccess ? "device" : "no device");
    if (error == hipSuccess)
        with_device();
    else
        without_device(error);
    return wrong;
}
