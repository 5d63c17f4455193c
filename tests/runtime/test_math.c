/* test_math.c - the integer arithmetic of kpred.h against wider twins
   SPDX-License-Identifier: MIT

   What bodies have of their own, as the scores of logits: test_network.c */
#define KPRED_STATIC
#include "kpred.h"

#include "harness/test.h"
#include "instruction.h"
#include "twin.h"

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

/* How near they are to the exact values, and that they rise and fall: tests/proof/test_domains.c */
static void exp2_and_log2(void)
{
    for (int32_t x = 0; x <= 26 << 16; x++)
        CHECK_EQ(kpri_exp2_neg((uint32_t)x), twin_exp2_neg(x));
    for (uint32_t x = 1; x <= 1 << 20; x++)
        CHECK_EQ(kpri_log2(x), twin_log2(x));
    for (int i = 0; i < 100000; i++) {
        const int32_t x = test_between(&seed, 1, INT32_MAX);
        CHECK_EQ(kpri_log2((uint32_t)x), twin_log2(x));
    }
    for (int32_t e = 20; e < 32; e++)
        for (int64_t x = ((int64_t)1 << e) - 64; x <= (int64_t)1 << e; x++)
            CHECK_EQ(kpri_log2((uint32_t)x), twin_log2(x));
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

static void check_register(int op, int32_t a, int32_t b)
{
    const kpred_instr in = {(uint8_t)op, 2, 1, 0, a ^ b};
    const int32_t r[3] = {77, b, a};
    const int64_t wide[3] = {77, b, a};
    CHECK_EQ(kpri_register(&in, r), twin_register(&in, wide));
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
    RUN_ALL(tables_are_their_formula, exp2_and_log2, saturate_at_the_ends, registers_against_wide,
            share_against_wide, equals_and_ramps, hats, divisibility, fractions, copying,
            hashes_of_bytes);
    return test_end();
}
