/* launch.c - a launch path that chooses among variants of a network by a bound on their errors
   SPDX-License-Identifier: MIT

   `make -C tools/evolve/examples ml-run` makes what it includes: dense.h and dense.o hold points of
   a
   front that kpred-evolve found, dense_model.h is the model that kpred-train made of their times.
   usage: launch IMAGES.csv; the first batch of its images is classified. */
#define _POSIX_C_SOURCE 199309L
#define KPRED_STATIC
#include "dense.h"
#include "dense_model.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { IMAGES = 30, PIXELS = 8 * 8, LABELS = 10, CALLS = 200, TURNS = 9, ALIGNED = 64 };

static float pixels[IMAGES * PIXELS], numbers[IMAGES * LABELS];
static int labels[IMAGES];
static unsigned char room[dense_arena + ALIGNED];

/* Rows of a label and its pixels, behind a line of names: 0, or -1 */
static int read_images(const char *path)
{
    FILE *f = fopen(path, "r");
    int c = 0, rc = f != NULL ? 0 : -1;
    while (rc == 0 && (c = getc(f)) != '\n' && c != EOF)
        ;
    for (int i = 0; rc == 0 && i < IMAGES; i++) {
        rc = fscanf(f, "%d", &labels[i]) == 1 ? 0 : -1;
        for (int k = 0; rc == 0 && k < PIXELS; k++)
            rc = fscanf(f, ",%f", &pixels[i * PIXELS + k]) == 1 ? 0 : -1;
    }
    if (f != NULL)
        fclose(f);
    return rc;
}

/* What a launch path does: which variant is the fastest of at most `bound` wrong labels of 1000? */
static int chosen_variant(kpred_ctx *ctx, int32_t bound)
{
    const int32_t problem[KPRED_DENSE_FIELDS] = {[KPRED_DENSE_FIELD_BOUND] = bound};
    kpred_tuple best;
    size_t n = 0;
    if (kpred_predict(ctx, problem, KPRED_DENSE_FIELDS, &best, 1, &n) != KPRED_OK)
        return 0;
    return (int)best.value[KPRED_DENSE_PARAM_VARIANT];
}

static int count_right(void)
{
    int right = 0;
    for (int i = 0; i < IMAGES; i++) {
        const float *number = numbers + i * LABELS;
        int best = 0;
        for (int k = 1; k < LABELS; k++)
            best = number[k] > number[best] ? k : best;
        right += best == labels[i];
    }
    return right;
}

/* Of one call, in microseconds: the least of several turns */
static double time_of(dense_variant *variant, void *arena)
{
    double best = 0;
    for (int turn = 0; turn < TURNS; turn++) {
        struct timespec from, to;
        clock_gettime(CLOCK_MONOTONIC, &from);
        for (int i = 0; i < CALLS; i++)
            variant(pixels, numbers, arena);
        clock_gettime(CLOCK_MONOTONIC, &to);
        const double us =
            (1e6 * (double)(to.tv_sec - from.tv_sec) + 1e-3 * (double)(to.tv_nsec - from.tv_nsec))
            / CALLS;
        best = turn == 0 || us < best ? us : best;
    }
    return best;
}

int main(int argc, char **argv)
{
    static int32_t beam[KPRED_DENSE_ARENA(1)];
    void *arena = room + (ALIGNED - (size_t)room % ALIGNED);
    kpred_ctx ctx;
    if (argc != 2 || read_images(argv[1]) != 0) {
        fprintf(stderr, "usage: launch IMAGES.csv; it needs %d images of 8 x 8\n", IMAGES);
        return 1;
    }
    if (kpred_init(&ctx, KPRED_VERSION, &kpred_model_dense, 1, beam, sizeof beam / sizeof *beam)
        != KPRED_OK)
        return 1;
    printf("bound  variant     us  right of %d  wrong of 1000 in the test\n", IMAGES);
    for (int32_t bound = 10; bound <= 110; bound += 10) {
        const int chosen = chosen_variant(&ctx, bound);
        const double us = time_of(dense_table[chosen], arena);
        printf("%5d  %7d  %5.2f  %11d  %10.0f\n", (int)bound, chosen, us, count_right(),
               1000 * dense_points[chosen].test);
    }
    return 0;
}
