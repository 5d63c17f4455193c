/* layers.c - weights, layers without a memory (dense, one-hot, convolution), dropout and the loss
   SPDX-License-Identifier: MIT */
#include "layers.h"

#include "base/numbers.h"

#include <math.h>

/* ---- weights ------------------------------------------------------------------------------- */

/* The offset of a new block */
static size_t blocks_add(struct blocks *b, enum block_kind kind, size_t rows, size_t used,
                         float range)
{
    struct block *new = &b->block[b->n++];
    new->at = b->n_weights;
    new->rows = rows;
    new->cols = pad16(used);
    new->used = used;
    new->kind = kind;
    new->range = range;
    b->n_weights += rows * new->cols;
    return new->at;
}

static float start_value(const struct block *b, size_t col, uint64_t *state)
{
    if (b->kind == BLOCK_BIAS)
        return 0;
    if (b->kind == BLOCK_GATES)
        return col / (b->cols / 4) == 1 ? 1.0f : 0.0f;
    return col < b->used ? b->range * num_signed(state) : 0.0f;
}

void blocks_init(const struct blocks *b, uint64_t seed, float *w)
{
    for (size_t i = 0; i < b->n; i++) {
        const struct block *k = &b->block[i];
        uint64_t state = num_mix(seed, 1, i);
        for (size_t j = 0; j < k->rows * k->cols; j++)
            w[k->at + j] = start_value(k, j % k->cols, &state);
    }
}

void blocks_pack(const struct blocks *b, size_t i, const float *w, float *panels, float *turned)
{
    const struct block *k = &b->block[i];
    if (k->kind != BLOCK_MATRIX)
        return;
    matrix_pack(k->rows, k->cols, by_rows(w + k->at, k->cols), panels + k->at);
    matrix_pack(k->cols, k->rows, by_cols(w + k->at, k->cols), turned + k->at);
}

struct weight weight_new(struct blocks *b, enum block_kind kind, size_t n_in, size_t used,
                         float range)
{
    return (struct weight){blocks_add(b, kind, n_in, used, range), n_in, pad16(used)};
}

void weight_forward(const struct arrays *a, struct weight m, size_t rows, const float *in,
                    float *out, int add)
{
    const float *w = (a->panels ? a->panels : a->w) + m.at;
    const struct matrix_product p = {rows, m.n_out, m.n_in, by_rows(in, m.n_in), w, m.n_out,
                                     out,  m.n_out, add};
    (a->panels ? matrix_mul_packed : matrix_mul)(&p);
}

void weight_back(const struct arrays *a, struct weight m, size_t rows, const float *d_out,
                 float *d_in, int add)
{
    const struct matrix_product p = {
        rows, m.n_in, m.n_out, by_rows(d_out, m.n_out), a->turned + m.at, 0, d_in, m.n_in, add};
    matrix_mul_packed(&p);
}

void weight_gradient(const struct arrays *a, struct weight m, size_t rows, const float *in,
                     const float *d_out)
{
    const struct matrix_product p = {
        m.n_in, m.n_out, rows, by_cols(in, m.n_in), d_out, m.n_out, a->g + m.at, m.n_out, 1};
    matrix_mul(&p);
}

void token_forward(const struct arrays *a, struct weight m, size_t rows, const uint16_t *token,
                   const float *keep, float *out)
{
    for (size_t i = 0; i < rows; i++)
        add_scaled(a->w + m.at + token[i] * m.n_out, keep ? keep[i] : 1.0f, m.n_out,
                   out + i * m.n_out);
}

static void token_gradient(const struct arrays *a, struct weight m, size_t rows,
                           const uint16_t *token, const float *keep, const float *d_out)
{
    for (size_t i = 0; i < rows; i++)
        add_scaled(d_out + i * m.n_out, keep ? keep[i] : 1.0f, m.n_out,
                   a->g + m.at + token[i] * m.n_out);
}

float *room_take(struct room *room, size_t n)
{
    float *p = room->at ? room->at + room->used : NULL;
    room->used += pad16(n);
    return p;
}

void multiply(const float *in, const float *by, size_t n, float *out)
{
    for (size_t i = 0; i < n; i++)
        out[i] = in[i] * by[i];
}

void add_scaled(const float *restrict in, float scale, size_t n, float *restrict sum)
{
    for (size_t i = 0; i < n; i++)
        sum[i] += in[i] * scale;
}

float *keep_draw(uint64_t seed, uint64_t which, float rate, size_t n, float *keep)
{
    if (rate <= 0.0f)
        return NULL;
    seed = num_mix(seed, which, 0);
    const uint32_t limit = (uint32_t)(rate * 65536.0f);
    const float scale = 1.0f / (1.0f - rate);
    for (size_t i = 0; i < n; i += 4) {
        uint64_t bits = num_draw(&seed);
        for (size_t j = i; j < n && j < i + 4; j++, bits >>= 16)
            keep[j] = (bits & 0xffff) < limit ? 0.0f : scale;
    }
    return keep;
}

/* ---- dense --------------------------------------------------------------------------------- */

/* The start values are Glorot's: uniform, by the number of inputs and outputs. */
void dense_new(struct dense *d, struct blocks *b, enum block_kind kind, size_t n_in, size_t used,
               enum block_kind bias)
{
    d->w = weight_new(b, kind, n_in, used, sqrtf(6.0f / (float)(n_in + used)));
    d->b = bias == BLOCK_NONE ? NO_BIAS : blocks_add(b, bias, 1, used, 0);
}

void dense_begin(const struct dense *d, const struct arrays *a, size_t rows, float *out)
{
    fill_rows(a->w + d->b, rows, d->w.n_out, out);
}

void dense_forward(const struct dense *d, const struct arrays *a, const float *in, size_t rows,
                   float *out)
{
    dense_begin(d, a, rows, out);
    weight_forward(a, d->w, rows, in, out, 1);
}

void dense_gradient(const struct dense *d, const struct arrays *a, const float *in,
                    const float *d_out, size_t rows)
{
    weight_gradient(a, d->w, rows, in, d_out);
    add_columns(d_out, rows, d->w.n_out, a->g + d->b);
}

void dense_token_gradient(const struct dense *d, const struct arrays *a, const uint16_t *token,
                          const float *keep, const float *d_out, size_t rows)
{
    token_gradient(a, d->w, rows, token, keep, d_out);
    if (d->b != NO_BIAS)
        add_columns(d_out, rows, d->w.n_out, a->g + d->b);
}

/* ---- convolution --------------------------------------------------------------------------- */

void conv1d_new(struct conv1d *l, struct blocks *b, enum block_kind kind, size_t n_in, size_t n_out)
{
    l->taps = l->taps < l->length ? l->taps : l->length;
    l->out_length = (l->length - l->taps) / l->stride + 1;
    const float range = sqrtf(6.0f / (float)(l->taps * (n_in + n_out)));
    for (size_t j = 0; j < l->taps; j++)
        l->w[j] = weight_new(b, kind, n_in, n_out, range);
    l->b = blocks_add(b, BLOCK_BIAS, 1, n_out, 0);
}

/* Numbers of the output, of so many rows */
static size_t conv1d_size(const struct conv1d *l, size_t rows)
{
    return l->out_length * rows * l->w[0].n_out;
}

void conv1d_forward(const struct conv1d *l, const struct arrays *a, const float *in,
                    const uint16_t *tokens, size_t rows, float *out)
{
    fill_rows(a->w + l->b, l->out_length * rows, l->w[0].n_out, out);
    for (size_t o = 0; o < l->out_length; o++)
        for (size_t j = 0; j < l->taps; j++) {
            const size_t at = (o * l->stride + j) * rows;
            float *to = out + o * rows * l->w[j].n_out;
            if (tokens)
                token_forward(a, l->w[j], rows, tokens + at, NULL, to);
            else
                weight_forward(a, l->w[j], rows, in + at * l->w[j].n_in, to, 1);
        }
    for (size_t i = 0; i < conv1d_size(l, rows); i++)
        out[i] = out[i] > 0.0f ? out[i] : 0.0f;
}

void conv1d_backward(const struct conv1d *l, const struct arrays *a, const float *in,
                     const uint16_t *tokens, const float *out, size_t rows, float *d_out,
                     float *d_in)
{
    if (d_in)
        memset(d_in, 0, l->length * rows * l->w[0].n_in * sizeof *d_in);
    for (size_t i = 0; i < conv1d_size(l, rows); i++)
        d_out[i] = out[i] > 0.0f ? d_out[i] : 0.0f;
    add_columns(d_out, l->out_length * rows, l->w[0].n_out, a->g + l->b);
    for (size_t o = 0; o < l->out_length; o++)
        for (size_t j = 0; j < l->taps; j++) {
            const size_t at = (o * l->stride + j) * rows;
            const float *d = d_out + o * rows * l->w[j].n_out;
            if (tokens) {
                token_gradient(a, l->w[j], rows, tokens + at, NULL, d);
                continue;
            }
            weight_gradient(a, l->w[j], rows, in + at * l->w[j].n_in, d);
            weight_back(a, l->w[j], rows, d, d_in + at * l->w[j].n_in, 1);
        }
}

/* ---- loss ---------------------------------------------------------------------------------- */

/* d = scale * 2^(l - top) / sum in the values, 0 in the padding */
static void derive(const float *l, size_t values, size_t cols, float top, float factor, float *d)
{
    for (size_t v = 0; v < cols; v++)
        d[v] = v < values ? num_exp2(l[v] - top) * factor : 0.0f;
}

double softmax_loss(const float *logits, size_t rows, size_t values, size_t cols, const uint16_t *y,
                    float scale, float *d)
{
    double loss = 0;
    for (size_t i = 0; i < rows; i++) {
        const float *l = logits + i * cols;
        float top = l[0], sum = 0;
        for (size_t v = 1; v < values; v++)
            top = l[v] > top ? l[v] : top;
        for (size_t v = 0; v < values; v++)
            sum += num_exp2(l[v] - top);
        loss += (double)(top - l[y[i]]) + num_log2((double)sum);
        if (d) {
            derive(l, values, cols, top, scale / sum, d + i * cols);
            d[i * cols + y[i]] -= scale;
        }
    }
    return loss;
}
