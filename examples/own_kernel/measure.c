/* measure.c - times every legal tuple of kernel.h on some matrices: prints times.csv
   SPDX-License-Identifier: MIT

   cc -O2 measure.c -o measure && ./measure >times.csv */
#define _POSIX_C_SOURCE 200809L
#include "timing.h"

#include <stdio.h>

enum { MOST = 512 };

static float in[MOST * MOST], out[MOST * MOST];

/* The conditions of transpose.spec */
static int is_legal(size_t rows, size_t cols, struct tile t)
{
    const size_t tr = (size_t)t.tile_rows, tc = (size_t)t.tile_cols;
    return tr * tc * 8 <= 32768 && (t.edge || (rows % tr == 0 && cols % tc == 0));
}

static void measure(size_t rows, size_t cols)
{
    for (int tr = 4; tr <= 256; tr *= 4)
        for (int tc = 4; tc <= 256; tc *= 4)
            for (int walk = 0; walk < 2; walk++)
                for (int edge = 0; edge < 2; edge++) {
                    const struct tile t = {tr, tc, walk, edge};
                    if (is_legal(rows, cols, t))
                        printf("%zu,%zu,%d,%d,%d,%d,%.2f\n", rows, cols, tr, tc, walk, edge,
                               time_us(in, out, rows, cols, t));
                }
}

int main(void)
{
    static const size_t sizes[] = {60, 64, 120, 128, 250, 256, 500, 512};
    const size_t n = sizeof sizes / sizeof *sizes;
    for (size_t i = 0; i < MOST * MOST; i++)
        in[i] = (float)(i % 1000);
    puts("rows,cols,tile_rows,tile_cols,walk,edge,time_us");
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++)
            measure(sizes[i], sizes[j]);
    return 0;
}
