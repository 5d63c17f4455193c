/* exam.c - labelled images as the harness of a program, training by a program, a network beside
   its module
   SPDX-License-Identifier: MIT

   tensor.h declares it. */
#include "parts.h"

#include "base/numbers.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { OF_VALUES, OF_IMAGES, OF_LABELS, N_INPUTS }; /* of a step */

int lesson_is_one(const struct tensor_type *type)
{
    return type->n_in == N_INPUTS;
}

static size_t size_of_batch(const struct lesson *l)
{
    return (size_t)l->type.in[OF_IMAGES].size[0];
}

static size_t labels_of(const struct lesson *l)
{
    return (size_t)l->type.in[OF_LABELS].size[1];
}

static size_t size_of(const struct engine_tensor *t)
{
    size_t size = 1;
    for (int i = 1; i < t->rank; i++)
        size *= (size_t)t->size[i];
    return size;
}

static int exam_check(const struct lesson *l, const char *path, const struct images *images,
                      int n_labels)
{
    const struct engine_tensor *in = l->type.in, *out = &l->type.out;
    const long n = (long)l->net.n_values;
    if (in[OF_VALUES].rank != 1 || in[OF_VALUES].size[0] != n || out->rank != 1
        || out->size[0] != n)
        return fail("%s: a step of training takes and gives the %ld values of dense", path, n);
    if (in[OF_IMAGES].rank < 2 || size_of(&in[OF_IMAGES]) != images->size)
        return fail("%s: its second input is not a batch of images of %zu numbers", path,
                    images->size);
    if (in[OF_LABELS].rank != 2 || in[OF_LABELS].size[0] != in[OF_IMAGES].size[0]
        || in[OF_LABELS].size[1] != n_labels)
        return fail("%s: its third input does not have %d numbers for each of %ld images", path,
                    n_labels, in[OF_IMAGES].size[0]);
    return 0;
}

/* ---- a step of training: batches ---- */

static void deal(struct lesson *l, const struct images *images, uint64_t random)
{
    const size_t n = (size_t)l->steps * size_of_batch(l), n_labels = labels_of(l);
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
    *l = (struct lesson){.type = *type, .steps = steps};
    if (net_open(&l->net, "dense", shape, n_labels, seed) != 0)
        return -1;
    if (exam_check(l, path, images, n_labels) != 0) {
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

/* ---- a step of training: training ---- */

/* The last step gives `values`, and the others one and the other by turns. */
int lesson_run(const struct lesson *l, ev_kernel *entry, const float *start, const float *pixel,
               const float *label, long steps, float *values, float *other)
{
    struct engine_tensor in[N_INPUTS], out = l->type.out;
    memcpy(in, l->type.in, sizeof in);
    in[OF_VALUES].at = (float *)(uintptr_t)start;
    for (long i = 0; i < steps; i++) {
        const size_t first = (size_t)i * size_of_batch(l);
        in[OF_IMAGES].at = (float *)(uintptr_t)(pixel + first * size_of(&in[OF_IMAGES]));
        in[OF_LABELS].at = (float *)(uintptr_t)(label + first * labels_of(l));
        out.at = (steps - i) % 2 == 1 ? values : other;
        if (engine_run(entry, in, N_INPUTS, &out) != 0)
            return -1;
        in[OF_VALUES].at = out.at;
    }
    return 0;
}

/* Is the label's number the first of the largest, and each a number? */
static int is_right(const float *out, int n_labels, int label)
{
    for (int k = 0; k < n_labels; k++)
        if (!isfinite(out[k]))
            return 0;
    return net_likeliest(out, n_labels) == label;
}

double lesson_error(const struct lesson *l, const float *values, const struct images *images)
{
    struct net net = l->net;
    const int n = (int)labels_of(l);
    float *out = xcalloc((size_t)n, sizeof *out);
    size_t wrong = 0;
    net.value = (float *)(uintptr_t)values;
    for (size_t i = 0; i < images->n; i++) {
        net_run(&net, images->pixel + i * images->size, out);
        wrong += !is_right(out, n, images->label[i]);
    }
    free(out);
    return (double)wrong / (double)images->n;
}

static const char *const exam_names[EXAM_PARTS] = {"search", "validate", "test"};

static const struct exam *exam; /* the one that there is */

/* ---- exam: batches ---- */

static size_t batch_of(const struct exam *x)
{
    return (size_t)x->type.in[0].size[0];
}

static size_t batches_for(const struct exam *x, size_t n)
{
    return (n + batch_of(x) - 1) / batch_of(x);
}

/* A last batch that is not full has the first image in the other places. */
static void exam_fill(const struct exam *x, const struct images *images, size_t n, float *at)
{
    for (size_t i = 0; i < batches_for(x, n) * batch_of(x); i++)
        memcpy(at + i * images->size, images->pixel + (i < n ? i : 0) * images->size,
               images->size * sizeof *at);
}

/* Calls the code for n images: -1 if it needs too much memory. */
static int exam_run(const struct exam *x, ev_kernel *entry, size_t n, float *in, float *out)
{
    struct engine_tensor from = x->type.in[0], to = x->type.out;
    const size_t batch = batch_of(x);
    for (size_t i = 0; i < batches_for(x, n); i++) {
        from.at = in + i * batch * x->part[0].size;
        to.at = out + i * batch * (size_t)x->n_labels;
        if (engine_run(entry, &from, 1, &to) != 0)
            return -1;
    }
    return 0;
}

static double share_wrong(const struct exam *x, const struct images *images, const float *out)
{
    size_t wrong = 0;
    for (size_t i = 0; i < images->n; i++)
        wrong += !is_right(out + i * (size_t)x->n_labels, x->n_labels, images->label[i]);
    return (double)wrong / (double)images->n;
}

/* ---- exam: the harness ---- */

enum { OF_AMOUNT, OF_PART, OF_WHOLE }; /* what a case's sizes say: images or steps */

static const struct images *images_of(const struct ev_case *c)
{
    return &exam->part[c->size[OF_PART]];
}

static void set_up(struct ev_case *c)
{
    const size_t n = (size_t)c->size[OF_AMOUNT], all = batches_for(exam, n) * batch_of(exam);
    const size_t in = ev_buffer(c, "images", EV_IN, EV_F32, all * images_of(c)->size);
    exam_fill(exam, images_of(c), n, c->at[in]);
    ev_buffer(c, "numbers", EV_OUT, EV_F32, all * (size_t)exam->n_labels);
}

/* ---- exam: the same of a step of training ---- */

enum { FEW_STEPS = 4 };                        /* are timed */
enum { START, PIXELS, LABELS, VALUES, OTHER }; /* buffers */

static void exam_put(struct ev_case *c, const char *name, const float *from, size_t n)
{
    const size_t i = ev_buffer(c, name, EV_IN, EV_F32, n);
    memcpy(c->at[i], from, n * sizeof *from);
}

static void set_up_lesson(struct ev_case *c)
{
    const struct lesson *l = &exam->lesson;
    const size_t n = (size_t)c->size[OF_AMOUNT] * (size_t)l->type.in[1].size[0];
    exam_put(c, "start", l->net.value, l->net.n_values);
    exam_put(c, "images", l->pixel, n * exam->part[0].size);
    exam_put(c, "labels", l->label, n * (size_t)exam->n_labels);
    ev_buffer(c, "values", EV_OUT, EV_F32, l->net.n_values);
    ev_buffer(c, "other", EV_SCRATCH, EV_F32, l->net.n_values);
}

/* ---- exam: both ---- */

static int is_lesson(const struct exam *x)
{
    return x->lesson.steps > 0;
}

/* Code that needs too much memory has no right to any. */
static void call(const struct ev_case *c, ev_kernel *kernel)
{
    const int rc =
        is_lesson(exam)
            ? lesson_run(&exam->lesson, kernel, c->at[START], c->at[PIXELS], c->at[LABELS],
                         (long)c->size[OF_AMOUNT], c->at[VALUES], c->at[OTHER])
            : exam_run(exam, kernel, (size_t)c->size[OF_AMOUNT], c->at[0], c->at[1]);
    if (rc != 0)
        abort();
}

static double error(const struct ev_case *c, void *const *want, void *const *got)
{
    (void)want;
    if (!c->size[OF_WHOLE])
        return 0;
    return is_lesson(exam) ? lesson_error(&exam->lesson, got[VALUES], images_of(c))
                           : share_wrong(exam, images_of(c), got[1]);
}

const struct ev_harness *exam_harness(enum exam_part part)
{
    static struct ev_shape shapes[EXAM_PARTS][2];
    static struct ev_harness harnesses[EXAM_PARTS];
    const size_t all = is_lesson(exam) ? (size_t)exam->lesson.steps : exam->part[part].n;
    const size_t few = is_lesson(exam) ? FEW_STEPS : batch_of(exam);
    shapes[part][0] = (struct ev_shape){.size = {(int64_t)(few < all ? few : all), part, 0}};
    shapes[part][1] = (struct ev_shape){.size = {(int64_t)all, part, 1}, .untimed = 1};
    harnesses[part] = (struct ev_harness){EV_VERSION,
                                          "amount part whole",
                                          shapes[part],
                                          2,
                                          is_lesson(exam) ? set_up_lesson : set_up,
                                          call,
                                          error};
    return &harnesses[part];
}

/* ---- exam: by itself ---- */

/* What the code makes of images, to be freed; NULL if it needs too much memory */
static float *numbers_of(const struct exam *x, ev_kernel *entry, const struct images *images)
{
    const size_t all = batches_for(x, images->n) * batch_of(x);
    float *in = xcalloc(all * images->size, sizeof *in);
    float *out = xcalloc(all * (size_t)x->n_labels, sizeof *out);
    exam_fill(x, images, images->n, in);
    if (exam_run(x, entry, images->n, in, out) != 0) {
        free(out);
        out = NULL;
    }
    free(in);
    return out;
}

static double error_of_images(const struct exam *x, ev_kernel *entry, const struct images *images)
{
    float *numbers = numbers_of(x, entry, images);
    const double wrong = numbers != NULL ? share_wrong(x, images, numbers) : -1;
    free(numbers);
    return wrong;
}

static double error_of_steps(const struct exam *x, ev_kernel *entry, const struct images *images)
{
    const struct lesson *l = &x->lesson;
    float *values = xcalloc(2 * l->net.n_values, sizeof *values);
    const int rc = lesson_run(l, entry, l->net.value, l->pixel, l->label, l->steps, values,
                              values + l->net.n_values);
    const double wrong = rc == 0 ? lesson_error(l, values, images) : -1;
    free(values);
    return wrong;
}

double exam_error(const struct exam *x, ev_kernel *entry, enum exam_part part)
{
    const struct images *images = &x->part[part];
    const double wrong =
        is_lesson(x) ? error_of_steps(x, entry, images) : error_of_images(x, entry, images);
    if (wrong < 0)
        engine_tell_full(x->path);
    return wrong;
}

double exam_chance(const struct exam *x, enum exam_part part)
{
    size_t *count = xcalloc((size_t)x->n_labels, sizeof *count), most = 0;
    for (size_t i = 0; i < x->part[part].n; i++)
        most = ++count[x->part[part].label[i]] > most ? count[x->part[part].label[i]] : most;
    free(count);
    return (double)most / (double)x->part[part].n;
}

/* ---- exam: opening ---- */

static int check_network(const struct exam *x, const struct tensor_program *p,
                         const struct images *all)
{
    const struct engine_tensor *in = &x->type.in[0], *out = &x->type.out;
    if (x->type.n_in != 1 || in->rank < 2 || size_of(in) != all->size)
        return fail("%s: %s: does not take batches of images of %zu numbers", x->path, p->function,
                    all->size);
    if (out->rank != 2 || out->size[0] != in->size[0] || out->size[1] < images_labels(all))
        return fail("%s: %s: does not give %ld times a number for each of %d labels", x->path,
                    p->function, in->size[0], images_labels(all));
    return 0;
}

static int open_lesson(struct exam *x, const struct images *all, const struct exam_plan *plan)
{
    struct net_shape shape;
    if (images_shape(all, plan->data, &shape) != 0)
        return -1;
    struct images train = images_part(all, plan->split, IMAGES_TRAIN);
    x->n_labels = images_labels(all);
    const int rc = lesson_open(&x->lesson, &x->type, x->path, &train, shape, x->n_labels,
                               plan->steps, plan->seed);
    images_free(&train);
    return rc;
}

static int take_parts(struct exam *x, const struct images *all, const struct exam_plan *plan)
{
    static const enum images_part parts[EXAM_PARTS] = {IMAGES_SEARCH, IMAGES_VALIDATE, IMAGES_TEST};
    for (int i = 0; i < EXAM_PARTS; i++) {
        x->part[i] = images_part(all, plan->split, parts[i]);
        if (x->part[i].n < 1)
            return fail("%s: has too few images for the part to %s", plan->data, exam_names[i]);
    }
    return 0;
}

int exam_open(struct exam *x, const struct tensor_program *p, const struct images *all,
              const struct exam_plan *plan)
{
    *x = (struct exam){.path = plan->path, .type = p->type};
    const int trains = lesson_is_one(&x->type);
    int rc = trains ? open_lesson(x, all, plan) : check_network(x, p, all);
    x->n_labels = trains ? x->n_labels : (int)x->type.out.size[1];
    if (rc == 0)
        rc = take_parts(x, all, plan);
    if (rc != 0)
        exam_close(x);
    else
        exam = x;
    return rc;
}

void exam_close(struct exam *x)
{
    for (int i = 0; i < EXAM_PARTS; i++)
        images_free(&x->part[i]);
    lesson_close(&x->lesson);
    memset(x, 0, sizeof *x);
    exam = NULL;
}

/* ---- does a module compute what the network in C does? ---- */

/* How many images have another label; *most: how far numbers are from each other */
static size_t exam_compare(const struct net *net, const struct images *images, const float *got,
                           double *most)
{
    const int n = net->layer[net->n - 1].out.channels;
    float *want = xcalloc((size_t)n, sizeof *want);
    size_t differ = 0;
    for (size_t i = 0; i < images->n; i++, got += n) {
        net_run(net, images->pixel + i * images->size, want);
        differ += net_likeliest(got, n) != net_likeliest(want, n);
        for (int k = 0; k < n; k++)
            *most = fmax(*most, fabs((double)got[k] - (double)want[k]));
    }
    free(want);
    return differ;
}

static int tell_twin(const struct exam *x, const struct net *net, const float *numbers)
{
    const struct images *images = &x->part[0];
    double most = 0;
    if (numbers == NULL)
        return engine_tell_full(x->path);
    const size_t differ = exam_compare(net, images, numbers, &most);
    printf("module: %zu %s, %zu of them with another label; numbers differ by %.1e at most\n",
           images->n, as_counted(images->n, "image", "images"), differ, most);
    return differ == 0 ? flush_stdout() : fail("%s: the module computes something else", x->path);
}

static int exam_compile(struct engine *e, const char *path, const struct buf *text,
                        const char *function, struct engine_code **code)
{
    MlirModule module = engine_parse(e, path, text->s, text->n);
    if (mlirModuleIsNull(module))
        return -1;
    const int rc = engine_build(e, path, module, function, code);
    mlirModuleDestroy(module);
    return rc;
}

int twin_check(const struct net *net, const struct images *images, size_t batch, const char *path,
               const struct buf *text)
{
    const struct net_shape in = net->layer[0].in;
    const int n = net->layer[net->n - 1].out.channels;
    const struct exam x = {.path = path,
                           .n_labels = n,
                           .part = {*images},
                           .type = {1,
                                    {{NULL, 4, {(long)batch, in.height, in.width, in.channels}}},
                                    {NULL, 2, {(long)batch, n}}}};
    struct engine *e;
    struct engine_code *code = NULL;
    if (engine_open(&e) != 0)
        return -1;
    int rc = exam_compile(e, path, text, net->name, &code);
    if (rc == 0) {
        float *numbers = numbers_of(&x, code->entry, images);
        rc = tell_twin(&x, net, numbers);
        free(numbers);
    }
    engine_free(code);
    engine_close(e);
    return rc;
}
