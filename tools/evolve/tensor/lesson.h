/* lesson.h - a program that is a step of training: what it learns from, and the network that it
   trains
   SPDX-License-Identifier: MIT */
#pragma once

#include "evolve/ml/images.h"
#include "tensor.h"

struct lesson {              /* to be closed */
    struct net net;          /* `dense`, with the values that training begins with */
    struct tensor_type type; /* values, a batch of images, their labels; and values again */
    long steps;
    float *pixel, *label; /* of all steps, batch by batch; of a label 1 for its own, else 0 */
};

/* Is the program of the form of a step? Its inputs are three then. */
int lesson_is_one(const struct tensor_type *type);
/* The batches are drawn from the images, each once before any comes again. -1 after a message: the
   values are not those of `dense`, or images and labels are not as many. */
int lesson_open(struct lesson *l, const struct tensor_type *type, const char *path,
                const struct images *images, struct net_shape shape, int n_labels, long steps,
                uint64_t seed);
void lesson_close(struct lesson *l);

/* So many steps, from the values that training begins with to `values`; `other` has room for as
   many. -1 if the code needs too much memory. */
int lesson_run(const struct lesson *l, ev_kernel *entry, const float *start, const float *pixel,
               const float *label, long steps, float *values, float *other);
/* The share of the images that the network gets wrong with these values; what is not finite is
   wrong */
double lesson_error(const struct lesson *l, const float *values, const struct images *images);
