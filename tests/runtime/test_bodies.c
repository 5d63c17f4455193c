/* test_bodies.c - which bodies kpred.h takes on processors and systems that this machine is not
   SPDX-License-Identifier: MIT

   cpuid and the registers that a system saves come from a table. A body that the machine lacks
   would end a program by a signal, so what is asked counts as much as what is answered. */
#if defined(__x86_64__) && defined(__GNUC__) && !defined(KPRED_SIMD) && __STDC_HOSTED__ \
    && !defined(__AVX512VNNI__) && (defined(__clang__) ? __clang_major__ >= 12 : __GNUC__ >= 11)
#define FROM_TABLE /* a build of all bodies */
#include <cpuid.h>
#undef __cpuid
#undef __cpuid_count
#define __cpuid(leaf, a, b, c, d)             __cpuid_count(leaf, 0, a, b, c, d)
#define __cpuid_count(leaf, part, a, b, c, d) cpuid_of(leaf, part, &(a), &(b), &(c), &(d))
/* The function of kpred.h has `void` between its parentheses, and its call has nothing. */
#define kpri_saved_registers(x) kpri_saved_registers_##x(x)
#include <stdint.h>
static void cpuid_of(int leaf, int part, uint32_t *a, uint32_t *b, uint32_t *c, uint32_t *d);
static uint32_t kpri_saved_registers_(void);
#endif
#define KPRED_STATIC
#include "kpred.h"

#include "harness/test.h"

#ifdef FROM_TABLE

enum { NONE = 0, XMM = 3, YMM = 7, ZMM = 0xe7, NO_UPPER_ZMM = 0x67 };
enum { SSE2_ONLY = 3, AVX2 = 7, AVX_VNNI = 0xf, AVX512 = 0x17, BOTH = 0x1f };

/* The bits by the manuals of Intel and AMD: leaf 1 ecx; leaf 7 ebx, ecx and its last part; leaf 7
   part 1 eax. What no body needs is set besides in some of them. */
#define OSXSAVE      (1u << 27)
#define HAS_AVX2     (1u << 5)
#define HAS_F        (1u << 16)
#define HAS_VL       (1u << 31)
#define HAS_VNNI     (1u << 11)
#define HAS_AVX_VNNI (1u << 4)
#define ALL_BUT_OURS ~(HAS_AVX2 | HAS_F | HAS_VL)

static const struct processor {
    const char *name;
    uint32_t leaf1_c, saved, parts, leaf7_b, leaf7_c, leaf71_a;
    uint32_t bodies; /* that it has */
    int asked;       /* calls of cpuid for the fastest one */
} processors[] = {
    {"Core 2", 0, NONE, 0, 0, 0, 0, SSE2_ONLY, 1},
    {"Core 2, what leaf 7 says is not asked", 0, ZMM, 1, ~0u, ~0u, ~0u, SSE2_ONLY, 1},
    {"Sandy Bridge", OSXSAVE, YMM, 0, 0, 0, 0, SSE2_ONLY, 2},
    {"Haswell", OSXSAVE, YMM, 0, HAS_AVX2, 0, 0, AVX2, 2},
    {"Haswell, a system without AVX", OSXSAVE, XMM, 0, HAS_AVX2, 0, 0, SSE2_ONLY, 1},
    {"Haswell, a system without XSAVE", 0, NONE, 0, HAS_AVX2, 0, 0, SSE2_ONLY, 1},
    {"registers of AVX alone", OSXSAVE, 4, 0, HAS_AVX2, 0, 0, SSE2_ONLY, 1},
    {"AVX without AVX2", OSXSAVE, ZMM, 0, ALL_BUT_OURS, ~0u, 0, SSE2_ONLY, 2},
    {"Skylake-X", OSXSAVE, ZMM, 0, HAS_AVX2 | HAS_F | HAS_VL, 0, 0, AVX2, 2},
    {"Knights Mill", OSXSAVE, ZMM, 0, HAS_AVX2 | HAS_F, HAS_VNNI, 0, AVX2, 2},
    {"VL and VNNI without F", OSXSAVE, ZMM, 0, HAS_AVX2 | HAS_VL, HAS_VNNI, 0, AVX2, 2},
    {"Ice Lake", OSXSAVE, ZMM, 0, HAS_AVX2 | HAS_F | HAS_VL, HAS_VNNI, 0, AVX512, 2},
    {"Ice Lake, a system without AVX-512", OSXSAVE, YMM, 0, HAS_AVX2 | HAS_F | HAS_VL, HAS_VNNI, 0,
     AVX2, 2},
    {"Ice Lake, a system that saves 16 registers", OSXSAVE, NO_UPPER_ZMM, 0,
     HAS_AVX2 | HAS_F | HAS_VL, HAS_VNNI, 0, AVX2, 2},
    {"Alder Lake", OSXSAVE, YMM, 1, HAS_AVX2, 0, HAS_AVX_VNNI, AVX_VNNI, 3},
    {"Alder Lake without VNNI", OSXSAVE, YMM, 1, HAS_AVX2, 0, ~HAS_AVX_VNNI, AVX2, 3},
    {"Sapphire Rapids, Zen 5", OSXSAVE, ZMM, 2, HAS_AVX2 | HAS_F | HAS_VL, HAS_VNNI, HAS_AVX_VNNI,
     BOTH, 2},
};

static const struct processor *now;
static int asked, wrong_questions;

/* A leaf that no body needs, and what the first processors lack, is a fault to ask for. */
static void cpuid_of(int leaf, int part, uint32_t *a, uint32_t *b, uint32_t *c, uint32_t *d)
{
    asked++;
    wrong_questions += leaf == 1 ? part != 0 : leaf != 7 || part > 1 || part > (int)now->parts;
    *a = leaf == 1 ? 0x906a3 : part ? now->leaf71_a : now->parts;
    *b = leaf == 1 ? 0x100800 : part ? 0 : now->leaf7_b;
    *c = leaf == 1 ? now->leaf1_c : part ? 0 : now->leaf7_c;
    *d = ~0u;
}

/* xgetbv is a signal where the system has not said that it may be asked. */
static uint32_t kpri_saved_registers_(void)
{
    wrong_questions += !(now->leaf1_c & OSXSAVE);
    return now->saved;
}

/* The number of the highest bit */
static uint32_t highest(uint32_t bits)
{
    uint32_t n = 0;
    while (bits >>= 1)
        n++;
    return n;
}

/* Is the fastest body taken, with as few questions, and can exactly those that there are be set? */
static int is_right(const struct processor *p)
{
    kpred_ctx ctx = {0};
    kpred_model model = {0};
    int right;
    now = p;
    asked = wrong_questions = 0;
    right = kpri_fastest_body() == highest(p->bodies) && asked == p->asked;
    ctx.model = &model;
    for (uint32_t body = 0; body < KPRED_BODIES; body++)
        right &= kpred_set_body(&ctx, (kpred_body)body)
                 == (p->bodies >> body & 1 ? KPRED_OK : KPRED_ERR_BODY);
    return right && !wrong_questions;
}

/* xgetbv as it is: what every system with AVX saves, where it may be asked at all */
static void this_machine(void)
{
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx"))
        CHECK_EQ(kpri_saved_registers_void() & YMM, YMM);
}

int main(void)
{
    for (size_t i = 0; i < COUNT(processors); i++)
        CASE(is_right(&processors[i]), "%s", processors[i].name);
    RUN(this_machine);
    return test_end();
}

#else

int main(void)
{
    printf("skip all: it is for x86-64, gcc 11 or clang 12, and a build of all bodies\n");
    printf("0 passed, 0 failed, 1 skipped\n");
    return 0;
}

#endif
