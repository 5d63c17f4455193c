/* launch.c - a launch path that lets a model choose among the variants of product
   SPDX-License-Identifier: MIT

   `make -C tools/evolve/examples run` makes what it includes: product.h and product.o hold the
   variants that kpred-evolve found, product_model.h is the model that kpred-train made of their
   times. It calls all variants on problems that no case of the harness has. */
#define _POSIX_C_SOURCE 199309L
#define KPRED_STATIC
#include "product.h"
#include "product_model.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

typedef void product_fn(int rows, int cols, const int *filled, const int *x, int *sums);

enum { ROWS = 600, COLS = 120, REPEATS = 41 };

static int filled[ROWS * COLS], x[COLS], sums[ROWS];

static void fill(int percent)
{
    for (int i = 0; i < COLS; i++)
        x[i] = i - COLS / 2;
    for (int i = 0; i < ROWS * COLS; i++)
        filled[i] = i % COLS < COLS * percent / 100 ? 1 + i % 99 : 0;
}

static int compare(const void *a, const void *b)
{
    const double p = *(const double *)a, q = *(const double *)b;
    return (p > q) - (p < q);
}

/* The median time of a variant, in microseconds */
static double time_of(product_variant *variant)
{
    double us[REPEATS];
    for (int i = 0; i < REPEATS; i++) {
        struct timespec from, to;
        clock_gettime(CLOCK_MONOTONIC, &from);
        ((product_fn *)variant)(ROWS, COLS, filled, x, sums);
        clock_gettime(CLOCK_MONOTONIC, &to);
        us[i] =
            1e6 * (double)(to.tv_sec - from.tv_sec) + 1e-3 * (double)(to.tv_nsec - from.tv_nsec);
    }
    qsort(us, REPEATS, sizeof *us, compare);
    return us[REPEATS / 2];
}

/* What a launch path does: which variant does this problem want? */
static int chosen_variant(kpred_ctx *ctx, int percent)
{
    const int32_t problem[KPRED_PRODUCT_FIELDS] = {
        [KPRED_PRODUCT_FIELD_ROWS] = ROWS,
        [KPRED_PRODUCT_FIELD_COLS] = COLS,
        [KPRED_PRODUCT_FIELD_FILLED] = percent,
    };
    kpred_tuple best;
    size_t n = 0;
    if (kpred_predict(ctx, problem, KPRED_PRODUCT_FIELDS, &best, 1, &n) != KPRED_OK)
        return 0;
    return (int)best.value[KPRED_PRODUCT_PARAM_VARIANT];
}

int main(void)
{
    static int32_t arena[KPRED_PRODUCT_ARENA(1)];
    static const int percents[] = {2, 5, 15, 60, 75, 100};
    kpred_ctx ctx;
    if (kpred_init(&ctx, KPRED_VERSION, &kpred_model_product, 1, arena,
                   sizeof arena / sizeof *arena)
        != KPRED_OK)
        return 1;
    printf("filled  baseline us  chosen us  best us  chosen\n");
    for (size_t p = 0; p < sizeof percents / sizeof *percents; p++) {
        double us[product_variants], best;
        const int chosen = chosen_variant(&ctx, percents[p]);
        fill(percents[p]);
        for (int i = 0; i < product_variants; i++)
            us[i] = time_of(product_table[i]);
        best = us[0];
        for (int i = 1; i < product_variants; i++)
            best = us[i] < best ? us[i] : best;
        printf("%4d %% %12.2f %10.2f %8.2f  variant %d\n", percents[p], us[0], us[chosen], best,
               chosen);
    }
    return 0;
}
