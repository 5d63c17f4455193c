/* train.c - stochastic gradient descent
   SPDX-License-Identifier: MIT

   net.h declares it. */
#include "net.h"

#include "base/numbers.h"
#include "base/util.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

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
