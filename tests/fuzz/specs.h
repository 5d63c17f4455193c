/* specs.h - specs of the data that the fuzz targets read, and files for command lines
   SPDX-License-Identifier: MIT */
#pragma once

#define SPEC_TINY_FIELDS            \
    "[fields]\n"                    \
    "gpu = gfx900_56 gfx906_60\n"   \
    "kind = plain other\n"          \
    "n = size\n"                    \
    "h = size 4\n"                  \
    "[params]\n"                    \
    "tile = 1 2 4\n"                \
    "mode = fast small \"a b,c\"\n" \
    "[split]\n"                     \
    "config = kind,n,h\n"           \
    "shape = min(n,h),max(n,h)\n"

#define SPEC_TINY  "[kernel]\nname = tiny\n[data]\nformat = csv\n" SPEC_TINY_FIELDS
#define SPEC_TIMED "[kernel]\nname = tiny\n[data]\nformat = timed\n" SPEC_TINY_FIELDS

#define SPEC_TENSILE             \
    "[kernel]\nname = small\n"   \
    "[data]\nformat = tensile\n" \
    "[fields]\n"                 \
    "m = size\n"                 \
    "n = size\n"                 \
    "batch = size\n"             \
    "k = size\n"                 \
    "[params]\n"                 \
    "MT0 = 32 64\n"              \
    "GSU = 1 2\n"                \
    "SE = 1\n"

#define SPEC_MIOPEN                                      \
    "[kernel]\nname = small\n"                           \
    "[data]\nformat = miopen\nsolver = ConvAsm1x1U\n"    \
    "filter = 1x1\npad = 0\nretired = stride 7\n"        \
    "[fields]\n"                                         \
    "gpu = gfx900_56 gfx906_60\n"                        \
    "dir = F B W\n"                                      \
    "dtype = FP32 FP16 BF16\n"                           \
    "n = size\nc = size\nh = size\nw = size\nk = size\n" \
    "stride = size\n"                                    \
    "[params]\n"                                         \
    "read_size = 1 2 3 4\n"                              \
    "k_mult = 1 4 8 16 32\n"                             \
    "chunks_per_wave = 1 2 3 4 5 6 7 8\n"                \
    "chunk_size = 1 4 16 32 64\n"                        \
    "n_mult = 1 2 3 4\n"                                 \
    "c_mult = 1 2 4\n"                                   \
    "waves_c_in_group = 1 2 4\n"                         \
    "waves_k_in_group = 1 2 4 8\n"

#define SPEC_FIND_DB                                                 \
    "[kernel]\nname = small\n"                                       \
    "[data]\nformat = find-db\n"                                     \
    "[fields]\n"                                                     \
    "gpu = gfx900_56 gfx906_60\n"                                    \
    "dir = F B W\n"                                                  \
    "dtype = FP32 FP16\n"                                            \
    "n = size\nc = size\nh = size\nw = size\nk = size\n"             \
    "y = size\nx = size\npad_h = size 0\npad_w = size 0\n"           \
    "stride_h = size\nstride_w = size\ndil_h = size\ndil_w = size\n" \
    "groups = size\n"                                                \
    "[params]\n"                                                     \
    "solver = gemm ConvAsm1x1U GemmBwdRest \"ConvOclBwdWrW2<16>\"\n"

#define SPEC_AITER                                                       \
    "[kernel]\nname = small\n"                                           \
    "[data]\nformat = aiter\nfamily = a8w8_blockscale\nunsearched = 0\n" \
    "[fields]\n"                                                         \
    "gpu = gfx942_304 gfx950_256\n"                                      \
    "m = size\nn = size\nk = size\n"                                     \
    "[params]\n"                                                         \
    "split = 0 1 2\n"                                                    \
    "library = ck asm\n"                                                 \
    "tile_m = 16 64 128\n"                                               \
    "tile_n = 16 64 128\n"                                               \
    "tile_k = 128 256\n"                                                 \
    "variant = 1 2\n"                                                    \
    "[kernels]\n"                                                        \
    "library tile_m tile_n tile_k variant = kernel gpu\n"                \
    "ck 16 64 256 1 = a8w8_256x16x64x256 gfx942:1 gfx950:1\n"            \
    "ck 128 128 128 1 = a8w8_256x128x128x128 gfx942:2\n"                 \
    "asm 64 128 128 2 = f8_asm_64x128x128 gfx950\n"
