/* mlir_text.c - a network as an MLIR module
   SPDX-License-Identifier: MIT

   mlir_text.h declares it. Layer i takes %xI and makes %x(I + 1) of it; its weights are %wI, its
   biases %bI, an empty tensor of what it makes %eI, and what its sums begin with %sI. */
#include "mlir_text.h"

#include "base/util.h"

#include <string.h>

enum { TYPE_BYTES = 80 };

struct writer {
    const struct net *net;
    long batch;
    struct buf *out;
};

/* What the layer at hand is written with */
struct names {
    size_t i;
    char in[TYPE_BYTES], out[TYPE_BYTES], weights[TYPE_BYTES];
    char sums[24]; /* what its sums are called: the result, if nothing is done with them */
};

/* ---- types ---- */

static void tensor_type(char text[TYPE_BYTES], long batch, struct net_shape s)
{
    if (s.height == 1 && s.width == 1)
        snprintf(text, TYPE_BYTES, "tensor<%ldx%dxf32>", batch, s.channels);
    else
        snprintf(text, TYPE_BYTES, "tensor<%ldx%dx%dx%dxf32>", batch, s.height, s.width,
                 s.channels);
}

static void weights_type(char text[TYPE_BYTES], const struct net_layer *l)
{
    if (l->kind == NET_CONV)
        snprintf(text, TYPE_BYTES, "tensor<%dx%dx%dx%dxf32>", l->size, l->size, l->in.channels,
                 l->out.channels);
    else if (l->kind == NET_DEPTHWISE)
        snprintf(text, TYPE_BYTES, "tensor<%dx%dx%dxf32>", l->size, l->size, l->out.channels);
    else
        snprintf(text, TYPE_BYTES, "tensor<%zux%dxf32>", net_size(l->in), l->out.channels);
}

/* ---- constants ---- */

static void put_bits(struct buf *b, const float *v, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        uint32_t bits;
        memcpy(&bits, &v[i], sizeof bits);
        for (int k = 0; k < 4; k++)
            buf_printf(b, "%02X", (unsigned)(bits >> 8 * k & 255)); /* the lowest byte first */
    }
}

static void put_values(const struct writer *w, size_t i)
{
    const struct net_layer *l = &w->net->layer[i];
    char type[TYPE_BYTES];
    if (l->n_biases == 0)
        return;
    weights_type(type, l);
    buf_printf(w->out, "    %%w%zu = arith.constant dense<\"0x", i);
    put_bits(w->out, w->net->value + l->weights, l->n_weights);
    buf_printf(w->out, "\"> : %s\n    %%b%zu = arith.constant dense<\"0x", type, i);
    put_bits(w->out, w->net->value + l->biases, l->n_biases);
    buf_printf(w->out, "\"> : tensor<%zuxf32>\n", l->n_biases);
}

/* ---- operations ---- */

static void put_start(const struct writer *w, const struct net_layer *l, const struct names *n)
{
    const char *over = l->out.height * l->out.width == 1 ? "0" : "0, 1, 2";
    buf_printf(w->out, "    %%e%zu = tensor.empty() : %s\n", n->i, n->out);
    if (l->n_biases == 0)
        buf_printf(w->out, "    %%s%zu = arith.constant dense<0.0> : %s\n", n->i, n->out);
    else
        buf_printf(w->out,
                   "    %%s%zu = linalg.broadcast ins(%%b%zu : tensor<%zuxf32>) outs(%%e%zu : %s) "
                   "dimensions = [%s]\n",
                   n->i, n->i, l->n_biases, n->i, n->out, over);
}

/* The layer's result: an operation on the sums and a constant */
static void put_result(const struct writer *w, const char *what, double constant,
                       const struct names *n)
{
    buf_printf(w->out, "    %%c%zu = arith.constant dense<%.9e> : %s\n", n->i, constant, n->out);
    buf_printf(w->out,
               "    %%x%zu = linalg.elemwise_binary {fun = #linalg.binary_fn<%s>} "
               "ins(%%%s, %%c%zu : %s, %s) outs(%%e%zu : %s) -> %s\n",
               n->i + 1, what, n->sums, n->i, n->out, n->out, n->i, n->out, n->out);
}

/* Zeros around the images: their type becomes that of %pI. Returns whether there are any. */
static int put_padding(const struct writer *w, const struct net_layer *l, struct names *n)
{
    const int top = layer_padding(l->in.height, l->out.height, l->size, l->stride);
    const int left = layer_padding(l->in.width, l->out.width, l->size, l->stride);
    const int down = (l->out.height - 1) * l->stride + l->size - l->in.height - top;
    const int right = (l->out.width - 1) * l->stride + l->size - l->in.width - left;
    const struct net_shape padded = {l->in.height + top + (down > 0 ? down : 0),
                                     l->in.width + left + (right > 0 ? right : 0), l->in.channels};
    char type[TYPE_BYTES];
    if (padded.height == l->in.height && padded.width == l->in.width)
        return 0;
    tensor_type(type, w->batch, padded);
    buf_printf(w->out,
               "    %%p%zu = tensor.pad %%x%zu low[0, %d, %d, 0] high[0, %d, %d, 0] {\n"
               "    ^bb0(%%n: index, %%y: index, %%x: index, %%c: index):\n"
               "      tensor.yield %%zero : f32\n    } : %s to %s\n",
               n->i, n->i, top, left, down > 0 ? down : 0, right > 0 ? right : 0, n->in, type);
    memcpy(n->in, type, sizeof n->in);
    return 1;
}

static void put_windows(const struct writer *w, const struct net_layer *l, struct names *n)
{
    const char from = put_padding(w, l, n) ? 'p' : 'x';
    buf_printf(w->out,
               "    %%%s = linalg.%s {dilations = dense<1> : vector<2xi64>, "
               "strides = dense<%d> : vector<2xi64>} ins(%%%c%zu, %%w%zu : %s, %s) "
               "outs(%%s%zu : %s) -> %s\n",
               n->sums, l->kind == NET_CONV ? "conv_2d_nhwc_hwcf" : "depthwise_conv_2d_nhwc_hwc",
               l->stride, from, n->i, n->i, n->in, n->weights, n->i, n->out, n->out);
}

static void put_dense(const struct writer *w, const struct net_layer *l, struct names *n)
{
    char flat[TYPE_BYTES];
    const int is_flat = l->in.height * l->in.width == 1;
    snprintf(flat, sizeof flat, "tensor<%ldx%zuxf32>", w->batch, net_size(l->in));
    if (!is_flat)
        buf_printf(w->out,
                   "    %%f%zu = tensor.collapse_shape %%x%zu [[0], [1, 2, 3]] : %s into %s\n",
                   n->i, n->i, n->in, flat);
    buf_printf(w->out,
               "    %%%s = linalg.matmul ins(%%%c%zu, %%w%zu : %s, %s) outs(%%s%zu : %s) -> "
               "%s\n",
               n->sums, is_flat ? 'x' : 'f', n->i, n->i, flat, n->weights, n->i, n->out, n->out);
}

static void put_sum(const struct writer *w, const struct names *n)
{
    buf_printf(w->out,
               "    %%%s = linalg.reduce {arith.addf} ins(%%x%zu : %s) outs(%%s%zu : %s) "
               "dimensions = [1, 2]\n",
               n->sums, n->i, n->in, n->i, n->out);
}

static void put_layer(const struct writer *w, size_t i)
{
    const struct net_layer *l = &w->net->layer[i];
    struct names n = {.i = i};
    const int has_more = l->is_relu || l->kind == NET_MEAN;
    snprintf(n.sums, sizeof n.sums, has_more ? "a%zu" : "x%zu", has_more ? i : i + 1);
    tensor_type(n.in, w->batch, l->in);
    tensor_type(n.out, w->batch, l->out);
    weights_type(n.weights, l);
    put_start(w, l, &n);
    switch (l->kind) {
    case NET_CONV:
    case NET_DEPTHWISE: put_windows(w, l, &n); break;
    case NET_MEAN: put_sum(w, &n); break;
    case NET_DENSE: put_dense(w, l, &n); break;
    }
    if (l->kind == NET_MEAN)
        put_result(w, "mul", 1.0 / (l->in.height * l->in.width), &n);
    else if (l->is_relu)
        put_result(w, "max_signed", 0, &n);
}

void mlir_text(const struct net *net, long batch, struct buf *out)
{
    const struct writer w = {net, batch, out};
    char from[TYPE_BYTES], to[TYPE_BYTES];
    tensor_type(from, batch, net->layer[0].in);
    tensor_type(to, batch, net->layer[net->n - 1].out);
    buf_printf(out,
               "module {\n  func.func @%s(%%x0: %s) -> %s attributes {llvm.emit_c_interface} {\n"
               "    %%zero = arith.constant 0.0 : f32\n",
               net->name, from, to);
    for (size_t i = 0; i < net->n; i++)
        put_values(&w, i);
    for (size_t i = 0; i < net->n; i++)
        put_layer(&w, i);
    buf_printf(out, "    return %%x%zu : %s\n  }\n}\n", net->n, to);
}
