/* quantise.c - see quantise.h
   SPDX-License-Identifier: MIT */
#include "quantise.h"

#include <string.h>

/* ---- rounding ---- */

static float power_of_two(int k)
{
    uint32_t bits = (uint32_t)(k + 127) << 23;
    float f;
    memcpy(&f, &bits, sizeof f);
    return f;
}

/* floor(v + 1/2) */
static double round_half_up(double v)
{
    int64_t n = (int64_t)v;
    n -= (double)n > v;
    return (double)(n + (v - (double)n >= 0.5));
}

static double round_weight(float w, int k)
{
    double q = round_half_up((double)w * (double)power_of_two(k));
    return q > 127 ? 127 : q < -127 ? -127 : q;
}

static double round_bias(float w, int k)
{
    double q = round_half_up((double)w * (double)power_of_two(k + 6));
    return q > 1e9 ? 1e9 : q < -1e9 ? -1e9 : q;
}

static double rounding_loss(const float *w, size_t n, int k)
{
    double sum = 0, step = (double)power_of_two(-k);
    for (size_t i = 0; i < n; i++) {
        double e = (double)w[i] - round_weight(w[i], k) * step;
        sum += e * e;
    }
    return sum;
}

/* The exponent of least squared error: a few weights may saturate. */
static int best_exponent(const float *w, size_t n, int least, int most)
{
    int best = least;
    double best_loss = rounding_loss(w, n, least);
    for (int k = least + 1; k <= most; k++) {
        double loss = rounding_loss(w, n, k);
        if (loss < best_loss) {
            best_loss = loss;
            best = k;
        }
    }
    return best;
}

void net_choose_exponents(const struct net *net, struct net_exponents *k)
{
    memset(k, 0, sizeof *k);
    for (size_t i = 0; i < net->at.n_blocks; i++) {
        const struct net_block *b = &net->at.block[i];
        int least = 1, most = 10;
        if (b->kind == NET_BIAS)
            continue;
        if (b->exponent >= NET_KE && b->exponent % 2 == NET_KE % 2) { /* embeddings */
            least = k->k[NET_KC] > 10 ? k->k[NET_KC] - 9 : 1;
            most = k->k[NET_KC] + 6;
        }
        k->k[b->exponent] = best_exponent(net->w + b->at, b->rows * b->cols, least, most);
    }
}

static void round_block(const struct net *net, const struct net_exponents *k, size_t index,
                        float *out)
{
    const struct net_block *b = &net->at.block[index];
    int e = k->k[b->exponent];
    int scale = b->kind == NET_BIAS ? e + 6 : e;
    float step = power_of_two(-scale);
    for (size_t j = b->at; j < b->at + b->rows * b->cols; j++) {
        double q = b->kind == NET_BIAS ? round_bias(net->w[j], e) : round_weight(net->w[j], e);
        out[j] = (float)q * step;
    }
}

void net_round(const struct net *net, const struct net_exponents *k, struct net *out)
{
    for (size_t i = 0; i < net->at.n_blocks; i++)
        round_block(net, k, i, out->w);
}

/* ---- the integer network ---- */

struct quantiser {
    const struct net *net;
    struct net_exponents k;
    struct model *model; /* whose arrays are written */
};

static int exponent_of(const struct quantiser *q, size_t block)
{
    return q->k.k[q->net->at.block[block].exponent];
}

/* Rows of inputs to rows of outputs: of n outputs, with room for more rows of zeros behind them. */
static const int8_t *turned_matrix(const struct quantiser *q, size_t block, size_t n, size_t room)
{
    const struct net_block *b = &q->net->at.block[block];
    int8_t *to = model_array(q->model, room * b->rows, sizeof *to);
    for (size_t o = 0; o < n; o++)
        for (size_t i = 0; i < b->rows; i++)
            to[o * b->rows + i] =
                (int8_t)round_weight(q->net->w[b->at + i * b->cols + o], exponent_of(q, block));
    return to;
}

static const int8_t *matrix(const struct quantiser *q, size_t block)
{
    const struct net_block *b = &q->net->at.block[block];
    int8_t *to = model_array(q->model, b->rows * b->cols, sizeof *to);
    for (size_t i = 0; i < b->rows * b->cols; i++)
        to[i] = (int8_t)round_weight(q->net->w[b->at + i], exponent_of(q, block));
    return to;
}

static const int32_t *bias(const struct quantiser *q, size_t block, size_t n, size_t room)
{
    const struct net_block *b = &q->net->at.block[block];
    int32_t *to = model_array(q->model, room, sizeof *to);
    for (size_t i = 0; i < n; i++)
        to[i] = (int32_t)round_bias(q->net->w[b->at + i], exponent_of(q, block));
    return to;
}

static void set_layer(const struct quantiser *q, size_t block, kpred_layer *l)
{
    l->weight = turned_matrix(q, block, l->rows, l->rows);
    l->bias = bias(q, block + 1, l->rows, l->rows);
    l->shift = (uint8_t)exponent_of(q, block);
}

static void set_head(const struct quantiser *q, size_t t)
{
    const struct net_layout *at = &q->net->at;
    const size_t n = q->net->dims.n_values[t], rows = model_head_rows(&q->model->m, t);
    const int kc = exponent_of(q, NET_WC), is_fed = at->first_row[t] > 0;
    kpred_head *h = q->model->heads + t;
    h->weight = turned_matrix(q, at->out[t], n, rows);
    h->bias = bias(q, at->out[t] + 1, n, rows);
    h->embedding = is_fed ? matrix(q, at->emb[t]) : NULL;
    h->hidden_shift = (uint8_t)kc;
    h->embedding_shift = (uint8_t)(is_fed ? 6 + kc - exponent_of(q, at->emb[t]) : 0);
    h->logit_shift = (uint8_t)(10 - exponent_of(q, at->out[t]));
}

int net_quantise(const struct net *net, struct model *model)
{
    const struct net_dims *d = &net->dims;
    struct quantiser q = {net, {{0}}, model};
    net_choose_exponents(net, &q.k);
    model_set_widths(model, d->enc1, d->enc2, d->hidden);
    set_layer(&q, NET_W1, &model->net.layer[0]);
    set_layer(&q, NET_W2, &model->net.layer[1]);
    set_layer(&q, NET_WC, &model->net.layer[2]);
    for (size_t t = 0; t < d->n_params; t++)
        if (d->n_values[t] > 1)
            set_head(&q, t);
    return model_seal(model);
}
