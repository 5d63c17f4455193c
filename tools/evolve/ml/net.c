/* net.c - what a network makes of an image
   SPDX-License-Identifier: MIT

   net.h declares it. */
#include "net.h"

#include "base/numbers.h"
#include "base/util.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

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
