/* test_net.c - small networks: the slopes of their layers, parts of images;
   and a step of training in MLIR: its slopes are those of the loss, what is no step is refused
   SPDX-License-Identifier: MIT */
#include "evolve/ml/net.h"

#include "base/numbers.h"
#include "told.h"

#ifdef HAVE_MLIR
#include "evolve/tensor/parts.h"
#endif

#include <math.h>

enum { MOST = 1024 };
static const char *const names[] = {"dense", "mobile"};

static void draw(float *v, size_t n, uint64_t seed)
{
    for (size_t i = 0; i < n; i++)
        v[i] = num_signed(&seed);
}

/* ---- layers ---- */

static void padding(void)
{
    CHECK_EQ(layer_padding(8, 8, 3, 1), 1);
    CHECK_EQ(layer_padding(8, 4, 3, 2), 0); /* one row behind the last one */
    CHECK_EQ(layer_padding(8, 8, 1, 1), 0);
}

static double weighted(const struct net_layer *l, const float *value, const float *in,
                       const float *weight)
{
    float out[MOST];
    double sum = 0;
    layer_run(l, value, in, out);
    for (size_t i = 0; i < net_size(l->out); i++)
        sum += (double)out[i] * (double)weight[i];
    return sum;
}

/* A layer without max is linear in its values, and in what goes in: a difference is the slope. */
static double by_difference(const struct net_layer *l, float *value, float *in, float *changed,
                            const float *weight)
{
    const float old = *changed;
    *changed = old + 1;
    const double above = weighted(l, value, in, weight);
    *changed = old - 1;
    const double below = weighted(l, value, in, weight);
    *changed = old;
    return (above - below) / 2;
}

static void slopes_of(const struct net *net, struct net_layer l)
{
    float in[MOST], out[MOST], weight[MOST], slope_out[MOST], slope_in[MOST];
    float *slope = new_memory(net->n_values, sizeof *slope);
    l.is_relu = 0;
    draw(in, net_size(l.in), 2);
    draw(weight, net_size(l.out), 3);
    memcpy(slope_out, weight, sizeof slope_out);
    layer_run(&l, net->value, in, out);
    layer_learn(&l, net->value, in, out, slope_out, slope_in, slope);
    for (size_t i = 0; i < net_size(l.in); i += 3)
        CHECK(fabs(by_difference(&l, net->value, in, &in[i], weight) - (double)slope_in[i]) < 1e-3);
    for (size_t i = l.weights; i < l.biases + l.n_biases; i += 3)
        CHECK(fabs(by_difference(&l, net->value, in, &net->value[i], weight) - (double)slope[i])
              < 1e-3);
    for (size_t i = 0; i < net->n_values; i++)
        CHECK((i >= l.weights && i < l.biases + l.n_biases) || slope[i] == 0);
}

static void slopes(void)
{
    for (size_t k = 0; k < 2; k++) {
        struct net net;
        REQUIRE(net_open(&net, names[k], (struct net_shape){6, 6, 1}, 4, 5) == 0);
        for (size_t i = 0; i < net.n; i++)
            slopes_of(&net, net.layer[i]);
        net_close(&net);
    }
}

/* Where max gives 0 no slope goes back. */
static void max_stops_slopes(void)
{
    const struct net_layer l = {.kind = NET_DENSE,
                                .in = {1, 1, 1},
                                .out = {1, 1, 2},
                                .is_relu = 1,
                                .n_weights = 2,
                                .biases = 2,
                                .n_biases = 2};
    const float value[4] = {2, -3, 0, 0}, in[1] = {1};
    float out[2], slope_out[2] = {1, 1}, slope_in[1], slope[4] = {0};
    layer_run(&l, value, in, out);
    CHECK(out[0] == 2 && out[1] == 0);
    layer_learn(&l, value, in, out, slope_out, slope_in, slope);
    CHECK(slope_in[0] == 2 && slope[0] == 1 && slope[1] == 0 && slope[3] == 0);
}

/* ---- learning, and parts of images ---- */

/* Label 0: the upper half is brighter, 1: the left one, 2: neither */
static struct images easy_images(size_t n, size_t side)
{
    struct images images = {.n = n, .size = side * side};
    uint64_t seed = 7;
    images.pixel = xcalloc(n * images.size, sizeof *images.pixel);
    images.label = xcalloc(n, sizeof *images.label);
    for (size_t i = 0; i < n; i++) {
        images.label[i] = (int)(i * 7 % 3);
        for (size_t p = 0; p < images.size; p++) {
            const int is_bright = (images.label[i] == 0 && p < images.size / 2)
                                  || (images.label[i] == 1 && p % side < side / 2);
            images.pixel[i * images.size + p] =
                (is_bright ? 0.7f : 0.2f) + 0.2f * num_signed(&seed);
        }
    }
    return images;
}

static void learning(void)
{
    struct images images = easy_images(200, 6);
    const struct net_plan plan = {4, 8, 0.05, 0.9, 1};
    for (size_t k = 0; k < 2; k++) {
        struct net net;
        REQUIRE(net_open(&net, names[k], (struct net_shape){6, 6, 1}, 3, 5) == 0);
        CHECK(net_accuracy(&net, &images) < 0.8);
        net_learn(&net, &images, &plan, NULL);
        CHECK(net_accuracy(&net, &images) > 0.97);
        net_close(&net);
    }
    images_free(&images);
}

/* Each image is in one part of a split, and in one split's test. */
static void parts(void)
{
    enum { N = 600 };
    struct images images = easy_images(N, 6);
    int tested[N] = {0};
    for (size_t i = 0; i < N; i++)
        images.pixel[i * images.size] = (float)i;
    for (int split = 0; split < IMAGES_SPLITS; split++) {
        static const size_t sizes[] = {330, 90, 60, 120};
        int seen[N] = {0};
        for (int part = IMAGES_TRAIN; part <= IMAGES_TEST; part++) {
            struct images p = images_part(&images, split, (enum images_part)part);
            CHECK_EQ(p.n, sizes[part]);
            for (size_t i = 0; i < p.n; i++) {
                const size_t at = (size_t)p.pixel[i * p.size];
                CHECK(p.label[i] == images.label[at]);
                seen[at]++;
                tested[at] += part == IMAGES_TEST;
            }
            images_free(&p);
        }
        for (size_t i = 0; i < N; i++)
            CHECK_EQ(seen[i], 1);
    }
    for (size_t i = 0; i < N; i++)
        CHECK_EQ(tested[i], 1);
    images_free(&images);
}

/* ---- a step of training in MLIR ---- */

#ifdef HAVE_MLIR
enum { SIDE = 3, SIZE = SIDE * SIDE, N_LABELS = 3, BATCH = 4, N_IMAGES = 10 };
static const struct net_shape shape = {SIDE, SIDE, 1};
static const float rate = 0.25f;

static struct engine *engine;
static struct tensor_program *program_of_step;
static ev_kernel *code;
static struct images images;
static struct lesson lesson;

static void opens(void)
{
    struct net net;
    struct buf *text = new_text();
    enum outcome why;
    REQUIRE(engine_open(&engine) == 0 && net_open(&net, "dense", shape, N_LABELS, 1) == 0);
    CHECK_EQ(step_text(&net, BATCH, (double)rate, text), 0);
    put_bytes("s.mlir", text->s, text->n);
    net_close(&net);
    REQUIRE(tensor_open(&program_of_step, engine, "s.mlir", NULL) == 0);
    CHECK_TEXT(tensor_function(program_of_step), "dense_step");
    code = tensor_compile(program_of_step, &edits_none, &why);
    REQUIRE(code != NULL);
    const struct tensor_type type = program_of_step->type;
    CHECK(lesson_is_one(&type));
    CHECK_EQ(lesson_open(&lesson, &type, "s.mlir", &images, shape, N_LABELS, 3, 5), 0);
}

/* The mean cross-entropy of the first batch, in doubles behind the last layer */
static double loss(const float *values)
{
    struct net net = lesson.net;
    double sum = 0;
    net.value = (float *)(uintptr_t)values;
    for (size_t i = 0; i < BATCH; i++) {
        float out[N_LABELS];
        double all = 0, own = 0;
        net_run(&net, lesson.pixel + i * SIZE, out);
        for (size_t k = 0; k < N_LABELS; k++) {
            all += exp((double)out[k]);
            own += lesson.label[i * N_LABELS + k] > 0 ? (double)out[k] : 0;
        }
        sum += log(all) - own;
    }
    return sum / BATCH;
}

/* The slope by value i, from two losses beside it */
static double slope(float *values, size_t i)
{
    const float at = values[i], by = 1e-3f;
    values[i] = at + by;
    const double above = loss(values);
    values[i] = at - by;
    const double below = loss(values);
    values[i] = at;
    return (above - below) / (2 * (double)by);
}

static void slopes_of_loss(void)
{
    const size_t n = lesson.net.n_values;
    float *values = new_memory(n, sizeof *values), *other = new_memory(n, sizeof *other);
    double far = 0, most = 0;
    CHECK_EQ(
        lesson_run(&lesson, code, lesson.net.value, lesson.pixel, lesson.label, 1, values, other),
        0);
    CHECK(loss(values) < loss(lesson.net.value));
    for (size_t i = 0; i < n; i++) {
        const double got = ((double)lesson.net.value[i] - (double)values[i]) / (double)rate;
        const double want = slope(lesson.net.value, i);
        far = fmax(far, fabs(got - want));
        most = fmax(most, fabs(want));
    }
    EXPECT(most > 0.1 && far < 0.005, "slopes up to %g differ by %g", most, far);
}

/* Three steps are one step three times, with the batches in their order. */
static void steps(void)
{
    const size_t n = lesson.net.n_values;
    float *v[4];
    for (int i = 0; i < 4; i++)
        v[i] = xcalloc(n, sizeof *v[i]);
    CHECK_EQ(lesson_run(&lesson, code, lesson.net.value, lesson.pixel, lesson.label, 3, v[0], v[3]),
             0);
    memcpy(v[1], lesson.net.value, n * sizeof *v[1]);
    for (size_t i = 0; i < 3; i++) {
        lesson_run(&lesson, code, v[1], lesson.pixel + i * BATCH * SIZE,
                   lesson.label + i * BATCH * N_LABELS, 1, v[2], v[3]);
        memcpy(v[1], v[2], n * sizeof *v[1]);
    }
    CHECK(memcmp(v[0], v[1], n * sizeof *v[0]) == 0);
    for (int i = 0; i < 4; i++)
        free(v[i]);
}

/* Each image comes once before any comes again, with its own label. */
static void batches(void)
{
    size_t seen[N_IMAGES] = {0};
    for (size_t at = 0; at < 3 * BATCH; at++)
        for (size_t i = 0; i < N_IMAGES; i++)
            if (memcmp(lesson.pixel + at * SIZE, images.pixel + i * SIZE,
                       SIZE * sizeof *images.pixel)
                == 0) {
                seen[i]++;
                for (int k = 0; k < N_LABELS; k++)
                    CHECK((lesson.label[at * N_LABELS + (size_t)k] > 0) == (k == images.label[i]));
                CHECK(at < N_IMAGES ? seen[i] == 1 : seen[i] == 2);
            }
    size_t all = 0;
    for (size_t i = 0; i < N_IMAGES; i++)
        all += seen[i];
    CHECK_EQ(all, 3 * BATCH);
}

static void errors(void)
{
    float *values = new_memory(lesson.net.n_values, sizeof *values);
    CHECK(lesson_error(&lesson, values, &images) > 0.59 /* label 0 alone: 4 of 10 */
          && lesson_error(&lesson, values, &images) < 0.61);
    values[lesson.net.layer[1].biases + 2] = NAN;
    CHECK(lesson_error(&lesson, values, &images) >= 1);
}

static void messages(void)
{
    static const struct {
        int in, dimension; /* one that is greater; -1: the rank of the output is */
        const char *message;
    } all[] = {{0, 0, "s.mlir: a step of training takes and gives the 835 values of dense"},
               {-1, 0, "values of dense"},
               {1, 1, "s.mlir: its second input is not a batch of images of 9 numbers"},
               {2, 1, "s.mlir: its third input does not have 3 numbers for each of 4 images"},
               {2, 0, "its third input"}};
    struct net mobile;
    struct buf text = {0};
    for (size_t i = 0; i < COUNT(all); i++) {
        struct tensor_type t = program_of_step->type;
        struct lesson none;
        if (all[i].in < 0)
            t.out.rank = 2;
        else
            t.in[all[i].in].size[all[i].dimension]++;
        EXPECT(lesson_open(&none, &t, "s.mlir", &images, shape, N_LABELS, 3, 5) == -1
                   && was_told(all[i].message),
               "not said: %.100s", all[i].message);
    }
    REQUIRE(net_open(&mobile, "mobile", shape, N_LABELS, 1) == 0);
    CHECK_EQ(step_text(&mobile, BATCH, 0.1, &text), -1);
    CHECK(was_told("\"mobile\": a step of training is there for dense alone"));
    net_close(&mobile);
}

static void lessons(void)
{
    images = easy_images(N_IMAGES, SIDE);
    RUN(opens);
    if (code == NULL)
        return;
    RUN_ALL(slopes_of_loss, steps, batches, errors, messages);
    lesson_close(&lesson);
    tensor_close(program_of_step);
    engine_close(engine);
    images_free(&images);
}
#else
static void lessons(void)
{
    skip_case("a step of training", "there is no MLIR");
}
#endif

int main(void)
{
    told_begin();
    RUN_ALL(padding, slopes, max_stops_slopes, learning, parts);
    lessons();
    return program_end();
}
