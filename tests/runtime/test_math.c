/* test_math.c - the integer arithmetic of kpred.h against wider twins and against libm
   SPDX-License-Identifier: MIT */
#define KPRED_STATIC
#include "kpred.h"

#include "harness/test.h"
#include "instruction.h"
#include "twin.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

static uint64_t seed = 1;

static const int32_t edges[] = {
    -128, -3,    INT32_MIN,     INT32_MIN + 1, -2,  -1,  -(1 << 24),    -65536,
    0,    1,     -1000,         1 << 24,       2,   3,   (1 << 24) - 1, 1 << 30,
    7,    16,    (1 << 30) - 1, 46340,         127, 128, INT32_MAX - 1, 46341,
    1000, 65535, INT32_MAX,     65536};

/* An edge, or any number at all. */
static int32_t any_int(void)
{
    if (test_between(&seed, 0, 1))
        return edges[test_between(&seed, 0, (int32_t)COUNT(edges) - 1)];
    return test_between(&seed, INT32_MIN, INT32_MAX);
}

static void tables_are_their_formula(void)
{
    CHECK_EQ(COUNT(kpri_exp2_table), 65);
    CHECK_EQ(COUNT(kpri_log2_table), 65);
    for (int i = 0; i <= 64; i++) {
        CHECK_EQ(kpri_exp2_table[i], twin_exp2_table[i]);
        CHECK_EQ(kpri_log2_table[i], twin_log2_table[i]);
    }
}

/* Linear interpolation errs by at most (ln 2 / 64)^2 / 8 of the value, two roundings by one. */
static void exp2_everywhere(void)
{
    int32_t last = 1 << 24;
    CHECK_EQ(kpri_exp2_neg(0), 1 << 24);
    for (int32_t x = 0; x <= 26 << 16; x++) {
        const int32_t y = kpri_exp2_neg(x);
        const double exact = exp2(24 - x / 65536.0);
        CHECK_EQ(y, twin_exp2_neg(x));
        CHECK(y >= 0 && y <= last);
        CHECK(fabs(y - exact) <= exact * 1.47e-5 + 2);
        last = y;
    }
}

static void exp2_far_out(void)
{
    for (int i = 0; i < 100000; i++)
        CHECK_EQ(kpri_exp2_neg(test_between(&seed, 25 << 16, INT32_MAX)), 0);
    CHECK_EQ(kpri_exp2_neg(INT32_MAX), 0);
}

/* Interpolation errs by at most 1 / (64^2 * 8 * ln 2), 2.9 units; the table by half a unit, the
   last rounding by one. */
static void check_log2(uint32_t x)
{
    const int32_t y = kpri_log2(x);
    CHECK_EQ(y, twin_log2(x));
    CHECK(y >= 0 && y <= 31 * 65536);
    CHECK(fabs(y - 65536 * log2((double)x)) <= 4.4);
    CHECK(x == (uint32_t)1 << 31 || y <= kpri_log2(x + 1));
}

static void log2_everywhere(void)
{
    for (uint32_t x = 1; x <= 1 << 22; x++)
        check_log2(x);
}

static void log2_of_large(void)
{
    for (int i = 0; i < 1000000; i++)
        check_log2((uint32_t)test_between(&seed, 1, INT32_MAX));
    for (int32_t e = 0; e < 31; e++) {
        CHECK_EQ(kpri_log2((uint32_t)1 << e), e * 65536);
        for (int32_t d = e > 6 ? -64 : 0; d <= 64; d++)
            check_log2((uint32_t)(((int64_t)1 << e) + d));
    }
    CHECK_EQ(kpri_log2((uint32_t)1 << 31), 31 * 65536);
    for (int32_t d = 0; d < 64; d++)
        check_log2(((uint32_t)1 << 31) - (uint32_t)d);
}

static void check_softmax(const int32_t *logits, size_t n)
{
    int32_t x[KPRED_MAX_VALUES] = {0};
    int64_t twin[KPRED_MAX_VALUES];
    double sum = 0;
    for (size_t v = 0; v < n; v++)
        twin[v] = x[v] = logits[v];
    kpri_scores1(x, n, 0);
    twin_log_softmax(twin, n);
    for (size_t v = 0; v < n; v++) {
        CHECK_EQ(x[v], twin[v]);
        CHECK(x[v] <= 0 && x[v] >= -(1 << 26));
        sum += exp2(x[v] / 65536.0);
    }
    CHECK(fabs(sum - 1) < 2e-4);
}

static void softmax_of_random(void)
{
    static const int32_t spreads[] = {0, 1, 1000, 65536, 1 << 20, 1 << 24, (1 << 29) - 1};
    int32_t x[KPRED_MAX_VALUES];
    for (int i = 0; i < 100; i++)
        for (size_t s = 0; s < COUNT(spreads); s++)
            for (size_t n = 1; n <= KPRED_MAX_VALUES; n++) {
                for (size_t v = 0; v < n; v++)
                    x[v] = test_between(&seed, -spreads[s], spreads[s]);
                check_softmax(x, n);
            }
}

static void softmax_of_edges(void)
{
    const int32_t most = (1 << 29) - 1;
    int32_t x[KPRED_MAX_VALUES];
    for (size_t n = 1; n <= KPRED_MAX_VALUES; n++) {
        for (size_t v = 0; v < n; v++)
            x[v] = v == n / 2 ? most : -most;
        check_softmax(x, n);
        for (size_t v = 0; v < n; v++)
            x[v] = v % 2 ? most : -most;
        check_softmax(x, n);
        for (size_t v = 0; v < n; v++)
            x[v] = most;
        check_softmax(x, n);
    }
    x[0] = -most;
    CHECK_EQ(kpri_norm(x, 1), x[0]);
}

/* 16 accumulators at a time, as many as the function takes. pre: acc + 2^(s-1) fits int32 */
static struct {
    int32_t acc[16];
    size_t n;
} batch;

static void flush_batch(int s)
{
    int16_t y[16];
    for (size_t i = batch.n; i < 16; i++)
        batch.acc[i] = -1;
    KPRI_PLAIN.requantise(batch.acc, (unsigned)s, 16, y);
    for (size_t i = 0; i < batch.n; i++)
        CHECK_EQ(y[i], twin_requantise(batch.acc[i], s));
    batch.n = 0;
}

static void check_requantise(int64_t acc, int s)
{
    if (acc >= INT32_MIN && acc + ((int64_t)1 << (s - 1)) <= INT32_MAX)
        batch.acc[batch.n++] = (int32_t)acc;
    if (batch.n == 16)
        flush_batch(s);
}

/* Where each of 0..127 begins, and the ends of int32. */
static void requantise_edges(void)
{
    for (int s = 1; s <= 24; s++) {
        for (int64_t q = -2; q <= 130; q++)
            for (int64_t d = -2; d <= 2; d++)
                check_requantise(q * ((int64_t)1 << s) - ((int64_t)1 << (s - 1)) + d, s);
        for (size_t e = 0; e < COUNT(edges); e++)
            check_requantise(edges[e], s);
        for (int64_t d = 0; d <= 2; d++)
            check_requantise(INT32_MAX - ((int64_t)1 << (s - 1)) - d, s);
        flush_batch(s);
    }
}

static void requantise_random(void)
{
    for (int s = 1; s <= 24; s++) {
        for (int i = 0; i < 100000; i++) {
            check_requantise(test_between(&seed, INT32_MIN, INT32_MAX), s);
            check_requantise(test_between(&seed, -(1 << s), 130 << (s < 23 ? s : 23)), s);
        }
        flush_batch(s);
    }
}

static void saturate_at_the_ends(void)
{
    for (int64_t d = -3; d <= 3; d++) {
        CHECK_EQ(kpri_saturate(INT32_MAX + d), d > 0 ? INT32_MAX : INT32_MAX + d);
        CHECK_EQ(kpri_saturate(INT32_MIN + d), d < 0 ? INT32_MIN : INT32_MIN + d);
        CHECK_EQ(kpri_saturate(d), d);
    }
    CHECK_EQ(kpri_saturate(INT64_MAX), INT32_MAX);
    CHECK_EQ(kpri_saturate(INT64_MIN), INT32_MIN);
}

static int64_t twin_register(int op, int64_t a, int64_t b, int64_t k)
{
    switch (op) {
    case KPRED_OP_LOG2: return a < 1 ? 0 : twin_log2(a);
    case KPRED_OP_ADD: return twin_clamp(a + b, INT32_MIN, INT32_MAX);
    case KPRED_OP_SUB: return twin_clamp(a - b, INT32_MIN, INT32_MAX);
    case KPRED_OP_MUL: return twin_clamp(a * b, INT32_MIN, INT32_MAX);
    case KPRED_OP_CEIL_DIV: return a >= 0 && b > 0 ? (a + b - 1) / b : 0;
    case KPRED_OP_MOD: return a >= 0 && b > 0 ? a - a / b * b : 0;
    case KPRED_OP_MIN: return a < b ? a : b;
    case KPRED_OP_MAX: return a < b ? b : a;
    default: return k;
    }
}

static void check_register(int op, int32_t a, int32_t b)
{
    const kpred_instr in = {(uint8_t)op, 2, 1, 0, a ^ b};
    int32_t r[3];
    r[0] = 77;
    r[1] = b;
    r[2] = a;
    CHECK_EQ(kpri_register(&in, r), twin_register(op, a, b, a ^ b));
    CHECK(r[0] == 77 && r[1] == b && r[2] == a);
}

static void registers_against_wide(void)
{
    for (int op = KPRED_OP_LOG2; op <= KPRED_OP_CONST; op++) {
        for (size_t i = 0; i < COUNT(edges); i++)
            for (size_t j = 0; j < COUNT(edges); j++)
                check_register(op, edges[i], edges[j]);
        for (int n = 0; n < 100000; n++)
            check_register(op, any_int(), any_int());
    }
}

static void share_against_wide(void)
{
    int64_t d;
    for (int i = 0; i < 200000; i++) {
        d = (int64_t)(test_random64(&seed) >> (31 + i % 33));
        for (unsigned s = 0; s < 32; s++)
            CHECK_EQ(kpri_share(d, s), twin_clamp(d * 127 / ((int64_t)1 << s), 0, 127));
    }
    for (unsigned s = 0; s < 32; s++) {
        CHECK_EQ(kpri_share(0, s), 0);
        CHECK_EQ(kpri_share((int64_t)1 << s, s), 127);
        CHECK_EQ(kpri_share(((int64_t)1 << 33) - 1, s), 127);
    }
}

static int64_t twin_hat(const kpred_instr *in, int64_t a, int64_t i)
{
    const int64_t width = (int64_t)1 << in->b, centre = in->k + i * width;
    const int64_t off = a < centre ? centre - a : a - centre;
    if ((i == 0 && a < centre) || (i + 1 == in->n && a > centre))
        return 127;
    return 127 - twin_clamp(off * 127 / width, 0, 127);
}

static int64_t twin_activation(const kpred_instr *in, int64_t a, int64_t i)
{
    const int64_t k = in->k, width = (int64_t)1 << in->b;
    switch (in->op) {
    case KPRED_OP_EQUALS: return a == k + i ? 127 : 0;
    case KPRED_OP_RAMP: return twin_clamp(twin_floor_div((a - k) * 127, width), 0, 127);
    case KPRED_OP_HATS: return twin_hat(in, a, i);
    case KPRED_OP_DIVIDES: return a % (k * ((int64_t)1 << i)) == 0 ? 127 : 0;
    default: return a < 0 ? 0 : a % k * 127 / k;
    }
}

static void check_activations(const kpred_instr *in, int32_t a)
{
    int16_t x[257] = {0};
    kpri_activate(in, a, x);
    for (int32_t i = 0; i < in->n; i++) {
        CHECK_EQ(x[i], twin_activation(in, a, i));
        CHECK(x[i] >= 0 && x[i] <= 127);
    }
    CHECK_EQ(x[in->n], 0);
}

static void equals_and_ramps(void)
{
    for (int i = 0; i < 20000; i++) {
        const int32_t k = any_int();
        kpred_instr in = instruction(KPRED_OP_EQUALS, 0, test_between(&seed, 1, 255), k);
        check_activations(&in, any_int());
        check_activations(&in, kpri_saturate((int64_t)k + test_between(&seed, -3, 260)));
        for (int b = 0; b < 32; b++) {
            const int64_t reach = (int64_t)1 << b;
            in = instruction(KPRED_OP_RAMP, b, 1, k);
            check_activations(&in, any_int());
            check_activations(
                &in, kpri_saturate(k + (int64_t)(test_random64(&seed) % 130) * reach / 127));
        }
    }
}

static void hats(void)
{
    for (int i = 0; i < 2000; i++)
        for (int b = 0; b < 32; b++) {
            const int n = i % 8 ? test_between(&seed, 1, 20) : test_between(&seed, 1, 255);
            const int32_t k = i % 4 ? test_between(&seed, -3, 20 << 16) : any_int();
            const kpred_instr in = instruction(KPRED_OP_HATS, b, n, k);
            const int64_t reach = ((int64_t)n + 2) * ((int64_t)1 << b);
            check_activations(&in, any_int());
            check_activations(&in,
                              kpri_saturate(k - ((int64_t)1 << b)
                                            + (int64_t)(test_random64(&seed) % (uint64_t)reach)));
        }
}

/* A hat's partition: inside, neighbours share 127 up to rounding; outside, the end has it all. */
static void hats_sum_up(void)
{
    const kpred_instr in = instruction(KPRED_OP_HATS, 4, 5, 100);
    for (int32_t a = 0; a < 300; a++) {
        int16_t x[5] = {0};
        int32_t sum = 0;
        kpri_activate(&in, a, x);
        for (int32_t i = 0; i < 5; i++)
            sum += x[i];
        CHECK(sum == 127 || (sum == 128 && a > 100 && a < 164));
    }
}

/* pre: 1 <= k * 2^i fits int32 */
static void divisibility(void)
{
    for (int i = 0; i < 100000; i++) {
        const int n = test_between(&seed, 1, 31);
        const int32_t k = test_between(&seed, 1, INT32_MAX >> (n - 1));
        const kpred_instr in = instruction(KPRED_OP_DIVIDES, 0, n, k);
        check_activations(&in, any_int());
        check_activations(&in, kpri_saturate((int64_t)k * test_between(&seed, -70, 70)));
        check_activations(&in, k << test_between(&seed, 0, n - 1));
    }
}

/* pre: 1 <= k <= 2^24 */
static void fractions(void)
{
    for (int i = 0; i < 100000; i++) {
        const int32_t k =
            i % 2 ? test_between(&seed, 1, KPRED_MAX_SIZE) : test_between(&seed, 1, 300);
        const kpred_instr in = instruction(KPRED_OP_FRACTION, 0, 1, i ? k : KPRED_MAX_SIZE);
        check_activations(&in, any_int());
        check_activations(&in, kpri_saturate((int64_t)k * test_between(&seed, 0, 99) - 1));
    }
}

/* Registers append, activations append, the rest is 0; a later register sees an earlier one. */
static void programs(void)
{
    static const kpred_instr code[] = {
        {KPRED_OP_MUL, 0, 1, 0, 0},       {KPRED_OP_EQUALS, 2, 0, 3, 12},
        {KPRED_OP_CONST, 0, 0, 0, -5},    {KPRED_OP_ADD, 3, 2, 0, 0},
        {KPRED_OP_RAMP, 4, 3, 1, 6},      {KPRED_OP_LOG2, 2, 0, 0, 0},
        {KPRED_OP_HATS, 5, 16, 3, 65536}, {KPRED_OP_FRACTION, 1, 0, 1, 8},
    };
    kpred_additive net = {0};
    int32_t r[7] = {4, 3, -1, -1, -1, -1, 99};
    int16_t x[16];
    static const int16_t expected[16] = {127, 0, 0, 15, 0, 0, 127, 47};
    for (size_t i = 0; i < 16; i++)
        x[i] = -1;
    net.program = code;
    net.n_instr = COUNT(code);
    kpri_features(&net, 2, 16, r, x);
    CHECK(r[2] == 12 && r[3] == -5 && r[4] == 7 && r[5] == kpri_log2(12) && r[6] == 99);
    for (size_t i = 0; i < 16; i++)
        CHECK_EQ(x[i], expected[i]);
}

static void copying(void)
{
    int32_t from[9], to[12];
    for (size_t n = 0; n <= 9; n++) {
        for (size_t i = 0; i < 12; i++)
            to[i] = -7;
        for (size_t i = 0; i < 9; i++)
            from[i] = (int32_t)i * 3;
        kpri_copy(to, from, n);
        for (size_t i = 0; i < 12; i++)
            CHECK_EQ(to[i], i < n ? (int)i * 3 : -7);
    }
}

/* The hash of n bytes, as kpred_model_id says it: four hashes of every fourth word, joined */
static uint64_t hash_of_bytes(const int8_t *p, size_t n, uint64_t h)
{
    uint64_t four[4] = {h, h + 1, h + 2, h + 3};
    const size_t whole = n / 32 * 32;
    for (size_t i = 0; i < whole; i += 8) {
        uint64_t word = 0;
        for (size_t b = 0; b < 8; b++)
            word += (uint64_t)(uint8_t)p[i + b] << 8 * b;
        four[i / 8 % 4] = kpri_mix(four[i / 8 % 4], word);
    }
    for (int i = 1; i < 4; i++)
        four[0] = kpri_mix(four[0], four[i]);
    for (size_t i = whole; i < n; i++)
        four[0] = kpri_mix(four[0], (uint8_t)p[i]);
    return four[0];
}

static void hashes_of_bytes(void)
{
    int8_t bytes[100];
    for (size_t i = 0; i < COUNT(bytes); i++)
        bytes[i] = (int8_t)test_between(&seed, -128, 127);
    for (size_t n = 0; n <= COUNT(bytes); n++) {
        uint64_t h = n;
        kpri_hash_bytes(&h, bytes, n);
        CHECK(h == hash_of_bytes(bytes, n, n));
    }
}

int main(void)
{
    twin_make_tables();
    RUN(tables_are_their_formula);
    RUN(exp2_everywhere);
    RUN(exp2_far_out);
    RUN(log2_everywhere);
    RUN(log2_of_large);
    RUN(softmax_of_random);
    RUN(softmax_of_edges);
    RUN(requantise_edges);
    RUN(requantise_random);
    RUN(saturate_at_the_ends);
    RUN(registers_against_wide);
    RUN(share_against_wide);
    RUN(equals_and_ramps);
    RUN(hats);
    RUN(hats_sum_up);
    RUN(divisibility);
    RUN(fractions);
    RUN(programs);
    RUN(copying);
    RUN(hashes_of_bytes);
    return test_end();
}
