/* tile_features.h - features for the tiles into which several parameters cut a size together
   SPDX-License-Identifier: MIT

   A thread block that computes block_size_x times tile_size_x elements cuts problem_size_x into
   tiles of that product. Names tell what belongs together: they end in the same word, such as x,
   and a parameter's has `block` or `tile` in it. */
#pragma once

#include "model/program.h"

/* Adds lines to the features of a spec, as far as there is room for their inputs: what is left of a
   size behind whole tiles, for the largest tiles that it does not have. 0, or -1 with a message. */
int tile_features(const struct spec *spec, struct buf *features);
