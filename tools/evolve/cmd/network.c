/* network.c - `kpred-evolve network`: trains a small network and writes it as an MLIR module
   SPDX-License-Identifier: MIT */
#include "evolve_commands.h"

#include "evolve/ml/engine.h"
#include "evolve/ml/images.h"
#include "evolve/ml/mlir_text.h"

#include "base/outputs.h"
#include "base/util.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char help[] =
    "usage: kpred-evolve network NAME --data IMAGES.csv -o FILE.mlir [--split N] [--batch N]\n"
    "                            [--epochs N] [--seed N] [--check]\n"
    "\n"
    "Trains a small network on labelled images, says how many it gets right, and writes it as an\n"
    "MLIR module: linalg on tensors, its values as constants.\n"
    "\n"
    "  NAME               dense: two fully connected layers; mobile: depthwise separable\n"
    "                     convolutions\n"
    "  --data IMAGES.csv  a row for each image: label, from 0 on, then its numbers, row by row; "
    "it\n"
    "                     is square\n"
    "  -o FILE.mlir       the module: a function of that name, which takes a batch of images\n"
    "  --split N          which fifth of the images is the test, 1 to 5 (default 1); 55 percent "
    "of\n"
    "                     all are what the network learns from\n"
    "  --batch N          images that the function takes (default 30)\n"
    "  --epochs N         how often each image is learnt from (default 40)\n"
    "  --seed N           of the network's first values and of the order (default 1)\n"
    "  --check            compiles the module, and compares what it makes of all images with what\n"
    "                     the network does (needs MLIR)\n";

struct options {
    const char *name, *data, *output;
    long split, batch, epochs, seed;
    int check;
};

static void tell_epoch(long epoch, long epochs)
{
    if (isatty(STDERR_FILENO))
        fprintf(stderr, "\repoch %ld of %ld%s", epoch, epochs, epoch == epochs ? "\n" : "");
}

static double accuracy(const struct net *net, const struct images *all, long split,
                       enum images_part part, size_t *n)
{
    struct images images = images_part(all, (int)split - 1, part);
    const double share = net_accuracy(net, &images);
    *n = images.n;
    images_free(&images);
    return share;
}

static int tell(const struct net *net, const struct images *all, long split)
{
    static const char *const what[] = {"train", "search", "validate", "test"};
    printf("%s: %zu weights and biases; right of each part of split %ld:\n", net->name,
           net->n_values, split);
    for (int part = IMAGES_TRAIN; part <= IMAGES_TEST; part++) {
        size_t n;
        const double share = accuracy(net, all, split, (enum images_part)part, &n);
        printf("%-9s %5zu images %8.2f %%\n", what[part], n, 100 * share);
    }
    return flush_stdout();
}

static int train(struct net *net, const struct images *all, const struct options *o)
{
    struct net_shape shape;
    struct net_plan plan = net_usual;
    if (images_shape(all, o->data, &shape) != 0
        || net_open(net, o->name, shape, images_labels(all), (uint64_t)o->seed) != 0)
        return -1;
    struct images part = images_part(all, (int)o->split - 1, IMAGES_TRAIN);
    plan.epochs = o->epochs;
    plan.seed = (uint64_t)o->seed;
    net_train(net, &part, &plan, tell_epoch);
    images_free(&part);
    return 0;
}

/* ---- what the module computes ---- */

struct comparison {
    const struct net *net;
    const struct images *all;
    size_t batch;
    double most;   /* how far numbers are from each other */
    size_t differ; /* images with another label */
};

/* Those from `from` on; a batch that is not full has the first image in the other places. */
static int compare_batch(struct comparison *c, const struct engine_code *code, size_t from,
                         float *in, float *out)
{
    const struct net_shape shape = c->net->layer[0].in;
    const int n = c->net->layer[c->net->n - 1].out.channels;
    const long batch = (long)c->batch;
    const struct engine_tensor images = {in, 4, {batch, shape.height, shape.width, shape.channels}};
    const struct engine_tensor numbers = {out, 2, {batch, n}};
    for (size_t i = 0; i < c->batch; i++)
        memcpy(in + i * c->all->size,
               c->all->pixel + (from + i < c->all->n ? from + i : 0) * c->all->size,
               c->all->size * sizeof *in);
    if (engine_call(code, &images, &numbers) != 0)
        return -1;
    float *want = xcalloc((size_t)n, sizeof *want);
    for (size_t i = 0; i < c->batch && from + i < c->all->n; i++) {
        const float *got = out + i * (size_t)n;
        net_run(c->net, in + i * c->all->size, want);
        c->differ += net_likeliest(got, n) != net_likeliest(want, n);
        for (int k = 0; k < n; k++)
            c->most = fmax(c->most, fabs((double)got[k] - (double)want[k]));
    }
    free(want);
    return 0;
}

static int compare(struct comparison *c, const struct engine_code *code)
{
    const struct net_layer *last = &c->net->layer[c->net->n - 1];
    float *in = xcalloc(c->batch * c->all->size, sizeof *in);
    float *out = xcalloc(c->batch * net_size(last->out), sizeof *out);
    int rc = 0;
    for (size_t from = 0; rc == 0 && from < c->all->n; from += c->batch)
        rc = compare_batch(c, code, from, in, out);
    free(in);
    free(out);
    return rc;
}

/* Are the labels of all images the same? */
static int check_module(const struct net *net, const struct images *all, const struct buf *text,
                        const struct options *o)
{
    struct engine *engine;
    struct engine_code *code = NULL;
    struct comparison c = {net, all, (size_t)o->batch, 0, 0};
    if (engine_open(&engine) != 0)
        return -1;
    int rc = engine_compile(engine, o->output, text->s, text->n, net->name, &code);
    if (rc == 0)
        rc = compare(&c, code);
    if (rc == 0) {
        printf("module: %zu images, %zu of them with another label; numbers differ by %.1e at "
               "most\n",
               all->n, c.differ, c.most);
        rc = c.differ == 0 ? flush_stdout()
                           : fail("%s: the module computes something else", o->output);
    }
    engine_free(code);
    engine_close(engine);
    return rc;
}

static int make(const struct options *o)
{
    struct images all;
    struct net net = {0};
    struct buf text = {0};
    if (images_read(&all, o->data) != 0)
        return -1;
    int rc = train(&net, &all, o);
    if (rc == 0) {
        mlir_text(&net, o->batch, &text);
        rc = out_whole(o->output, &text) != 0 ? -1 : tell(&net, &all, o->split);
    }
    if (rc == 0 && o->check)
        rc = check_module(&net, &all, &text, o);
    buf_free(&text);
    net_close(&net);
    images_free(&all);
    return rc;
}

int cmd_network(int argc, char **argv)
{
    struct options o = {.split = 1, .batch = 30, .epochs = net_usual.epochs, .seed = 1};
    const struct opt table[] = {
        {.name = "NAME", .kind = OPT_TEXT, .to = &o.name, .is_required = 1},
        {.name = "--data", .kind = OPT_TEXT, .to = &o.data, .is_required = 1},
        {.name = "-o", .kind = OPT_TEXT, .to = &o.output, .is_required = 1},
        {.name = "--split", .kind = OPT_COUNT, .to = &o.split, .least = 1, .most = IMAGES_SPLITS},
        {.name = "--batch", .kind = OPT_COUNT, .to = &o.batch, .least = 1, .most = 100000},
        {.name = "--epochs", .kind = OPT_COUNT, .to = &o.epochs, .least = 1, .most = 100000},
        {.name = "--seed", .kind = OPT_COUNT, .to = &o.seed, .least = 0, .most = 1000000000},
        {.name = "--check", .kind = OPT_FLAG, .to = &o.check},
        {0}};
    const int status = opts_parse(table, help, argc, argv);
    const struct output to = {"-o", o.output};
    if (status >= 0)
        return status;
    return outputs_check_input(&to, 1, "--data", o.data) != 0 ? 2 : make(&o) != 0;
}
