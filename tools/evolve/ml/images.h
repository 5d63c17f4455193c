/* images.h - labelled images from a CSV file, and their parts
   SPDX-License-Identifier: MIT

   The first column is `label`, from 0 on; the others are an image's numbers, row by row. */
#pragma once

#include "net.h"

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
