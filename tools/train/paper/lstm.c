/* lstm.c - see lstm.h
   SPDX-License-Identifier: MIT */
#include "lstm.h"

#include "activation.h"

#include <math.h>

/* The start values have the variance of an orthogonal matrix. */
void lstm_new(struct lstm *l, struct blocks *b, size_t n)
{
    l->n = n;
    l->u = blocks_add(b, BLOCK_MATRIX, n, 4 * n, sqrtf(3.0f / (float)(4 * n)));
}

void lstm_run_new(struct lstm_run *r, struct room *room, size_t n, size_t steps, size_t rows,
                  int reverse)
{
    const size_t state = rows * n;
    r->n = n;
    r->steps = steps;
    r->rows = rows;
    r->reverse = reverse;
    r->gates = room_take(room, steps * state * 4);
    r->c = room_take(room, (steps + 1) * state);
    r->h = room_take(room, (steps + 1) * state);
    r->fed = room_take(room, steps * state);
    r->squashed = room_take(room, steps * state);
    r->d_h = room_take(room, state);
    r->d_c = room_take(room, state);
    r->keep = NULL;
}

size_t lstm_before(const struct lstm_run *r, size_t t)
{
    return (t + (size_t)r->reverse) * r->rows * r->n;
}

size_t lstm_after(const struct lstm_run *r, size_t t)
{
    return (t + (size_t)!r->reverse) * r->rows * r->n;
}

float *lstm_outputs(const struct lstm_run *r)
{
    return r->h + lstm_after(r, 0);
}

size_t lstm_last(const struct lstm_run *r)
{
    return r->reverse ? 0 : r->steps - 1;
}

void lstm_clear(struct lstm_run *r)
{
    const size_t first = lstm_before(r, r->reverse ? r->steps - 1 : 0), n = r->rows * r->n;
    memset(r->c + first, 0, n * sizeof *r->c);
    memset(r->h + first, 0, n * sizeof *r->h);
}

/* The gates of one row, and its new state. */
WIDE_VECTORS
static void open_gates(size_t n, float *restrict g, const float *restrict before,
                       float *restrict squashed, float *restrict c, float *restrict h)
{
    for (size_t j = 0; j < 2 * n; j++)
        g[j] = sigmoid(g[j]);
    for (size_t j = 2 * n; j < 3 * n; j++)
        g[j] = tanh_of(g[j]);
    for (size_t j = 3 * n; j < 4 * n; j++)
        g[j] = sigmoid(g[j]);
    for (size_t j = 0; j < n; j++) {
        c[j] = g[n + j] * before[j] + g[j] * g[2 * n + j];
        squashed[j] = tanh_of(c[j]);
        h[j] = g[3 * n + j] * squashed[j];
    }
}

void lstm_step(const struct lstm *l, const struct arrays *a, const struct lstm_run *r, size_t t)
{
    const size_t n = l->n, before = lstm_before(r, t), after = lstm_after(r, t), all = r->rows * n;
    float *fed = r->fed + t * all, *gates = r->gates + t * all * 4;
    if (r->keep)
        multiply(r->h + before, r->keep, all, fed);
    else
        memcpy(fed, r->h + before, all * sizeof *fed);
    matrix_forward(a, l->u, r->rows, n, 4 * n, fed, gates, 1);
    for (size_t i = 0; i < all; i += n)
        open_gates(n, gates + 4 * i, r->c + before + i, r->squashed + t * all + i, r->c + after + i,
                   r->h + after + i);
}

void lstm_forward(const struct lstm *l, const struct arrays *a, const struct lstm_run *r)
{
    for (size_t t = 0; t < r->steps; t++)
        lstm_step(l, a, r, r->reverse ? r->steps - 1 - t : t);
}

/* One row: g becomes the derivatives before the activation, d_c that of the cell before. */
WIDE_VECTORS
static void close_gates(size_t n, float *restrict g, const float *restrict before,
                        const float *restrict squashed, const float *restrict d_h,
                        float *restrict d_c)
{
    for (size_t j = 0; j < n; j++) {
        const float i = g[j], f = g[n + j], v = g[2 * n + j], o = g[3 * n + j], s = squashed[j];
        const float d = d_c[j] + d_h[j] * o * (1.0f - s * s);
        g[j] = d * v * i * (1.0f - i);
        g[n + j] = d * before[j] * f * (1.0f - f);
        g[2 * n + j] = d * i * (1.0f - v * v);
        g[3 * n + j] = d_h[j] * s * o * (1.0f - o);
        d_c[j] = d * f;
    }
}

void lstm_step_back(const struct lstm *l, const struct arrays *a, const struct lstm_run *r,
                    size_t t, const float *d_out)
{
    const size_t n = l->n, all = r->rows * n;
    float *gates = r->gates + t * all * 4;
    if (d_out)
        add_to(d_out, all, r->d_h);
    for (size_t i = 0; i < all; i += n)
        close_gates(n, gates + 4 * i, r->c + lstm_before(r, t) + i, r->squashed + t * all + i,
                    r->d_h + i, r->d_c + i);
    matrix_back(a, l->u, r->rows, n, 4 * n, gates, r->d_h, 0);
    if (r->keep)
        multiply(r->d_h, r->keep, all, r->d_h);
}

void lstm_finish(const struct lstm *l, const struct arrays *a, const struct lstm_run *r)
{
    matrix_gradient(a, l->u, r->steps * r->rows, l->n, 4 * l->n, r->fed, r->gates);
}

void lstm_backward(const struct lstm *l, const struct arrays *a, const struct lstm_run *r,
                   const float *d_out)
{
    const size_t all = r->rows * l->n;
    memset(r->d_h, 0, all * sizeof *r->d_h);
    memset(r->d_c, 0, all * sizeof *r->d_c);
    for (size_t k = 0; k < r->steps; k++) {
        const size_t t = r->reverse ? k : r->steps - 1 - k;
        lstm_step_back(l, a, r, t, d_out + t * all);
    }
    lstm_finish(l, a, r);
}
