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

static const char help[] =
    "usage: kpred-evolve network NAME --data IMAGES.csv -o FILE.mlir [--split N] [--batch N]\n"
    "                            [--epochs N] [--seed N] [--check]\n"
    "                            [--plant doubled|identity|dead] [--step N]\n"
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
    "                     the network does (needs MLIR)\n"
    "  --plant WASTE      puts waste into the largest layer, to see whether a search finds it:\n"
    "                     doubled computes it twice, identity puts a layer behind it that changes\n"
    "                     nothing, dead adds another one times 0\n"
    "  --step N           writes one step of training, in place of a trained network: stochastic\n"
    "                     gradient descent with a rate of N thousandths (dense alone)\n";

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
        {.name = "NAME", .kind = OPT_TEXT, .to = &o.name, .is_required = 1},
        {.name = "--data", .kind = OPT_TEXT, .to = &o.data, .is_required = 1},
        {.name = "-o", .kind = OPT_TEXT, .to = &o.output, .is_required = 1},
        {.name = "--split", .kind = OPT_COUNT, .to = &o.split, .least = 1, .most = IMAGES_SPLITS},
        {.name = "--batch", .kind = OPT_COUNT, .to = &o.batch, .least = 1, .most = 100000},
        {.name = "--epochs", .kind = OPT_COUNT, .to = &o.epochs, .least = 1, .most = 100000},
        {.name = "--seed", .kind = OPT_COUNT, .to = &o.seed, .least = 0, .most = 1000000000},
        {.name = "--plant", .kind = OPT_CHOICE, .to = &o.plant, .choices = "doubled|identity|dead"},
        {.name = "--step", .kind = OPT_COUNT, .to = &o.step, .least = 1, .most = 10000},
        {.name = "--check", .kind = OPT_FLAG, .to = &o.check},
        {0}};
    const int status = opts_parse(table, help, argc, argv);
    const struct output to = {"-o", o.output};
    if (status >= 0)
        return status;
    return outputs_check_input(&to, 1, "--data", o.data) != 0 ? 2 : write_network(&o) != 0;
}
