/* timer.c - times one tuple of gemm.c, for `kpred-train tune`
   SPDX-License-Identifier: MIT

   timer m=64 n=300 k=100 mr=6 nr=32 unroll=1 pack_a=0 pack_b=1 order=0 kc=192 mc=96 nc=192

   It prints microseconds: the shortest of some runs, once the result has been compared with that of
   three plain loops. Without arguments it reads such words line by line, and answers each line:
   that is what tune --server wants. */
#define _POSIX_C_SOURCE 200809L
#include "../own_kernel/tune_server.h"
#include "timing.h"

enum { LEAST_SAMPLES = 5 };

/* A sample is some runs that take about 50 us, so that the clock is exact enough. */
static const double sample_us = 50, all_us = 4000;

/* The matrices of the last problem stay: a tuner asks for one problem many times. */
static const struct product *matrices(struct problem p)
{
    static struct product product;
    static int is_open;
    const struct problem q = product.p;
    if (is_open && p.m == q.m && p.n == q.n && p.k == q.k)
        return &product;
    if (is_open)
        product_close(&product);
    is_open = product_open(&product, p) == 0;
    return is_open ? &product : NULL;
}

static double shortest(const struct product *product, const struct tuple *t)
{
    const int runs = runs_for(product, t, sample_us);
    double best = 1e30, spent = 0;
    for (int i = 0; i < LEAST_SAMPLES || spent < all_us; i++) {
        const double time = time_runs(product, t, runs);
        best = time < best ? time : best;
        spent += time * runs;
    }
    return best;
}

/* The time of a tuple that computes what it should */
static double measure(const int *v)
{
    const struct tuple t = {v[3], v[4], v[5], v[6], v[7], v[8], v[9], v[10], v[11]};
    const struct product *product =
        v[0] > 0 && v[1] > 0 && v[2] > 0
            ? matrices((struct problem){(size_t)v[0], (size_t)v[1], (size_t)v[2]})
            : NULL;
    return product != NULL && product_is_right(product, &t) ? shortest(product, &t) : TUNE_FAILED;
}

int main(int argc, char **argv)
{
    static const char *const names[] = {"m",      "n",     "k",  "mr", "nr", "unroll", "pack_a",
                                        "pack_b", "order", "kc", "mc", "nc", NULL};
    return tune_server(names, measure, argv + 1, argc - 1);
}
