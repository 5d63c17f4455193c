/* exam.h - labelled images as the harness of a program: its errors are wrong labels, its time is
   that of one batch
   SPDX-License-Identifier: MIT

   A program of one input is a network: it makes numbers of images. One of three is a step of
   training: its errors are those of the network that it trains. Harnesses have no data of their
   own: there is one exam at a time. */
#pragma once

#include "lesson.h"

enum exam_part { EXAM_SEARCH, EXAM_VALIDATE, EXAM_TEST, EXAM_PARTS };
extern const char *const exam_names[EXAM_PARTS]; /* "search", "validate", "test" */

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
