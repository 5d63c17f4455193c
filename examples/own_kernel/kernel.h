/* kernel.h - a kernel with tuning parameters: the transpose of a matrix, tile by tile
   SPDX-License-Identifier: MIT

   in has `rows` times `cols` floats, out has `cols` times `rows`. A tile has tile_rows times
   tile_cols of them. walk: 0 reads along rows and writes with gaps, 1 reads with gaps and writes
   along rows. edge: 0 leaves out the tests for the matrix's edge, so the tile's sides have to
   divide those of the matrix. */
#pragma once

#include <stddef.h>

struct tile {
    int tile_rows, tile_cols, walk, edge;
};

static inline size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

static inline void transpose_tile(const float *in, float *out, size_t rows, size_t cols, size_t r,
                                  size_t c, size_t r_end, size_t c_end, int walk)
{
    size_t i, j;
    if (walk)
        for (j = c; j < c_end; j++)
            for (i = r; i < r_end; i++)
                out[j * rows + i] = in[i * cols + j];
    else
        for (i = r; i < r_end; i++)
            for (j = c; j < c_end; j++)
                out[j * rows + i] = in[i * cols + j];
}

static inline void transpose(const float *in, float *out, size_t rows, size_t cols, struct tile t)
{
    const size_t tr = (size_t)t.tile_rows, tc = (size_t)t.tile_cols;
    size_t r, c;
    for (r = 0; r < rows; r += tr)
        for (c = 0; c < cols; c += tc)
            transpose_tile(in, out, rows, cols, r, c, t.edge ? least(r + tr, rows) : r + tr,
                           t.edge ? least(c + tc, cols) : c + tc, t.walk);
}
