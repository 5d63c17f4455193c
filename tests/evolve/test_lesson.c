/* test_lesson.c - a step of training in MLIR: its slopes are those of the loss, steps follow each
   other, and what is no step is refused
   SPDX-License-Identifier: MIT */
#include "scratch.h"
#include "told.h"

#ifdef HAVE_MLIR
#include "evolve/ml/step_text.h"
#include "evolve/tensor/lesson.h"

#include "base/numbers.h"

#include <math.h>

enum { SIDE = 3, SIZE = SIDE * SIDE, N_LABELS = 3, BATCH = 4, N_IMAGES = 10 };
static const struct net_shape shape = {SIDE, SIDE, 1};
static const float rate = 0.25f;

static struct engine *engine;
static struct tensor_program *program;
static ev_kernel *code;
static struct images images;
static struct lesson lesson;

static void opens(void)
{
    struct net net;
    struct buf text = {0};
    static const struct edits none;
    enum outcome why;
    REQUIRE(engine_open(&engine) == 0 && net_open(&net, "dense", shape, N_LABELS, 1) == 0);
    CHECK_EQ(step_text(&net, BATCH, (double)rate, &text), 0);
    scratch_put(text.s, text.n);
    buf_free(&text);
    net_close(&net);
    REQUIRE(tensor_open(&program, engine, scratch_path, NULL) == 0);
    CHECK_TEXT(tensor_function(program), "dense_step");
    code = tensor_compile(program, &none, &why);
    REQUIRE(code != NULL);
    const struct tensor_type type = tensor_type(program);
    CHECK(lesson_is_one(&type));
    CHECK_EQ(lesson_open(&lesson, &type, "s.mlir", &images, shape, N_LABELS, 3, 5), 0);
}

static void make_images(void)
{
    uint64_t random = 3;
    images.n = N_IMAGES;
    images.size = SIZE;
    images.pixel = xcalloc(N_IMAGES * SIZE, sizeof *images.pixel);
    images.label = xcalloc(N_IMAGES, sizeof *images.label);
    for (size_t i = 0; i < N_IMAGES; i++) {
        images.label[i] = (int)(i % N_LABELS);
        for (size_t k = 0; k < SIZE; k++)
            images.pixel[i * SIZE + k] = num_signed(&random) + (float)(k == i % N_LABELS);
    }
}

/* ---- slopes ---- */

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

static void slopes(void)
{
    const size_t n = lesson.net.n_values;
    float *values = xcalloc(n, sizeof *values), *other = xcalloc(n, sizeof *other);
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
    free(values);
    free(other);
}

/* ---- steps ---- */

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
    float *values = xcalloc(lesson.net.n_values, sizeof *values);
    CHECK(lesson_error(&lesson, values, &images) > 0.59 /* label 0 alone: 4 of 10 */
          && lesson_error(&lesson, values, &images) < 0.61);
    values[lesson.net.layer[1].biases + 2] = NAN;
    CHECK(lesson_error(&lesson, values, &images) >= 1);
    free(values);
}

/* ---- what is no step ---- */

static void refuses(const struct tensor_type *type, const char *message)
{
    struct lesson none;
    EXPECT(lesson_open(&none, type, "s.mlir", &images, shape, N_LABELS, 3, 5) == -1
               && scratch_said(message),
           "not said: %.100s", message);
}

static void messages(void)
{
    const struct tensor_type right = tensor_type(program);
    struct tensor_type t = right;
    struct net mobile;
    struct buf text = {0};
    t.in[0].size[0]++;
    refuses(&t, "s.mlir: a step of training takes and gives the 835 values of dense");
    t = right;
    t.out.rank = 2;
    refuses(&t, "values of dense");
    t = right;
    t.in[1].size[1]++;
    refuses(&t, "s.mlir: its second input is no batch of images of 9 numbers");
    t = right;
    t.in[2].size[1]++;
    refuses(&t, "s.mlir: its third input does not have 3 numbers for each of 4 images");
    t = right;
    t.in[2].size[0]++;
    refuses(&t, "its third input");
    REQUIRE(net_open(&mobile, "mobile", shape, N_LABELS, 1) == 0);
    CHECK_EQ(step_text(&mobile, BATCH, 0.1, &text), -1);
    CHECK(scratch_said("\"mobile\": a step of training is there for dense alone"));
    net_close(&mobile);
}

int main(void)
{
    scratch_open();
    make_images();
    RUN(opens);
    if (code == NULL)
        return test_end();
    RUN(slopes);
    RUN(steps);
    RUN(batches);
    RUN(errors);
    RUN(messages);
    lesson_close(&lesson);
    tensor_close(program);
    engine_close(engine);
    images_free(&images);
    scratch_close();
    return test_end();
}

#else

static void lesson(void)
{
    test_skip("there is no MLIR");
}

int main(void)
{
    RUN(lesson);
    return test_end();
}
#endif
