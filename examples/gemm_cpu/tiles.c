/* tiles.c - the tiles that the kernel has, each as a function of its own
   SPDX-License-Identifier: MIT */
#include "micro.h"

/* X(mr, nr, unroll): those that [restrict] of gemm.spec allows */
/* clang-format off */
#define TILES(X)                                                       \
                 X(2, 16, 1) X(4, 16, 1) X(6, 16, 1) X(8, 16, 1) X(12, 16, 1) \
    X(1, 32, 1)  X(2, 32, 1) X(4, 32, 1) X(6, 32, 1) X(8, 32, 1) X(12, 32, 1) \
    X(1, 48, 1)  X(2, 48, 1) X(4, 48, 1) X(6, 48, 1) X(8, 48, 1)       \
    X(1, 64, 1)  X(2, 64, 1) X(4, 64, 1) X(6, 64, 1)                   \
                 X(2, 16, 4) X(4, 16, 4) X(6, 16, 4) X(8, 16, 4)       \
    X(1, 32, 4)  X(2, 32, 4) X(4, 32, 4)                               \
    X(1, 48, 4)  X(2, 48, 4)                                           \
    X(1, 64, 4)  X(2, 64, 4)
/* clang-format on */

#define TILE_FUNCTIONS(mr, nr, unroll)                                                            \
    static void packed_##mr##_##nr##_##unroll(size_t k, struct panel a, struct panel b, float *c, \
                                              size_t ldc, int adds)                               \
    {                                                                                             \
        a.across = 1;                                                                             \
        a.along = mr;                                                                             \
        micro(mr, nr, unroll, k, a, b, c, ldc, adds);                                             \
    }                                                                                             \
    static void plain_##mr##_##nr##_##unroll(size_t k, struct panel a, struct panel b, float *c,  \
                                             size_t ldc, int adds)                                \
    {                                                                                             \
        a.along = 1;                                                                              \
        micro(mr, nr, unroll, k, a, b, c, ldc, adds);                                             \
    }
TILES(TILE_FUNCTIONS)

static const struct {
    int mr, nr, unroll;
    tile_fn *plain, *packed;
} tiles[] = {
#define TILE_ROW(mr, nr, unroll) \
    {mr, nr, unroll, plain_##mr##_##nr##_##unroll, packed_##mr##_##nr##_##unroll},
    TILES(TILE_ROW)};

tile_fn *tile_function(int mr, int nr, int unroll, int packed)
{
    for (size_t i = 0; i < sizeof tiles / sizeof *tiles; i++)
        if (tiles[i].mr == mr && tiles[i].nr == nr && tiles[i].unroll == unroll)
            return packed ? tiles[i].packed : tiles[i].plain;
    return NULL;
}
