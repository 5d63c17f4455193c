/* net.h - small networks for small images, in plain C: to train them, and as what their MLIR has to
   compute
   SPDX-License-Identifier: MIT

   Images and what layers make of them are height x width x channels (NHWC); weights are as linalg's
   conv_2d_nhwc_hwcf and depthwise_conv_2d_nhwc_hwc have them. */
#pragma once

#include "layers.h"

#include <stdint.h>

enum { NET_LAYERS = 16 };

struct net { /* to be closed */
    const char *name;
    size_t n, n_values; /* layers; weights and biases of all */
    struct net_layer layer[NET_LAYERS];
    float *value;
};

struct images {     /* with labels from 0 on */
    size_t n, size; /* size: numbers of an image */
    float *pixel;
    int *label;
};

/* "dense": two fully connected layers, as GEVO-ML's 2fcNet; "mobile": depthwise separable
   convolutions, as MobileNet's. Their values are random. -1 after a message for another name. */
int net_open(struct net *net, const char *name, struct net_shape in, int n_labels, uint64_t seed);
void net_close(struct net *net);

/* The layer with the most multiplications that is not the last */
size_t net_widest(const struct net *net);

/* What the last layer makes of an image: a number for each label, the largest for the likeliest */
void net_run(const struct net *net, const float *image, float *out);
int net_likeliest(const float *out, int n); /* the first of the largest of n numbers */
/* The share of the images whose label is the likeliest */
double net_accuracy(const struct net *net, const struct images *images);

struct net_plan {
    long epochs, batch;
    double rate, momentum; /* the rate falls to 0 along half a cosine */
    uint64_t seed;         /* of the order of the images */
};
extern const struct net_plan net_usual;

/* Minimises the mean cross-entropy by stochastic gradient descent. `tell` (may be NULL) hears of
   each epoch that is over. */
void net_train(struct net *net, const struct images *images, const struct net_plan *plan,
               void (*tell)(long epoch, long epochs));
