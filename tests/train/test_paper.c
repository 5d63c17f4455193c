/* test_paper.c - the paper's layers and networks against plain twins, derivatives, threads
   SPDX-License-Identifier: MIT

   The twins are in double precision, with loops over single numbers and libm's functions. */
#include "harness/test.h"
#include "paper_twin.h"
#include "train/paper/fit.h"
#include "train/paper/softmax.h"

#include "base/numbers.h"
#include "train/matrix.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

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
    if (n_given > sizeof given / sizeof *given)
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
        matrix_mul_packed(m, n, k, x, packed, c, n, add);
        CHECK(memcmp(c, want, m * n * sizeof *c) == 0);
        matrix_mul(m, n, k, x, b, n, c, n, 0);
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

/* ---- one layer, its weights and what surrounds it ----------------------------------------- */

enum { ROWS = 5, STEPS = 4, CELLS = 16, WIDE = 32, WORDS = 7, ROOM = 200000 };

static float weights[ROOM], panels[ROOM], turned[ROOM], gradient[ROOM], memory[ROOM],
    kept[ROWS * WIDE];
static struct blocks blocks;
static struct arrays arrays = {weights, NULL, turned, gradient};
static struct room room;
static uint16_t tokens[STEPS * ROWS];

static void begin(void)
{
    memset(&blocks, 0, sizeof blocks);
    memset(gradient, 0, sizeof gradient);
    n_given = 0;
    room.at = memory;
    room.used = 0;
    for (size_t i = 0; i < STEPS * ROWS; i++)
        tokens[i] = (uint16_t)test_between(&seed, 0, WORDS - 1);
    for (size_t i = 0; i < ROWS * WIDE; i++)
        kept[i] = test_between(&seed, 0, 3) ? 4.0f / 3.0f : 0.0f;
}

/* Weights of all the layer's blocks, biases included, but for padding. */
static void fill_weights(void)
{
    for (size_t i = 0; i < blocks.n; i++) {
        const struct block *b = &blocks.block[i];
        for (size_t j = 0; j < b->rows * b->cols; j++)
            weights[b->at + j] = j % b->cols < b->used ? any_float(0.5f) : 0.0f;
        blocks_pack(&blocks, i, weights, panels, turned);
    }
}

static int near(double got, double want)
{
    return fabs(got - want) <= 2e-5 * (1 + fabs(want));
}

static void widen(const float *x, size_t n, double *out)
{
    for (size_t i = 0; i < n; i++)
        out[i] = (double)x[i];
}

static void check_near(const float *got, const double *want, size_t n)
{
    for (size_t i = 0; i < n; i++)
        CHECK(near((double)got[i], want[i]));
}

/* ---- derivatives -------------------------------------------------------------------------- */

typedef double measure(void *layer);

/* Whether d is the slope of what is measured, at *x. Corners of relus between the two points make
   the two sides differ, and the derivative is as near to them as they are to each other. */
static int is_slope(measure *f, void *layer, float *x, double d)
{
    const float step = 1.0f / 256, was = *x;
    const double middle = f(layer);
    *x = was + step;
    const double right = (f(layer) - middle) * 256;
    *x = was - step;
    const double left = (middle - f(layer)) * 256;
    *x = was;
    const double error = fabs((left + right) / 2 - d);
    return error <= 0.004 + 0.01 * fabs(d) || (error <= 2 * fabs(right - left) && error < 1);
}

/* Some of the n numbers at x, whose derivatives are at d. */
static void check_slopes(measure *f, void *layer, float *x, const float *d, size_t n,
                         const char *what)
{
    int wrong = 0;
    for (int i = 0; i < 25; i++) {
        const size_t at = (size_t)test_between(&seed, 0, (int32_t)n - 1);
        wrong += !is_slope(f, layer, x + at, (double)d[at]);
    }
    if (wrong)
        test_fail(__FILE__, __LINE__, what);
}

/* Those of the weights, block by block. The layer's pass forward uses no transposed weights. */
static void check_weights(measure *f, void *layer, const char *what)
{
    for (size_t i = 0; i < blocks.n; i++) {
        const struct block *b = &blocks.block[i];
        check_slopes(f, layer, weights + b->at, gradient + b->at, b->rows * b->cols, what);
    }
}

static double product(const float *x, const float *y, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += (double)x[i] * (double)y[i];
    return sum;
}

/* ---- dense -------------------------------------------------------------------------------- */

struct dense_case {
    struct dense l;
    float *in, *d_in, *out, *asked; /* asked: what is measured is the product of out with it */
};

static double measure_dense(void *user)
{
    struct dense_case *c = user;
    dense_forward(&c->l, &arrays, c->in, ROWS, c->out);
    return product(c->out, c->asked, ROWS * c->l.n_out);
}

static void dense(void)
{
    struct dense_case c;
    twin_vector in, out;
    begin();
    dense_new(&c.l, &blocks, WIDE, 21, BLOCK_BIAS);
    fill_weights();
    c.in = random_floats(ROWS * WIDE, 1);
    c.d_in = random_floats(ROWS * WIDE, 1);
    c.out = random_floats(ROWS * 32, 1);
    c.asked = random_floats(ROWS * 32, 1);
    measure_dense(&c);
    for (size_t i = 0; i < ROWS; i++) {
        widen(c.in + i * WIDE, WIDE, in);
        twin_dense(weights, &c.l, in, out);
        check_near(c.out + i * 32, out, 32);
    }
    CHECK(c.out[21] == 0 && c.out[31] == 0);
    dense_back_weights(&c.l, &arrays, c.in, c.asked, ROWS);
    dense_back_in(&c.l, &arrays, c.asked, ROWS, c.d_in, 0);
    check_weights(measure_dense, &c, "weights");
    check_slopes(measure_dense, &c, c.in, c.d_in, ROWS * WIDE, "input");
}

/* ---- one-hot words ------------------------------------------------------------------------ */

struct onehot_case {
    struct onehot l;
    float out[ROWS * WIDE], *asked;
};

static double measure_onehot(void *user)
{
    struct onehot_case *c = user;
    onehot_begin(&c->l, &arrays, ROWS, c->out);
    onehot_add(&c->l, &arrays, tokens, kept, ROWS, c->out);
    return product(c->out, c->asked, ROWS * WIDE);
}

static void onehot(void)
{
    struct onehot_case c;
    begin();
    onehot_new_biased(&c.l, &blocks, WORDS, WIDE, BLOCK_BIAS);
    fill_weights();
    c.asked = random_floats(ROWS * WIDE, 1);
    measure_onehot(&c);
    for (size_t i = 0; i < ROWS; i++) {
        twin_vector out = {0};
        twin_word(weights, &c.l, tokens[i], (double)kept[i], out);
        check_near(c.out + i * WIDE, out, WIDE);
    }
    onehot_backward(&c.l, &arrays, tokens, kept, c.asked, ROWS);
    check_weights(measure_onehot, &c, "weights");
}

/* ---- LSTM --------------------------------------------------------------------------------- */

struct lstm_case {
    struct lstm l;
    struct lstm_run run;
    float *fed, *asked, *first_c, *first_h; /* fed: what the gates get from below */
};

enum { STATE = ROWS * CELLS };

static double measure_lstm(void *user)
{
    struct lstm_case *c = user;
    const size_t at = lstm_before(&c->run, c->run.reverse ? STEPS - 1 : 0);
    memcpy(c->run.gates, c->fed, STEPS * STATE * 4 * sizeof(float));
    memcpy(c->run.c + at, c->first_c, STATE * sizeof(float));
    memcpy(c->run.h + at, c->first_h, STATE * sizeof(float));
    lstm_forward(&c->l, &arrays, &c->run);
    return product(lstm_outputs(&c->run), c->asked, STEPS * STATE);
}

static void compare_lstm(const struct lstm_case *c)
{
    for (size_t row = 0; row < ROWS; row++) {
        const float *keep = c->run.keep != NULL ? c->run.keep + row * CELLS : NULL;
        twin_vector fed, cell, h;
        widen(c->first_c + row * CELLS, CELLS, cell);
        widen(c->first_h + row * CELLS, CELLS, h);
        for (size_t k = 0; k < STEPS; k++) {
            const size_t t = c->run.reverse ? STEPS - 1 - k : k, at = t * ROWS + row;
            widen(c->fed + at * 4 * CELLS, 4 * CELLS, fed);
            twin_lstm(weights, &c->l, fed, keep, cell, h);
            check_near(lstm_outputs(&c->run) + at * CELLS, h, CELLS);
        }
    }
}

static void check_lstm(int reverse, const float *keep)
{
    struct lstm_case c;
    begin();
    lstm_new(&c.l, &blocks, CELLS);
    lstm_run_new(&c.run, &room, CELLS, STEPS, ROWS, reverse);
    fill_weights();
    c.run.keep = keep;
    c.fed = random_floats(STEPS * STATE * 4, 1);
    c.asked = random_floats(STEPS * STATE, 1);
    c.first_c = random_floats(STATE, 1);
    c.first_h = random_floats(STATE, 1);
    measure_lstm(&c);
    compare_lstm(&c);
    lstm_backward(&c.l, &arrays, &c.run, c.asked);
    float *d_fed = random_floats(STEPS * STATE * 4, 1), *d_first = random_floats(2 * STATE, 1);
    memcpy(d_fed, c.run.gates, STEPS * STATE * 4 * sizeof *d_fed);
    memcpy(d_first, c.run.d_c, STATE * sizeof *d_first);
    memcpy(d_first + STATE, c.run.d_h, STATE * sizeof *d_first);
    check_weights(measure_lstm, &c, "weights");
    check_slopes(measure_lstm, &c, c.fed, d_fed, STEPS * STATE * 4, "input");
    check_slopes(measure_lstm, &c, c.first_c, d_first, STATE, "first cells");
    check_slopes(measure_lstm, &c, c.first_h, d_first + STATE, STATE, "first output");
}

static void lstm(void)
{
    for (int reverse = 0; reverse < 2; reverse++) {
        check_lstm(reverse, NULL);
        check_lstm(reverse, kept);
    }
}

/* ---- bi-LSTM ------------------------------------------------------------------------------ */

struct bilstm_case {
    struct bilstm l;
    struct bilstm_run run;
    float *fed[2]; /* what the gates of its two halves get from below */
    float *asked, out[STEPS * STATE * 2], d_fed[2][STEPS * STATE * 4];
    int last; /* measured: the last states alone */
};

static double measure_bilstm(void *user)
{
    struct bilstm_case *c = user;
    for (int way = 0; way < 2; way++)
        memcpy(c->run.way[way].gates, c->fed[way], STEPS * STATE * 4 * sizeof(float));
    bilstm_forward(&c->l, &arrays, &c->run);
    if (c->last)
        bilstm_last(&c->run, c->out);
    else
        bilstm_outputs(&c->run, c->out);
    return product(c->out, c->asked, (c->last ? 1 : STEPS) * STATE * 2);
}

static void compare_bilstm(const struct bilstm_case *c, size_t row)
{
    static twin_vector fed[2][TWIN_STEPS], out[TWIN_STEPS];
    twin_vector last;
    for (size_t way = 0; way < 2; way++)
        for (size_t t = 0; t < STEPS; t++)
            widen(c->fed[way] + (t * ROWS + row) * 4 * CELLS, 4 * CELLS, fed[way][t]);
    twin_bilstm(weights, &c->l, fed, STEPS, out, last);
    if (c->last)
        check_near(c->out + row * 2 * CELLS, last, 2 * CELLS);
    for (size_t t = 0; t < STEPS && !c->last; t++)
        check_near(c->out + (t * ROWS + row) * 2 * CELLS, out[t], 2 * CELLS);
}

static void check_bilstm(int last)
{
    static struct bilstm_case c;
    begin();
    memset(&c, 0, sizeof c);
    bilstm_new(&c.l, &blocks, CELLS);
    bilstm_run_new(&c.run, &room, CELLS, STEPS, ROWS);
    fill_weights();
    c.last = last;
    c.asked = random_floats(STEPS * STATE * 2, 1);
    for (int way = 0; way < 2; way++)
        c.fed[way] = random_floats(STEPS * STATE * 4, 1);
    measure_bilstm(&c);
    for (size_t row = 0; row < ROWS; row++)
        compare_bilstm(&c, row);
    (last ? bilstm_backward_last : bilstm_backward)(&c.l, &arrays, &c.run, c.asked);
    for (int way = 0; way < 2; way++)
        memcpy(c.d_fed[way], c.run.way[way].gates, sizeof c.d_fed[way]);
    check_weights(measure_bilstm, &c, "weights");
    for (int way = 0; way < 2; way++)
        check_slopes(measure_bilstm, &c, c.fed[way], c.d_fed[way], STEPS * STATE * 4, "input");
}

static void bilstm(void)
{
    check_bilstm(0);
    check_bilstm(1);
}

/* ---- convolution -------------------------------------------------------------------------- */

enum { LENGTH = 9, PLACES = LENGTH * ROWS };

struct conv_case {
    struct conv1d l;
    int of_words;
    uint16_t words[PLACES];
    float in[PLACES * WIDE], out[PLACES * WIDE], d_in[PLACES * WIDE], d_out[PLACES * WIDE];
    float *asked;
};

static double measure_conv(void *user)
{
    struct conv_case *c = user;
    if (c->of_words)
        conv1d_forward_tokens(&c->l, &arrays, c->words, ROWS, c->out);
    else
        conv1d_forward(&c->l, &arrays, c->in, ROWS, c->out);
    return product(c->out, c->asked, c->l.out_length * ROWS * c->l.n_out);
}

static void compare_conv(const struct conv_case *c, size_t row)
{
    static twin_vector in[TWIN_STEPS], out[TWIN_STEPS];
    for (size_t t = 0; t < LENGTH; t++) {
        const size_t at = t * ROWS + row;
        memset(in[t], 0, sizeof in[t]);
        if (c->of_words)
            in[t][c->words[at]] = 1;
        else
            widen(c->in + at * WIDE, WIDE, in[t]);
    }
    twin_conv(weights, &c->l, in, out);
    for (size_t o = 0; o < c->l.out_length; o++)
        check_near(c->out + (o * ROWS + row) * CELLS, out[o], CELLS);
}

static void check_conv(int of_words, size_t taps, size_t stride)
{
    static struct conv_case c;
    begin();
    c.of_words = of_words;
    conv1d_new(&c.l, &blocks, of_words ? BLOCK_TABLE : BLOCK_MATRIX, LENGTH,
               of_words ? WORDS : WIDE, CELLS, taps, stride);
    fill_weights();
    c.asked = random_floats(PLACES * WIDE, 1);
    for (size_t i = 0; i < PLACES * WIDE; i++)
        c.in[i] = any_float(1);
    for (size_t i = 0; i < PLACES; i++)
        c.words[i] = (uint16_t)test_between(&seed, 0, WORDS - 1);
    measure_conv(&c);
    CHECK_EQ(c.l.out_length, (LENGTH - c.l.taps) / stride + 1);
    for (size_t row = 0; row < ROWS; row++)
        compare_conv(&c, row);
    memcpy(c.d_out, c.asked, sizeof c.d_out);
    if (of_words)
        conv1d_backward_tokens(&c.l, &arrays, c.words, c.out, ROWS, c.d_out);
    else
        conv1d_backward(&c.l, &arrays, c.in, c.out, ROWS, c.d_out, c.d_in);
    check_weights(measure_conv, &c, "weights");
    if (!of_words)
        check_slopes(measure_conv, &c, c.in, c.d_in, PLACES * WIDE, "input");
}

static void conv1d(void)
{
    check_conv(0, 3, 1);
    check_conv(0, 4, 2);
    check_conv(1, 3, 1);
    check_conv(1, 2, 3);
    check_conv(1, 8, 1);
}

/* ---- attention ---------------------------------------------------------------------------- */

enum { NODES = 3 };

struct attention_case {
    struct attention l;
    struct attention_run run;
    float seq[STEPS * ROWS * WIDE], s[2 * STATE], out[2 * ROWS * WIDE], *asked;
};

/* Two looks, so that what they have in common is added up. */
static double measure_attention(void *user)
{
    struct attention_case *c = user;
    attention_begin(&c->l, &arrays, &c->run, c->seq);
    for (size_t t = 0; t < 2; t++)
        attention_step(&c->l, &arrays, &c->run, t, c->seq, c->s + t * STATE,
                       c->out + t * ROWS * WIDE);
    return product(c->out, c->asked, 2 * ROWS * WIDE);
}

static void compare_attention(const struct attention_case *c, size_t t, size_t row)
{
    static twin_vector a[TWIN_STEPS];
    twin_vector s, context;
    for (size_t k = 0; k < STEPS; k++)
        widen(c->seq + (k * ROWS + row) * WIDE, WIDE, a[k]);
    widen(c->s + t * STATE + row * CELLS, CELLS, s);
    twin_attention(weights, &c->l, STEPS, a, s, context);
    check_near(c->out + (t * ROWS + row) * WIDE, context, WIDE);
}

static void attention(void)
{
    static struct attention_case c;
    float d_seq[STEPS * ROWS * WIDE] = {0}, d_s[2 * STATE] = {0};
    begin();
    attention_new(&c.l, &blocks, CELLS, WIDE, NODES);
    attention_run_new(&c.l, &c.run, &room, STEPS, 2, ROWS);
    fill_weights();
    c.asked = random_floats(2 * ROWS * WIDE, 1);
    for (size_t i = 0; i < STEPS * ROWS * WIDE; i++)
        c.seq[i] = any_float(1);
    for (size_t i = 0; i < 2 * STATE; i++)
        c.s[i] = any_float(1);
    measure_attention(&c);
    for (size_t i = 0; i < 2 * ROWS; i++)
        compare_attention(&c, i / ROWS, i % ROWS);
    attention_back_begin(&c.l, &c.run);
    for (size_t t = 2; t-- > 0;)
        attention_step_back(&c.l, &arrays, &c.run, t, c.seq, c.s + t * STATE,
                            c.asked + t * ROWS * WIDE, d_seq, d_s + t * STATE);
    attention_finish(&c.l, &arrays, &c.run, c.seq, d_seq);
    check_weights(measure_attention, &c, "weights");
    check_slopes(measure_attention, &c, c.seq, d_seq, STEPS * ROWS * WIDE, "sequence");
    check_slopes(measure_attention, &c, c.s, d_s, 2 * STATE, "state");
}

/* ---- softmax ------------------------------------------------------------------------------ */

static double measure_softmax(void *user)
{
    return softmax_loss(user, ROWS, WORDS, 16, tokens, 1, NULL);
}

static void softmax(void)
{
    float l[ROWS * 16], d[ROWS * 16];
    double loss = 0;
    begin();
    for (size_t i = 0; i < ROWS * 16; i++)
        l[i] = any_float(8);
    for (size_t i = 0; i < ROWS; i++) {
        double sum = 0;
        for (size_t v = 0; v < WORDS; v++)
            sum += pow(2, (double)l[i * 16 + v]);
        loss -= log2(pow(2, (double)l[i * 16 + tokens[i]]) / sum);
    }
    CHECK(near(softmax_loss(l, ROWS, WORDS, 16, tokens, 1, d), loss));
    for (size_t v = WORDS; v < 16; v++)
        CHECK(d[v] == 0);
    /* in bits the slope has a factor 1/ln 2 * ln 2 = 1 */
    check_slopes(measure_softmax, l, l, d, ROWS * 16, "logits");
}

/* ---- whole networks ----------------------------------------------------------------------- */

enum { N_ROWS = 90, N_IN = 5, N_OUT = 4, OUT_WORDS = 6 };

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

static struct paper_net new_net(enum paper_kind kind)
{
    const struct paper_dims d = {kind, N_IN, WORDS, N_OUT, OUT_WORDS, 16, 32, 2, 16, 2, 1};
    struct paper_net net;
    if (paper_new(&net, &d, "test"))
        exit(1);
    blocks_init(&net.blocks, 3, net.w);
    return net;
}

/* A batch of the first rows, word after word, with dropout. */
struct net_case {
    struct paper_net net;
    struct paper_tape tape;
    struct arrays a;
    struct paper_batch batch;
    uint16_t in[N_IN * ROWS], out[N_OUT * ROWS];
};

static double measure_net(void *user)
{
    struct net_case *c = user;
    const struct arrays a = {c->net.w, NULL, NULL, NULL};
    return paper_run(&c->net, &c->tape, &a, &c->batch, 1);
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

static void check_net(enum paper_kind kind, float drop)
{
    static struct net_case c;
    n_given = 0;
    c.net = new_net(kind);
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
    for (size_t i = 0; i < c.net.blocks.n; i++) {
        const struct block *b = &c.net.blocks.block[i];
        check_slopes(measure_net, &c, c.net.w + b->at, g + b->at, b->rows * b->cols,
                     paper_names[kind]);
    }
    paper_tape_free(&c.tape);
    paper_free(&c.net);
}

static void gradients(void)
{
    for (int kind = 0; kind < PAPER_KINDS; kind++) {
        check_net((enum paper_kind)kind, 0);
        check_net((enum paper_kind)kind, 0.3f);
    }
}

/* The loss of one row, word by word, as a search goes through them. */
static double searched_loss(const struct paper_net *net, struct paper_tape *tape, size_t row)
{
    n_given = 0;
    float *shared = random_floats(paper_memory(net) + 1, 1), *l = random_floats(16, 1);
    float *state = random_floats(paper_state(net) + 1, 1);
    float *next = random_floats(paper_state(net) + 1, 1), *swap;
    double loss = 0;
    paper_start(net, tape, in + row * N_IN, shared, state);
    for (size_t t = 0; t < N_OUT; t++) {
        const uint16_t *word = out + row * N_OUT + t;
        paper_logits(net, shared, state, t, l);
        loss += softmax_loss(l, 1, OUT_WORDS, 16, word, 1, NULL);
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
    for (int kind = 0; kind < PAPER_KINDS; kind++) {
        struct paper_net net = new_net((enum paper_kind)kind);
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
    const struct fit_config c = {5, epochs, 22, n_threads, 0.01f, 0.2f, 0.9f};
    struct paper_net net = new_net(kind);
    fit(&net, &rows, NULL, &c, NULL, NULL);
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
    RUN(dense);
    RUN(onehot);
    RUN(lstm);
    RUN(bilstm);
    RUN(conv1d);
    RUN(attention);
    RUN(softmax);
    seed = 23; /* the rows below, whatever comes above */
    make_rows();
    RUN(every_compiler_and_any_threads);
    RUN(learns);
    RUN(whole_networks);
    RUN(search_is_training);
    RUN(gradients);
    return test_end();
}
