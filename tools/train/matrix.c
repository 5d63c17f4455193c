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

/* The product of that panel alone */
static inline struct matrix_product panel_of(const struct matrix_product *p, size_t j, size_t width)
{
    return (struct matrix_product){p->m,  width,    p->k,   p->a,  p->b + j * p->k,
                                   width, p->c + j, p->ldc, p->add};
}

#if defined(__GNUC__)

#define INLINE   static inline __attribute__((always_inline))
#define FOUR(X)  X(0) X(1) X(2) X(3)
#define EIGHT(X) FOUR(X) X(4) X(5) X(6) X(7)

#define VECTOR   4
#define OF(name) name##_4
#define BY_ITS_VECTORS
#define ROWS     4
#define EACH_ROW FOUR
#include "matrix_tiles.h"

#if defined(__x86_64__) && !defined(_WIN32) /* gcc aligns no stack to 32 bytes there */

#define VECTOR         8
#define OF(name)       name##_8
#define BY_ITS_VECTORS __attribute__((target("avx2")))
#define ROWS           4
#define EACH_ROW       FOUR
#include "matrix_tiles.h"

#define VECTOR         16
#define OF(name)       name##_16
#define BY_ITS_VECTORS __attribute__((target("avx512f")))
#define ROWS           8
#define EACH_ROW       EIGHT
#include "matrix_tiles.h"

#define BY_WIDEST(function, product)             \
    do {                                         \
        if (__builtin_cpu_supports("avx512f"))   \
            function##_16(product);              \
        else if (__builtin_cpu_supports("avx2")) \
            function##_8(product);               \
        else                                     \
            function##_4(product);               \
    } while (0)

#else
#define BY_WIDEST(function, product) function##_4(product)
#endif

#else
#define BY_WIDEST(function, product) function##_1(product)

static void product_1(struct matrix_product p)
{
    for (size_t i = 0; i < p.m; i++, p.c += p.ldc, p.a.at += p.a.row_step) {
        for (size_t j = 0; j < p.n && !p.add; j++)
            p.c[j] = 0;
        for (size_t l = 0; l < p.k; l++)
            for (size_t j = 0; j < p.n; j++)
                p.c[j] += p.a.at[l * p.a.col_step] * p.b[l * p.ldb + j];
    }
}

static void mul_1(const struct matrix_product *p)
{
    product_1(*p);
}

static void mul_packed_1(const struct matrix_product *p)
{
    for (size_t j = 0; j < p->n; j += MATRIX_PANEL)
        product_1(panel_of(p, j, panel_width(p->n, j)));
}

#endif

void matrix_mul(const struct matrix_product *p)
{
    BY_WIDEST(mul, p);
}

void matrix_mul_packed(const struct matrix_product *p)
{
    BY_WIDEST(mul_packed, p);
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
