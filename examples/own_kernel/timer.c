/* timer.c - times one tuple of kernel.h, for `kpred-train tune`
   SPDX-License-Identifier: MIT

   cc -O2 timer.c -o timer
   ./timer rows=700 cols=300 tile_rows=16 tile_cols=16 walk=0 edge=1

   It prints microseconds. Without arguments it reads such words line by line, and answers each
   line: that is what tune --server wants. */
#define _POSIX_C_SOURCE 200809L
#include "timing.h"
#include "tune_server.h"

static int is_right(const float *in, const float *out, size_t rows, size_t cols)
{
    for (size_t i = 0; i < rows * cols; i++)
        if (out[i % cols * rows + i / cols] != in[i])
            return 0;
    return 1;
}

/* Without the branch for edges, tiles that reach over them write behind the matrix. */
static int may_run(size_t rows, size_t cols, struct tile t)
{
    const size_t tr = (size_t)t.tile_rows, tc = (size_t)t.tile_cols;
    return rows > 0 && cols > 0 && tr > 0 && tc > 0
           && (t.edge || (rows % tr == 0 && cols % tc == 0));
}

/* The time of a tuple that computes what it should */
static double measure(const int *value)
{
    const size_t rows = (size_t)value[0], cols = (size_t)value[1];
    const struct tile t = {value[2], value[3], value[4], value[5]};
    if (!may_run(rows, cols, t))
        return TUNE_FAILED;
    float *in = malloc(rows * cols * sizeof *in), *out = calloc(rows * cols, sizeof *out);
    double time = TUNE_FAILED;
    for (size_t i = 0; in != NULL && i < rows * cols; i++)
        in[i] = (float)i;
    if (in != NULL && out != NULL) {
        time = time_us(in, out, rows, cols, t);
        if (!is_right(in, out, rows, cols))
            time = TUNE_FAILED;
    }
    free(in);
    free(out);
    return time;
}

int main(int argc, char **argv)
{
    static const char *const names[] = {"rows", "cols", "tile_rows", "tile_cols",
                                        "walk", "edge", NULL};
    return tune_server(names, measure, argv + 1, argc - 1);
}
