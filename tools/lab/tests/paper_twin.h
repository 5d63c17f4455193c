/* paper_twin.h - the paper's networks stated again: one row, doubles, libm, no layers reused
   SPDX-License-Identifier: MIT

   Only where the weights lie is taken from the networks. */
#pragma once

#include "lab/paper/net.h"

#include <math.h>
#include <string.h>

enum { TWIN_STEPS = 16, TWIN_WIDTH = 512 }; /* at most */

typedef double twin_vector[TWIN_WIDTH];

static inline double twin_sigma(double x)
{
    return 1 / (1 + exp(-x));
}

/* out = b + in W */
static inline void twin_dense(const float *w, const struct dense *d, const double *in, double *out)
{
    for (size_t o = 0; o < d->w.n_out; o++) {
        out[o] = (double)w[d->b + o];
        for (size_t i = 0; i < d->w.n_in; i++)
            out[o] += in[i] * (double)w[d->w.at + i * d->w.n_out + o];
    }
}

/* out += the word's row times what dropout makes of a 1, and the bias if there is one */
static inline void twin_word(const float *w, const struct dense *l, size_t word, double one,
                             double *out)
{
    for (size_t o = 0; o < l->w.n_out; o++)
        out[o] += one * (double)w[l->w.at + word * l->w.n_out + o]
                  + (l->b == NO_BIAS ? 0 : (double)w[l->b + o]);
}

/* One step: fed are the gates' inputs without the recurrent part, keep is dropout or NULL. */
static inline void twin_lstm(const float *w, const struct lstm *l, const double *fed,
                             const float *keep, double *c, double *h)
{
    const size_t n = l->n;
    twin_vector gate;
    for (size_t g = 0; g < 4 * n; g++) {
        gate[g] = fed[g];
        for (size_t k = 0; k < n; k++)
            gate[g] +=
                h[k] * (keep != NULL ? (double)keep[k] : 1) * (double)w[l->u.at + k * 4 * n + g];
    }
    for (size_t j = 0; j < n; j++) {
        c[j] = twin_sigma(gate[n + j]) * c[j] + twin_sigma(gate[j]) * tanh(gate[2 * n + j]);
        h[j] = twin_sigma(gate[3 * n + j]) * tanh(c[j]);
    }
}

/* out[t] = outputs of both ways beside each other; fed[way][t] */
static inline void twin_bilstm(const float *w, const struct bilstm *l,
                               twin_vector fed[2][TWIN_STEPS], size_t steps, twin_vector *out,
                               double *last)
{
    const size_t n = l->way[0].n;
    for (size_t way = 0; way < 2; way++) {
        twin_vector c = {0}, h = {0};
        for (size_t k = 0; k < steps; k++) {
            const size_t t = way ? steps - 1 - k : k;
            twin_lstm(w, &l->way[way], fed[way][t], NULL, c, h);
            memcpy(out[t] + way * n, h, n * sizeof *h);
        }
        memcpy(last + way * n, h, n * sizeof *h);
    }
}

/* The word before word t of the answer. */
static inline size_t twin_before(const struct paper_net *net, const uint16_t *answer, size_t t)
{
    return t ? answer[t - 1] : net->dims.out_words;
}

static inline void twin_encdec(const struct paper_net *net, const uint16_t *in,
                               const uint16_t *answer, twin_vector *top)
{
    twin_vector c = {0}, h = {0};
    for (size_t t = 0; t < net->dims.n_in; t++) {
        twin_vector fed = {0};
        twin_word(net->w, &net->in[0], in[t], 1, fed);
        twin_lstm(net->w, &net->reader.way[0], fed, NULL, c, h);
    }
    for (size_t t = 0; t < net->dims.n_out; t++) {
        twin_vector fed = {0};
        twin_word(net->w, &net->fed, twin_before(net, answer, t), 1, fed);
        twin_lstm(net->w, &net->writer, fed, NULL, c, h);
        memcpy(top[t], h, sizeof h);
    }
}

/* context = sum of softmax(v . tanh(s W_s + a W_a + b)) a */
static inline void twin_attention(const float *w, const struct attention *l, size_t places,
                                  twin_vector *a, const double *s, double *context)
{
    double e[TWIN_STEPS], sum = 0;
    for (size_t p = 0; p < places; p++) {
        twin_vector node;
        e[p] = 0;
        twin_dense(w, &l->look, a[p], node);
        for (size_t d = 0; d < l->n_d; d++) {
            for (size_t j = 0; j < l->w_s.n_in; j++)
                node[d] += s[j] * (double)w[l->w_s.at + j * l->pad + d];
            e[p] += (double)w[l->v.at + d] * tanh(node[d]);
        }
        sum += exp(e[p]);
    }
    for (size_t j = 0; j < l->n_a; j++) {
        context[j] = 0;
        for (size_t p = 0; p < places; p++)
            context[j] += exp(e[p]) / sum * a[p][j];
    }
}

static inline void twin_attn(const struct paper_net *net, const uint16_t *in,
                             const uint16_t *answer, twin_vector *top)
{
    static twin_vector read[2][TWIN_STEPS], a[TWIN_STEPS];
    twin_vector c = {0}, h = {0}, last, context, fed;
    memset(read, 0, sizeof read);
    for (size_t way = 0; way < 2; way++)
        for (size_t t = 0; t < net->dims.n_in; t++)
            twin_word(net->w, &net->in[way], in[t], 1, read[way][t]);
    twin_bilstm(net->w, &net->reader, read, net->dims.n_in, a, last);
    for (size_t t = 0; t < net->dims.n_out; t++) {
        twin_attention(net->w, &net->look, net->dims.n_in, a, h, context);
        twin_dense(net->w, &net->picked, context, fed);
        if (net->dims.kind == PAPER_ATTN)
            twin_word(net->w, &net->fed, twin_before(net, answer, t), 1, fed);
        twin_lstm(net->w, &net->writer, fed, NULL, c, h);
        memcpy(top[t], h, sizeof h);
    }
}

/* in: vectors, the one-hot ones of words included */
static inline void twin_conv(const float *w, const struct conv1d *l, twin_vector *in,
                             twin_vector *out)
{
    for (size_t o = 0; o < l->out_length; o++)
        for (size_t f = 0; f < l->w[0].n_out; f++) {
            double sum = (double)w[l->b + f];
            for (size_t j = 0; j < l->taps; j++)
                for (size_t i = 0; i < l->w[j].n_in; i++)
                    sum += in[o * l->stride + j][i] * (double)w[l->w[j].at + i * l->w[j].n_out + f];
            out[o][f] = sum > 0 ? sum : 0;
        }
}

static inline void twin_hybrid(const struct paper_net *net, const uint16_t *in, twin_vector *top)
{
    static twin_vector word[TWIN_STEPS], map[2][TWIN_STEPS], fed[2][TWIN_STEPS], mid[TWIN_STEPS];
    const size_t steps = net->dims.n_out, filters = net->dims.filters;
    twin_vector flat, last;
    memset(word, 0, sizeof word);
    for (size_t t = 0; t < net->dims.n_in; t++)
        word[t][in[t]] = 1;
    twin_conv(net->w, &net->conv[0], word, map[0]);
    twin_conv(net->w, &net->conv[1], map[0], map[1]);
    for (size_t o = 0; o < net->conv[1].out_length; o++)
        memcpy(flat + o * filters, map[1][o], filters * sizeof *flat);
    for (size_t way = 0; way < 2; way++)
        for (size_t t = 0; t < steps; t++)
            twin_dense(net->w, &net->to[0][way], flat, fed[way][t]);
    twin_bilstm(net->w, &net->layer[0], fed, steps, mid, last);
    for (size_t way = 0; way < 2; way++)
        for (size_t t = 0; t < steps; t++)
            twin_dense(net->w, &net->to[1][way], net->dims.kind == PAPER_HYBRID ? mid[t] : last,
                       fed[way][t]);
    twin_bilstm(net->w, &net->layer[1], fed, steps, top, last);
}

/* -log2 of the probability of an answer */
static inline double twin_loss(const struct paper_net *net, const uint16_t *in,
                               const uint16_t *answer)
{
    static twin_vector top[TWIN_STEPS];
    double loss = 0;
    if (net->dims.kind == PAPER_ENCDEC)
        twin_encdec(net, in, answer, top);
    else if (net->dims.kind == PAPER_ATTN || net->dims.kind == PAPER_ATTN2)
        twin_attn(net, in, answer, top);
    else
        twin_hybrid(net, in, top);
    for (size_t t = 0; t < net->dims.n_out; t++) {
        twin_vector logit;
        double sum = 0;
        twin_dense(net->w, &net->out, top[t], logit);
        for (size_t v = 0; v < net->dims.out_words; v++)
            sum += pow(2, logit[v]);
        loss += log2(sum) - logit[answer[t]];
    }
    return loss;
}
