/* main.c - transposes a matrix with the tile that kpred predicts for its size
   SPDX-License-Identifier: MIT

   cc -std=c99 -I../.. main.c -o transpose && ./transpose 700 300
   transpose.h is what `kpred-train train` wrote. */
#define KPRED_IMPLEMENTATION
#include "transpose.h"

#include "kernel.h"

#include <stdio.h>
#include <stdlib.h>

/* The tile for a matrix; no heap, a few microseconds. */
static kpred_status choose(size_t rows, size_t cols, struct tile *t)
{
    static int32_t arena[KPRED_TRANSPOSE_ARENA(1)];
    static kpred_ctx ctx;
    static int is_ready;
    const int32_t problem[KPRED_TRANSPOSE_FIELDS] = {
        [KPRED_TRANSPOSE_FIELD_ROWS] = (int32_t)rows,
        [KPRED_TRANSPOSE_FIELD_COLS] = (int32_t)cols,
    };
    kpred_status status = KPRED_OK;
    kpred_tuple best;
    size_t n;
    if (!is_ready)
        status = kpred_init(&ctx, KPRED_VERSION, &kpred_model_transpose, 1, arena,
                            sizeof arena / sizeof *arena);
    is_ready = status == KPRED_OK;
    if (is_ready)
        status = kpred_predict(&ctx, problem, KPRED_TRANSPOSE_FIELDS, &best, 1, &n);
    if (status == KPRED_OK) {
        t->tile_rows = best.value[KPRED_TRANSPOSE_PARAM_TILE_ROWS];
        t->tile_cols = best.value[KPRED_TRANSPOSE_PARAM_TILE_COLS];
        t->walk = best.value[KPRED_TRANSPOSE_PARAM_WALK];
        t->edge = best.value[KPRED_TRANSPOSE_PARAM_EDGE];
    }
    return status;
}

static int is_right(const float *in, const float *out, size_t rows, size_t cols)
{
    for (size_t i = 0; i < rows * cols; i++)
        if (out[i % cols * rows + i / cols] != in[i])
            return 0;
    return 1;
}

int main(int argc, char **argv)
{
    const size_t rows = argc > 1 ? strtoul(argv[1], NULL, 10) : 0;
    const size_t cols = argc > 2 ? strtoul(argv[2], NULL, 10) : 0;
    float *in = malloc((rows * cols + 1) * sizeof *in),
          *out = malloc((rows * cols + 1) * sizeof *out);
    struct tile t = {0, 0, 0, 0};
    const kpred_status status = choose(rows, cols, &t);
    int bad = in == NULL || out == NULL || status != KPRED_OK;
    if (status != KPRED_OK)
        fprintf(stderr, "usage: transpose ROWS COLS: %s\n", kpred_status_string(status));
    for (size_t i = 0; !bad && i < rows * cols; i++)
        in[i] = (float)i;
    if (!bad) {
        transpose(in, out, rows, cols, t);
        bad = !is_right(in, out, rows, cols);
        printf("%zu x %zu: tile %d x %d, walk %d, edge %d: %s\n", rows, cols, t.tile_rows,
               t.tile_cols, t.walk, t.edge, bad ? "wrong" : "right");
    }
    free(in);
    free(out);
    return bad;
}
