/* layers.h - one layer of a network, forwards and backwards
   SPDX-License-Identifier: MIT */
#pragma once

#include <stddef.h>

enum net_kind {
    NET_CONV,      /* windows of size x size; with stride 1 height and width stay */
    NET_DEPTHWISE, /* the same, each channel by itself */
    NET_MEAN,      /* over height and width */
    NET_DENSE      /* of all that comes in */
};

struct net_shape {
    int height, width, channels;
};

struct net_layer {
    enum net_kind kind;
    struct net_shape in, out;
    int size, stride;                            /* of windows */
    int is_relu;                                 /* what is below 0 becomes 0 */
    size_t weights, n_weights, biases, n_biases; /* where in the values, and how many */
};

size_t net_size(struct net_shape s); /* how many numbers it has */

/* Zeros before the border, of windows that reach over it */
int layer_padding(int in, int out, int size, int stride);
/* `value`: the network's */
void layer_run(const struct net_layer *l, const float *value, const float *in, float *out);
/* From what came in, what went out, and the slope of the loss by each number that went out (it is
   changed): adds to `slope_value`, one for each value, and sets `slope_in`. */
void layer_learn(const struct net_layer *l, const float *value, const float *in, const float *out,
                 float *slope_out, float *slope_in, float *slope_value);
