/* tiles.h - the tiles that the kernel has, each as a function of its own
   SPDX-License-Identifier: MIT */
#pragma once

#include "micro.h"

typedef void tile_fn(size_t k, struct panel a, struct panel b, float *c, size_t ldc, int adds);

/* The function for a tile of mr x nr whose loop does `unroll` steps at once, for a panel of A that
   is packed (across = 1, along = mr) or one that is not (along = 1). NULL: there is none. */
tile_fn *tile_function(int mr, int nr, int unroll, int packed);
