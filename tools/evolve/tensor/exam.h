/* exam.h - programs of tensors as networks: examined, trained, compared with networks in C
   SPDX-License-Identifier: MIT */
#pragma once

#include "evolve/ml/net.h"
#include "tensor.h"

#include "base/util.h"

/* ---- a step of training: what it learns from, and the network that it trains ---- */

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

/* ---- labelled images as the harness of a program ---- */

/* Its errors are wrong labels, its time is that of one batch. A program of one input is a
   network: it makes numbers of images. One of three is a step of training: its errors are those
   of the network that it trains. Harnesses have no data of their own: there is one exam at a
   time. */

enum exam_part { EXAM_SEARCH, EXAM_VALIDATE, EXAM_TEST, EXAM_PARTS };

struct exam {
    const char *path; /* of the program, for messages */
    struct tensor_type type;
    int n_labels;
    struct images part[EXAM_PARTS];
    struct lesson lesson; /* of a step of training; else it has no steps */
};

struct exam_plan {
    const char *path, *data; /* of the program and of the images, for messages */
    int split;               /* from 0 on */
    long steps;              /* of training */
    uint64_t seed;           /* of what training begins with, and of the order of images */
};

/* Takes the parts of a split, to be freed by exam_close. -1 after a message: the program is not one
   of such images and labels. */
int exam_open(struct exam *x, const struct tensor_program *p, const struct images *all,
              const struct exam_plan *plan);
void exam_close(struct exam *x);

/* Of that part, until the exam is closed: a timed case of one batch, or of a few steps, whose
   outputs do not count; and an untimed one of all images, or of all steps, whose error is the share
   of wrong labels */
const struct ev_harness *exam_harness(enum exam_part part);
/* The same error of code that can be trusted, called here: 0..1, or -1 after a message */
double exam_error(const struct exam *x, ev_kernel *entry, enum exam_part part);
/* The share of the most frequent label's images, which any constant answer gets right */
double exam_chance(const struct exam *x, enum exam_part part);

/* ---- the module of a network, and the network in C ---- */

/* Compiles the text of a module, whose path is for messages, and prints how far its numbers are
   from the network's; -1 after a message, which is one too if an image gets another label. */
int twin_check(const struct net *net, const struct images *images, size_t batch, const char *path,
               const struct buf *text);
