/* layers.c - one layer of a network, forwards and backwards
   SPDX-License-Identifier: MIT

   layers.h declares it. */
#include "layers.h"

#include <string.h>

size_t net_size(struct net_shape s)
{
    return (size_t)s.height * (size_t)s.width * (size_t)s.channels;
}

/* A layer at work: what a visit of two places reads and writes */
struct work {
    const struct net_layer *l;
    const float *weight, *in;
    float *out, *slope_weight, *slope_in;
    const float *slope_out;
};

/* One place of the input meets one of the output through one place of the window. */
typedef void visit(const struct work *k, size_t window, size_t in, size_t out);

/* ---- where places meet ---- */

/* Windows reach over both borders alike or, where that cannot be, by one more at the end. */
int layer_padding(int in, int out, int size, int stride)
{
    const int all = (out - 1) * stride + size - in;
    return all > 0 ? all / 2 : 0;
}

static void visit_window(const struct work *k, visit *meet, int y, int x, int top, int left)
{
    const struct net_layer *l = k->l;
    for (int v = 0; v < l->size; v++)
        for (int u = 0; u < l->size; u++) {
            const int r = y * l->stride + v - top, c = x * l->stride + u - left;
            if (r >= 0 && r < l->in.height && c >= 0 && c < l->in.width)
                meet(k, (size_t)(v * l->size + u), (size_t)(r * l->in.width + c),
                     (size_t)(y * l->out.width + x));
        }
}

static void visit_all(const struct work *k, visit *meet)
{
    const struct net_layer *l = k->l;
    const int top = layer_padding(l->in.height, l->out.height, l->size, l->stride);
    const int left = layer_padding(l->in.width, l->out.width, l->size, l->stride);
    for (int y = 0; y < l->out.height; y++)
        for (int x = 0; x < l->out.width; x++)
            visit_window(k, meet, y, x, top, left);
}

/* ---- forwards ---- */

/* A matrix of weights between n_in numbers and n_out */
static void multiply(const float *weight, const float *in, size_t n_in, float *out, size_t n_out)
{
    for (size_t i = 0; i < n_in; i++)
        for (size_t o = 0; o < n_out; o++)
            out[o] += in[i] * weight[i * n_out + o];
}

static void meet_conv(const struct work *k, size_t window, size_t in, size_t out)
{
    const size_t ci = (size_t)k->l->in.channels, co = (size_t)k->l->out.channels;
    multiply(k->weight + window * ci * co, k->in + in * ci, ci, k->out + out * co, co);
}

static void meet_depthwise(const struct work *k, size_t window, size_t in, size_t out)
{
    const size_t n = (size_t)k->l->out.channels;
    for (size_t c = 0; c < n; c++)
        k->out[out * n + c] += k->in[in * n + c] * k->weight[window * n + c];
}

static void add_mean(const struct net_layer *l, const float *in, float *out)
{
    const size_t n = (size_t)l->in.channels, places = net_size(l->in) / n;
    for (size_t i = 0; i < places; i++)
        for (size_t c = 0; c < n; c++)
            out[c] += in[i * n + c];
    for (size_t c = 0; c < n; c++)
        out[c] /= (float)places;
}

void layer_run(const struct net_layer *l, const float *value, const float *in, float *out)
{
    const struct work k = {.l = l, .weight = value + l->weights, .in = in, .out = out};
    const size_t n = net_size(l->out);
    for (size_t o = 0; o < n; o++)
        out[o] = l->n_biases > 0 ? value[l->biases + o % l->n_biases] : 0;
    switch (l->kind) {
    case NET_CONV: visit_all(&k, meet_conv); break;
    case NET_DEPTHWISE: visit_all(&k, meet_depthwise); break;
    case NET_MEAN: add_mean(l, in, out); break;
    case NET_DENSE: multiply(k.weight, in, net_size(l->in), out, n); break;
    }
    for (size_t o = 0; l->is_relu && o < n; o++)
        out[o] = out[o] > 0 ? out[o] : 0;
}

/* ---- backwards ---- */

static void multiply_back(const float *weight, const float *in, size_t n_in, const float *slope,
                          size_t n_out, float *slope_in, float *slope_weight)
{
    for (size_t i = 0; i < n_in; i++) {
        float sum = 0;
        for (size_t o = 0; o < n_out; o++) {
            sum += slope[o] * weight[i * n_out + o];
            slope_weight[i * n_out + o] += slope[o] * in[i];
        }
        slope_in[i] += sum;
    }
}

static void meet_conv_back(const struct work *k, size_t window, size_t in, size_t out)
{
    const size_t ci = (size_t)k->l->in.channels, co = (size_t)k->l->out.channels;
    multiply_back(k->weight + window * ci * co, k->in + in * ci, ci, k->slope_out + out * co, co,
                  k->slope_in + in * ci, k->slope_weight + window * ci * co);
}

static void meet_depthwise_back(const struct work *k, size_t window, size_t in, size_t out)
{
    const size_t n = (size_t)k->l->out.channels;
    for (size_t c = 0; c < n; c++) {
        const float slope = k->slope_out[out * n + c];
        k->slope_in[in * n + c] += slope * k->weight[window * n + c];
        k->slope_weight[window * n + c] += slope * k->in[in * n + c];
    }
}

static void share_mean(const struct net_layer *l, const float *slope, float *slope_in)
{
    const size_t n = (size_t)l->in.channels, places = net_size(l->in) / n;
    for (size_t i = 0; i < places; i++)
        for (size_t c = 0; c < n; c++)
            slope_in[i * n + c] = slope[c] / (float)places;
}

void layer_learn(const struct net_layer *l, const float *value, const float *in, const float *out,
                 float *slope_out, float *slope_in, float *slope_value)
{
    const struct work k = {.l = l,
                           .weight = value + l->weights,
                           .in = in,
                           .slope_weight = slope_value + l->weights,
                           .slope_in = slope_in,
                           .slope_out = slope_out};
    const size_t n = net_size(l->out), n_in = net_size(l->in);
    memset(slope_in, 0, n_in * sizeof *slope_in);
    for (size_t o = 0; o < n; o++) {
        slope_out[o] = l->is_relu && out[o] <= 0 ? 0 : slope_out[o];
        if (l->n_biases > 0)
            slope_value[l->biases + o % l->n_biases] += slope_out[o];
    }
    switch (l->kind) {
    case NET_CONV: visit_all(&k, meet_conv_back); break;
    case NET_DEPTHWISE: visit_all(&k, meet_depthwise_back); break;
    case NET_MEAN: share_mean(l, slope_out, slope_in); break;
    case NET_DENSE:
        multiply_back(k.weight, in, n_in, slope_out, n, slope_in, k.slope_weight);
        break;
    }
}
