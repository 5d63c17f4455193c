/* network.c - `kpred-evolve network`: trains a small network and writes it as an MLIR module
   SPDX-License-Identifier: MIT */
#include "evolve_commands.h"

#include "evolve/ml/net.h"
#ifdef HAVE_MLIR
#include "evolve/tensor/tensor.h"
#endif

#include "base/util.h"

#include <stdlib.h>
#include <unistd.h>

struct options {
    const char *name, *data, *output;
    long split, batch, epochs, seed, step;
    int check, plant; /* plant: one less than its enum mlir_plant */
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

static int network_tell(const struct net *net, const struct images *all, long split)
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

static void train(struct net *net, const struct images *all, const struct options *o)
{
    struct net_plan plan = net_usual;
    struct images part = images_part(all, (int)o->split - 1, IMAGES_TRAIN);
    plan.epochs = o->epochs;
    plan.seed = (uint64_t)o->seed;
    net_learn(net, &part, &plan, tell_epoch);
    images_free(&part);
}

static int check_module(const struct net *net, const struct images *all, const struct buf *text,
                        const struct options *o)
{
#ifdef HAVE_MLIR
    return twin_check(net, all, (size_t)o->batch, o->output, text);
#else
    (void)net, (void)all, (void)text, (void)o;
    return fail_without("a module", "MLIR", "libmlir-16-dev");
#endif
}

static int make_network(struct net *net, const struct images *all, const struct options *o)
{
    struct buf text = {0};
    train(net, all, o);
    mlir_text(net, o->batch, (enum mlir_plant)(o->plant + 1), &text);
    int rc = out_whole(o->output, &text) != 0 ? -1 : network_tell(net, all, o->split);
    if (rc == 0 && o->check)
        rc = check_module(net, all, &text, o);
    buf_free(&text);
    return rc;
}

static int make_step(const struct net *net, const struct options *o)
{
    struct buf text = {0};
    int rc = step_text(net, o->batch, (double)o->step / 1000, &text);
    if (rc == 0)
        rc = out_whole(o->output, &text);
    buf_free(&text);
    return rc;
}

static int write_network(const struct options *o)
{
    struct images all;
    struct net net = {0};
    struct net_shape shape;
    if (images_read(&all, o->data) != 0)
        return -1;
    int rc = images_shape(&all, o->data, &shape);
    if (rc == 0)
        rc = net_open(&net, o->name, shape, images_labels(&all), (uint64_t)o->seed);
    if (rc == 0)
        rc = o->step > 0 ? make_step(&net, o) : make_network(&net, &all, o);
    net_close(&net);
    images_free(&all);
    return rc;
}

int cmd_network(int argc, char **argv)
{
    struct options o = {
        .split = 1, .batch = 30, .epochs = net_usual.epochs, .seed = 1, .plant = -1};
    const struct opt table[] = {
        OPT_SAYS("Trains a small network on labelled images, says how many it gets right, and "
                 "writes it as an MLIR module: linalg on tensors, its values as constants. The "
                 "network learns from 55 percent of all images."),
        OPT(TEXT, "NAME", &o.name,
            "dense: two fully connected layers; mobile: depthwise separable convolutions"),
        OPT(TEXT, "--data IMAGES.csv", &o.data,
            "a row for each image: label, from 0 on, then its numbers, row by row; it is square"),
        OPT(TEXT, "-o FILE.mlir", &o.output,
            "the module: a function of that name, which takes a batch of images"),
        SPLIT_ROW(&o.split),
        OPT_RANGE(COUNT, "[--batch N]", &o.batch, 1, 100000, "images that the function takes"),
        OPT_RANGE(COUNT, "[--epochs N]", &o.epochs, 1, 100000,
                  "how often each image is learnt from"),
        OPT_RANGE(COUNT, "[--seed N]", &o.seed, 0, 1000000000,
                  "of the network's first values and of the order"),
        OPT(FLAG, "[--check]", &o.check,
            "compiles the module, and compares what it makes of all images with what the network "
            "does (needs MLIR)"),
        OPT(CHOICE, "[--plant doubled|identity|dead]", &o.plant,
            "puts waste into the largest layer, to see whether a search finds it: doubled computes "
            "it twice, identity puts a layer behind it that changes nothing, dead adds another one "
            "times 0"),
        OPT_RANGE(COUNT, "[--step N]", &o.step, 1, 10000,
                  "writes one step of training, in place of a trained network: stochastic gradient "
                  "descent with a rate of N thousandths (dense alone)"),
        {.usage = NULL},
    };
    const int status = opts_parse(table, argc, argv);
    const struct output to = {"-o", o.output};
    if (status >= 0)
        return status;
    return outputs_check_input(&to, 1, "--data", o.data) != 0 ? 2 : write_network(&o) != 0;
}
