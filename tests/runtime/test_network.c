/* test_network.c - the network's arithmetic against a naive 64-bit twin
   SPDX-License-Identifier: MIT

   Tests each body of the build that the machine has. The hash of all results that it prints is the
   same for every body, compiler and option: freestanding.sh builds them and compares. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* feenableexcept */
#endif
#define KPRED_STATIC
#include "kpred.h"

#include "net.h"
#include "twin.h"

#include <fenv.h>

static kpred_body body; /* at hand */
static const kpri_arith *by;
static uint64_t seed, signature;

static void sign_int(int32_t x)
{
    signature = kpri_mix(signature, (uint32_t)x);
}

/* Exactly n int32_t or int16_t, so that a sanitiser sees who goes beyond. */
static void *buffer(size_t n, size_t size)
{
    void *p = malloc(n * size);
    if (!p)
        abort();
    return p;
}

static int64_t dot(const int8_t *w, const int16_t *x, size_t n)
{
    int64_t sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += (int64_t)w[i] * x[i];
    return sum;
}

/* ---- the functions that bodies have ---- */

static void check_matvec(size_t rows, size_t cols, int extreme)
{
    int8_t *w = (int8_t *)buffer(rows * cols, 1);
    int16_t *x = (int16_t *)buffer(cols, sizeof *x), *lost = (int16_t *)buffer(cols, sizeof *x);
    int32_t *bias = (int32_t *)buffer(rows, sizeof *bias), *y = (int32_t *)buffer(rows, sizeof *y);
    for (size_t i = 0; i < rows * cols; i++)
        w[i] = (int8_t)(extreme == 1 ? 127 : extreme == 2 ? -127 : test_between(&seed, -127, 127));
    for (size_t i = 0; i < cols; i++)
        x[i] = (int16_t)(extreme ? 127 : test_between(&seed, 0, 127));
    for (size_t i = 0; i < rows; i++)
        bias[i] = extreme == 1   ? INT32_MAX - (int32_t)cols * 127 * 127
                  : extreme == 2 ? INT32_MIN + (int32_t)cols * 127 * 127
                                 : test_between(&seed, -(1 << 30), 1 << 30);
    memcpy(lost, x, cols * sizeof *x);
    by->matvec(w, bias, rows, cols, lost, y);
    for (size_t i = 0; i < rows; i++) {
        CHECK_EQ(y[i], bias[i] + dot(w + i * cols, x, cols));
        sign_int(y[i]);
    }
    free(w), free(x), free(lost), free(bias), free(y);
}

static void matvec(void)
{
    for (size_t rows = 4; rows <= KPRED_MAX_WIDTH; rows += rows < 20 ? 4 : 36)
        for (size_t cols = 16; cols <= KPRED_MAX_WIDTH; cols += 16) {
            check_matvec(rows, cols, 0);
            check_matvec(rows, cols, 1);
            check_matvec(rows, cols, 2);
        }
}

/* A reach of 0: where each of 0..127 begins */
static int64_t accumulator(size_t i, unsigned s, int32_t reach)
{
    const int64_t q = (int64_t)(i % 133) - 2;
    return reach ? test_between(&seed, -reach, reach)
                 : q * ((int64_t)1 << s) - ((int64_t)1 << (s - 1)) + test_between(&seed, -2, 2);
}

static void check_requantise(size_t n, unsigned s, int32_t reach)
{
    int32_t *acc = (int32_t *)buffer(n, sizeof *acc);
    int16_t *y = (int16_t *)buffer(n, sizeof *y);
    const int32_t most = INT32_MAX - (1 << (s - 1));
    for (size_t i = 0; i < n; i++)
        acc[i] = (int32_t)twin_clamp(accumulator(i, s, reach), INT32_MIN, most);
    acc[0] = INT32_MIN;
    acc[n - 1] = most;
    by->requantise(acc, s, n, y);
    for (size_t i = 0; i < n; i++)
        CHECK_EQ(y[i], twin_requantise(acc[i], s));
    for (size_t i = 0; i < n; i++)
        sign_int(y[i]);
    free(acc), free(y);
}

static void requantise(void)
{
    for (unsigned s = 1; s <= 24; s++)
        for (size_t n = 16; n <= KPRED_MAX_WIDTH; n += 16) {
            check_requantise(n, s, INT32_MAX);
            check_requantise(n, s, 140 << (s < 23 ? s : 23));
            check_requantise(n, s, 0);
        }
}

/* Weights that make the logits of the units themselves: logit v is bias v and unit v */
static int8_t *one_of_each(size_t n)
{
    int8_t *w = (int8_t *)buffer(n * n, 1);
    memset(w, 0, n * n);
    for (size_t i = 0; i < n; i++)
        w[i * n + i] = 1;
    return w;
}

/* base so that base + 2^e * sum + 2^(s-1) fits int32, up to both ends */
static void fill_base(int32_t *base, size_t n, unsigned e, unsigned s, int extreme)
{
    const int64_t far = (int64_t)127 * 15 << e, half = (int64_t)1 << (s - 1);
    const int32_t near = 200 << (s < 22 ? s : 22);
    for (size_t i = 0; i < n; i++)
        base[i] = extreme == 1   ? (int32_t)(INT32_MAX - far - half)
                  : extreme == 2 ? (int32_t)(INT32_MIN + far)
                                 : test_between(&seed, -near, near);
}

/* Records of some words, and their lanes behind each other */
struct scene {
    kpri_lanes lanes;
    int32_t *x, *records;
    unsigned char *prefix;
};

static struct scene scene_make(size_t n, size_t lane, size_t record_words)
{
    struct scene c;
    c.x = (int32_t *)buffer(n * lane, sizeof *c.x);
    c.records = (int32_t *)buffer(n * record_words, sizeof *c.records);
    c.prefix = (unsigned char *)(c.records + 1);
    for (size_t i = 0; i < n * record_words; i++)
        c.records[i] = test_between(&seed, -(1 << 30), 0);
    c.lanes.x = c.x, c.lanes.record = c.records, c.lanes.prefix = c.prefix;
    c.lanes.lane = lane, c.lanes.record_words = record_words, c.lanes.n = n;
    return c;
}

static void scene_free(struct scene *c)
{
    free(c->x), free(c->records);
}

/* The values of a prefix that add rows have the indexes 0 to 2; the parameters between them, which
   have no head, any index. */
static void fill_prefix(const kpri_rows *rows, size_t n_rows, unsigned char *prefix)
{
    for (size_t i = 0; i < KPRED_MAX_TUPLE; i++)
        prefix[i] = (unsigned char)test_between(&seed, 0, 255);
    for (size_t r = 0; r < n_rows; r++)
        prefix[rows->param[r]] = (unsigned char)test_between(&seed, 0, 2);
}

static int64_t twin_unit(const kpri_parameter *p, const unsigned char *prefix, size_t i)
{
    int64_t acc = p->base[i];
    for (size_t r = 0; r < p->n_rows; r++) {
        const size_t row = ((size_t)p->rows->first[r] + prefix[p->rows->param[r]]) * p->hidden;
        acc += p->head->embedding[row + i] * ((int64_t)1 << p->head->embedding_shift);
    }
    return twin_requantise(acc, p->head->hidden_shift);
}

static void check_head(size_t rows, size_t n, unsigned e, unsigned s, int extreme)
{
    const size_t n_records = (size_t)test_between(&seed, 1, 4), weights = 3 * rows * n + 1;
    int8_t *from = (int8_t *)buffer(weights, 1), *w = one_of_each(n);
    int32_t *base = (int32_t *)buffer(n, sizeof *base), *bias = (int32_t *)buffer(n, sizeof *bias);
    const unsigned up = (unsigned)test_between(&seed, 0, 12);
    const kpred_head head = {from, w, bias, (unsigned char)e, (unsigned char)s, (unsigned char)up};
    kpri_rows where;
    const kpri_parameter p = {&head, base, &where, (uint32_t)rows, (uint32_t)n, (uint32_t)n};
    struct scene c = scene_make(n_records, n, 1 + KPRED_MAX_TUPLE / 4);
    for (size_t i = 0; i < weights; i++)
        from[i] = (int8_t)(extreme == 1   ? 127
                           : extreme == 2 ? -127
                                          : test_between(&seed, -127, 127));
    for (size_t r = 0; r < rows; r++) {
        where.first[r] = (uint16_t)(3 * (rows - 1 - r));
        where.param[r] = (unsigned char)(2 * r + 1);
    }
    for (size_t i = 0; i < n; i++)
        bias[i] = test_between(&seed, -100000, 100000);
    fill_base(base, n, e, s, extreme);
    for (size_t r = 0; r < n_records; r++)
        fill_prefix(&where, rows, c.prefix + 4 * r * c.lanes.record_words);
    by->head(&p, &c.lanes);
    for (size_t i = 0; i < n_records * n; i++) {
        const unsigned char *prefix = c.prefix + 4 * (i / n) * c.lanes.record_words;
        CHECK_EQ(c.x[i], (twin_unit(&p, prefix, i % n) + bias[i % n]) * (1 << up));
        sign_int(c.x[i]);
    }
    scene_free(&c), free(from), free(w), free(base), free(bias);
}

static void heads(void)
{
    for (size_t rows = 0; rows < KPRED_MAX_PARAMS; rows++)
        for (unsigned e = 0; e <= 15; e++)
            for (unsigned s = 1; s <= 24; s++) {
                const size_t n = 16 * (size_t)test_between(&seed, 1, KPRED_MAX_HIDDEN / 16);
                check_head(rows, n, e, s, test_between(&seed, 0, 2));
                check_head(rows, 16, e, s, 0);
            }
}

/* Logits, or the ends of their range alone, and whatever stands behind them in a lane */
static void fill_lane(int32_t *x, size_t n, size_t lane, int32_t spread, int kind)
{
    const int32_t most = (1 << 29) - 1;
    for (size_t v = 0; v < n; v++) {
        const int is_most = kind == 0 || (kind == 1 ? (int)(v % 2) : test_between(&seed, 0, 1));
        x[v] = spread ? test_between(&seed, -spread, spread) : is_most ? most : -most;
    }
    for (size_t v = n; v < lane; v++)
        x[v] = kind == 0 ? INT32_MAX : kind == 1 ? INT32_MIN : 0;
}

/* The body's scores of n logits in each lane: what the record has, and the log2 of a probability */
static void check_lanes(struct scene *c, size_t n)
{
    const size_t n_records = c->lanes.n;
    int64_t *twin = (int64_t *)buffer(n_records * n, sizeof *twin);
    for (size_t r = 0; r < n_records; r++) {
        double sum = 0;
        for (size_t v = 0; v < n; v++)
            twin[r * n + v] = c->x[r * c->lanes.lane + v];
        twin_log_softmax(twin + r * n, n);
        for (size_t v = 0; v < n; v++)
            sum += exp2((double)twin[r * n + v] / 65536);
        CHECK(fabs(sum - 1) < 2e-4);
    }
    by->scores(&c->lanes, n);
    for (size_t i = 0; i < n_records * n; i++) {
        const int32_t score = c->x[i / n * c->lanes.lane + i % n];
        CHECK_EQ(score, c->records[c->lanes.record_words * (i / n)] + twin[i]);
        sign_int(score);
    }
    free(twin);
}

static void check_scores(size_t n, size_t n_records, int32_t spread, int kind)
{
    struct scene c = scene_make(n_records, (n + 3) & ~(size_t)3, 3);
    for (size_t r = 0; r < n_records; r++)
        fill_lane(c.x + r * c.lanes.lane, n, c.lanes.lane, spread, kind);
    check_lanes(&c, n);
    scene_free(&c);
}

static void scores(void)
{
    static const int32_t spreads[] = {0, 1, 1000, 65536, 1 << 20, 1 << 24, (1 << 29) - 1};
    for (size_t n = 1; n <= KPRED_MAX_VALUES; n++)
        for (int i = 0; i < 105; i++)
            check_scores(n, 1 + (size_t)i % 5, spreads[i % 7], i % 3);
}

/* n logits of which the powers add up to `sum`: each is the largest that still fits. */
static void fill_to_sum(int32_t *x, size_t n, int32_t sum)
{
    for (size_t v = 0; v < n; v++) {
        int32_t bits = 0;
        for (int32_t step = 1 << 20; step > 0; step /= 2)
            bits += kpri_exp2_neg((uint32_t)(bits + step - 1)) > sum ? step : 0;
        x[v] = -bits;
        sum -= kpri_exp2_neg((uint32_t)bits);
    }
}

/* Sums of powers of two lanes and more, on both sides of where their highest bit moves */
static void sums_around_powers_of_two(void)
{
    const size_t n = 16;
    for (int32_t e = 24; e <= 28; e++)
        for (size_t n_records = 2; n_records <= 4; n_records++)
            for (int32_t turn = 0; turn < 3; turn++) {
                struct scene c = scene_make(n_records, n, 3);
                for (size_t r = 0; r < n_records; r++) {
                    const int32_t off = ((int32_t)r + turn) % 3 - (e > 24); /* none is less */
                    fill_to_sum(c.x + r * n, n, (1 << e) + off);
                }
                check_lanes(&c, n);
                scene_free(&c);
            }
}

/* The sum of 2^(scale * x), each term from the table as its comment says */
static int64_t twin_powers(const int32_t *x, size_t n, int32_t from, uint32_t scale)
{
    int64_t sum = 0;
    for (size_t v = 0; v < n; v++) {
        const int64_t bits = ((int64_t)from - x[v]) * scale / 65536;
        sum += bits / 65536 > 30 ? 0 : kpri_exp2_table[bits / 1024 % 64] >> bits / 65536;
    }
    return sum;
}

static void powers(void)
{
    static const uint32_t scales[] = {1, 40000, 65535, 65537, KPRED_MAX_SCALE};
    for (size_t n = 1; n <= KPRED_MAX_VALUES; n++) {
        const size_t room = (n + 3) & ~(size_t)3;
        int32_t *x = (int32_t *)buffer(room, sizeof *x);
        for (int i = 0; i < 40; i++) {
            const int32_t from = test_between(&seed, -(1 << 30) + (1 << 26), 0);
            for (size_t v = 0; v < n; v++)
                x[v] = from - (i % 2 ? test_between(&seed, 0, 1 << 26) : i * 4000);
            for (size_t v = n; v < room; v++)
                x[v] = i % 3 == 0 ? INT32_MAX : i % 3 == 1 ? INT32_MIN : from;
            CHECK_EQ(by->powers(x, n, from, scales[i % 5]), twin_powers(x, n, from, scales[i % 5]));
        }
        free(x);
    }
}

/* ---- the whole scorer ---- */

static void check_scorer(const struct net *net, const int32_t *problem)
{
    const kpred_model *m = &net->model;
    int32_t *work = (int32_t *)buffer(m->work_words, sizeof *work);
    int32_t *logits = (int32_t *)buffer(KPRED_MAX_VALUES, sizeof *logits);
    int64_t base[KPRED_MAX_PARAMS * KPRED_MAX_HIDDEN] = {0}, twin[KPRED_MAX_VALUES] = {0};
    unsigned char prefix[KPRED_MAX_TUPLE];
    const kpri_lanes l = {logits, logits, prefix, 0, 0, 1};
    kpri_rows rows;
    kpri_find_rows(m, &rows);
    twin_start(m, problem, base);
    kpri_start_by(by, m, problem, work);
    for (uint32_t t = 0; t < m->n_params; t++) {
        twin_logits(m, base, prefix, t, twin);
        kpri_logits_by(by, m, &rows, work, t, &l);
        for (int32_t v = 0; v < m->params[t].n_values; v++) {
            CHECK_EQ(logits[v], twin[v]);
            CHECK(logits[v] < 1 << 29 && logits[v] > -(1 << 29));
            sign_int(logits[v]);
        }
        prefix[t] = (unsigned char)test_between(&seed, 0, m->params[t].n_values - 1);
    }
    free(work), free(logits);
}

static void scorer(void)
{
    struct net_shape shape;
    struct net net;
    int32_t problem[NET_FIELDS];
    for (int i = 0; i < 100; i++) {
        net_random_shape(&seed, &shape);
        net_make(&net, test_random64(&seed), &shape);
        for (int j = 0; j < 4; j++) {
            net_random_problem(&seed, problem);
            check_scorer(&net, problem);
        }
        net_free(&net);
    }
}

/* Activations that no instruction sets are 0, and what follows them is left alone. */
static void activations(void)
{
    static const kpred_instr program[1];
    kpred_additive net;
    int32_t registers[1] = {1};
    int16_t x[9];
    memset(&net, 0, sizeof net);
    net.program = program;
    memset(x, 7, sizeof x);
    kpri_features(&net, 1, 8, registers, x);
    for (size_t i = 0; i < 8; i++)
        CHECK_EQ(x[i], 0);
    CHECK_EQ(x[8], 0x707);
}

/* ---- whole predictions; test_search.c says that they are right ---- */

/* It leaves no flag of floating point, and ends no program that traps each of them. */
static kpred_status predict(kpred_ctx *ctx, const int32_t *problem, kpred_tuple *out, size_t k,
                            size_t *n)
{
    kpred_status status;
    feclearexcept(FE_ALL_EXCEPT);
    status = kpred_predict(ctx, problem, NET_FIELDS, out, k, n);
    CHECK_EQ(fetestexcept(FE_ALL_EXCEPT), 0);
#ifdef __GLIBC__
    feenableexcept(FE_ALL_EXCEPT);
    CHECK_EQ(kpred_predict(ctx, problem, NET_FIELDS, out, k, n), status);
    fedisableexcept(FE_ALL_EXCEPT);
#endif
    return status;
}

static void check_prediction(const struct net *net, const int32_t *problem, size_t beam)
{
    const size_t words = kpred_arena_words(&net->model, beam);
    int32_t *arena = (int32_t *)buffer(words, sizeof *arena);
    kpred_tuple *out = (kpred_tuple *)buffer(beam, sizeof *out);
    kpred_ctx ctx;
    size_t n = 0;
    CHECK_EQ(kpred_init(&ctx, KPRED_VERSION, &net->model, beam, arena, words), KPRED_OK);
    CHECK_EQ(kpred_set_body(&ctx, body), KPRED_OK);
    kpred_touch(&ctx);
    CHECK_EQ(predict(&ctx, problem, out, beam, &n), KPRED_OK);
    for (size_t i = 0; i < n; i++) {
        CHECK(i == 0 || out[i - 1].score >= out[i].score);
        sign_int(out[i].score);
        for (size_t t = 0; t < net->model.n_params; t++)
            sign_int(out[i].value[t]);
    }
    free(arena), free(out);
}

static void predictions(void)
{
    static const size_t beams[] = {1, 2, 10, 100};
    struct net_shape shape;
    struct net net;
    int32_t problem[NET_FIELDS];
    for (int i = 0; i < 60; i++) {
        net_random_shape(&seed, &shape);
        net_make(&net, test_random64(&seed), &shape);
        net_random_problem(&seed, problem);
        check_prediction(&net, problem, beams[i % 4]);
        net_free(&net);
    }
}

static void run(void)
{
    seed = 4;
    signature = UINT64_C(0xcbf29ce484222325);
    by = KPRI_ARITH_OF(body);
    RUN_ALL(matvec, requantise, heads, scores, sums_around_powers_of_two, powers, scorer,
            predictions);
    printf("body %s signature %016llx\n", kpred_body_name(body), (unsigned long long)signature);
}

int main(void)
{
    twin_make_tables();
    RUN_ALL(activations);
    for (int i = 0; i < KPRED_BODIES; i++) {
        body = (kpred_body)i;
        if (kpri_bodies(1) >> i & 1)
            run();
        else
            printf("body %s: not here\n", kpred_body_name(body));
    }
    return test_end();
}
