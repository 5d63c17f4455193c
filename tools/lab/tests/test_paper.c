/* test_paper.c - the networks of the paper against plain twins, derivatives, threads
   SPDX-License-Identifier: MIT

   The twins are in double precision, with loops over single numbers and libm's functions. */
#include "harness/test.h"
#include "lab/paper/paper.h"
#include "paper_twin.h"

#include "base/numbers.h"
#include "train/matrix.h"

#include <math.h>
#include <stdlib.h>

static uint64_t seed = 11;

static float any_float(float range)
{
    return range * num_signed(&seed);
}

static float given[1 << 21];
static size_t n_given;

/* They stay until n_given is 0 again. */
static float *random_floats(size_t n, float range)
{
    float *v = given + n_given;
    n_given += n;
    if (n_given > COUNT(given))
        exit(1);
    for (size_t i = 0; i < n; i++)
        v[i] = any_float(range);
    return v;
}

/* ---- products ----------------------------------------------------------------------------- */

/* c += a * b, each product and sum rounded, over k in ascending order; a may be read transposed. */
static void multiply_plainly(size_t m, size_t n, size_t k, struct matrix a, const float *b,
                             float *c)
{
    for (size_t i = 0; i < m; i++)
        for (size_t j = 0; j < n; j++)
            for (size_t p = 0; p < k; p++)
                c[i * n + j] += a.at[i * a.row_step + p * a.col_step] * b[p * n + j];
}

static void check_product(size_t m, size_t n, size_t k)
{
    n_given = 0;
    float *a = random_floats(m * k, 1), *b = random_floats(k * n, 1), *c = random_floats(m * n, 1);
    float *want = random_floats(m * n, 1), *packed = random_floats(k * n, 1);
    const struct matrix x = {a, 1, m}, by_rows = {b, n, 1};
    for (int add = 0; add < 2; add++) {
        for (size_t i = 0; i < m * n; i++)
            want[i] = add ? c[i] : 0;
        multiply_plainly(m, n, k, x, b, want);
        matrix_pack(k, n, by_rows, packed);
        matrix_mul_packed(&(struct matrix_product){m, n, k, x, packed, n, c, n, add});
        CHECK(memcmp(c, want, m * n * sizeof *c) == 0);
        matrix_mul(&(struct matrix_product){m, n, k, x, b, n, c, n, 0});
        for (size_t i = 0; i < m * n; i++)
            want[i] = 0;
        multiply_plainly(m, n, k, x, b, want);
        CHECK(memcmp(c, want, m * n * sizeof *c) == 0);
    }
}

static void products(void)
{
    for (size_t m = 1; m < 20; m += 3)
        for (size_t n = 16; n < 180; n += 16)
            check_product(m, n, 1 + m * 7 % 5);
}

/* ---- whole networks ----------------------------------------------------------------------- */

static int near(double got, double want)
{
    return fabs(got - want) <= 2e-5 * (1 + fabs(want));
}

enum { N_ROWS = 90, N_IN = 5, N_OUT = 4, OUT_WORDS = 6, ROWS = 5, WORDS = 7 };

static uint16_t in[N_ROWS * N_IN], out[N_ROWS * N_OUT];
static float unknown[WORDS];
static const struct fit_rows rows = {N_ROWS, in, out, unknown};

/* Answers that depend on the problem and on each other, so that there is something to learn. */
static void make_rows(void)
{
    for (size_t i = 0; i < WORDS; i++)
        unknown[i] = 0.02f;
    for (size_t i = 0; i < N_ROWS; i++) {
        int32_t sum = 0;
        for (size_t t = 0; t < N_IN; t++)
            in[i * N_IN + t] = (uint16_t)test_between(&seed, 1, WORDS - 1);
        for (size_t t = 0; t < N_OUT; t++) {
            sum += in[i * N_IN + t];
            out[i * N_OUT + t] = (uint16_t)(sum % OUT_WORDS);
        }
    }
}

static struct paper_net sized_net(enum paper_kind kind, int is_other)
{
    const struct paper_dims d = {kind, N_IN, WORDS, N_OUT, OUT_WORDS, 16, 32, 2, 16, 2, 1};
    const struct paper_dims other = {kind, N_IN, WORDS, N_OUT, OUT_WORDS, 32, 16, 3, 16, 2, 2};
    struct paper_net net;
    if (paper_new(&net, is_other ? &other : &d, "test"))
        exit(1);
    blocks_init(&net.blocks, 3, net.w);
    return net;
}

static struct paper_net new_net(enum paper_kind kind)
{
    return sized_net(kind, 0);
}

/* A batch of the first rows, word after word, with dropout. */
struct net_case {
    struct paper_net net;
    struct paper_tape tape;
    struct arrays a;
    struct paper_batch batch;
    uint16_t in[N_IN * ROWS], out[N_OUT * ROWS];
};

static double loss_of(struct net_case *c)
{
    const struct arrays a = {c->net.w, NULL, NULL, NULL};
    return paper_run(&c->net, &c->tape, &a, &c->batch, 1);
}

/* Whether d is the slope of the loss at the weight *x. Corners of relus between the two points make
   the two sides differ, and the derivative is as near to them as they are to each other. */
static int is_slope(struct net_case *c, float *x, double d)
{
    const float step = 1.0f / 256, was = *x;
    const double middle = loss_of(c);
    *x = was + step;
    const double right = (loss_of(c) - middle) * 256;
    *x = was - step;
    const double left = (middle - loss_of(c)) * 256;
    *x = was;
    const double error = fabs((left + right) / 2 - d);
    return error <= 0.004 + 0.01 * fabs(d) || (error <= 2 * fabs(right - left) && error < 1);
}

/* Some of a block's weights, whose derivatives are in g */
static void check_slopes(struct net_case *c, const struct block *b, const float *g)
{
    for (int i = 0; i < 25; i++) {
        const size_t at = b->at + (size_t)test_between(&seed, 0, (int32_t)(b->rows * b->cols) - 1);
        CHECK_OF(is_slope(c, c->net.w + at, (double)g[at]), paper_names[c->net.dims.kind]);
    }
}

static void load_batch(struct net_case *c, float drop)
{
    const struct paper_batch batch = {ROWS, c->in, c->out, drop, 5};
    for (size_t i = 0; i < ROWS; i++) {
        for (size_t t = 0; t < N_IN; t++)
            c->in[t * ROWS + i] = in[i * N_IN + t];
        for (size_t t = 0; t < N_OUT; t++)
            c->out[t * ROWS + i] = out[i * N_OUT + t];
    }
    c->batch = batch;
}

static void check_net(enum paper_kind kind, int is_other, float drop)
{
    static struct net_case c;
    n_given = 0;
    c.net = sized_net(kind, is_other);
    const size_t n = c.net.blocks.n_weights;
    float *packed = random_floats(2 * n, 0), *g = random_floats(n, 0);
    const struct arrays a = {c.net.w, packed, packed + n, g};
    paper_tape_new(&c.tape, &c.net, ROWS);
    load_batch(&c, drop);
    for (size_t i = 0; i < n; i++)
        c.net.w[i] += c.net.w[i] != 0 ? any_float(0.2f) : 0;
    for (size_t i = 0; i < c.net.blocks.n; i++)
        blocks_pack(&c.net.blocks, i, c.net.w, packed, packed + n);
    paper_run(&c.net, &c.tape, &a, &c.batch, 1);
    for (size_t i = 0; i < c.net.blocks.n; i++)
        check_slopes(&c, &c.net.blocks.block[i], g);
    paper_tape_free(&c.tape);
    paper_free(&c.net);
}

static void gradients(void)
{
    for (int i = 0; i < 4 * PAPER_KINDS; i++)
        check_net((enum paper_kind)(i / 4), i & 1, i & 2 ? 0.3f : 0);
}

/* The loss of one row, word by word, as a search goes through them. */
static double searched_loss(const struct paper_net *net, struct paper_tape *tape, size_t row)
{
    n_given = 0;
    float *shared = random_floats(paper_memory(net) + 1, 1);
    float *state = random_floats(paper_state(net) + 1, 1);
    float *next = random_floats(paper_state(net) + 1, 1), *swap;
    double loss = 0;
    paper_start(net, tape, in + row * N_IN, shared, state);
    for (size_t t = 0; t < N_OUT; t++) {
        const uint16_t *word = out + row * N_OUT + t;
        loss += softmax_loss(paper_logits(net, tape, shared, state, t), 1, OUT_WORDS, 16, word, 1,
                             NULL);
        paper_extend(net, tape, shared, state, *word, next);
        swap = state;
        state = next;
        next = swap;
    }
    return loss;
}

static void search_is_training(void)
{
    for (int kind = 0; kind < PAPER_KINDS; kind++) {
        struct paper_net net = new_net((enum paper_kind)kind);
        struct paper_tape tape;
        double loss = 0;
        paper_tape_new(&tape, &net, 1);
        for (size_t i = 0; i < N_ROWS; i++)
            loss += searched_loss(&net, &tape, i);
        CHECK(near(loss, fit_loss(&net, &rows, NULL)));
        paper_tape_free(&tape);
        paper_free(&net);
    }
}

/* The networks, put together of layers, against twins that were not. */
static void whole_networks(void)
{
    for (int kind = 0; kind < 2 * PAPER_KINDS; kind++) {
        struct paper_net net = sized_net((enum paper_kind)(kind / 2), kind & 1);
        for (size_t i = 0; i < net.blocks.n_weights; i++)
            net.w[i] *= 2;
        for (size_t i = 0; i < 12; i++) {
            const struct fit_rows one = {1, in + i * N_IN, out + i * N_OUT, NULL};
            CHECK(near(fit_loss(&net, &one, NULL), twin_loss(&net, one.in, one.out)));
        }
        paper_free(&net);
    }
}

/* ---- training ----------------------------------------------------------------------------- */

static struct paper_net trained(enum paper_kind kind, size_t epochs, size_t n_threads)
{
    const struct recipe r = {.paper_epochs = (double)epochs,
                             .paper_batch = 22,
                             .paper_rate = 0.01,
                             .paper_drop = 0.2,
                             .paper_average = 0.9};
    struct paper_net net = new_net(kind);
    fit(&net, &rows, NULL,
        &(struct paper_training){.recipe = &r, .seed = 5, .n_threads = n_threads});
    return net;
}

static uint64_t hash_of(const struct paper_net *net)
{
    return test_hash_floats(net->w, net->blocks.n_weights);
}

/* Changes with the arithmetic or the test's rows alone. */
static const uint64_t TRAINED[PAPER_KINDS] = {
    0x638e5ea31298739d, 0x3b064f92cc956b8b, 0x0fd84bcbdd169e8f,
    0x9f21c315db06c129, 0x49461c994185e985,
};

static void every_compiler_and_any_threads(void)
{
    for (int kind = 0; kind < PAPER_KINDS; kind++)
        for (size_t n_threads = 1; n_threads < 4; n_threads += 2) {
            struct paper_net net = trained((enum paper_kind)kind, 6, n_threads);
            CHECK(hash_of(&net) == TRAINED[kind]);
            if (hash_of(&net) != TRAINED[kind])
                printf("  %s: 0x%016llx\n", paper_names[kind], (unsigned long long)hash_of(&net));
            paper_free(&net);
        }
}

static void learns(void)
{
    for (int kind = 0; kind < PAPER_KINDS; kind++) {
        struct paper_net before = new_net((enum paper_kind)kind);
        struct paper_net after = trained((enum paper_kind)kind, 60, 1);
        CHECK(fit_loss(&after, &rows, NULL) < 0.8 * fit_loss(&before, &rows, NULL));
        paper_free(&before);
        paper_free(&after);
    }
}

int main(void)
{
    RUN(products);
    seed = 23; /* the rows below, whatever comes above */
    make_rows();
    RUN_ALL(every_compiler_and_any_threads, learns, whole_networks, search_is_training, gradients);
    return test_end();
}
