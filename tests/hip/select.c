/* select.c - examples/hip_select.c on the stand-in: the device does what the kernel does, in a time
   that is a formula of the launch. The script is named by the environment's SCRIPT.
   SPDX-License-Identifier: MIT */
#define KPRED_HIP_API_HEADER "hip/hip_standin.h"
int hip_select_main(int argc, char **argv);
#define main hip_select_main
#include "examples/hip_select.c"
#undef main

static const char *script = "";

static int is(const char *name)
{
    return strcmp(script, name) == 0;
}

/* us = 100 + 6 * each + threads / 16; a wrong one does nothing where a group has 64 threads. */
static double kernel(unsigned groups, unsigned threads, void **arguments)
{
    const float *const *first = (const float *const *)arguments[0];
    const float *const *second = (const float *const *)arguments[1];
    float *const *sum = (float *const *)arguments[2];
    const unsigned n = *(const unsigned *)arguments[3], each = *(const unsigned *)arguments[4];
    for (unsigned i = 0; i < n && i < groups * threads * each && !(is("wrong") && threads == 64);
         i++)
        (*sum)[i] = (*first)[i] + (*second)[i];
    return 100 + 6.0 * each + threads / 16;
}

/* The third launch is the first one of the candidate that is ranked second. */
static void set_up(void)
{
    standin = standin_fresh;
    standin.heap = 1;
    standin.kernel = is("kernel") ? NULL : kernel;
    standin.devices = !is("device");
    standin.fail_at[STANDIN_launch] = is("failed") || is("sticky") ? 3 : 0;
    standin.fail_code[STANDIN_launch] =
        is("sticky") ? hipErrorIllegalAddress : hipErrorInvalidConfiguration;
}

int main(int argc, char **argv)
{
    if (getenv("SCRIPT"))
        script = getenv("SCRIPT");
    set_up();
    int status = hip_select_main(argc, argv);
    printf("%d events, %d launches, %d left, %d misused\n", standin.calls[STANDIN_hipEventCreate],
           standin.calls[STANDIN_launch], standin.live_events + standin.live_buffers,
           standin.misuse);
    return status;
}
