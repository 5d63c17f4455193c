// gemm.hip - C = A * B in single precision: A is m x k, B is k x n, C is m x n, all by rows
// SPDX-License-Identifier: MIT
//
// A block computes a tile of C, TILE_M x TILE_N, and each of its threads THREAD_M x THREAD_N of
// that. TILE_K columns of A and rows of B at a time are in the memory of the block, those of A
// turned, so that a thread reads neighbours. The next ones are on the way in registers meanwhile.
// These are fixed when it is compiled, as gemm.spec has them in [params]:
//   VEC      floats of a load; it has to divide k and n
//   BUFFERS  2: the next tile goes beside the present one, which saves a barrier
//   SPREAD   1: a thread's columns are as far apart as there are threads beside it; 0: neighbours
// At run time come `slices`, into which k is cut (the sums of a slice are an output of their own,
// which add_slices adds up), and `group`: so many rows of blocks are walked column by column, so
// that blocks that run at the same time share more of A and B in the cache.
//
// m, n and k may be any from 1 to 32768: an index of a matrix fits 32 bits.
#ifdef GEMM_PLACES
#include GEMM_PLACES
#else
#include "places.h"
#endif

#define ACROSS  (TILE_N / THREAD_N) // threads of a block beside each other
#define DOWN    (TILE_M / THREAD_M)
#define THREADS (ACROSS * DOWN)
#define PACKS_A (TILE_M * TILE_K / VEC / THREADS) // packs that a thread loads
#define PACKS_B (TILE_N * TILE_K / VEC / THREADS)
#define ROW_A   (TILE_M + 4) // of the turned tile: a row begins at another bank than the last

static_assert(TILE_M % THREAD_M == 0 && TILE_N % THREAD_N == 0, "threads do not fill the tile");
static_assert(PACKS_A * VEC * THREADS == TILE_M * TILE_K, "threads cannot share the loads of A");
static_assert(PACKS_B * VEC * THREADS == TILE_N * TILE_K, "threads cannot share the loads of B");
static_assert(TILE_K % VEC == 0 && TILE_N % VEC == 0, "a load goes beyond the tile");

// What one load gets
struct alignas(4 * VEC) pack {
    float at[VEC];
};

struct matrices {
    const float *a, *b;
    int m, n, k;
};

// A tile of each, turned and not
struct tiles {
    float a[TILE_K * ROW_A];
    alignas(16) float b[TILE_K * TILE_N];
};

struct loads {
    pack a[PACKS_A], b[PACKS_B];
};

// The pack of a matrix of so many columns; zeros beyond its edge, which a pack never straddles
INLINE pack load(const float *from, int row, int column, int rows, int columns)
{
    pack got = {};
    if (row < rows && column < columns)
        got = *reinterpret_cast<const pack *>(from + row * columns + column);
    return got;
}

INLINE void fetch(loads &to, const matrices &x, int row, int column, int depth)
{
    const int thread = (int)PLACE_THREAD;
#pragma unroll
    for (int i = 0; i < PACKS_A; i++) {
        const int at = (thread + i * THREADS) * VEC;
        to.a[i] = load(x.a, row + at / TILE_K, depth + at % TILE_K, x.m, x.k);
    }
#pragma unroll
    for (int i = 0; i < PACKS_B; i++) {
        const int at = (thread + i * THREADS) * VEC;
        to.b[i] = load(x.b, depth + at / TILE_N, column + at % TILE_N, x.k, x.n);
    }
}

INLINE void put(tiles &to, const loads &from)
{
    const int thread = (int)PLACE_THREAD;
#pragma unroll
    for (int i = 0; i < PACKS_A; i++) {
        const int at = (thread + i * THREADS) * VEC;
#pragma unroll
        for (int v = 0; v < VEC; v++)
            to.a[(at % TILE_K + v) * ROW_A + at / TILE_K] = from.a[i].at[v];
    }
#pragma unroll
    for (int i = 0; i < PACKS_B; i++)
        *reinterpret_cast<pack *>(to.b + (thread + i * THREADS) * VEC) = from.b[i];
}

// The column of the tile that is a thread's j-th
INLINE int column_of(int j)
{
    const int across = (int)PLACE_THREAD % ACROSS;
    return SPREAD ? across + j * ACROSS : across * THREAD_N + j;
}

INLINE int row_of(int i)
{
    return (int)PLACE_THREAD / ACROSS * THREAD_M + i;
}

INLINE void multiply(float (&sum)[THREAD_M][THREAD_N], const tiles &x)
{
#pragma unroll 8
    for (int d = 0; d < TILE_K; d++) {
        float a[THREAD_M], b[THREAD_N];
#pragma unroll
        for (int i = 0; i < THREAD_M; i++)
            a[i] = x.a[d * ROW_A + row_of(i)];
#pragma unroll
        for (int j = 0; j < THREAD_N; j++)
            b[j] = x.b[d * TILE_N + column_of(j)];
#pragma unroll
        for (int i = 0; i < THREAD_M; i++)
#pragma unroll
            for (int j = 0; j < THREAD_N; j++)
                sum[i][j] += a[i] * b[j];
    }
}

// Adds the products of the tiles of depth first to last - 1.
INLINE void walk(float (&sum)[THREAD_M][THREAD_N], const matrices &x, int row, int column,
                 int first, int last)
{
    OF_BLOCK tiles kept[BUFFERS];
    loads next;
    int now = 0;
    fetch(next, x, row, column, first * TILE_K);
    put(kept[0], next);
    PLACE_BARRIER;
    for (int tile = first; tile < last; tile++) {
        const int more = tile + 1 < last;
        if (more)
            fetch(next, x, row, column, (tile + 1) * TILE_K);
        multiply(sum, kept[now]);
        if (BUFFERS == 1)
            PLACE_BARRIER;
        else
            now = !now;
        if (more)
            put(kept[now], next);
        PLACE_BARRIER;
    }
}

// The block's row and column among the blocks
INLINE void find_block(int down, int across, int group, int &row, int &column)
{
    const int block = (int)PLACE_BLOCK, in_group = group * across;
    const int first = block / in_group * group;
    const int rows = down - first < group ? down - first : group;
    row = first + block % in_group % rows;
    column = block % in_group / rows;
}

KERNEL(THREADS)
void gemm(const float *a, const float *b, float *c, int m, int n, int k, int slices, int group)
{
    const matrices x = {a, b, m, n, k};
    const int slice = (int)PLACE_SLICE, depth = (k + TILE_K - 1) / TILE_K;
    float sum[THREAD_M][THREAD_N] = {};
    int row, column;
    find_block((m + TILE_M - 1) / TILE_M, (n + TILE_N - 1) / TILE_N, group, row, column);
    row *= TILE_M, column *= TILE_N;
    walk(sum, x, row, column, depth * slice / slices, depth * (slice + 1) / slices);
    c += (long long)slice * m * n;
#pragma unroll
    for (int i = 0; i < THREAD_M; i++)
#pragma unroll
        for (int j = 0; j < THREAD_N; j++)
            if (row + row_of(i) < m && column + column_of(j) < n)
                c[(row + row_of(i)) * n + column + column_of(j)] = sum[i][j];
}

// c = the sum of `slices` arrays of `size`, one behind the other; ADD_THREADS in a block
KERNEL(ADD_THREADS)
void add_slices(const float *parts, float *c, int size, int slices)
{
    const int i = (int)(PLACE_BLOCK * ADD_THREADS + PLACE_THREAD);
    float sum = 0;
    if (i >= size)
        return;
    for (int s = 0; s < slices; s++)
        sum += parts[(long long)s * size + i];
    c[i] = sum;
}
