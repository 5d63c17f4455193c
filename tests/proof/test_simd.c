/* test_simd.c - the functions of one number in each body with vectors, for all numbers
   SPDX-License-Identifier: MIT

   STRIDE=N looks at each N-th block of numbers, from that with the number DRAWN on, and at all
   blocks near 0; STRIDE=1 looks at all 2^32 numbers, with each of the 24 shifts where there is one,
   and takes some minutes. `samples` prints what functions of more inputs give: simd.py compares its
   terms with that. */
#define KPRED_STATIC
#include "kpred.h"

#include "harness/test.h"

#include <stdlib.h>

enum { BLOCK = 4096, NEAR = 1 << 16, MOST_SHIFT = 24 };

static int64_t stride = 997, drawn = 0;

/* The block of numbers behind that from x on */
static int64_t block_behind(int64_t x)
{
    const int64_t next = x + BLOCK, number = (x - INT32_MIN) / BLOCK;
    const int64_t far = next + (drawn + stride - 1 - number % stride) % stride * BLOCK;
    return (next < -NEAR && far > -NEAR) ? -NEAR : next < NEAR && next >= -NEAR ? next : far;
}

/* ---- the bodies ---- */

typedef struct simd_body {
    kpred_body number;
    void (*requantise)(const int32_t *acc, unsigned s, size_t n, int16_t *y);
    void (*hidden)(const kpri_parameter *p, const unsigned char *prefix, int16_t *h);
} simd_body;

#if KPRI_HAS(2) || KPRI_HAS(3) || KPRI_HAS(4)

/* The hidden units as they are in the other bodies */
KPRI_TARGET("avx2")
static void hidden_avx2(const kpri_parameter *p, const unsigned char *prefix, int16_t *h)
{
    const kpri_units u = {p->base,
                          p->head->embedding,
                          p->n_rows,
                          _mm256_set1_epi32(1 << (p->head->hidden_shift - 1)),
                          _mm_cvtsi32_si128(p->head->embedding_shift),
                          _mm_cvtsi32_si128(p->head->hidden_shift)};
    unsigned char q[KPRED_MAX_HIDDEN];
    uint32_t row[KPRED_MAX_PARAMS];
    kpri_prefix_rows(p, prefix, row);
    kpri_units_avx2(&u, row, p->hidden, q);
    for (size_t i = 0; i < p->hidden; i++)
        h[i] = q[i];
}

#endif

static const simd_body bodies[] = {
#if KPRI_HAS(0)
    {KPRED_BODY_PORTABLE, kpri_requantise_portable, kpri_hidden_portable},
#endif
#if KPRI_HAS(1)
    {KPRED_BODY_SSE2, kpri_requantise_sse2, kpri_hidden_sse2},
#endif
#if KPRI_HAS(2) || KPRI_HAS(3) || KPRI_HAS(4) /* those with VNNI have these functions, too */
    {KPRED_BODY_AVX2, kpri_requantise_avx2, hidden_avx2},
#endif
#if KPRI_HAS(5) || KPRI_HAS(6)
    {KPRED_BODY_NEON, kpri_requantise_neon, kpri_hidden_neon},
#endif
};

static int runs(kpred_body body)
{
    return KPRED_SIMD != KPRED_SIMD_X86 || (kpri_bodies(1) >> (unsigned)body & 1);
}

static void same(const int16_t *got, const int16_t *wanted, kpred_body body, int64_t first)
{
    char what[96];
    if (memcmp(got, wanted, BLOCK * sizeof *got) == 0)
        return;
    snprintf(what, sizeof what, "%s, in the block from %lld on", kpred_body_name(body),
             (long long)first);
    CHECK_OF(0, what);
}

/* ---- activations ---- */

/* min(127, max(0, floor((acc + 2^(s-1)) / 2^s))) for a block. pre: the sums fit int32_t */
static void activations(const int32_t *acc, unsigned s, int16_t *y)
{
    for (size_t i = 0; i < BLOCK; i++) {
        const int32_t sum = acc[i] + (1 << (s - 1)), q = sum < 0 ? 0 : sum >> s;
        y[i] = (int16_t)(q < 127 ? q : 127);
    }
}

/* A body's hidden units over the accumulators, to which a row of zeros is added */
static void hidden_units(const simd_body *body, const int32_t *acc, unsigned s, int16_t *y)
{
    static const int8_t row[KPRED_MAX_HIDDEN] = {0};
    static const unsigned char prefix[1] = {0};
    static const kpri_rows rows = {{0}, {0}, {0}};
    const kpred_head head = {row, row, acc, 0, (uint8_t)s, 0};
    kpri_parameter p = {&head, acc, &rows, 1, KPRED_MAX_HIDDEN, 4};
    for (size_t i = 0; i < BLOCK; i += KPRED_MAX_HIDDEN) {
        p.base = acc + i;
        body->hidden(&p, prefix, y + i);
    }
}

static void check_block(int64_t first, unsigned s)
{
    static int32_t acc[BLOCK];
    static int16_t wanted[BLOCK], y[BLOCK];
    for (int32_t i = 0; i < BLOCK; i++)
        acc[i] = (int32_t)first + i;
    activations(acc, s, wanted);
    for (size_t b = 0; b < COUNT(bodies); b++) {
        if (!runs(bodies[b].number))
            continue;
        bodies[b].requantise(acc, s, BLOCK, y);
        same(y, wanted, bodies[b].number, first);
        hidden_units(&bodies[b], acc, s, y);
        same(y, wanted, bodies[b].number, first);
    }
}

/* The last block is that whose sums come up to 2^31 - 1. */
static void activations_of_all_numbers(void)
{
    for (unsigned s = 1; s <= MOST_SHIFT; s++) {
        const int64_t last = (int64_t)INT32_MAX + 1 - BLOCK - (1 << (s - 1));
        for (int64_t first = INT32_MIN; first < last; first = block_behind(first))
            check_block(first, s);
        check_block(last, s);
    }
}

/* ---- exp2, log2 and powers ---- */

#if KPRI_HAS(2) || KPRI_HAS(3) || KPRI_HAS(4)

/* NAME(first): the bits in which four(x), of four numbers, differs from one(x) in a block */
#define WRONG_OF_FOUR(NAME, four, one)                                        \
    KPRI_TARGET("avx2") static int32_t NAME(uint32_t first)                   \
    {                                                                         \
        const __m128i lane = _mm_setr_epi32(0, 1, 2, 3);                      \
        int32_t y[4], wrong = 0;                                              \
        for (uint32_t x = first; x - first < BLOCK; x += 4) {                 \
            kpri_store(y, four(_mm_add_epi32(_mm_set1_epi32((int)x), lane))); \
            for (uint32_t i = 0; i < 4; i++)                                  \
                wrong |= y[i] ^ one(x + i);                                   \
        }                                                                     \
        return wrong;                                                         \
    }

/* kpri_log2_4 leaves out that of 2^24. */
static int32_t log2_of_sum(uint32_t x)
{
    return kpri_log2(x) - 24 * 65536;
}

WRONG_OF_FOUR(wrong_exp2, kpri_exp2_neg4, kpri_exp2_neg)
WRONG_OF_FOUR(wrong_log2, kpri_log2_4, log2_of_sum)

/* The powers of x alone, and of each number of neighbours behind it: so each lane counts alone. */
static int32_t wrong_powers(uint32_t first)
{
    uint32_t wrong = 0;
    for (uint32_t x = first; x - first < BLOCK; x += 4) {
        int32_t score[4];
        for (uint32_t i = 0; i < 4; i++)
            score[i] = (int32_t)(0 - x - i);
        for (size_t n = 1; n <= 4; n++)
            wrong |= kpri_powers_avx2(score, n, 0, KPRED_SCALE_ONE)
                     ^ kpri_powers(score, n, 0, KPRED_SCALE_ONE);
    }
    return (int32_t)wrong;
}

static void check_numbers(int32_t (*wrong)(uint32_t), int64_t first, int64_t end)
{
    if (!runs(KPRED_BODY_AVX2)) {
        test_skip("this machine has no AVX2");
        return;
    }
    for (; first < end; first = block_behind(first))
        CHECK_EQ(wrong((uint32_t)first), 0);
    CHECK_EQ(wrong((uint32_t)(end - BLOCK)), 0);
}

static void exp2_of_all_numbers(void)
{
    check_numbers(wrong_exp2, 0, INT64_C(1) << 32);
}

/* As far as its comment allows */
static void log2_of_all_sums(void)
{
    check_numbers(wrong_log2, 1 << 24, (1 << 28) + BLOCK);
}

static void powers_of_all_numbers(void)
{
    check_numbers(wrong_powers, 0, INT64_C(1) << 32);
}

#endif

/* ---- what compilers have built in ---- */

static void bits_of_all_numbers(void)
{
    uint32_t wrong = (uint32_t)kpri_leading_zeros(0) ^ 31;
    for (int64_t first = 0; first < INT64_C(1) << 32; first = block_behind(first))
        for (uint32_t i = 0; i < BLOCK; i++) {
            const uint32_t x = ((uint32_t)first + i) | !(first + i);
            wrong |= x << kpri_leading_zeros(x) >> 31 ^ 1;
            wrong |= x >> kpri_lowest_bit(x) ^ x / (x & (0 - x));
        }
    CHECK_EQ(wrong, 0);
}

/* ---- samples ---- */

enum { MOST_IN = 160, MOST_OUT = 64, SAMPLES = 40, COUNTS_END = 40 };

/* What simd.py has a term of: it takes n_in bytes, of which the last n_counts count bits, and gives
   n_out. */
typedef struct instruction {
    const char *name;
    size_t n_in, n_counts, n_out;
    void (*of)(const unsigned char *in, unsigned char *out);
} instruction;

/* NAME of what is stored by that function; AT(n): 16 of the bytes taken, AT256(n): 32 */
#define GIVES(target, name, store, value)                                \
    target static void name(const unsigned char *in, unsigned char *out) \
    {                                                                    \
        store(out, value);                                               \
    }
#define AT(n)    kpri_load(in + (n))
#define AT256(n) kpri_load256(in + (n))
#define WORDS(n) ((const int32_t *)(const void *)(in + (n)))

#if KPRI_HAS(1)

static __m128i count_of(unsigned char byte)
{
    return _mm_cvtsi32_si128(byte);
}

GIVES(, sse2_madd16, kpri_store, kpri_madd16(AT(0), (const int8_t *)in + 16, AT(32), AT(48)))
GIVES(, sse2_sum4, kpri_store, kpri_sum4(AT(0), AT(16), AT(32), AT(48)))
GIVES(, sse2_requantise8, kpri_store, kpri_requantise8(AT(0), AT(16), count_of(in[32])))
GIVES(, sse2_shifted, kpri_store, kpri_shifted(WORDS(0), AT(16), AT(32), count_of(in[48])))

static void sse2_widen(const unsigned char *in, unsigned char *out)
{
    kpri_store(out, kpri_widen_lo(AT(0)));
    kpri_store(out + 16, kpri_widen_hi(AT(0)));
}

#endif

#if KPRI_HAS(2) || KPRI_HAS(3) || KPRI_HAS(4)

#define AVX2 KPRI_TARGET("avx2")

GIVES(AVX2, avx2_dot, kpri_store256, kpri_dot_avx2(AT256(0), AT256(32), AT256(64)))
GIVES(AVX2, avx2_units32, kpri_store256,
      kpri_units32(_mm256_packs_epi32(AT256(0), AT256(32)),
                   _mm256_packs_epi32(AT256(64), AT256(96))))
GIVES(AVX2, avx2_score4, kpri_store, kpri_score4(AT(0), AT(16), AT(32)))
GIVES(AVX2, avx2_scaled4, kpri_store, kpri_scaled4(AT(0), AT(16)))
GIVES(AVX2, avx2_load4, kpri_store, kpri_load4(WORDS(0), in[32], AT(16)))

AVX2 static void avx2_put4(const unsigned char *in, unsigned char *out)
{
    kpri_put4(AT256(0), AT256(32), AT256(64), AT256(96), WORDS(128), count_of(in[144]),
              (int32_t *)(void *)out);
}

AVX2 static void avx2_units8(const unsigned char *in, unsigned char *out)
{
    const kpri_units u = {WORDS(0), 0, 0, AT256(32), count_of(in[80]), count_of(in[81])};
    kpri_store256(out, kpri_units8(&u, 0, AT(64)));
}

AVX2 static void avx2_pack(const unsigned char *in, unsigned char *out)
{
    memcpy(out, in, 32);
    (void)kpri_pack((int16_t *)(void *)out, 16);
}

AVX2 static void avx2_transpose4(const unsigned char *in, unsigned char *out)
{
    __m128i x[4];
    for (int i = 0; i < 4; i++)
        x[i] = AT(16 * i);
    kpri_transpose4(x);
    for (int i = 0; i < 4; i++)
        kpri_store(out + 16 * i, x[i]);
}

#endif

#if KPRI_HAS(4)

GIVES(KPRI_TARGET("avx2,avx512vl,avx512vnni"), avx512_dot, kpri_store256,
      kpri_dot_avx512_vnni(AT256(0), AT256(32), AT256(64)))
GIVES(KPRI_TARGET("avx2,avxvnni"), avx_dot, kpri_store256,
      kpri_dot_avx_vnni(AT256(0), AT256(32), AT256(64)))

#endif

#if KPRI_HAS(5) || KPRI_HAS(6)

#if KPRI_HAS(5)
#define DOT kpri_dot_neon
#else
#define DOT vdotq_s32
#endif
#define PUT(out, words) vst1q_s32((int32_t *)(void *)(out), words)

GIVES(, neon_shifted4, PUT,
      kpri_shifted4(WORDS(0), vld1_s16((const int16_t *)(const void *)(in + 16)),
                    vdupq_n_s32(in[24])))
GIVES(, neon_dot, PUT,
      DOT(vld1q_s32(WORDS(0)), vld1q_s8((const int8_t *)in + 16),
          vld1q_s8((const int8_t *)in + 32)))

static void neon_requantise(const unsigned char *in, unsigned char *out)
{
    kpri_requantise_neon(WORDS(0), in[32], 8, (int16_t *)(void *)out);
}

#endif

static const instruction instructions[] = {
#if KPRI_HAS(1)
    {"sse2_madd16", 64, 0, 16, sse2_madd16},
    {"sse2_sum4", 64, 0, 16, sse2_sum4},
    {"sse2_widen", 16, 0, 32, sse2_widen},
    {"sse2_requantise8", 33, 1, 16, sse2_requantise8},
    {"sse2_shifted", 49, 1, 16, sse2_shifted},
#endif
#if KPRI_HAS(2) || KPRI_HAS(3) || KPRI_HAS(4)
    {"avx2_dot", 96, 0, 32, avx2_dot},
    {"avx2_put4", 145, 1, 16, avx2_put4},
    {"avx2_units8", 82, 2, 32, avx2_units8},
    {"avx2_units32", 128, 0, 32, avx2_units32},
    {"avx2_pack", 32, 0, 16, avx2_pack},
    {"avx2_score4", 48, 0, 16, avx2_score4},
    {"avx2_scaled4", 32, 0, 16, avx2_scaled4},
    {"avx2_load4", 33, 1, 16, avx2_load4},
    {"avx2_transpose4", 64, 0, 64, avx2_transpose4},
#endif
#if KPRI_HAS(4)
    {"avx_vnni_dot", 96, 0, 32, avx_dot},
    {"avx512_vnni_dot", 96, 0, 32, avx512_dot},
#endif
#if KPRI_HAS(5) || KPRI_HAS(6)
    {"neon_requantise", 33, 1, 16, neon_requantise},
    {"neon_shifted4", 25, 1, 16, neon_shifted4},
    {KPRI_HAS(5) ? "neon_mul_dot" : "neon_dot_dot", 48, 0, 16, neon_dot},
#endif
};

/* The body that its name begins with */
static int is_there(const instruction *f)
{
    size_t body = KPRED_BODIES;
    while (body-- > 0) {
        const char *name = kpred_body_name((kpred_body)body);
        if (strncmp(f->name, name, strlen(name)) == 0)
            return runs((kpred_body)body);
    }
    return 0;
}

/* A word: any, a small one, the end of a type, or bytes at an end of theirs */
static uint32_t draw(uint64_t *seed)
{
    static const int32_t ends[] = {0, -1, INT32_MIN, INT32_MAX, 127, 128, 32767, 32768, -32768};
    static const uint32_t bytes[] = {0x7f, 0x80, 0x81, 0xff, 0x01, 0x00, 0x7f, 0x7f};
    const uint64_t x = test_random64(seed);
    switch (x % 4) {
    case 0: return (uint32_t)(x >> 32);
    case 1: return (uint32_t)((int64_t)(x >> 52) - 2048);
    case 2: return (uint32_t)ends[(x >> 32) % COUNT(ends)];
    default:
        return bytes[x >> 8 & 7] | bytes[x >> 11 & 7] << 8 | bytes[x >> 14 & 7] << 16
               | bytes[x >> 17 & 7] << 24;
    }
}

static void print_bytes(const unsigned char *bytes, size_t n)
{
    printf(" ");
    for (size_t i = 0; i < n; i++)
        printf("%02x", bytes[i]);
}

/* NAME IN OUT, in hexadecimal */
static void print_sample(const instruction *f, uint64_t *seed)
{
    KPRI_ALIGNED unsigned char in[MOST_IN], out[MOST_OUT];
    for (size_t i = 0; i < MOST_IN; i += 4) {
        const uint32_t word = draw(seed);
        memcpy(in + i, &word, 4);
    }
    for (size_t i = f->n_in - f->n_counts; i < f->n_in; i++)
        in[i] %= COUNTS_END;
    f->of(in, out);
    printf("%s", f->name);
    print_bytes(in, f->n_in);
    print_bytes(out, f->n_out);
    printf("\n");
}

static int print_samples(void)
{
    uint64_t seed = 1;
    for (size_t i = 0; i < COUNT(instructions); i++)
        for (size_t n = 0; is_there(&instructions[i]) && n < SAMPLES; n++)
            print_sample(&instructions[i], &seed);
    return 0;
}

int main(int n, char **argument)
{
    const char *text = getenv("STRIDE");
    if (n > 1 && strcmp(argument[1], "samples") == 0)
        return print_samples();
    if (text && atol(text) > 0)
        stride = atol(text);
    text = getenv("DRAWN");
    if (text && atol(text) > 0)
        drawn = atol(text) % stride;
    printf("each %ld-th block of %d numbers\n", (long)stride, BLOCK);
    RUN_ALL(activations_of_all_numbers, bits_of_all_numbers);
#if KPRI_HAS(2) || KPRI_HAS(3) || KPRI_HAS(4)
    RUN_ALL(exp2_of_all_numbers, log2_of_all_sums, powers_of_all_numbers);
#endif
    return test_end();
}
