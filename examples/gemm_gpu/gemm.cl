// gemm.cl - gemm.hip in OpenCL C 1.2: C = A * B in single precision by rows, with the same parameters
// SPDX-License-Identifier: MIT
//
// All items of a group take the same turns of the loop, so all of them reach each barrier.

#define ACROSS  (TILE_N / THREAD_N) // items of a group beside each other
#define DOWN    (TILE_M / THREAD_M)
#define THREADS (ACROSS * DOWN)
#define PACKS_A (TILE_M * TILE_K / VEC / THREADS) // packs that an item loads
#define PACKS_B (TILE_N * TILE_K / VEC / THREADS)
#define ROW_A   (TILE_M + 4) // of the turned tile: a row begins at another bank than the last
#define SIZE_A  (TILE_K * ROW_A)
#define SIZE_B  (TILE_K * TILE_N)

#if PACKS_A * VEC * THREADS != TILE_M * TILE_K || PACKS_B * VEC * THREADS != TILE_N * TILE_K
#error the items cannot share the loads
#endif

// On a processor arrays are memory anyway: there unrolling takes minutes of its compiler, and is slower.
#if defined(__x86_64__) || defined(__aarch64__)
#define UNROLL
#else
#define UNROLL _Pragma("unroll")
#endif

#define BARRIER barrier(CLK_LOCAL_MEM_FENCE)
#ifndef OF_GROUP
#define OF_GROUP __local
#endif

// What one load gets
#if VEC == 4
typedef float4 pack;
#define TURN(p, to) \
    ((to)[0] = (p).x, (to)[ROW_A] = (p).y, (to)[2 * ROW_A] = (p).z, (to)[3 * ROW_A] = (p).w)
#else
typedef float pack;
#define TURN(p, to) (*(to) = (p))
#endif

// The pack of a matrix of so many columns; zeros beyond its edge, which a pack never straddles
static inline pack load(__global const float *from, int row, int column, int rows, int columns)
{
    if (row >= rows || column >= columns)
        return (pack)(0);
    return *(__global const pack *)(from + row * columns + column);
}

static inline void fetch_a(pack *to, __global const float *a, int row, int depth, int m, int k)
{
UNROLL
    for (int i = 0; i < PACKS_A; i++) {
        const int at = ((int)get_local_id(0) + i * THREADS) * VEC;
        to[i] = load(a, row + at / TILE_K, depth + at % TILE_K, m, k);
    }
}

static inline void fetch_b(pack *to, __global const float *b, int depth, int column, int k, int n)
{
UNROLL
    for (int i = 0; i < PACKS_B; i++) {
        const int at = ((int)get_local_id(0) + i * THREADS) * VEC;
        to[i] = load(b, depth + at / TILE_N, column + at % TILE_N, k, n);
    }
}

static inline void put(__local float *a, __local float *b, const pack *from_a, const pack *from_b)
{
UNROLL
    for (int i = 0; i < PACKS_A; i++) {
        const int at = ((int)get_local_id(0) + i * THREADS) * VEC;
        TURN(from_a[i], a + at % TILE_K * ROW_A + at / TILE_K);
    }
UNROLL
    for (int i = 0; i < PACKS_B; i++)
        *(__local pack *)(b + ((int)get_local_id(0) + i * THREADS) * VEC) = from_b[i];
}

// The column of the tile that is an item's j-th
static inline int column_of(int j)
{
    const int across = (int)get_local_id(0) % ACROSS;
    return SPREAD ? across + j * ACROSS : across * THREAD_N + j;
}

static inline int row_of(int i)
{
    return (int)get_local_id(0) / ACROSS * THREAD_M + i;
}

static inline void multiply(float *sum, __local const float *a, __local const float *b)
{
    for (int d = 0; d < TILE_K; d++) {
        float x[THREAD_M], y[THREAD_N];
UNROLL
        for (int i = 0; i < THREAD_M; i++)
            x[i] = a[d * ROW_A + row_of(i)];
UNROLL
        for (int j = 0; j < THREAD_N; j++)
            y[j] = b[d * TILE_N + column_of(j)];
UNROLL
        for (int i = 0; i < THREAD_M; i++)
UNROLL
            for (int j = 0; j < THREAD_N; j++)
                sum[i * THREAD_N + j] += x[i] * y[j];
    }
}

__kernel __attribute__((reqd_work_group_size(THREADS, 1, 1)))
void gemm(__global const float *a, __global const float *b, __global float *c, int m, int n, int k,
          int slices, int group)
{
    OF_GROUP float kept_a[BUFFERS * SIZE_A];
    OF_GROUP float kept_b[BUFFERS * SIZE_B] __attribute__((aligned(16)));
    // The group's row and column among the groups
    const int down = (m + TILE_M - 1) / TILE_M, across = (n + TILE_N - 1) / TILE_N;
    const int block = (int)get_group_id(0), of_walk = group * across;
    const int first_row = block / of_walk * group;
    const int rows = min(down - first_row, group);
    const int row = (first_row + block % of_walk % rows) * TILE_M;
    const int column = block % of_walk / rows * TILE_N;
    const int slice = (int)get_group_id(1), depth = (k + TILE_K - 1) / TILE_K;
    const int first = depth * slice / slices, last = depth * (slice + 1) / slices;
    float sum[THREAD_M * THREAD_N] = {0};
    pack next_a[PACKS_A], next_b[PACKS_B];
    int now = 0;
    fetch_a(next_a, a, row, first * TILE_K, m, k);
    fetch_b(next_b, b, first * TILE_K, column, k, n);
    put(kept_a, kept_b, next_a, next_b);
    BARRIER;
    for (int tile = first; tile < last; tile++) {
        const int more = tile + 1 < last;
        if (more) {
            fetch_a(next_a, a, row, (tile + 1) * TILE_K, m, k);
            fetch_b(next_b, b, (tile + 1) * TILE_K, column, k, n);
        }
        multiply(sum, kept_a + now * SIZE_A, kept_b + now * SIZE_B);
        if (BUFFERS == 1)
            BARRIER;
        else
            now = !now;
        if (more)
            put(kept_a + now * SIZE_A, kept_b + now * SIZE_B, next_a, next_b);
        BARRIER;
    }
    c += (long)slice * m * n;
UNROLL
    for (int i = 0; i < THREAD_M; i++)
UNROLL
        for (int j = 0; j < THREAD_N; j++)
            if (row + row_of(i) < m && column + column_of(j) < n)
                c[(row + row_of(i)) * n + column + column_of(j)] = sum[i * THREAD_N + j];
}

// c = the sum of `slices` arrays of `size`, one behind the other; ADD_THREADS in a group
__kernel __attribute__((reqd_work_group_size(ADD_THREADS, 1, 1)))
void add_slices(__global const float *parts, __global float *c, int size, int slices)
{
    const int i = (int)get_global_id(0);
    float sum = 0;
    if (i >= size)
        return;
    for (int s = 0; s < slices; s++)
        sum += parts[(long)s * size + i];
    c[i] = sum;
}
