/* select.c - examples/hip_select.c on the stand-in for HIP, which does what the kernel does
   SPDX-License-Identifier: MIT

   usage: select SCRIPT [ARGUMENT...], for test_select.steps: the example with these arguments, on
   the device of the script; a launch takes a time that is a formula of its tuple */
#define KPRED_HIP_API_HEADER "hip/hip_standin.h"
int hip_select_main(int argc, char **argv);
#define main hip_select_main
#include "examples/hip_select.c"
#undef main
#include "weights/conv_asm_1x1u.h" /* of which whoever compiles it is to know */

static const char *script = "";

static int is(const char *name)
{
    return strcmp(script, name) == 0;
}

/* The first two launches of a cold device load code. */
static double time_of(unsigned each, unsigned threads)
{
    const int is_cold = is("cold") && standin.calls[STANDIN_launch] <= 2;
    return 100 + 6.0 * each + threads / 16 + (is_cold ? 90e3 : 0);
}

/* A wrong one does nothing where a group has 64 threads. */
static double kernel(unsigned groups, unsigned threads, void **arguments)
{
    const float *const *first_array = (const float *const *)arguments[0];
    const float *const *second_array = (const float *const *)arguments[1];
    float *const *sum = (float *const *)arguments[2];
    const unsigned n = *(const unsigned *)arguments[3], each = *(const unsigned *)arguments[4];
    const int is_wrong = is("wrong") && threads == 64;
    for (unsigned i = 0; i < n && i < groups * threads * each && !is_wrong; i++)
        (*sum)[i] = (*first_array)[i] + (*second_array)[i];
    return time_of(each, threads);
}

/* The third launch is the first one of the candidate that is ranked second. */
int main(int argc, char **argv)
{
    script = argv[1];
    standin = standin_fresh;
    standin.heap = 1;
    standin.kernel = is("kernel") ? NULL : kernel;
    standin.devices = !is("device");
    standin.fail_at[STANDIN_launch] = is("failed") || is("sticky") ? 3 : 0;
    standin.fail_code[STANDIN_launch] =
        is("sticky") ? hipErrorIllegalAddress : hipErrorInvalidConfiguration;
    const int status = hip_select_main(argc - 1, argv + 1);
    if (status == 0)
        printf("%d events, %d launches, %d left, %d misused\n",
               standin.calls[STANDIN_hipEventCreate], standin.calls[STANDIN_launch],
               standin.live_events + standin.live_buffers, standin.misuse);
    return status;
}
