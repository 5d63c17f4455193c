/* attention.c - see attention.h
   SPDX-License-Identifier: MIT */
#include "attention.h"

#include "activation.h"

#include <math.h>

void attention_new(struct attention *l, struct blocks *b, size_t n_s, size_t n_a, size_t n_d)
{
    const float range = sqrtf(6.0f / (float)(n_s + n_a + n_d));
    l->n_s = n_s;
    l->n_a = n_a;
    l->n_d = n_d;
    l->pad = pad16(n_d);
    dense_new(&l->look, b, n_a, n_d, BLOCK_BIAS);
    l->w_s = blocks_add(b, BLOCK_MATRIX, n_s, n_d, range);
    l->v = blocks_add(b, BLOCK_TABLE, 1, n_d, sqrtf(6.0f / (float)(n_d + 1)));
}

void attention_run_new(const struct attention *l, struct attention_run *r, struct room *room,
                       size_t length, size_t steps, size_t rows)
{
    r->length = length;
    r->steps = steps;
    r->rows = rows;
    r->looked = room_take(room, length * rows * l->pad);
    r->nodes = room_take(room, steps * length * rows * l->pad);
    r->alpha = room_take(room, steps * length * rows);
    r->state_part = room_take(room, rows * l->pad);
    r->d_looked = room_take(room, length * rows * l->pad);
    r->d_score = room_take(room, length * rows);
}

void attention_begin(const struct attention *l, const struct arrays *a, struct attention_run *r,
                     const float *seq)
{
    dense_forward(&l->look, a, seq, r->length * r->rows, r->looked);
}

/* The scores of all positions, into alpha. */
static void score(const struct attention *l, const struct arrays *a, const struct attention_run *r,
                  float *nodes, float *alpha)
{
    const float *v = a->w + l->v;
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

static void add_scaled(const float *restrict in, float scale, size_t n, float *restrict sum)
{
    for (size_t i = 0; i < n; i++)
        sum[i] += in[i] * scale;
}

void attention_step(const struct attention *l, const struct arrays *a, struct attention_run *r,
                    size_t t, const float *seq, const float *s, float *context)
{
    const size_t positions = r->length * r->rows;
    float *alpha = r->alpha + t * positions;
    matrix_forward(a, l->w_s, r->rows, l->n_s, l->pad, s, r->state_part, 0);
    score(l, a, r, r->nodes + t * positions * l->pad, alpha);
    for (size_t i = 0; i < r->rows; i++)
        normalise(r->length, r->rows, alpha + i);
    memset(context, 0, r->rows * l->n_a * sizeof *context);
    for (size_t k = 0; k < positions; k++)
        add_scaled(seq + k * l->n_a, alpha[k], l->n_a, context + k % r->rows * l->n_a);
}

void attention_back_begin(const struct attention *l, struct attention_run *r)
{
    memset(r->d_looked, 0, r->length * r->rows * l->pad * sizeof *r->d_looked);
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
                         const float *seq, const float *d_context, float *d_seq)
{
    for (size_t k = 0; k < r->length * r->rows; k++) {
        const float *d = d_context + k % r->rows * l->n_a;
        r->d_score[k] = dot(seq + k * l->n_a, d, l->n_a);
        add_scaled(d, alpha[k], l->n_a, d_seq + k * l->n_a);
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
    const float *v = a->w + l->v;
    float *g_v = a->g + l->v;
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
                         size_t t, const float *seq, const float *s, const float *d_context,
                         float *d_seq, float *d_s)
{
    const size_t positions = r->length * r->rows;
    context_back(l, r, r->alpha + t * positions, seq, d_context, d_seq);
    score_back(l, a, r, r->nodes + t * positions * l->pad);
    matrix_gradient(a, l->w_s, r->rows, l->n_s, l->pad, s, r->state_part);
    matrix_back(a, l->w_s, r->rows, l->n_s, l->pad, r->state_part, d_s, 1);
}

void attention_finish(const struct attention *l, const struct arrays *a, struct attention_run *r,
                      const float *seq, float *d_seq)
{
    dense_back_weights(&l->look, a, seq, r->d_looked, r->length * r->rows);
    dense_back_in(&l->look, a, r->d_looked, r->length * r->rows, d_seq, 1);
}
