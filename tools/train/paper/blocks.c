/* blocks.c - see blocks.h
   SPDX-License-Identifier: MIT */
#include "blocks.h"

#include "base/numbers.h"

size_t blocks_add(struct blocks *b, enum block_kind kind, size_t rows, size_t used, float range)
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

void matrix_forward(const struct arrays *a, size_t at, size_t rows, size_t n_in, size_t n_out,
                    const float *in, float *out, int add)
{
    const float *w = (a->panels ? a->panels : a->w) + at;
    const struct matrix_product p = {rows, n_out, n_in, by_rows(in, n_in), w, n_out,
                                     out,  n_out, add};
    (a->panels ? matrix_mul_packed : matrix_mul)(&p);
}

void matrix_back(const struct arrays *a, size_t at, size_t rows, size_t n_in, size_t n_out,
                 const float *d_out, float *d_in, int add)
{
    const struct matrix x = by_rows(d_out, n_out);
    matrix_mul_packed(
        &(struct matrix_product){rows, n_in, n_out, x, a->turned + at, 0, d_in, n_in, add});
}

void matrix_gradient(const struct arrays *a, size_t at, size_t rows, size_t n_in, size_t n_out,
                     const float *in, const float *d_out)
{
    const struct matrix x = by_cols(in, n_in);
    matrix_mul(&(struct matrix_product){n_in, n_out, rows, x, d_out, n_out, a->g + at, n_out, 1});
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

void fill_keep(uint64_t seed, float rate, size_t n, float *keep)
{
    const uint32_t limit = (uint32_t)(rate * 65536.0f);
    const float scale = 1.0f / (1.0f - rate);
    for (size_t i = 0; i < n; i += 4) {
        uint64_t bits = num_draw(&seed);
        for (size_t j = i; j < n && j < i + 4; j++, bits >>= 16)
            keep[j] = (bits & 0xffff) < limit ? 0.0f : scale;
    }
}
