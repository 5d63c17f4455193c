/* test_gradients.c - the trainer of the additive network: derivatives, determinism, files
   SPDX-License-Identifier: MIT */
#include "harness/test.h"

#include "base/numbers.h"
#include "base/util.h"
#include "train/additive_train.h"

#include <math.h>
#include <stdlib.h>

static uint64_t state = 7;

static uint32_t any(uint32_t n)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)((state >> 33) % n);
}

/* ---- a small problem set ------------------------------------------------------------------ */

enum { ROWS = 150, PARAMS = 5 };
static const struct net_dims DIMS = {32, 32, 48, 16, PARAMS, {3, 1, 2, 17, 5}};

static uint8_t x[ROWS * 32], y[ROWS * PARAMS];
static float weight[ROWS], target[ROWS * 28], partly[ROWS * 28];

/* Most of it the label, some values with nothing */
static void fill_targets(size_t row)
{
    float *p = target + row * 28;
    for (size_t t = 0; t < PARAMS; p += DIMS.n_values[t++]) {
        float sum = 0;
        for (size_t v = 0; v < DIMS.n_values[t]; v++)
            sum += p[v] = (float)(any(9) + (v == y[row * PARAMS + t] ? 10 : 0));
        for (size_t v = 0; v < DIMS.n_values[t]; v++)
            p[v] /= sum;
    }
}

/* Labels that depend on the inputs and on each other, so that there is something to learn. */
static void fill_rows(void)
{
    for (size_t i = 0; i < ROWS; i++) {
        uint32_t seen = 0;
        for (size_t j = 0; j < 32; j++)
            x[i * 32 + j] = (uint8_t)any(128);
        for (size_t t = 0; t < PARAMS; t++) {
            uint32_t v = (uint32_t)x[i * 32 + t] / 20 + seen;
            y[i * PARAMS + t] = (uint8_t)(v % DIMS.n_values[t]);
            seen += y[i * PARAMS + t];
        }
        weight[i] = (float)(1 + any(4)) / 4;
        fill_targets(i);
    }
}

static struct net_rows plain_rows(void)
{
    struct net_rows rows = {ROWS, x, y, NULL, NULL, NULL, 0};
    return rows;
}

static struct net new_net(uint64_t seed)
{
    struct net net;
    if (net_new(&net, &DIMS, "test"))
        exit(1);
    net_init(&net, seed);
    return net;
}

/* ---- derivatives -------------------------------------------------------------------------- */

/* What the loss is asked with beside the rows. */
struct how {
    float temperature, regret;
};

static double loss_of(const struct net *net, const struct net_rows *rows, struct how how)
{
    return net_loss(net, rows, how.temperature, how.regret, 0, NULL);
}

/* Whether d is the slope at weight *w, by the central difference. Where a relu's corner lies
   between the two points the one-sided slopes differ, and the derivative must lie between them. */
static int is_slope(const struct net *net, const struct net_rows *rows, struct how how, float *w,
                    double d)
{
    const float step = 1.0f / 512, was = *w;
    const double middle = loss_of(net, rows, how);
    *w = was - step;
    const double left = (middle - loss_of(net, rows, how)) * 512;
    *w = was + step;
    const double right = (loss_of(net, rows, how) - middle) * 512;
    *w = was;
    const double error = fabs((left + right) / 2 - d), corner = fabs(right - left);
    return error <= 0.02 + 0.01 * fabs(d) || (error <= corner && corner < 2);
}

/* The steepest weight of a block, and some others. */
static int block_agrees(struct net *net, const struct net_rows *rows, struct how how,
                        const float *gradient, const struct net_block *b)
{
    const size_t n = b->rows * b->cols;
    size_t at = b->at;
    int ok = 1;
    for (size_t i = b->at; i < b->at + n; i++)
        at = fabsf(gradient[i]) > fabsf(gradient[at]) ? i : at;
    for (int i = 0; n > 0 && i < 7; i++) {
        at = i > 0 ? b->at + any((uint32_t)n) : at;
        ok &= is_slope(net, rows, how, net->w + at, (double)gradient[at]);
    }
    return ok;
}

static void check_gradient(const struct net_rows *rows, float temperature, float regret,
                           const char *what)
{
    const struct how how = {temperature, regret};
    struct net net = new_net(3);
    float *gradient = xmalloc(net.at.n_weights * sizeof *gradient);
    int wrong = 0;
    net_loss(&net, rows, temperature, regret, 0, gradient);
    for (size_t i = 0; i < net.at.n_blocks; i++)
        if (!block_agrees(&net, rows, how, gradient, &net.at.block[i])) {
            printf("      block %zu differs\n", i);
            wrong++;
        }
    CASE(wrong == 0, what);
    free(gradient);
    net_free(&net);
}

static void check_gradients(void)
{
    struct net_rows rows = plain_rows();
    check_gradient(&rows, 1, 0, "gradient = central difference, every weight array");
    rows.weight = weight;
    check_gradient(&rows, 1, 0, "gradient of weighted rows");
    rows.target = target;
    check_gradient(&rows, 1, 0, "gradient of soft targets");
    check_gradient(&rows, 1.5f, 0, "gradient of soft targets at another temperature");
    rows.timed = target;
    rows.n_timed = ROWS / 2;
    check_gradient(&rows, 1.5f, 1, "gradient of soft targets with regret");
    rows.target = NULL;
    check_gradient(&rows, 1, 1, "gradient of labels with regret");
    rows.timed = NULL;
    rows.target = partly;
    check_gradient(&rows, 1, 0, "gradient where some values were not tried");
}

/* Of every other row, of parameter 3 only the label and the values below 3 were tried. */
static void leave_values(void)
{
    memcpy(partly, target, sizeof target);
    for (size_t i = 0; i < ROWS; i += 2) {
        float *p = partly + i * 28 + 6;
        for (size_t v = 0; v < 17; v++)
            p[v] = v == y[i * PARAMS + 3] ? 1.0f : v < 3 ? 0.0f : -1.0f;
    }
}

/* A single value that was tried teaches nothing, and its loss is 0. */
static void check_single(void)
{
    static float lone[28];
    struct net_rows rows = plain_rows();
    struct net net = new_net(3);
    float *gradient = xcalloc(net.at.n_weights, sizeof *gradient);
    int same = 1;
    for (size_t v = 0; v < 28; v++)
        lone[v] = -1;
    for (size_t t = 0, at = 0; t < PARAMS; at += DIMS.n_values[t++])
        lone[at + y[t]] = 1;
    rows.n = 1;
    rows.target = lone;
    const double loss = net_loss(&net, &rows, 1, 0, 0, gradient);
    for (size_t i = 0; i < net.at.n_weights; i++)
        same &= gradient[i] >= 0.0f && gradient[i] <= 0.0f;
    CASE(same && loss > -1e-6 && loss < 1e-6, "one value that was tried alone teaches nothing");
    free(gradient);
    net_free(&net);
}

/* ---- determinism -------------------------------------------------------------------------- */

static struct net trained(size_t n_threads, size_t rounded_epochs)
{
    struct net_rows rows = plain_rows();
    struct net_train_config config = {0};
    struct net net = new_net(5);
    config.seed = 5;
    config.epochs = 16;
    config.batch = 22;
    config.n_threads = n_threads;
    config.rounded_epochs = rounded_epochs;
    config.rate = 0.01f;
    config.warm_up = 0.1f;
    config.weight_decay = 0.01f;
    config.drop_input = config.drop_encoder = config.drop_hidden = 0.1f;
    config.average = 0.99f;
    config.temperature = 1;
    config.regret = 0.5f;
    rows.target = rows.timed = target;
    rows.n_timed = ROWS;
    net_train(&net, &rows, NULL, &config, NULL, NULL);
    return net;
}

static uint64_t hash_of(const struct net *net)
{
    return test_hash_floats(net->w, net->at.n_weights);
}

/* Changes with the arithmetic or the test's set alone. */
static const uint64_t TRAINED = 0xb01226b8af5f79cau;

static void check_threads(void)
{
    uint64_t first = 0;
    int same = 1;
    for (size_t threads = 1; threads <= 3; threads++) {
        struct net net = trained(threads, 4);
        if (threads == 1)
            first = hash_of(&net);
        same &= hash_of(&net) == first;
        net_free(&net);
    }
    CASE(same, "1, 2 and 3 threads train the same bits");
    CASE(first == TRAINED, "those bits are the same on every compiler and vector width");
    if (first != TRAINED)
        printf("      hash 0x%016llx\n", (unsigned long long)first);
}

static void check_learns(void)
{
    struct net_rows rows = plain_rows();
    struct net before = new_net(5), after = trained(1, 0);
    CASE(net_loss(&after, &rows, 1, 0, 0, NULL) < 0.95 * net_loss(&before, &rows, 1, 0, 0, NULL),
         "training lowers the loss");
    net_free(&before);
    net_free(&after);
}

/* ---- files, numbers, ensembles ------------------------------------------------------------- */

static void check_file(const char *path)
{
    struct net net = trained(1, 0), again;
    size_t n = 0;
    uint64_t id = 0;
    FILE *f = fopen(path, "wb");
    if (f)
        net_save(&net, 1, 7, f);
    int ok = f && !fclose(f) && !net_load(&again, 1, path, &n, &id) && n == 1 && id == 7;
    CASE(ok && hash_of(&again) == hash_of(&net), "a saved network loads the same");
    f = fopen(path, "ab");
    if (f) {
        putc(0, f);
        fclose(f);
    }
    if (ok)
        net_free(&again);
    CASE(net_load(&again, 1, path, &n, &id), "a file with a byte too many is refused");
    remove(path);
    net_free(&net);
}

static void check_numbers(void)
{
    double worst = 0;
    for (int i = 0; i < 2000; i++) {
        double at = -(double)i / 40, back = num_log2((double)num_exp2((float)at));
        double error = back > at ? back - at : at - back;
        worst = error > worst ? error : worst;
    }
    CASE(worst < 1e-5, "log2(exp2(x)) = x");
    CASE(num_log2(8) == 3 && num_exp2(-3) == 0.125f, "powers of two are exact");
}

static void check_ensemble(void)
{
    static float one[ROWS * 28];
    static uint8_t drawn[ROWS * PARAMS];
    uint64_t draws[ROWS];
    struct net_rows rows = plain_rows();
    struct net nets[2] = {new_net(1), new_net(2)};
    int sums = 1;
    for (size_t i = 0; i < ROWS; i++)
        draws[i] = i;
    memcpy(drawn, y, sizeof drawn);
    net_ensemble(nets, 2, &rows, drawn, draws, 1, one);
    for (size_t i = 0; i < ROWS; i++) {
        float sum = 0;
        for (size_t v = 0; v < 28; v++)
            sum += one[i * 28 + v];
        sums &= sum > 4.999f && sum < 5.001f;
    }
    CASE(sums, "an ensemble's probabilities sum to 1");
    net_free(&nets[0]);
    net_free(&nets[1]);
}

int main(int argc, char **argv)
{
    fill_rows();
    check_numbers();
    leave_values();
    check_gradients();
    check_single();
    check_threads();
    check_learns();
    check_ensemble();
    check_file(argc > 1 ? argv[1] : "test_gradients.tmp");
    return test_end();
}
