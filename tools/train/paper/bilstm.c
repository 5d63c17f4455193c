/* bilstm.c - see bilstm.h
   SPDX-License-Identifier: MIT */
#include "bilstm.h"

#include <string.h>

void bilstm_new(struct bilstm *l, struct blocks *b, size_t n)
{
    lstm_new(&l->way[0], b, n);
    lstm_new(&l->way[1], b, n);
}

void bilstm_run_new(struct bilstm_run *r, struct room *room, size_t n, size_t steps, size_t rows)
{
    lstm_run_new(&r->way[0], room, n, steps, rows, 0);
    lstm_run_new(&r->way[1], room, n, steps, rows, 1);
    r->d_out = room_take(room, steps * rows * n);
}

void bilstm_forward(const struct bilstm *l, const struct arrays *a, struct bilstm_run *r)
{
    for (int way = 0; way < 2; way++) {
        lstm_clear(&r->way[way]);
        lstm_forward(&l->way[way], a, &r->way[way]);
    }
}

/* `rows` rows of n into the left or the right half of rows of 2 n */
static void put_half(const float *in, size_t rows, size_t n, int half, float *out)
{
    for (size_t i = 0; i < rows; i++)
        memcpy(out + (2 * i + (size_t)half) * n, in + i * n, n * sizeof *out);
}

static void get_half(const float *in, size_t rows, size_t n, int half, float *out)
{
    for (size_t i = 0; i < rows; i++)
        memcpy(out + i * n, in + (2 * i + (size_t)half) * n, n * sizeof *out);
}

void bilstm_outputs(const struct bilstm_run *r, float *out)
{
    for (int way = 0; way < 2; way++) {
        const struct lstm_run *run = &r->way[way];
        put_half(lstm_outputs(run), run->steps * run->rows, run->n, way, out);
    }
}

void bilstm_last(const struct bilstm_run *r, float *out)
{
    for (int way = 0; way < 2; way++) {
        const struct lstm_run *run = &r->way[way];
        put_half(run->h + lstm_after(run, lstm_last(run)), run->rows, run->n, way, out);
    }
}

void bilstm_backward(const struct bilstm *l, const struct arrays *a, struct bilstm_run *r,
                     const float *d_out)
{
    for (int way = 0; way < 2; way++) {
        const struct lstm_run *run = &r->way[way];
        get_half(d_out, run->steps * run->rows, run->n, way, r->d_out);
        lstm_backward(&l->way[way], a, run, r->d_out);
    }
}

void bilstm_backward_last(const struct bilstm *l, const struct arrays *a, struct bilstm_run *r,
                          const float *d_last)
{
    for (int way = 0; way < 2; way++) {
        const struct lstm_run *run = &r->way[way];
        const size_t all = run->rows * run->n;
        memset(r->d_out, 0, run->steps * all * sizeof *r->d_out);
        get_half(d_last, run->rows, run->n, way, r->d_out + lstm_last(run) * all);
        lstm_backward(&l->way[way], a, run, r->d_out);
    }
}
