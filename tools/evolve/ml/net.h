/* net.h - small networks for small images, in plain C: to train them, and as what their MLIR has
   to compute
   SPDX-License-Identifier: MIT

   Images and what layers make of them are height x width x channels (NHWC); weights are as
   linalg's conv_2d_nhwc_hwcf and depthwise_conv_2d_nhwc_hwc have them. */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* ---- layers ---- */

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

/* ---- networks ---- */

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
void net_learn(struct net *net, const struct images *images, const struct net_plan *plan,
               void (*tell)(long epoch, long epochs));

/* ---- labelled images, and their parts ---- */

/* The first column is `label`, from 0 on; the others are an image's numbers, row by row. */

enum { IMAGES_LABELS = 1000 };

/* A part is of the images of each label, dealt out in turn. The test parts of the IMAGES_SPLITS
   splits are five fifths of all images: so each is tested once. */
enum images_part {
    IMAGES_TRAIN,    /* 55 %: a network learns from them */
    IMAGES_SEARCH,   /* 15 %: a search sees its errors on them */
    IMAGES_VALIDATE, /* 10 %: they choose from what it found */
    IMAGES_TEST      /* 20 %: nothing has seen them */
};
enum { IMAGES_SPLITS = 5 };

/* -1 after a message with FILE:LINE; then there is nothing to be freed */
int images_read(struct images *images, const char *path);
/* A copy */
struct images images_part(const struct images *all, int split, enum images_part part);
int images_labels(const struct images *images); /* one more than the largest */
/* Square images of one channel: 0, or -1 with a message that names the file */
int images_shape(const struct images *images, const char *path, struct net_shape *shape);
void images_free(struct images *images);

/* ---- a network as an MLIR module ---- */

struct buf;

/* Waste that may be planted in the layer with the most multiplications, to see whether a search
   finds it: labels stay, but for the last bit of a number. No pass of MLIR or LLVM removes it. */
enum mlir_plant {
    PLANT_NOTHING,
    PLANT_DOUBLED,  /* the layer is computed twice, and the larger numbers are taken */
    PLANT_IDENTITY, /* behind it is a layer that changes nothing */
    PLANT_DEAD      /* another layer is added, times 0 */
};

/* Appends a module of linalg on tensors with a function of the network's name: a batch of images
   goes in, a number for each label of each comes out. Values are constants, by their bits. */
void mlir_text(const struct net *net, long batch, enum mlir_plant plant, struct buf *out);

/* ---- a step of training as an MLIR module ---- */

/* Appends a module with a function NAME_step of the network `dense`: its values in their order, a
   batch of images, and for each the labels, 1 for its own and 0 for the others, go in; the values
   behind one step of stochastic gradient descent come out: each less `rate` times the slope of the
   mean cross-entropy. -1 after a message if the network is another one. */
int step_text(const struct net *net, long batch, double rate, struct buf *out);
