/* gemm_gpu.c - examples/gemm_gpu, and the evaluator of tools/evolve/examples/gpu, on the stand-in
   for HIP, which does what the kernels do
   SPDX-License-Identifier: MIT

   A variant is gemm.hip itself, compiled for the CPU with gemm_places.h. The threads of a block are
   coroutines that take turns at the barriers, forwards and backwards by turns, so that a barrier
   that is missing shows. A launch takes 5000 us, 100 for each block, and 1 for each of a block's
   threads; one of reduce takes 5000 us. PROGRAM is the file that has main; without it the timer.

   The environment's SCRIPT: `device` takes the device away, `failed` fails every launch, `lost`
   loses the context at the third one, `wrong` leaves out the last block, or of reduce all
   launches behind the first four, which are the baseline's, and `memory` fails the first
   allocation. */
#define _XOPEN_SOURCE        700
#define KPRED_HIP_API_HEADER "hip/hip_standin.h"
#ifndef PROGRAM
#define PROGRAM "examples/gemm_gpu/timer.c"
#endif
int gemm_gpu_main(int argc, char **argv);
#define main gemm_gpu_main
#include PROGRAM
#undef main

#include <dlfcn.h>
#include <ucontext.h>

enum { MOST_THREADS = 1024, STACK = 64 << 10 };

typedef void gemm_function(const float *, const float *, float *, int, int, int, int, int);
typedef void add_function(const float *, float *, int, int);

unsigned place_thread, place_block, place_slice;
void place_barrier(void);

static const char *script = "";

/* ---- the threads of a block ---- */

static struct block {
    ucontext_t scheduler, thread[MOST_THREADS];
    int waits[MOST_THREADS];
    char *stacks;
    gemm_function *gemm; /* or */
    add_function *add;
    void **arguments;
} block;

void place_barrier(void)
{
    const unsigned me = place_thread;
    block.waits[me] = 1;
    swapcontext(&block.thread[me], &block.scheduler);
}

static void *pointer(int i)
{
    return *(void **)block.arguments[i];
}

static int number(int i)
{
    return *(const int *)block.arguments[i];
}

static void run_thread(void)
{
    if (block.gemm)
        block.gemm(pointer(0), pointer(1), pointer(2), number(3), number(4), number(5), number(6),
                   number(7));
    else
        block.add(pointer(0), pointer(1), number(2), number(3));
}

/* Each thread to its next barrier or to its end: 1 if they wait, 0 if they are through. All of them
   have to do the same. */
static int run_to_barrier(unsigned threads, int backwards)
{
    unsigned waiting = 0;
    for (unsigned i = 0; i < threads; i++) {
        place_thread = backwards ? threads - 1 - i : i;
        const unsigned me = place_thread;
        block.waits[me] = 0;
        swapcontext(&block.scheduler, &block.thread[me]);
        waiting += (unsigned)block.waits[me];
    }
    if (waiting != 0 && waiting != threads) {
        fprintf(stderr, "gemm_gpu: %u of %u threads wait at a barrier\n", waiting, threads);
        exit(3);
    }
    return waiting != 0;
}

static void run_block(unsigned threads)
{
    for (unsigned i = 0; i < threads; i++) {
        getcontext(&block.thread[i]);
        block.thread[i].uc_stack.ss_sp = block.stacks + (size_t)i * STACK;
        block.thread[i].uc_stack.ss_size = STACK;
        block.thread[i].uc_link = &block.scheduler;
        makecontext(&block.thread[i], run_thread, 0);
    }
    for (int turn = 0; run_to_barrier(threads, turn % 2); turn++)
        ;
}

/* ---- a launch ---- */

/* A kernel of a variant; dlopen counts, and a file is loaded once. */
static void find(const struct standin_function *f)
{
    void *library = dlopen(f->module->path, RTLD_NOW);
    void *found = library ? dlsym(library, f->name) : NULL;
    if (!found) {
        fprintf(stderr, "gemm_gpu: %s\n", dlerror());
        exit(3);
    }
    block.gemm = NULL, block.add = NULL;
    if (strcmp(f->name, "gemm") == 0)
        memcpy(&block.gemm, &found, sizeof found);
    else
        memcpy(&block.add, &found, sizeof found);
}

/* Where there are results already, a launch would write the same. */
static int is_fresh(const void *c)
{
    uint32_t bits;
    memcpy(&bits, c, sizeof bits);
    return bits == 0xffffffff;
}

static void reduce(unsigned groups, unsigned threads)
{
    const unsigned n = (unsigned)number(0), size = threads * (unsigned)number(1);
    const float *x = pointer(2);
    float *sums = pointer(3);
    for (unsigned g = 0; g < groups; g++) {
        sums[g] = 0;
        for (unsigned i = g * size; i < (g + 1) * size && i < n; i++)
            sums[g] += x[i];
    }
}

static double kernel(unsigned groups, unsigned threads, void **arguments)
{
    const int is_wrong = strcmp(script, "wrong") == 0;
    unsigned n = groups - (unsigned)is_wrong;
    block.arguments = arguments;
    if (strcmp(standin.launched->name, "reduce") == 0) {
        if (!is_wrong || standin.calls[STANDIN_launch] <= 4)
            reduce(groups, threads);
        return 5000;
    }
    find(standin.launched);
    if (!is_fresh(pointer(block.gemm ? 2 : 1)))
        n = 0;
    for (unsigned i = 0; i < n; i++) {
        place_block = i % standin.grid_x, place_slice = i / standin.grid_x;
        run_block(threads);
    }
    return 5000 + 100 * groups + threads;
}

static void set_up(void)
{
    standin = standin_fresh;
    standin.heap = 1;
    standin.kernel = kernel;
    standin.devices = strcmp(script, "device") != 0;
    standin.fail_code[STANDIN_launch] = hipErrorInvalidConfiguration;
    standin.fail_code[STANDIN_hipMalloc] = hipErrorOutOfMemory;
    standin.fail_at[STANDIN_hipMalloc] = strcmp(script, "memory") == 0;
    standin.fail_at[STANDIN_launch] = strcmp(script, "failed") == 0;
    if (strcmp(script, "lost") == 0) {
        standin.fail_at[STANDIN_launch] = 3;
        standin.fail_code[STANDIN_launch] = hipErrorIllegalAddress;
    }
}

int main(int argc, char **argv)
{
    int status;
    if (getenv("SCRIPT"))
        script = getenv("SCRIPT");
    set_up();
    block.stacks = malloc((size_t)MOST_THREADS * STACK);
    status = gemm_gpu_main(argc, argv);
    free(block.stacks);
    fprintf(stderr, "%d left, %d misused\n",
            standin.live_events + standin.live_buffers + standin.live_modules, standin.misuse);
    return status;
}
