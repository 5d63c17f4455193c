/* micro.h - a tile of C in registers, for tiles whose size is known when compiling
   SPDX-License-Identifier: MIT

   Vectors are those of GNU C, which gcc and clang have for every processor, as wide as its
   registers. The loops over them have to be unrolled, since registers have no index. */
#pragma once

#include <stddef.h>

#if defined __AVX512F__
#define MICRO_WIDTH 16
#elif defined __AVX__
#define MICRO_WIDTH 8
#else
#define MICRO_WIDTH 4
#endif
#define MICRO_INLINE static inline __attribute__((always_inline))
#ifdef __clang__
#define MICRO_UNROLL _Pragma("clang loop unroll(full)")
#else
#define MICRO_UNROLL _Pragma("GCC unroll 16")
#endif

typedef float vec __attribute__((vector_size(4 * MICRO_WIDTH)));
typedef float vec_in_memory /* at any multiple of 4 bytes */
    __attribute__((vector_size(4 * MICRO_WIDTH), aligned(4), may_alias));

enum { MICRO_ROWS = 12, MICRO_VECTORS = 64 / MICRO_WIDTH };

/* A panel of A: element (i, p) is at[i * across + p * along]. Of B: (p, j) is at[p * along + j]. */
struct panel {
    const float *at;
    size_t across, along;
};

/* One step in k: each row of the tile gets its element of A times the row of B. */
MICRO_INLINE void micro_step(int mr, int vectors, vec sum[][MICRO_VECTORS], const float *a,
                             size_t across, const float *b)
{
    vec row[MICRO_VECTORS];
    MICRO_UNROLL
    for (int j = 0; j < vectors; j++)
        row[j] = *(const vec_in_memory *)(b + j * MICRO_WIDTH);
    MICRO_UNROLL
    for (int i = 0; i < mr; i++) {
        const float x = a[(size_t)i * across];
        MICRO_UNROLL
        for (int j = 0; j < vectors; j++)
            sum[i][j] += x * row[j];
    }
}

/* Writes the tile, or adds it to what is there. */
MICRO_INLINE void micro_store(int mr, int vectors, vec sum[][MICRO_VECTORS], float *c, size_t ldc,
                              int adds)
{
    MICRO_UNROLL
    for (int i = 0; i < mr; i++) {
        MICRO_UNROLL
        for (int j = 0; j < vectors; j++) {
            vec_in_memory *to = (vec_in_memory *)(c + (size_t)i * ldc + j * MICRO_WIDTH);
            if (adds)
                sum[i][j] += *to;
            *to = sum[i][j];
        }
    }
}

/* The tile of mr x nr: k steps, `unroll` of them without a jump */
MICRO_INLINE void micro(int mr, int nr, int unroll, size_t k, struct panel a, struct panel b,
                        float *c, size_t ldc, int adds)
{
    const int vectors = nr / MICRO_WIDTH;
    vec sum[MICRO_ROWS][MICRO_VECTORS];
    size_t p = 0;
    MICRO_UNROLL
    for (int i = 0; i < mr; i++) {
        MICRO_UNROLL
        for (int j = 0; j < vectors; j++)
            sum[i][j] = (vec){0};
    }
    for (; p + (size_t)unroll <= k; p += (size_t)unroll) {
        MICRO_UNROLL
        for (int u = 0; u < unroll; u++)
            micro_step(mr, vectors, sum, a.at + (p + (size_t)u) * a.along, a.across,
                       b.at + (p + (size_t)u) * b.along);
    }
    for (; unroll > 1 && p < k; p++)
        micro_step(mr, vectors, sum, a.at + p * a.along, a.across, b.at + p * b.along);
    micro_store(mr, vectors, sum, c, ldc, adds);
}

/* ---- tiles.c: the tiles that the kernel has, each as a function of its own ---- */

typedef void tile_fn(size_t k, struct panel a, struct panel b, float *c, size_t ldc, int adds);

/* The function for a tile of mr x nr whose loop does `unroll` steps at once, for a panel of A that
   is packed (across = 1, along = mr) or one that is not (along = 1). NULL: there is none. */
tile_fn *tile_function(int mr, int nr, int unroll, int packed);
