/* matrix.h - deterministic matrix products, and a small pool of threads, for the trainers
   SPDX-License-Identifier: MIT

   Every product gives the same bits on every compiler, vector width and number of threads: an
   element of the result is summed over k in ascending order, each product and each sum rounded to
   float on its own (build with -ffp-contract=off). Vectors run over independent columns only. */
#pragma once

#include <stddef.h>
#include <stdint.h> /* says __GLIBC__ */

/* Before a static function whose loops are hot: it is compiled for the wider vectors of x86 as
   well, and the program takes what its machine has. As clang 14 links that choice under a public
   name, the function's name is to be the only one of its kind in the program, and a function that
   other files call is to call it. ThreadSanitizer breaks that choice. */
#if defined(__x86_64__) && !defined(__AVX512F__) && defined(__GLIBC__) && defined(__has_attribute)
#if __has_attribute(target_clones) && !defined(__SANITIZE_THREAD__)
#define WIDE_VECTORS __attribute__((target_clones("avx512f", "avx2", "default")))
#endif
#endif
#ifndef WIDE_VECTORS
#define WIDE_VECTORS
#endif

enum {
    MATRIX_LANES = 16, /* the number of columns of b and c is a multiple of this */
    MATRIX_PANEL = 32
};

/* A matrix read with any strides, so that a transposed operand needs no copy. */
struct matrix {
    const float *at;
    size_t row_step, col_step;
};

static inline struct matrix by_rows(const float *at, size_t cols)
{
    struct matrix m = {at, cols, 1};
    return m;
}

static inline struct matrix by_cols(const float *at, size_t cols) /* transposed */
{
    struct matrix m = {at, 1, cols};
    return m;
}

static inline size_t pad16(size_t n)
{
    return (n + MATRIX_LANES - 1) / MATRIX_LANES * MATRIX_LANES;
}

/* c[m][n] = a[m][k] * b[k][n], or c += a * b when add is set; rows of b are ldb, of c ldc apart. */
struct matrix_product {
    size_t m, n, k;
    struct matrix a;
    const float *b;
    size_t ldb;
    float *c;
    size_t ldc;
    int add;
};

void matrix_mul(const struct matrix_product *p);

/* The same with b in panels: 32 columns, the last panel maybe 16, row after row, and then the next
   panel; ldb does not count. A b that is used often is then read in one stream, once for all rows
   of a. */
void matrix_pack(size_t rows, size_t cols, struct matrix in, float *out);
void matrix_mul_packed(const struct matrix_product *p);

/* out[cols][rows] = in[rows][cols] */
void matrix_transpose(size_t rows, size_t cols, const float *in, float *out);

void fill_rows(const float *row, size_t rows, size_t cols, float *out); /* out[i][..] = row */
void add_columns(const float *m, size_t rows, size_t cols, float *sum);
void add_to(const float *in, size_t n, float *sum);

/* Runs task(user, 0) .. task(user, n - 1), in any order, on the threads of the pool. What a task
   writes must not depend on the thread that runs it. A null pool runs them in the caller. */
typedef void pool_task(void *user, size_t index);
struct pool;
struct pool *pool_new(size_t n_threads); /* null when it cannot start them, or for 0 and 1 */
void pool_free(struct pool *pool);
void pool_run(struct pool *pool, pool_task *task, void *user, size_t n_tasks);
