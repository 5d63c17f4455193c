/* bare.c - bare loops of int8 multiply-adds: what a core does at best, to measure predictions by
   SPDX-License-Identifier: MIT */
#include "bench.h"

#include "base/util.h"

#include <stdlib.h>

/* The same guards as in kpred.h: VNNI needs gcc 11 or clang 12. */
#if defined(__x86_64__) && defined(__SSE2__) && defined(__GNUC__)
#define HAS_X86
#include <immintrin.h>
#if defined(__clang__) ? __clang_major__ >= 12 : __GNUC__ >= 11
#define HAS_VNNI
#endif
#elif defined(__ARM_NEON) && defined(__aarch64__)
#define HAS_NEON
#include <arm_neon.h>
#if defined(__ARM_FEATURE_DOTPROD)
#define HAS_NEON_DOT
#endif
#endif

void bare_open(struct bare *b)
{
    b->weights = xmalloc(BARE_BYTES);
    b->sums = xcalloc(BARE_ROWS, sizeof *b->sums);
    for (size_t i = 0; i < BARE_BYTES; i++)
        b->weights[i] = (int8_t)((int)(i * 37 % 255) - 127);
    for (size_t i = 0; i < BARE_COLS; i++)
        b->wide[i] = b->narrow[i] = i % 3 != 0;
}

void bare_free(struct bare *b)
{
    free(b->weights);
    free(b->sums);
}

/* As in kpred.h: clang widens too far by itself, and under a sanitizer cannot, which is no reason
   to warn. */
#if defined(__clang__) && defined(__SSE2__)
#define DOT_PRODUCT _Pragma("clang loop vectorize_width(8) interleave_count(1)")
#pragma clang diagnostic ignored "-Wpass-failed"
#else
#define DOT_PRODUCT
#endif

static int32_t dot_portable(const int8_t *w, const int16_t *x)
{
    int32_t sum = 0;
    DOT_PRODUCT
    for (size_t i = 0; i < BARE_COLS; i++)
        sum += (int16_t)w[i] * x[i];
    return sum;
}

static int32_t loop_portable(const struct bare *b)
{
    int32_t sum = 0;
    for (size_t r = 0; r < BARE_ROWS; r++)
        sum += dot_portable(b->weights + r * BARE_COLS, b->wide);
    return sum;
}

#ifdef HAS_X86

#define TARGET(features) __attribute__((target(features)))

static __m128i bare_load(const void *p)
{
    return _mm_loadu_si128((const __m128i *)p);
}

static int32_t sum_of(__m128i x)
{
    x = _mm_add_epi32(x, _mm_shuffle_epi32(x, 0x4e));
    return _mm_cvtsi128_si32(_mm_add_epi32(x, _mm_shuffle_epi32(x, 0xb1)));
}

/* 16 products, the weights with their signs extended */
static __m128i madd16_plain(__m128i acc, const int8_t *w, const int16_t *x)
{
    const __m128i q = bare_load(w);
    const __m128i low = _mm_srai_epi16(_mm_unpacklo_epi8(q, q), 8);
    const __m128i high = _mm_srai_epi16(_mm_unpackhi_epi8(q, q), 8);
    acc = _mm_add_epi32(acc, _mm_madd_epi16(low, bare_load(x)));
    return _mm_add_epi32(acc, _mm_madd_epi16(high, bare_load(x + 8)));
}

static int32_t dot_plain(const int8_t *w, const int16_t *x)
{
    __m128i acc = madd16_plain(_mm_setzero_si128(), w, x);
    acc = madd16_plain(acc, w + 16, x + 16);
    acc = madd16_plain(acc, w + 32, x + 32);
    return sum_of(madd16_plain(acc, w + 48, x + 48));
}

/* A weight in the upper half of its lane needs no shift; the sums are 256 times as large. */
static __m128i madd16(__m128i acc, const int8_t *w, const int16_t *x)
{
    const __m128i q = bare_load(w), zero = _mm_setzero_si128();
    acc = _mm_add_epi32(acc, _mm_madd_epi16(_mm_unpacklo_epi8(zero, q), bare_load(x)));
    return _mm_add_epi32(acc, _mm_madd_epi16(_mm_unpackhi_epi8(zero, q), bare_load(x + 8)));
}

static int32_t loop_sse2(const struct bare *b)
{
    __m128i a = _mm_setzero_si128(), c = a, d = a, e = a;
    for (const int8_t *w = b->weights; w < b->weights + BARE_BYTES; w += BARE_COLS) {
        a = madd16(a, w, b->wide);
        c = madd16(c, w + 16, b->wide + 16);
        d = madd16(d, w + 32, b->wide + 32);
        e = madd16(e, w + 48, b->wide + 48);
    }
    return sum_of(_mm_add_epi32(_mm_add_epi32(a, c), _mm_add_epi32(d, e))) / 256;
}

/* 256 bits by `dot`, two rows at a time: four sums, as one instruction takes some cycles */
#define LOOP256(name, features, dot)                                                             \
    TARGET(features) static int32_t name(const struct bare *b)                                   \
    {                                                                                            \
        const __m256i x0 = _mm256_loadu_si256((const __m256i *)b->narrow);                       \
        const __m256i x1 = _mm256_loadu_si256((const __m256i *)(b->narrow + 32));                \
        const __m256i *w = (const __m256i *)(const void *)b->weights;                            \
        const __m256i *end = (const __m256i *)(const void *)(b->weights + BARE_BYTES);           \
        __m256i a = _mm256_setzero_si256(), c = a, d = a, e = a;                                 \
        for (; w < end; w += 4) {                                                                \
            a = dot(a, x0, _mm256_loadu_si256(w));                                               \
            c = dot(c, x1, _mm256_loadu_si256(w + 1));                                           \
            d = dot(d, x0, _mm256_loadu_si256(w + 2));                                           \
            e = dot(e, x1, _mm256_loadu_si256(w + 3));                                           \
        }                                                                                        \
        a = _mm256_add_epi32(_mm256_add_epi32(a, c), _mm256_add_epi32(d, e));                    \
        return sum_of(_mm_add_epi32(_mm256_castsi256_si128(a), _mm256_extracti128_si256(a, 1))); \
    }

TARGET("avx2") static __m256i dot_avx2(__m256i acc, __m256i x, __m256i w)
{
    return _mm256_add_epi32(acc,
                            _mm256_madd_epi16(_mm256_maddubs_epi16(x, w), _mm256_set1_epi16(1)));
}

LOOP256(loop_avx2, "avx2", dot_avx2)

#ifdef HAS_VNNI

LOOP256(loop_avx_vnni, "avx2,avxvnni", _mm256_dpbusd_avx_epi32)

TARGET("avx2,avx512f,avx512vnni") static int32_t loop_avx512_vnni(const struct bare *b)
{
    const __m512i x = _mm512_loadu_si512(b->narrow);
    __m512i a = _mm512_setzero_si512(), c = a, d = a, e = a;
    for (const int8_t *w = b->weights; w < b->weights + BARE_BYTES; w += 256) {
        a = _mm512_dpbusd_epi32(a, x, _mm512_loadu_si512(w));
        c = _mm512_dpbusd_epi32(c, x, _mm512_loadu_si512(w + 64));
        d = _mm512_dpbusd_epi32(d, x, _mm512_loadu_si512(w + 128));
        e = _mm512_dpbusd_epi32(e, x, _mm512_loadu_si512(w + 192));
    }
    return _mm512_reduce_add_epi32(
        _mm512_add_epi32(_mm512_add_epi32(a, c), _mm512_add_epi32(d, e)));
}

#endif
#else
#define dot_plain dot_portable
#endif

#ifdef HAS_NEON

/* 64 bytes at a time by `dot`, which adds 16 products to four lanes */
#define LOOP_NEON(name, dot)                                                              \
    static int32_t name(const struct bare *b)                                             \
    {                                                                                     \
        const int8_t *x = (const int8_t *)b->narrow;                                      \
        const int8x16_t x0 = vld1q_s8(x), x1 = vld1q_s8(x + 16);                          \
        const int8x16_t x2 = vld1q_s8(x + 32), x3 = vld1q_s8(x + 48);                     \
        int32x4_t a = vdupq_n_s32(0), c = a, d = a, e = a;                                \
        for (const int8_t *w = b->weights; w < b->weights + BARE_BYTES; w += BARE_COLS) { \
            a = dot(a, x0, vld1q_s8(w));                                                  \
            c = dot(c, x1, vld1q_s8(w + 16));                                             \
            d = dot(d, x2, vld1q_s8(w + 32));                                             \
            e = dot(e, x3, vld1q_s8(w + 48));                                             \
        }                                                                                 \
        return vaddvq_s32(vaddq_s32(vaddq_s32(a, c), vaddq_s32(d, e)));                   \
    }

static int32x4_t dot_neon(int32x4_t acc, int8x16_t x, int8x16_t w)
{
    return vpadalq_s16(
        acc, vmlal_s8(vmull_s8(vget_low_s8(x), vget_low_s8(w)), vget_high_s8(x), vget_high_s8(w)));
}

LOOP_NEON(loop_neon, dot_neon)

#ifdef HAS_NEON_DOT
LOOP_NEON(loop_neon_dot, vdotq_s32)
#endif
#endif

void bare_plain(const struct bare *b)
{
    for (size_t r = 0; r < BARE_ROWS; r++)
        b->sums[r] = dot_plain(b->weights + r * BARE_COLS, b->wide);
}

bare_loop bare_loop_of(kpred_body body)
{
    switch (body) {
#ifdef HAS_X86
    case KPRED_BODY_SSE2: return loop_sse2;
    case KPRED_BODY_AVX2: return loop_avx2;
#endif
#ifdef HAS_VNNI
    case KPRED_BODY_AVX_VNNI: return loop_avx_vnni;
    case KPRED_BODY_AVX512_VNNI: return loop_avx512_vnni;
#endif
#ifdef HAS_NEON
    case KPRED_BODY_NEON: return loop_neon;
#endif
#ifdef HAS_NEON_DOT
    case KPRED_BODY_NEON_DOT: return loop_neon_dot;
#endif
    default: return loop_portable;
    }
}
