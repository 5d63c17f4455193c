/* lesson.c - a program that is a step of training
   SPDX-License-Identifier: MIT

   lesson.h declares it. */
#include "lesson.h"

#include "base/numbers.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { VALUES, IMAGES, LABELS, N_INPUTS }; /* of a step */

int lesson_is_one(const struct tensor_type *type)
{
    return type->n_in == N_INPUTS;
}

static size_t batch_of(const struct lesson *l)
{
    return (size_t)l->type.in[IMAGES].size[0];
}

static size_t labels_of(const struct lesson *l)
{
    return (size_t)l->type.in[LABELS].size[1];
}

static size_t size_of(const struct engine_tensor *t)
{
    size_t size = 1;
    for (int i = 1; i < t->rank; i++)
        size *= (size_t)t->size[i];
    return size;
}

static int check(const struct lesson *l, const char *path, const struct images *images,
                 int n_labels)
{
    const struct engine_tensor *in = l->type.in, *out = &l->type.out;
    const long n = (long)l->net.n_values;
    if (in[VALUES].rank != 1 || in[VALUES].size[0] != n || out->rank != 1 || out->size[0] != n)
        return fail("%s: a step of training takes and gives the %ld values of dense", path, n);
    if (in[IMAGES].rank < 2 || size_of(&in[IMAGES]) != images->size)
        return fail("%s: its second input is no batch of images of %zu numbers", path,
                    images->size);
    if (in[LABELS].rank != 2 || in[LABELS].size[0] != in[IMAGES].size[0]
        || in[LABELS].size[1] != n_labels)
        return fail("%s: its third input does not have %d numbers for each of %ld images", path,
                    n_labels, in[IMAGES].size[0]);
    return 0;
}

/* ---- batches ---- */

static void deal(struct lesson *l, const struct images *images, uint64_t random)
{
    const size_t n = (size_t)l->steps * batch_of(l), n_labels = labels_of(l);
    size_t *order = xcalloc(images->n, sizeof *order);
    l->pixel = xcalloc(n * images->size, sizeof *l->pixel);
    l->label = xcalloc(n * n_labels, sizeof *l->label);
    for (size_t i = 0; i < images->n; i++)
        order[i] = i;
    for (size_t i = 0; i < n; i++) {
        if (i % images->n == 0)
            num_shuffle_on(order, images->n, &random);
        const size_t image = order[i % images->n];
        memcpy(l->pixel + i * images->size, images->pixel + image * images->size,
               images->size * sizeof *l->pixel);
        l->label[i * n_labels + (size_t)images->label[image]] = 1;
    }
    free(order);
}

int lesson_open(struct lesson *l, const struct tensor_type *type, const char *path,
                const struct images *images, struct net_shape shape, int n_labels, long steps,
                uint64_t seed)
{
    memset(l, 0, sizeof *l);
    l->type = *type;
    l->steps = steps;
    if (net_open(&l->net, "dense", shape, n_labels, seed) != 0)
        return -1;
    if (check(l, path, images, n_labels) != 0) {
        lesson_close(l);
        return -1;
    }
    deal(l, images, seed);
    return 0;
}

void lesson_close(struct lesson *l)
{
    net_close(&l->net);
    free(l->pixel);
    free(l->label);
    memset(l, 0, sizeof *l);
}

/* ---- training ---- */

/* The last step gives `values`, and the others one and the other by turns. */
int lesson_run(const struct lesson *l, ev_kernel *entry, const float *start, const float *pixel,
               const float *label, long steps, float *values, float *other)
{
    struct engine_tensor in[N_INPUTS], out = l->type.out;
    memcpy(in, l->type.in, sizeof in);
    in[VALUES].at = (float *)(uintptr_t)start;
    for (long i = 0; i < steps; i++) {
        const size_t first = (size_t)i * batch_of(l);
        in[IMAGES].at = (float *)(uintptr_t)(pixel + first * size_of(&in[IMAGES]));
        in[LABELS].at = (float *)(uintptr_t)(label + first * labels_of(l));
        out.at = (steps - i) % 2 == 1 ? values : other;
        if (engine_run(entry, in, N_INPUTS, &out) != 0)
            return -1;
        in[VALUES].at = out.at;
    }
    return 0;
}

double lesson_error(const struct lesson *l, const float *values, const struct images *images)
{
    struct net net = l->net;
    const int n = (int)labels_of(l);
    float *out = xcalloc((size_t)n, sizeof *out);
    size_t wrong = 0;
    net.value = (float *)(uintptr_t)values;
    for (size_t i = 0; i < images->n; i++) {
        int is_finite = 1;
        net_run(&net, images->pixel + i * images->size, out);
        for (int k = 0; k < n; k++)
            is_finite &= isfinite(out[k]) != 0;
        wrong += !is_finite || net_likeliest(out, n) != images->label[i];
    }
    free(out);
    return (double)wrong / (double)images->n;
}
