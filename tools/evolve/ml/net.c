/* net.c - what a network makes of an image, how it learns, and the images that it learns from
   SPDX-License-Identifier: MIT

   net.h declares it. */
#include "net.h"

#include "base/csv_records.h"
#include "base/numbers.h"
#include "base/unpack.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- one layer, forwards and backwards ---- */

size_t net_size(struct net_shape s)
{
    return (size_t)s.height * (size_t)s.width * (size_t)s.channels;
}

/* A layer at work: what a visit of two places reads and writes */
struct work {
    const struct net_layer *l;
    const float *weight, *in;
    float *out, *slope_weight, *slope_in;
    const float *slope_out; /* NULL: forwards */
};

/* One place of the input meets one of the output through one place of the window. */
typedef void visit(const struct work *k, size_t window, size_t in, size_t out);

/* ---- one layer: where places meet ---- */

/* Windows reach over both borders alike or, where that cannot be, by one more at the end. */
int layer_padding(int in, int out, int size, int stride)
{
    const int all = (out - 1) * stride + size - in;
    return all > 0 ? all / 2 : 0;
}

static void visit_window(const struct work *k, visit *meet, int y, int x, int top, int left)
{
    const struct net_layer *l = k->l;
    for (int v = 0; v < l->size; v++)
        for (int u = 0; u < l->size; u++) {
            const int r = y * l->stride + v - top, c = x * l->stride + u - left;
            if (r >= 0 && r < l->in.height && c >= 0 && c < l->in.width)
                meet(k, (size_t)(v * l->size + u), (size_t)(r * l->in.width + c),
                     (size_t)(y * l->out.width + x));
        }
}

static void visit_all(const struct work *k, visit *meet)
{
    const struct net_layer *l = k->l;
    const int top = layer_padding(l->in.height, l->out.height, l->size, l->stride);
    const int left = layer_padding(l->in.width, l->out.width, l->size, l->stride);
    for (int y = 0; y < l->out.height; y++)
        for (int x = 0; x < l->out.width; x++)
            visit_window(k, meet, y, x, top, left);
}

/* ---- one layer: what meets, forwards and, where there are slopes, backwards ---- */

/* A matrix of weights between n_in numbers and n_out */
static void multiply(const float *weight, const float *in, size_t n_in, float *out, size_t n_out)
{
    for (size_t i = 0; i < n_in; i++)
        for (size_t o = 0; o < n_out; o++)
            out[o] += in[i] * weight[i * n_out + o];
}

static void multiply_back(const float *weight, const float *in, size_t n_in, const float *slope,
                          size_t n_out, float *slope_in, float *slope_weight)
{
    for (size_t i = 0; i < n_in; i++) {
        float sum = 0;
        for (size_t o = 0; o < n_out; o++) {
            sum += slope[o] * weight[i * n_out + o];
            slope_weight[i * n_out + o] += slope[o] * in[i];
        }
        slope_in[i] += sum;
    }
}

static void meet_conv(const struct work *k, size_t window, size_t in, size_t out)
{
    const size_t ci = (size_t)k->l->in.channels, co = (size_t)k->l->out.channels;
    const float *weight = k->weight + window * ci * co;
    if (k->slope_out == NULL)
        multiply(weight, k->in + in * ci, ci, k->out + out * co, co);
    else
        multiply_back(weight, k->in + in * ci, ci, k->slope_out + out * co, co,
                      k->slope_in + in * ci, k->slope_weight + window * ci * co);
}

static void meet_depthwise(const struct work *k, size_t window, size_t in, size_t out)
{
    const size_t n = (size_t)k->l->out.channels;
    for (size_t c = 0; c < n && k->slope_out == NULL; c++)
        k->out[out * n + c] += k->in[in * n + c] * k->weight[window * n + c];
    for (size_t c = 0; c < n && k->slope_out != NULL; c++) {
        const float slope = k->slope_out[out * n + c];
        k->slope_in[in * n + c] += slope * k->weight[window * n + c];
        k->slope_weight[window * n + c] += slope * k->in[in * n + c];
    }
}

static void meet_mean(const struct work *k)
{
    const size_t n = (size_t)k->l->in.channels, places = net_size(k->l->in) / n;
    for (size_t i = 0; i < places; i++)
        for (size_t c = 0; c < n; c++)
            if (k->slope_out == NULL)
                k->out[c] += k->in[i * n + c];
            else
                k->slope_in[i * n + c] = k->slope_out[c] / (float)places;
    for (size_t c = 0; c < n && k->slope_out == NULL; c++)
        k->out[c] /= (float)places;
}

static void layer_work(const struct work *k)
{
    const size_t n_in = net_size(k->l->in), n = net_size(k->l->out);
    switch (k->l->kind) {
    case NET_CONV: visit_all(k, meet_conv); break;
    case NET_DEPTHWISE: visit_all(k, meet_depthwise); break;
    case NET_MEAN: meet_mean(k); break;
    case NET_DENSE:
        if (k->slope_out == NULL)
            multiply(k->weight, k->in, n_in, k->out, n);
        else
            multiply_back(k->weight, k->in, n_in, k->slope_out, n, k->slope_in, k->slope_weight);
        break;
    }
}

void layer_run(const struct net_layer *l, const float *value, const float *in, float *out)
{
    const struct work k = {.l = l, .weight = value + l->weights, .in = in, .out = out};
    const size_t n = net_size(l->out);
    for (size_t o = 0; o < n; o++)
        out[o] = l->n_biases > 0 ? value[l->biases + o % l->n_biases] : 0;
    layer_work(&k);
    for (size_t o = 0; l->is_relu && o < n; o++)
        out[o] = out[o] > 0 ? out[o] : 0;
}

void layer_learn(const struct net_layer *l, const float *value, const float *in, const float *out,
                 float *slope_out, float *slope_in, float *slope_value)
{
    const struct work k = {.l = l,
                           .weight = value + l->weights,
                           .in = in,
                           .slope_weight = slope_value + l->weights,
                           .slope_in = slope_in,
                           .slope_out = slope_out};
    const size_t n = net_size(l->out);
    memset(slope_in, 0, net_size(l->in) * sizeof *slope_in);
    for (size_t o = 0; o < n; o++) {
        slope_out[o] = l->is_relu && out[o] <= 0 ? 0 : slope_out[o];
        if (l->n_biases > 0)
            slope_value[l->biases + o % l->n_biases] += slope_out[o];
    }
    layer_work(&k);
}

/* ---- two networks ---- */

static void net_add(struct net *net, enum net_kind kind, int channels, int size, int stride,
                    int is_relu)
{
    const struct net_shape in = net->layer[net->n].in;
    struct net_layer *l = &net->layer[net->n++];
    const int is_flat = kind == NET_MEAN || kind == NET_DENSE;
    *l = (struct net_layer){
        .kind = kind, .in = in, .size = size, .stride = stride, .is_relu = is_relu};
    l->out.height = is_flat ? 1 : (in.height + stride - 1) / stride;
    l->out.width = is_flat ? 1 : (in.width + stride - 1) / stride;
    l->out.channels = channels;
    const size_t window = (size_t)(size * size), c = (size_t)channels;
    l->n_weights = kind == NET_CONV        ? window * (size_t)in.channels * c
                   : kind == NET_DEPTHWISE ? window * c
                   : kind == NET_DENSE     ? net_size(in) * c
                                           : 0;
    l->n_biases = kind == NET_MEAN ? 0 : c;
    l->weights = net->n_values;
    l->biases = l->weights + l->n_weights;
    net->n_values = l->biases + l->n_biases;
    if (net->n < NET_LAYERS)
        net->layer[net->n].in = l->out;
}

static void add_mobile(struct net *net)
{
    net_add(net, NET_CONV, 8, 3, 1, 1);
    net_add(net, NET_DEPTHWISE, 8, 3, 1, 1);
    net_add(net, NET_CONV, 16, 1, 1, 1);
    net_add(net, NET_DEPTHWISE, 16, 3, 2, 1);
    net_add(net, NET_CONV, 32, 1, 1, 1);
    net_add(net, NET_DEPTHWISE, 32, 3, 1, 1);
    net_add(net, NET_CONV, 32, 1, 1, 1);
    net_add(net, NET_MEAN, 32, 0, 0, 0);
}

/* By He et al.: what goes into a number keeps its variance behind max(0, x). */
static void draw_values(struct net *net, uint64_t seed)
{
    net->value = xcalloc(net->n_values, sizeof *net->value);
    for (size_t i = 0; i < net->n; i++) {
        const struct net_layer *l = &net->layer[i];
        const size_t n_in = l->n_biases == 0           ? 1
                            : l->kind == NET_DEPTHWISE ? (size_t)(l->size * l->size)
                                                       : l->n_weights / l->n_biases;
        const float scale = (float)sqrt(6.0 / (double)n_in);
        for (size_t k = 0; k < l->n_weights; k++)
            net->value[l->weights + k] = scale * num_signed(&seed);
    }
}

int net_open(struct net *net, const char *name, struct net_shape in, int n_labels, uint64_t seed)
{
    *net = (struct net){.name = name};
    net->layer[0].in = in;
    if (strcmp(name, "dense") == 0)
        net_add(net, NET_DENSE, 64, 0, 0, 1);
    else if (strcmp(name, "mobile") == 0)
        add_mobile(net);
    else
        return fail("network \"%s\": there are dense and mobile", name);
    net_add(net, NET_DENSE, n_labels, 0, 0, 0);
    draw_values(net, seed);
    return 0;
}

void net_close(struct net *net)
{
    free(net->value);
    memset(net, 0, sizeof *net);
}

/* ---- running ---- */

static size_t multiplications(const struct net_layer *l)
{
    return l->n_weights * (size_t)l->out.height * (size_t)l->out.width;
}

size_t net_widest(const struct net *net)
{
    size_t widest = 0;
    for (size_t i = 1; i + 1 < net->n; i++)
        if (multiplications(&net->layer[i]) > multiplications(&net->layer[widest]))
            widest = i;
    return widest;
}

void net_run(const struct net *net, const float *image, float *out)
{
    const float *in = image;
    float *between[2] = {NULL, NULL};
    for (size_t i = 0; i < net->n; i++) {
        const struct net_layer *l = &net->layer[i];
        const size_t n = net_size(l->out);
        float *to =
            i + 1 == net->n ? out : (between[i % 2] = xrealloc(between[i % 2], n, sizeof *to));
        layer_run(l, net->value, in, to);
        in = to;
    }
    free(between[0]);
    free(between[1]);
}

int net_likeliest(const float *out, int n)
{
    int best = 0;
    for (int i = 1; i < n; i++)
        best = out[i] > out[best] ? i : best;
    return best;
}

double net_accuracy(const struct net *net, const struct images *images)
{
    const int n_labels = net->layer[net->n - 1].out.channels;
    float *out = xcalloc((size_t)n_labels, sizeof *out);
    size_t right = 0;
    for (size_t i = 0; i < images->n; i++) {
        net_run(net, images->pixel + i * images->size, out);
        right += net_likeliest(out, n_labels) == images->label[i];
    }
    free(out);
    return images->n > 0 ? (double)right / (double)images->n : 0;
}

/* ---- images: reading ---- */

enum { MOST_BYTES = 1 << 30 };

static int read_label(const struct csv_records *c, int *label)
{
    char *end;
    errno = 0;
    const long v = strtol(c->cell[0], &end, 10);
    if (end == c->cell[0] || *end != '\0' || errno != 0 || v < 0 || v >= IMAGES_LABELS)
        return fail("%s:%ld: label: \"%s\" is not an integer of 0..%d", c->path, c->at, c->cell[0],
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
            return fail("%s:%ld: %s: \"%s\" is not a number", c->path, c->at, c->header[i],
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
    if (read_unpacked(path, MOST_BYTES, &text) != 0)
        return -1;
    const int rc = csv_records_open(&c, path, &text) != 0 || read_rows(images, &c) != 0 ? -1 : 0;
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

void net_learn(struct net *net, const struct images *images, const struct net_plan *plan,
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
