/* mlir_text.c - a network, and a step of its training, as MLIR modules
   SPDX-License-Identifier: MIT

   Layer i takes %xI and makes %x(I + 1) of it; its weights are %wI, its biases %bI, an empty
   tensor of what it makes %eI, and what its sums begin with %sI. A planted layer is number
   PLANTED. */
#include "net.h"

#include "base/util.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { TYPE_BYTES = 80, NAME_BYTES = 24, PLANTED = NET_LAYERS };

struct writer {
    long batch;
    struct buf *out;
};

/* What the layer at hand is written with */
struct names {
    size_t i;
    char in[TYPE_BYTES], out[TYPE_BYTES], weights[TYPE_BYTES];
    char from[NAME_BYTES], result[NAME_BYTES];
    char sums[NAME_BYTES]; /* the result, if nothing is done with them */
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

static void put_values(const struct writer *w, size_t i, const struct net_layer *l,
                       const float *weights, const float *biases)
{
    char type[TYPE_BYTES];
    if (l->n_biases == 0)
        return;
    weights_type(type, l);
    buf_printf(w->out, "    %%w%zu = arith.constant dense<\"0x", i);
    put_bits(w->out, weights, l->n_weights);
    buf_printf(w->out, "\"> : %s\n    %%b%zu = arith.constant dense<\"0x", type, i);
    put_bits(w->out, biases, l->n_biases);
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
               "    %%%s = linalg.elemwise_binary {fun = #linalg.binary_fn<%s>} "
               "ins(%%%s, %%c%zu : %s, %s) outs(%%e%zu : %s) -> %s\n",
               n->result, what, n->sums, n->i, n->out, n->out, n->i, n->out, n->out);
}

/* Zeros around the images, if there are any: what comes in is %pI then. */
static void put_padding(const struct writer *w, const struct net_layer *l, struct names *n)
{
    const int top = layer_padding(l->in.height, l->out.height, l->size, l->stride);
    const int left = layer_padding(l->in.width, l->out.width, l->size, l->stride);
    const int down = (l->out.height - 1) * l->stride + l->size - l->in.height - top;
    const int right = (l->out.width - 1) * l->stride + l->size - l->in.width - left;
    const struct net_shape padded = {l->in.height + top + (down > 0 ? down : 0),
                                     l->in.width + left + (right > 0 ? right : 0), l->in.channels};
    char type[TYPE_BYTES];
    if (padded.height == l->in.height && padded.width == l->in.width)
        return;
    tensor_type(type, w->batch, padded);
    buf_printf(w->out,
               "    %%p%zu = tensor.pad %%%s low[0, %d, %d, 0] high[0, %d, %d, 0] {\n"
               "    ^bb0(%%n: index, %%y: index, %%x: index, %%c: index):\n"
               "      tensor.yield %%zero : f32\n    } : %s to %s\n",
               n->i, n->from, top, left, down > 0 ? down : 0, right > 0 ? right : 0, n->in, type);
    memcpy(n->in, type, sizeof n->in);
    snprintf(n->from, sizeof n->from, "p%zu", n->i);
}

static void put_windows(const struct writer *w, const struct net_layer *l, struct names *n)
{
    put_padding(w, l, n);
    buf_printf(w->out,
               "    %%%s = linalg.%s {dilations = dense<1> : vector<2xi64>, "
               "strides = dense<%d> : vector<2xi64>} ins(%%%s, %%w%zu : %s, %s) "
               "outs(%%s%zu : %s) -> %s\n",
               n->sums, l->kind == NET_CONV ? "conv_2d_nhwc_hwcf" : "depthwise_conv_2d_nhwc_hwc",
               l->stride, n->from, n->i, n->in, n->weights, n->i, n->out, n->out);
}

static void put_dense(const struct writer *w, const struct net_layer *l, struct names *n)
{
    char flat[TYPE_BYTES];
    const int is_flat = l->in.height * l->in.width == 1;
    snprintf(flat, sizeof flat, "tensor<%ldx%zuxf32>", w->batch, net_size(l->in));
    if (!is_flat) {
        buf_printf(w->out,
                   "    %%f%zu = tensor.collapse_shape %%%s [[0], [1, 2, 3]] : %s into %s\n", n->i,
                   n->from, n->in, flat);
        snprintf(n->from, sizeof n->from, "f%zu", n->i);
    }
    buf_printf(w->out,
               "    %%%s = linalg.matmul ins(%%%s, %%w%zu : %s, %s) outs(%%s%zu : %s) -> "
               "%s\n",
               n->sums, n->from, n->i, flat, n->weights, n->i, n->out, n->out);
}

static void put_sum(const struct writer *w, const struct names *n)
{
    buf_printf(w->out,
               "    %%%s = linalg.reduce {arith.addf} ins(%%%s : %s) outs(%%s%zu : %s) "
               "dimensions = [1, 2]\n",
               n->sums, n->from, n->in, n->i, n->out);
}

/* From a value to another one, with the values that have its number */
static void put_layer(const struct writer *w, size_t i, const struct net_layer *l, const char *from,
                      const char *result)
{
    struct names n = {.i = i};
    const int has_more = l->is_relu || l->kind == NET_MEAN;
    snprintf(n.from, sizeof n.from, "%s", from);
    snprintf(n.result, sizeof n.result, "%s", result);
    snprintf(n.sums, sizeof n.sums, "a%zu", i);
    if (!has_more)
        memcpy(n.sums, n.result, sizeof n.sums);
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

/* ---- waste ---- */

static void put_binary(const struct writer *w, const char *result, const char *what, const char *a,
                       const char *b, const struct net_layer *l)
{
    char type[TYPE_BYTES];
    tensor_type(type, w->batch, l->out);
    buf_printf(w->out,
               "    %%%s = linalg.elemwise_binary {fun = #linalg.binary_fn<%s>} ins(%%%s, %%%s : "
               "%s, %s) outs(%%e%d : %s) -> %s\n",
               result, what, a, b, type, type, PLANTED, type, type);
}

/* The layer, which makes %y, once more, but for the last bit of a weight: %x is the larger of
   both. */
static void plant_doubled(const struct writer *w, const struct net_layer *l, const float *value,
                          const char *from, const char *x)
{
    float *weights = xcalloc(l->n_weights, sizeof *weights);
    memcpy(weights, value + l->weights, l->n_weights * sizeof *weights);
    weights[0] = nextafterf(weights[0], 0);
    put_values(w, PLANTED, l, weights, value + l->biases);
    put_layer(w, PLANTED, l, from, "z");
    put_binary(w, x, "max_signed", "y", "z", l);
    free(weights);
}

/* A layer whose weights are 1 from each channel to itself, else 0 */
static void plant_identity(const struct writer *w, const struct net_layer *l, const char *x)
{
    struct net_layer same = *l;
    const size_t channels = (size_t)l->out.channels;
    same.kind = l->out.height * l->out.width == 1 ? NET_DENSE : NET_CONV;
    same.in = l->out;
    same.size = same.stride = 1;
    same.is_relu = 0;
    same.n_weights = channels * channels;
    same.n_biases = channels;
    float *weights = xcalloc(same.n_weights, sizeof *weights);
    float *biases = xcalloc(channels, sizeof *biases);
    for (size_t i = 0; i < channels; i++)
        weights[i * channels + i] = 1;
    put_values(w, PLANTED, &same, weights, biases);
    put_layer(w, PLANTED, &same, "y", x);
    free(weights);
    free(biases);
}

/* The layer with its weights backwards, times 0, is added. */
static void plant_dead(const struct writer *w, const struct net_layer *l, const float *value,
                       const char *from, const char *x)
{
    char type[TYPE_BYTES];
    float *weights = xcalloc(l->n_weights, sizeof *weights);
    for (size_t i = 0; i < l->n_weights; i++)
        weights[i] = value[l->weights + l->n_weights - 1 - i];
    put_values(w, PLANTED, l, weights, value + l->biases);
    put_layer(w, PLANTED, l, from, "z");
    tensor_type(type, w->batch, l->out);
    buf_printf(w->out, "    %%none = arith.constant dense<0.0> : %s\n", type);
    put_binary(w, "nothing", "mul", "z", "none", l);
    put_binary(w, x, "add", "y", "nothing", l);
    free(weights);
}

static void put_planted(const struct writer *w, const struct net *net, size_t i,
                        enum mlir_plant plant)
{
    const struct net_layer *l = &net->layer[i];
    char from[NAME_BYTES], x[NAME_BYTES];
    snprintf(from, sizeof from, "x%zu", i);
    snprintf(x, sizeof x, "x%zu", i + 1);
    put_layer(w, i, l, from, plant == PLANT_NOTHING ? x : "y");
    switch (plant) {
    case PLANT_NOTHING: break;
    case PLANT_DOUBLED: plant_doubled(w, l, net->value, from, x); break;
    case PLANT_IDENTITY: plant_identity(w, l, x); break;
    case PLANT_DEAD: plant_dead(w, l, net->value, from, x); break;
    }
}

/* ---- all of it ---- */

void mlir_text(const struct net *net, long batch, enum mlir_plant plant, struct buf *out)
{
    const struct writer w = {batch, out};
    char from[TYPE_BYTES], to[TYPE_BYTES];
    tensor_type(from, batch, net->layer[0].in);
    tensor_type(to, batch, net->layer[net->n - 1].out);
    buf_printf(out,
               "module {\n  func.func @%s(%%x0: %s) -> %s attributes {llvm.emit_c_interface} {\n"
               "    %%zero = arith.constant 0.0 : f32\n",
               net->name, from, to);
    for (size_t i = 0; i < net->n; i++)
        put_values(&w, i, &net->layer[i], net->value + net->layer[i].weights,
                   net->value + net->layer[i].biases);
    for (size_t i = 0; i < net->n; i++)
        put_planted(&w, net, i, i == net_widest(net) ? plant : PLANT_NOTHING);
    buf_printf(out, "    return %%x%zu : %s\n  }\n}\n", net->n, to);
}

/* ---- a step of training ---- */

static const char *const step[] = {
#include "step_text.h" /* the lines of step.mlir; evolve.mk makes it */
};

/* B images of I numbers, as X has them; H hidden numbers, L labels; V values: W weights and H
   biases of the first layer, U weights from P on and L biases from Q on of the second; R: the rate
   by the batch */
static void mlir_text_put(const struct net *net, long batch, double rate, char letter,
                          struct buf *out)
{
    const struct net_layer *first = &net->layer[0], *second = &net->layer[1];
    switch (letter) {
    case 'N': buf_puts(out, net->name); break;
    case 'B': buf_printf(out, "%ld", batch); break;
    case 'I': buf_printf(out, "%zu", net_size(first->in)); break;
    case 'X':
        buf_printf(out, "%ldx%dx%dx%d", batch, first->in.height, first->in.width,
                   first->in.channels);
        break;
    case 'H': buf_printf(out, "%d", first->out.channels); break;
    case 'L': buf_printf(out, "%d", second->out.channels); break;
    case 'V': buf_printf(out, "%zu", net->n_values); break;
    case 'W': buf_printf(out, "%zu", first->n_weights); break;
    case 'U': buf_printf(out, "%zu", second->n_weights); break;
    case 'P': buf_printf(out, "%zu", second->weights); break;
    case 'Q': buf_printf(out, "%zu", second->biases); break;
    case 'R': buf_printf(out, "%.9e", rate / (double)batch); break;
    default: buf_add(out, &letter, 1); break;
    }
}

int step_text(const struct net *net, long batch, double rate, struct buf *out)
{
    if (strcmp(net->name, "dense") != 0)
        return fail("network \"%s\": a step of training is there for dense alone", net->name);
    for (size_t i = 0; i < sizeof step / sizeof *step; i++)
        for (const char *at = step[i]; *at != '\0'; at++)
            mlir_text_put(net, batch, rate, *at, out);
    return 0;
}
