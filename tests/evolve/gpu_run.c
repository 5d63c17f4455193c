/* gpu_run.c - the runner of examples/evolve/gpu on the stand-in for HIP: it does what reduce does
   SPDX-License-Identifier: MIT

   The environment's SCRIPT: `device` takes the device away, `wrong` makes the fourth launch write
   nothing: the first one of the second code object. */
#define KPRED_HIP_API_HEADER "hip/hip_standin.h"
int gpu_run_main(int argc, char **argv);
#define main gpu_run_main
#include "examples/evolve/gpu/gpu_run.c"
#undef main

static const char *script = "";

static int is(const char *name)
{
    return strcmp(script, name) == 0;
}

static double kernel(unsigned groups, unsigned threads, void **arguments)
{
    const unsigned n = *(const unsigned *)arguments[0], each = *(const unsigned *)arguments[1];
    const float *x = *(float *const *)arguments[2];
    float *sums = *(float *const *)arguments[3];
    if (is("wrong") && standin.calls[STANDIN_launch] == 4)
        return 5000;
    for (unsigned g = 0; g < groups; g++) {
        const unsigned end = (g + 1) * threads * each;
        sums[g] = 0;
        for (unsigned i = g * threads * each; i < end && i < n; i++)
            sums[g] += x[i];
    }
    return 5000;
}

int main(int argc, char **argv)
{
    int status;
    if (getenv("SCRIPT"))
        script = getenv("SCRIPT");
    standin = standin_fresh;
    standin.heap = 1;
    standin.kernel = kernel;
    standin.devices = !is("device");
    status = gpu_run_main(argc, argv);
    printf("%d left, %d misused\n", standin.live_events + standin.live_buffers, standin.misuse);
    return status;
}
