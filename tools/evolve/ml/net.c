/* net.c - what a network makes of an image
   SPDX-License-Identifier: MIT

   net.h declares it. */
#include "net.h"

#include "base/numbers.h"
#include "base/util.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- one layer, forwards and backwards ---- */

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

/* ---- one layer: where places meet ---- */

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

/* ---- one layer: forwards ---- */

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

/* ---- one layer: backwards ---- */

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

/* ---- two networks ---- */

static void add(struct net *net, enum net_kind kind, int channels, int size, int stride,
                int is_relu)
{
    const struct net_shape in = net->layer[net->n].in;
    struct net_layer *l = &net->layer[net->n++];
    const int is_flat = kind == NET_MEAN || kind == NET_DENSE;
    *l = (struct net_layer){
        .kind = kind, .in = in, .size = size, .stride = stride, .is_relu = is_relu};
    l->out.height = is_flat ? 1 : (in.height + stride - 1) / stride;
    l->out.width = is_flat ? 1 : (in.width + stride - 1) / stride;
    l->out.channels = channels;
    const size_t window = (size_t)(size * size), c = (size_t)channels;
    l->n_weights = kind == NET_CONV        ? window * (size_t)in.channels * c
                   : kind == NET_DEPTHWISE ? window * c
                   : kind == NET_DENSE     ? net_size(in) * c
                                           : 0;
    l->n_biases = kind == NET_MEAN ? 0 : c;
    l->weights = net->n_values;
    l->biases = l->weights + l->n_weights;
    net->n_values = l->biases + l->n_biases;
    if (net->n < NET_LAYERS)
        net->layer[net->n].in = l->out;
}

static void add_dense(struct net *net, int n_labels)
{
    add(net, NET_DENSE, 64, 0, 0, 1);
    add(net, NET_DENSE, n_labels, 0, 0, 0);
}

static void add_mobile(struct net *net, int n_labels)
{
    add(net, NET_CONV, 8, 3, 1, 1);
    add(net, NET_DEPTHWISE, 8, 3, 1, 1);
    add(net, NET_CONV, 16, 1, 1, 1);
    add(net, NET_DEPTHWISE, 16, 3, 2, 1);
    add(net, NET_CONV, 32, 1, 1, 1);
    add(net, NET_DEPTHWISE, 32, 3, 1, 1);
    add(net, NET_CONV, 32, 1, 1, 1);
    add(net, NET_MEAN, 32, 0, 0, 0);
    add(net, NET_DENSE, n_labels, 0, 0, 0);
}

/* By He et al.: what goes into a number keeps its variance behind max(0, x). */
static void draw_values(struct net *net, uint64_t seed)
{
    net->value = xcalloc(net->n_values, sizeof *net->value);
    for (size_t i = 0; i < net->n; i++) {
        const struct net_layer *l = &net->layer[i];
        const size_t n_in = l->n_biases == 0           ? 1
                            : l->kind == NET_DEPTHWISE ? (size_t)(l->size * l->size)
                                                       : l->n_weights / l->n_biases;
        const float scale = (float)sqrt(6.0 / (double)n_in);
        for (size_t k = 0; k < l->n_weights; k++)
            net->value[l->weights + k] = scale * num_signed(&seed);
    }
}

int net_open(struct net *net, const char *name, struct net_shape in, int n_labels, uint64_t seed)
{
    memset(net, 0, sizeof *net);
    net->name = name;
    net->layer[0].in = in;
    if (strcmp(name, "dense") == 0)
        add_dense(net, n_labels);
    else if (strcmp(name, "mobile") == 0)
        add_mobile(net, n_labels);
    else
        return fail("network \"%s\": there are dense and mobile", name);
    draw_values(net, seed);
    return 0;
}

void net_close(struct net *net)
{
    free(net->value);
    memset(net, 0, sizeof *net);
}

/* ---- running ---- */

static size_t multiplications(const struct net_layer *l)
{
    return l->n_weights * (size_t)l->out.height * (size_t)l->out.width;
}

size_t net_widest(const struct net *net)
{
    size_t widest = 0;
    for (size_t i = 1; i + 1 < net->n; i++)
        if (multiplications(&net->layer[i]) > multiplications(&net->layer[widest]))
            widest = i;
    return widest;
}

void net_run(const struct net *net, const float *image, float *out)
{
    const float *in = image;
    float *between[2] = {NULL, NULL};
    for (size_t i = 0; i < net->n; i++) {
        const struct net_layer *l = &net->layer[i];
        const size_t n = net_size(l->out);
        float *to =
            i + 1 == net->n ? out : (between[i % 2] = xrealloc(between[i % 2], n, sizeof *to));
        layer_run(l, net->value, in, to);
        in = to;
    }
    free(between[0]);
    free(between[1]);
}

int net_likeliest(const float *out, int n)
{
    int best = 0;
    for (int i = 1; i < n; i++)
        best = out[i] > out[best] ? i : best;
    return best;
}

double net_accuracy(const struct net *net, const struct images *images)
{
    const int n_labels = net->layer[net->n - 1].out.channels;
    float *out = xcalloc((size_t)n_labels, sizeof *out);
    size_t right = 0;
    for (size_t i = 0; i < images->n; i++) {
        net_run(net, images->pixel + i * images->size, out);
        right += net_likeliest(out, n_labels) == images->label[i];
    }
    free(out);
    return images->n > 0 ? (double)right / (double)images->n : 0;
}
