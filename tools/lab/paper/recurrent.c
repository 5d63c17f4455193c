/* recurrent.c - layers that go from step to step of a sequence: LSTM, bi-LSTM, attention
   SPDX-License-Identifier: MIT */
#include "layers.h"

#include "base/numbers.h"

#include <math.h>

/* ---- numbers ------------------------------------------------------------------------------- */

/* Without a branch, so that loops become vectors. */
static float sigmoid(float x)
{
    const float z = num_exp2((x < 0.0f ? x : -x) * 1.44269504f), r = 1.0f / (1.0f + z);
    return x < 0.0f ? z * r : r;
}

static float tanh_of(float x)
{
    const float z = num_exp2((x < 0.0f ? x : -x) * 2.88539008f), r = (1.0f - z) / (1.0f + z);
    return x < 0.0f ? -r : r;
}

/* ---- LSTM ---------------------------------------------------------------------------------- */

/* The start values have the variance of an orthogonal matrix. */
void lstm_new(struct lstm *l, struct blocks *b, size_t n)
{
    l->n = n;
    l->u = weight_new(b, BLOCK_MATRIX, n, 4 * n, sqrtf(3.0f / (float)(4 * n)));
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

/* the step that comes last */
static size_t last_step(const struct lstm_run *r)
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
    weight_forward(a, l->u, r->rows, fed, gates, 1);
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
    weight_back(a, l->u, r->rows, gates, r->d_h, 0);
    if (r->keep)
        multiply(r->d_h, r->keep, all, r->d_h);
}

void lstm_finish(const struct lstm *l, const struct arrays *a, const struct lstm_run *r)
{
    weight_gradient(a, l->u, r->steps * r->rows, r->fed, r->gates);
}

void lstm_backward(const struct lstm *l, const struct arrays *a, const struct lstm_run *r,
                   const float *d_out)
{
    for (size_t k = 0; k < r->steps; k++) {
        const size_t t = r->reverse ? k : r->steps - 1 - k;
        lstm_step_back(l, a, r, t, d_out ? d_out + t * r->rows * l->n : NULL);
    }
    lstm_finish(l, a, r);
}

/* ---- bi-LSTM ------------------------------------------------------------------------------- */

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

void bilstm_outputs(const struct bilstm_run *r, int is_last, float *out)
{
    for (int way = 0; way < 2; way++) {
        const struct lstm_run *run = &r->way[way];
        const float *from = is_last ? run->h + lstm_after(run, last_step(run)) : lstm_outputs(run);
        put_half(from, (is_last ? 1 : run->steps) * run->rows, run->n, way, out);
    }
}

void bilstm_backward(const struct bilstm *l, const struct arrays *a, struct bilstm_run *r,
                     int is_last, const float *d_out)
{
    for (int way = 0; way < 2; way++) {
        const struct lstm_run *run = &r->way[way];
        const size_t all = run->rows * run->n, at = is_last ? last_step(run) * all : 0;
        if (is_last)
            memset(r->d_out, 0, run->steps * all * sizeof *r->d_out);
        get_half(d_out, (is_last ? 1 : run->steps) * run->rows, run->n, way, r->d_out + at);
        memset(run->d_h, 0, all * sizeof *run->d_h);
        memset(run->d_c, 0, all * sizeof *run->d_c);
        lstm_backward(&l->way[way], a, run, r->d_out);
    }
}

/* ---- attention ----------------------------------------------------------------------------- */

void attention_new(struct attention *l, struct blocks *b, size_t n_s, size_t n_a, size_t n_d)
{
    const float range = sqrtf(6.0f / (float)(n_s + n_a + n_d));
    l->n_a = n_a;
    l->n_d = n_d;
    l->pad = pad16(n_d);
    dense_new(&l->look, b, BLOCK_MATRIX, n_a, n_d, BLOCK_BIAS);
    l->w_s = weight_new(b, BLOCK_MATRIX, n_s, n_d, range);
    l->v = weight_new(b, BLOCK_TABLE, 1, n_d, sqrtf(6.0f / (float)(n_d + 1)));
}

void attention_run_new(const struct attention *l, struct attention_run *r, struct room *room,
                       size_t length, size_t steps, size_t rows)
{
    r->length = length;
    r->steps = steps;
    r->rows = rows;
    r->seq = room_take(room, length * rows * l->n_a);
    r->looked = room_take(room, length * rows * l->pad);
    r->d_seq = room_take(room, length * rows * l->n_a);
    r->nodes = room_take(room, steps * length * rows * l->pad);
    r->alpha = room_take(room, steps * length * rows);
    r->state_part = room_take(room, rows * l->pad);
    r->d_looked = room_take(room, length * rows * l->pad);
    r->d_score = room_take(room, length * rows);
}

/* The scores of all positions, into alpha. */
static void score(const struct attention *l, const struct arrays *a, const struct attention_run *r,
                  float *nodes, float *alpha)
{
    const float *v = a->w + l->v.at;
    for (size_t k = 0; k < r->length * r->rows; k++) {
        const float *looked = r->looked + k * l->pad, *s = r->state_part + k % r->rows * l->pad;
        float *node = nodes + k * l->pad, sum = 0;
        for (size_t j = 0; j < l->pad; j++)
            node[j] = tanh_of(looked[j] + s[j]);
        for (size_t j = 0; j < l->n_d; j++)
            sum += node[j] * v[j];
        alpha[k] = sum;
    }
}

/* softmax over the positions, of one row */
static void normalise(size_t length, size_t rows, float *alpha)
{
    float top = alpha[0], sum = 0;
    for (size_t k = 1; k < length; k++)
        top = alpha[k * rows] > top ? alpha[k * rows] : top;
    for (size_t k = 0; k < length; k++) {
        alpha[k * rows] = num_exp2((alpha[k * rows] - top) * 1.44269504f);
        sum += alpha[k * rows];
    }
    for (size_t k = 0; k < length; k++)
        alpha[k * rows] /= sum;
}

void attention_step(const struct attention *l, const struct arrays *a, struct attention_run *r,
                    size_t t, const float *s, float *context)
{
    const size_t positions = r->length * r->rows;
    float *alpha = r->alpha + t * positions;
    weight_forward(a, l->w_s, r->rows, s, r->state_part, 0);
    score(l, a, r, r->nodes + t * positions * l->pad, alpha);
    for (size_t i = 0; i < r->rows; i++)
        normalise(r->length, r->rows, alpha + i);
    memset(context, 0, r->rows * l->n_a * sizeof *context);
    for (size_t k = 0; k < positions; k++)
        add_scaled(r->seq + k * l->n_a, alpha[k], l->n_a, context + k % r->rows * l->n_a);
}

/* In 16 sums that are added up in the end: one order for every vector width. */
static float dot(const float *x, const float *y, size_t n)
{
    float part[16] = {0}, sum = 0;
    for (size_t i = 0; i < n; i += 16)
        for (size_t j = 0; j < 16; j++)
            part[j] += x[i + j] * y[i + j];
    for (size_t j = 0; j < 16; j++)
        sum += part[j];
    return sum;
}

/* From the context to the scores: d_score, and the direct part of d_seq. */
static void context_back(const struct attention *l, struct attention_run *r, const float *alpha,
                         const float *d_context)
{
    for (size_t k = 0; k < r->length * r->rows; k++) {
        const float *d = d_context + k % r->rows * l->n_a;
        r->d_score[k] = dot(r->seq + k * l->n_a, d, l->n_a);
        add_scaled(d, alpha[k], l->n_a, r->d_seq + k * l->n_a);
    }
    for (size_t i = 0; i < r->rows; i++) {
        float mean = 0;
        for (size_t k = i; k < r->length * r->rows; k += r->rows)
            mean += alpha[k] * r->d_score[k];
        for (size_t k = i; k < r->length * r->rows; k += r->rows)
            r->d_score[k] = alpha[k] * (r->d_score[k] - mean);
    }
}

/* From the scores to the dense layer: v, d_looked and, in state_part, the state's part. */
static void score_back(const struct attention *l, const struct arrays *a, struct attention_run *r,
                       const float *nodes)
{
    const float *v = a->w + l->v.at;
    float *g_v = a->g + l->v.at;
    memset(r->state_part, 0, r->rows * l->pad * sizeof *r->state_part);
    for (size_t k = 0; k < r->length * r->rows; k++) {
        const float *node = nodes + k * l->pad, d = r->d_score[k];
        float *looked = r->d_looked + k * l->pad, *s = r->state_part + k % r->rows * l->pad;
        for (size_t j = 0; j < l->n_d; j++) {
            const float inner = d * v[j] * (1.0f - node[j] * node[j]);
            g_v[j] += d * node[j];
            looked[j] += inner;
            s[j] += inner;
        }
    }
}

void attention_step_back(const struct attention *l, const struct arrays *a, struct attention_run *r,
                         size_t t, const float *s, const float *d_context, float *d_s)
{
    const size_t positions = r->length * r->rows;
    if (t + 1 == r->steps) { /* the first on the way back */
        memset(r->d_seq, 0, positions * l->n_a * sizeof *r->d_seq);
        memset(r->d_looked, 0, positions * l->pad * sizeof *r->d_looked);
    }
    context_back(l, r, r->alpha + t * positions, d_context);
    score_back(l, a, r, r->nodes + t * positions * l->pad);
    weight_gradient(a, l->w_s, r->rows, s, r->state_part);
    weight_back(a, l->w_s, r->rows, r->state_part, d_s, 1);
    if (t > 0)
        return;
    dense_gradient(&l->look, a, r->seq, r->d_looked, positions);
    weight_back(a, l->look.w, positions, r->d_looked, r->d_seq, 1);
}
