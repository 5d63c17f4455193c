/* train.c - labelled images, and stochastic gradient descent on them
   SPDX-License-Identifier: MIT

   net.h declares it. */
#include "net.h"

#include "base/csv_records.h"
#include "base/numbers.h"
#include "base/util.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- images: reading ---- */

enum { MOST_BYTES = 1 << 30 };

static int read_label(const struct csv_records *c, int *label)
{
    char *end;
    errno = 0;
    const long v = strtol(c->cell[0], &end, 10);
    if (end == c->cell[0] || *end != '\0' || errno != 0 || v < 0 || v >= IMAGES_LABELS)
        return fail("%s:%ld: label: \"%s\" is no integer of 0..%d", c->path, c->at, c->cell[0],
                    IMAGES_LABELS - 1);
    *label = (int)v;
    return 0;
}

static int read_pixels(const struct csv_records *c, float *pixel)
{
    for (size_t i = 1; i < c->n; i++) {
        char *end;
        pixel[i - 1] = strtof(c->cell[i], &end);
        if (end == c->cell[i] || *end != '\0' || !isfinite(pixel[i - 1]))
            return fail("%s:%ld: %s: \"%s\" is no number", c->path, c->at, c->header[i],
                        c->cell[i]);
    }
    return 0;
}

static int read_row(struct images *images, const struct csv_records *c, size_t *cap)
{
    struct buf why = {0};
    if (c->n != c->n_header) {
        fail("%s:%ld: %s", c->path, c->at, csv_records_ragged(c, &why));
        buf_free(&why);
        return -1;
    }
    if (images->n == *cap) {
        *cap = 2 * *cap + 64;
        images->pixel = xrealloc(images->pixel, *cap * images->size, sizeof *images->pixel);
        images->label = xrealloc(images->label, *cap, sizeof *images->label);
    }
    if (read_label(c, &images->label[images->n]) != 0
        || read_pixels(c, images->pixel + images->n * images->size) != 0)
        return -1;
    images->n++;
    return 0;
}

static int read_rows(struct images *images, struct csv_records *c)
{
    size_t cap = 0;
    int rc = csv_records_next(c);
    if (rc < 0 || (rc > 0 && csv_records_check_header(c) != 0))
        return -1;
    if (c->n_header < 2 || strcmp(c->header[0], "label") != 0)
        return fail("%s:%ld: the first column is \"%s\": it has to be \"label\", with an image's "
                    "numbers behind it",
                    c->path, c->at, c->n_header > 0 ? c->header[0] : "");
    images->size = c->n_header - 1;
    while ((rc = csv_records_next(c)) > 0)
        if (read_row(images, c, &cap) != 0)
            return -1;
    return rc < 0 ? -1 : images->n > 0 ? 0 : fail("%s: there is no image", c->path);
}

int images_read(struct images *images, const char *path)
{
    struct buf text = {0};
    struct csv_records c;
    memset(images, 0, sizeof *images);
    if (read_text(path, MOST_BYTES, &text) != 0)
        return -1;
    int rc = csv_records_open(&c, path, &text);
    if (rc == 0)
        rc = read_rows(images, &c);
    csv_records_close(&c);
    buf_free(&text);
    if (rc != 0)
        images_free(images);
    return rc;
}

void images_free(struct images *images)
{
    free(images->pixel);
    free(images->label);
    memset(images, 0, sizeof *images);
}

/* ---- images: what they are ---- */

int images_labels(const struct images *images)
{
    int most = 0;
    for (size_t i = 0; i < images->n; i++)
        most = images->label[i] > most ? images->label[i] : most;
    return most + 1;
}

int images_shape(const struct images *images, const char *path, struct net_shape *shape)
{
    int side = 1;
    while ((size_t)side * (size_t)side < images->size)
        side++;
    if ((size_t)side * (size_t)side != images->size)
        return fail("%s: an image has %zu numbers: they make no square", path, images->size);
    *shape = (struct net_shape){side, side, 1};
    return 0;
}

/* ---- images: parts ---- */

enum { ROUND = 20 }; /* a round of dealing: 4 to the test, 2 to validate, 3 to the search */

static enum images_part part_of(size_t dealt, int split)
{
    const size_t at = (dealt + (size_t)(ROUND - split * (ROUND / IMAGES_SPLITS))) % ROUND;
    return at < 4 ? IMAGES_TEST : at < 6 ? IMAGES_VALIDATE : at < 9 ? IMAGES_SEARCH : IMAGES_TRAIN;
}

struct images images_part(const struct images *all, int split, enum images_part part)
{
    struct images p = {.size = all->size};
    size_t *dealt = xcalloc(IMAGES_LABELS, sizeof *dealt); /* of each label */
    p.pixel = xcalloc(all->n * all->size + 1, sizeof *p.pixel);
    p.label = xcalloc(all->n + 1, sizeof *p.label);
    for (size_t i = 0; i < all->n; i++) {
        if (part_of(dealt[all->label[i]]++, split) != part)
            continue;
        memcpy(p.pixel + p.n * p.size, all->pixel + i * all->size, p.size * sizeof *p.pixel);
        p.label[p.n++] = all->label[i];
    }
    free(dealt);
    return p;
}

/* ---- training ---- */

const struct net_plan net_usual = {
    .epochs = 40, .batch = 16, .rate = 0.05, .momentum = 0.9, .seed = 1};

struct training {
    struct net *net;
    const struct images *images;
    const struct net_plan *plan;
    float *at[NET_LAYERS + 1]; /* what goes into each layer; at the end what comes out */
    float *slope_at[NET_LAYERS + 1];
    float *slope, *speed; /* of each value: of this batch; with the batches before */
    size_t *order;
};

static void open_training(struct training *t)
{
    const struct net *net = t->net;
    for (size_t i = 0; i <= net->n; i++) {
        const size_t n = net_size(i < net->n ? net->layer[i].in : net->layer[net->n - 1].out);
        t->at[i] = xcalloc(n, sizeof *t->at[i]);
        t->slope_at[i] = xcalloc(n, sizeof *t->slope_at[i]);
    }
    t->slope = xcalloc(net->n_values, sizeof *t->slope);
    t->speed = xcalloc(net->n_values, sizeof *t->speed);
    t->order = xcalloc(t->images->n, sizeof *t->order);
    for (size_t i = 0; i < t->images->n; i++)
        t->order[i] = i;
}

static void close_training(struct training *t)
{
    for (size_t i = 0; i <= t->net->n; i++) {
        free(t->at[i]);
        free(t->slope_at[i]);
    }
    free(t->slope);
    free(t->speed);
    free(t->order);
}

/* The slopes of the cross-entropy: the probabilities less the truth */
static void slope_of_loss(const float *out, int n, int label, float *slope)
{
    float most = out[0], sum = 0;
    for (int i = 1; i < n; i++)
        most = out[i] > most ? out[i] : most;
    for (int i = 0; i < n; i++)
        sum += slope[i] = num_exp2(1.44269504f * (out[i] - most));
    for (int i = 0; i < n; i++)
        slope[i] = slope[i] / sum - (i == label ? 1 : 0);
}

static void learn_image(struct training *t, size_t image)
{
    const struct net *net = t->net;
    const struct images *all = t->images;
    memcpy(t->at[0], all->pixel + image * all->size, all->size * sizeof(float));
    for (size_t i = 0; i < net->n; i++)
        layer_run(&net->layer[i], net->value, t->at[i], t->at[i + 1]);
    slope_of_loss(t->at[net->n], net->layer[net->n - 1].out.channels, all->label[image],
                  t->slope_at[net->n]);
    for (size_t i = net->n; i-- > 0;)
        layer_learn(&net->layer[i], net->value, t->at[i], t->at[i + 1], t->slope_at[i + 1],
                    t->slope_at[i], t->slope);
}

static void learn_batch(struct training *t, size_t from, size_t n, float rate)
{
    const size_t n_values = t->net->n_values;
    memset(t->slope, 0, n_values * sizeof *t->slope);
    for (size_t i = 0; i < n; i++)
        learn_image(t, t->order[from + i]);
    for (size_t i = 0; i < n_values; i++) {
        t->speed[i] = (float)t->plan->momentum * t->speed[i] - rate / (float)n * t->slope[i];
        t->net->value[i] += t->speed[i];
    }
}

void net_train(struct net *net, const struct images *images, const struct net_plan *plan,
               void (*tell)(long epoch, long epochs))
{
    struct training t = {.net = net, .images = images, .plan = plan};
    const size_t batch = (size_t)plan->batch;
    uint64_t random = plan->seed;
    open_training(&t);
    for (long epoch = 0; epoch < plan->epochs; epoch++) {
        const double done = (double)epoch / (double)plan->epochs;
        const float rate = (float)(plan->rate * 0.5 * (1 + cos(3.14159265358979 * done)));
        num_shuffle_on(t.order, images->n, &random);
        for (size_t from = 0; from < images->n; from += batch)
            learn_batch(&t, from, images->n - from < batch ? images->n - from : batch, rate);
        if (tell != NULL)
            tell(epoch + 1, plan->epochs);
    }
    close_training(&t);
}
