/* matrix.c - see matrix.h
   SPDX-License-Identifier: MIT */
#define _POSIX_C_SOURCE 200809L
#include "matrix.h"

#include "base/util.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* ---- products ---- */

/* The width of the panel that begins at column j of n. */
static inline size_t panel_width(size_t n, size_t j)
{
    return n - j < MATRIX_PANEL ? n - j : MATRIX_PANEL;
}

#if defined(__GNUC__)

typedef float lanes __attribute__((vector_size(64), aligned(4), may_alias));

#define INLINE static inline __attribute__((always_inline))

/* One tile of 8 rows by 2 vectors stays in registers while k runs; every accumulator is named so
   that no compiler has to unroll a loop to see that. */
#define ROWS        8
#define EACH_ROW(X) X(0) X(1) X(2) X(3) X(4) X(5) X(6) X(7)

INLINE void tile_8x2(size_t k, struct matrix a, const float *b, size_t ldb, float *c, size_t ldc,
                     int add)
{
    lanes zero = {0};
#define START(i)                                                \
    lanes left##i = add ? *(const lanes *)(c + (i)*ldc) : zero; \
    lanes right##i = add ? *(const lanes *)(c + (i)*ldc + 16) : zero;
    EACH_ROW(START)
    for (size_t j = 0; j < k; j++) {
        lanes b0 = *(const lanes *)(b + j * ldb), b1 = *(const lanes *)(b + j * ldb + 16);
        const float *p = a.at + j * a.col_step;
#define STEP(i)                        \
    left##i += b0 * p[(i)*a.row_step]; \
    right##i += b1 * p[(i)*a.row_step];
        EACH_ROW(STEP)
    }
#define STORE(i)                       \
    *(lanes *)(c + (i)*ldc) = left##i; \
    *(lanes *)(c + (i)*ldc + 16) = right##i;
    EACH_ROW(STORE)
}

INLINE void tile_8x1(size_t k, struct matrix a, const float *b, size_t ldb, float *c, size_t ldc,
                     int add)
{
    lanes zero = {0};
#define START1(i) lanes sum##i = add ? *(const lanes *)(c + (i)*ldc) : zero;
    EACH_ROW(START1)
    for (size_t j = 0; j < k; j++) {
        lanes b0 = *(const lanes *)(b + j * ldb);
        const float *p = a.at + j * a.col_step;
#define STEP1(i) sum##i += b0 * p[(i)*a.row_step];
        EACH_ROW(STEP1)
    }
#define STORE1(i) *(lanes *)(c + (i)*ldc) = sum##i;
    EACH_ROW(STORE1)
}

/* One row by 8 vectors: reads longer stretches of b, for products of few rows. */
INLINE void tile_1x8(size_t k, struct matrix a, const float *b, size_t ldb, float *c, int add)
{
    lanes zero = {0};
#define START8(i) lanes part##i = add ? *(const lanes *)(c + 16 * (i)) : zero;
    EACH_ROW(START8)
    for (size_t j = 0; j < k; j++) {
        const float *q = b + j * ldb, p = a.at[j * a.col_step];
#define STEP8(i) part##i += *(const lanes *)(q + 16 * (i)) * p;
        EACH_ROW(STEP8)
    }
#define STORE8(i) *(lanes *)(c + 16 * (i)) = part##i;
    EACH_ROW(STORE8)
}

INLINE void tile_1x2(size_t k, struct matrix a, const float *b, size_t ldb, float *c, int add)
{
    lanes left = {0}, right = {0};
    if (add) {
        left = *(const lanes *)c;
        right = *(const lanes *)(c + 16);
    }
    for (size_t j = 0; j < k; j++) {
        left += *(const lanes *)(b + j * ldb) * a.at[j * a.col_step];
        right += *(const lanes *)(b + j * ldb + 16) * a.at[j * a.col_step];
    }
    *(lanes *)c = left;
    *(lanes *)(c + 16) = right;
}

INLINE void tile_1x1(size_t k, struct matrix a, const float *b, size_t ldb, float *c, int add)
{
    lanes sum = {0};
    if (add)
        sum = *(const lanes *)c;
    for (size_t j = 0; j < k; j++)
        sum += *(const lanes *)(b + j * ldb) * a.at[j * a.col_step];
    *(lanes *)c = sum;
}

INLINE void mul_rows(size_t n, size_t k, struct matrix a, const float *b, size_t ldb, float *c,
                     size_t ldc, int add)
{
    size_t j = 0;
    for (; j + 32 <= n; j += 32)
        tile_8x2(k, a, b + j, ldb, c + j, ldc, add);
    for (; j < n; j += 16)
        tile_8x1(k, a, b + j, ldb, c + j, ldc, add);
}

WIDE_VECTORS
static void mul(size_t m, size_t n, size_t k, struct matrix a, const float *b, size_t ldb, float *c,
                size_t ldc, int add)
{
    size_t i = 0;
    for (; i + ROWS <= m; i += ROWS, a.at += ROWS * a.row_step)
        mul_rows(n, k, a, b, ldb, c + i * ldc, ldc, add);
    for (; i < m; i++, a.at += a.row_step) {
        size_t j = 0;
        for (; j + 128 <= n; j += 128)
            tile_1x8(k, a, b + j, ldb, c + i * ldc + j, add);
        for (; j < n; j += 16)
            tile_1x1(k, a, b + j, ldb, c + i * ldc + j, add);
    }
}

/* One panel, for all rows: 32 columns, or the last 16. */
INLINE void mul_panel(size_t m, size_t width, size_t k, struct matrix a, const float *b, float *c,
                      size_t ldc, int add)
{
    size_t i = 0;
    for (; i + ROWS <= m; i += ROWS, a.at += ROWS * a.row_step) {
        if (width == MATRIX_PANEL)
            tile_8x2(k, a, b, MATRIX_PANEL, c + i * ldc, ldc, add);
        else
            tile_8x1(k, a, b, width, c + i * ldc, ldc, add);
    }
    for (; i < m; i++, a.at += a.row_step) {
        if (width == MATRIX_PANEL)
            tile_1x2(k, a, b, MATRIX_PANEL, c + i * ldc, add);
        else
            tile_1x1(k, a, b, width, c + i * ldc, add);
    }
}

WIDE_VECTORS
static void mul_packed(size_t m, size_t n, size_t k, struct matrix a, const float *b, float *c,
                       size_t ldc, int add)
{
    for (size_t j = 0; j < n; j += MATRIX_PANEL)
        mul_panel(m, panel_width(n, j), k, a, b + j * k, c + j, ldc, add);
}

#else

static void mul(size_t m, size_t n, size_t k, struct matrix a, const float *b, size_t ldb, float *c,
                size_t ldc, int add)
{
    for (size_t i = 0; i < m; i++, c += ldc, a.at += a.row_step) {
        for (size_t j = 0; j < n && !add; j++)
            c[j] = 0;
        for (size_t p = 0; p < k; p++)
            for (size_t j = 0; j < n; j++)
                c[j] += a.at[p * a.col_step] * b[p * ldb + j];
    }
}

static void mul_packed(size_t m, size_t n, size_t k, struct matrix a, const float *b, float *c,
                       size_t ldc, int add)
{
    for (size_t j = 0; j < n; j += MATRIX_PANEL)
        mul(m, panel_width(n, j), k, a, b + j * k, panel_width(n, j), c + j, ldc, add);
}

#endif

void matrix_mul(size_t m, size_t n, size_t k, struct matrix a, const float *b, size_t ldb, float *c,
                size_t ldc, int add)
{
    mul(m, n, k, a, b, ldb, c, ldc, add);
}

void matrix_mul_packed(size_t m, size_t n, size_t k, struct matrix a, const float *b, float *c,
                       size_t ldc, int add)
{
    mul_packed(m, n, k, a, b, c, ldc, add);
}

void matrix_pack(size_t rows, size_t cols, struct matrix in, float *out)
{
    for (size_t j = 0; j < cols; j += MATRIX_PANEL)
        for (size_t i = 0; i < rows; i++)
            for (size_t c = j; c < j + panel_width(cols, j); c++)
                *out++ = in.at[i * in.row_step + c * in.col_step];
}

void matrix_transpose(size_t rows, size_t cols, const float *in, float *out)
{
    for (size_t i0 = 0; i0 < rows; i0 += 16)
        for (size_t j = 0; j < cols; j++)
            for (size_t i = i0; i < rows && i < i0 + 16; i++)
                out[j * rows + i] = in[i * cols + j];
}

/* ---- rows ---- */

void fill_rows(const float *row, size_t rows, size_t cols, float *out)
{
    for (size_t i = 0; i < rows; i++)
        memcpy(out + i * cols, row, cols * sizeof *out);
}

void add_to(const float *restrict in, size_t n, float *restrict sum)
{
    for (size_t i = 0; i < n; i++)
        sum[i] += in[i];
}

void add_columns(const float *m, size_t rows, size_t cols, float *sum)
{
    for (size_t i = 0; i < rows; i++)
        add_to(m + i * cols, cols, sum);
}

/* ---- threads ---- */

struct pool {
    pthread_mutex_t lock;
    pthread_cond_t work, done;
    pool_task *task;
    void *user;
    size_t next, n_tasks, n_busy; /* tasks handed out, tasks in all, tasks not yet finished */
    size_t n_threads;             /* besides the caller */
    int stop;
    pthread_t thread[];
};

/* Takes tasks until none is left; called and left with the lock held. */
static void pool_work(struct pool *p)
{
    while (p->next < p->n_tasks) {
        size_t index = p->next++;
        pthread_mutex_unlock(&p->lock);
        p->task(p->user, index);
        pthread_mutex_lock(&p->lock);
        if (--p->n_busy == 0)
            pthread_cond_signal(&p->done);
    }
}

static void *pool_thread(void *arg)
{
    struct pool *p = arg;
    pthread_mutex_lock(&p->lock);
    while (!p->stop) {
        pool_work(p);
        if (!p->stop)
            pthread_cond_wait(&p->work, &p->lock);
    }
    pthread_mutex_unlock(&p->lock);
    return NULL;
}

struct pool *pool_new(size_t n_threads)
{
    if (n_threads < 2)
        return NULL;
    struct pool *p = xcalloc(1, sizeof *p + (n_threads - 1) * sizeof p->thread[0]);
    pthread_mutex_init(&p->lock, NULL);
    pthread_cond_init(&p->work, NULL);
    pthread_cond_init(&p->done, NULL);
    while (p->n_threads < n_threads - 1
           && pthread_create(&p->thread[p->n_threads], NULL, pool_thread, p) == 0)
        p->n_threads++;
    return p;
}

void pool_free(struct pool *p)
{
    if (!p)
        return;
    pthread_mutex_lock(&p->lock);
    p->stop = 1;
    pthread_cond_broadcast(&p->work);
    pthread_mutex_unlock(&p->lock);
    for (size_t i = 0; i < p->n_threads; i++)
        pthread_join(p->thread[i], NULL);
    pthread_cond_destroy(&p->done);
    pthread_cond_destroy(&p->work);
    pthread_mutex_destroy(&p->lock);
    free(p);
}

void pool_run(struct pool *p, pool_task *task, void *user, size_t n_tasks)
{
    if (!p) {
        for (size_t i = 0; i < n_tasks; i++)
            task(user, i);
        return;
    }
    pthread_mutex_lock(&p->lock);
    p->task = task;
    p->user = user;
    p->next = 0;
    p->n_tasks = p->n_busy = n_tasks;
    pthread_cond_broadcast(&p->work);
    pool_work(p);
    while (p->n_busy)
        pthread_cond_wait(&p->done, &p->lock);
    pthread_mutex_unlock(&p->lock);
}
